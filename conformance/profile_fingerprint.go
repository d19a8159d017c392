package conformance

import (
	"context"
	"slices"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// A SampleFile is a file with questions from which a fingerprint is taken.
type SampleFile struct {
	fingerprint.File
	// Kind says where the file is from: "generated", "real". Shares are told
	// for each kind.
	Kind string
	// Name is by what the file can be found again.
	Name string
	// Known says that the file is never held out: it was written to tell
	// choices apart, so what is predicted of it proves little.
	Known bool
}

// Fingerprints say, of several subjects, how much of what they answer an
// interpretation predicts that was found on other files, and how far they are
// from each other.
//
// The sample is split by a hash of each file. The search sees one half, and the
// evidence is of that; all shares and distances are those of the other, held
// out.
type Fingerprints struct {
	// Format is the version of this form, 1.
	Format  int      `json:"format"`
	Version string   `json:"version"`
	Command []string `json:"command,omitempty"`
	Seed    uint64   `json:"seed"`
	// Source names the collection of the real files.
	Source string `json:"source,omitempty"`
	// Elapsed is the time that asking and searching took, in nanoseconds.
	Elapsed time.Duration `json:"elapsed_ns"`
	// Sample says what was asked, by kind of file, in the order in which the
	// kinds come in the sample.
	Sample   []SampleKind  `json:"sample"`
	Subjects []Fingerprint `json:"subjects"`
	// Distances are those between each two subjects, in the order of Subjects:
	// the share, from 0 to 1, of the held-out questions answered by both that
	// they answer differently; 1 if both answered none.
	Distances [][]float64 `json:"distances"`
	// Tree joins the subjects by these distances; nil of fewer than two.
	Tree *Tree `json:"tree,omitempty"`
	// Lineages are the claimed ones with two subjects or more.
	Lineages []LineageDistance `json:"lineages,omitempty"`
}

// A SampleKind counts the files and questions of one kind.
type SampleKind struct {
	Kind          string `json:"kind"`
	SeenFiles     int    `json:"seen_files"`
	SeenQuestions int    `json:"seen_questions"`
	HeldFiles     int    `json:"held_files"`
	HeldQuestions int    `json:"held_questions"`
}

// A Fingerprint is the interpretation that predicts most of a subject's answers
// in the half that is seen, with what it predicts in the other.
type Fingerprint struct {
	spec.SubjectInfo
	// Verdicts counts the subject's answers in both halves. Crashes, timeouts
	// and what it cannot be asked are no answers, and count in no share.
	Verdicts map[spec.Verdict]int `json:"verdicts"`
	// Elapsed is the time of the search alone, in nanoseconds.
	Elapsed        time.Duration     `json:"elapsed_ns"`
	Interpretation map[string]string `json:"interpretation"`
	// Deviations are the points at which it is not rfc9309, in order.
	Deviations []Deviation `json:"deviations"`
	// Seen and Held are what it predicts of the two halves, Kinds of the held
	// one by kind of file, in the order of Fingerprints.Sample.
	Seen  Predicted   `json:"seen"`
	Held  Predicted   `json:"held"`
	Kinds []Predicted `json:"kinds"`
	// Constant counts the held-out answers that are the subject's commonest
	// one. What does not predict clearly more has found nothing out.
	Constant int `json:"constant"`
	// Missed are the held-out answers that are not predicted, those about the
	// shortest files first, and Gaps the same in groups.
	Missed []Missed `json:"missed,omitempty"`
	Gaps   []Gap    `json:"gaps,omitempty"`
	// Nearest is the named interpretation that predicts most of the held-out
	// answers, and NearestPredicted how many.
	Nearest          string `json:"nearest"`
	NearestPredicted int    `json:"nearest_predicted"`
	// Relative is the subject at the smallest distance, empty if there is no
	// other.
	Relative         string  `json:"relative,omitempty"`
	RelativeDistance float64 `json:"relative_distance,omitempty"`
	// Lost says why the subject was not asked everything.
	Lost string `json:"lost,omitempty"`
}

// AtRandom reports whether the interpretation predicts hardly more of the
// held-out answers than the commonest of them makes up, though they are not
// nearly all the same: less than a tenth of the others.
func (f *Fingerprint) AtRandom() bool {
	return 10*(f.Held.Predicted-f.Constant) < f.Held.Answered-f.Constant
}

// Predicted counts the answers that a prediction can be made for, and those of
// them that are predicted.
type Predicted struct {
	Answered  int `json:"answered"`
	Predicted int `json:"predicted"`
}

// A Deviation is a choice other than that of rfc9309 with what the answers seen
// say for it.
type Deviation struct {
	Point  string `json:"point"`
	Choice string `json:"choice"`
	// For counts the answers that only this choice predicts, all others kept;
	// Against those that rfc9309's choice would predict and this one does not.
	For     int `json:"for"`
	Against int `json:"against"`
	// Witness is a question that speaks for the choice; nil if none does.
	Witness *SampleQuestion `json:"witness,omitempty"`
}

// A SampleQuestion is one question of the sample.
type SampleQuestion struct {
	Kind string `json:"kind"`
	// File names the file, and Robots is the file in octet notation, left out
	// if it is longer than 2 KiB.
	File   string `json:"file"`
	Robots string `json:"robots,omitempty"`
	// Probe is the question in the form of [spec.ProbeID].
	Probe string `json:"probe"`
}

// FingerprintOptions say how to take fingerprints. The zero value works.
type FingerprintOptions struct {
	// Seed changes which files are held out.
	Seed uint64
	// Jobs bounds how many questions a subject is asked at once; 0 means as
	// many as keep it busy.
	Jobs int
	// Progress is told after every file how many of all are done; nil means
	// nobody is. It is called from several goroutines, one at a time.
	Progress func(done, total int)
}

// TakeFingerprints puts the questions of the sample to every subject and finds
// its fingerprint. Equal seeds, samples and answers give equal fingerprints.
//
// When ctx ends early, the subjects that were not asked to the end are missing.
func TakeFingerprints(ctx context.Context, sample []SampleFile, subjects []impl.Subject, o FingerprintOptions) *Fingerprints {
	started := time.Now()
	s := splitSample(sample, o.Seed)
	all := &Fingerprints{Format: 1, Seed: o.Seed, Sample: s.kinds}
	progress := newProgress(o.Progress, len(sample)*len(subjects))
	var answers [][]fingerprint.Outcome
	for _, subject := range subjects {
		verdicts, lost := fingerprint.Ask(ctx, slices.Concat(s.seen.files, s.held.files), subject, o.Jobs, progress)
		seen, held := verdicts[:len(s.seen.files)], verdicts[len(s.seen.files):]
		if ctx.Err() != nil {
			break
		}
		f := s.take(ctx, subject, seen, held)
		if lost != nil {
			f.Lost = lost.Error()
		}
		if ctx.Err() != nil {
			break
		}
		all.Subjects = append(all.Subjects, f)
		answers = append(answers, outcomesOf(held))
	}
	all.relate(answers)
	all.Elapsed = time.Since(started)
	return all
}

// take finds the fingerprint of one subject from its answers.
func (s *halves) take(ctx context.Context, subject impl.Subject, seen, held [][]spec.Verdict) Fingerprint {
	started := time.Now()
	f := Fingerprint{SubjectInfo: subject.Info(), Verdicts: map[spec.Verdict]int{}, Interpretation: map[string]string{}}
	for _, v := range slices.Concat(slices.Concat(seen...), slices.Concat(held...)) {
		f.Verdicts[v]++
	}
	in := s.seen.Find(ctx, seen)
	f.Elapsed = time.Since(started)
	for _, p := range reference.Points() {
		f.Interpretation[p.String()] = in.Choice(p)
	}
	f.Seen.Predicted, f.Seen.Answered = s.seen.Predicted(in, seen)
	f.Held.Predicted, f.Held.Answered = s.held.Predicted(in, held)
	f.Constant = commonest(seen, held)
	s.miss(&f, in, held)
	f.Gaps = s.gaps(in, f.Missed, outcomesOf(held))
	f.Deviations = []Deviation{}
	for _, e := range s.seen.Evidence(in, seen) {
		d := Deviation{Point: e.Point.String(), Choice: in.Choice(e.Point), For: e.For, Against: e.Against}
		if e.For > 0 {
			q := s.seen.question(e.Witness)
			d.Witness = &q
		}
		f.Deviations = append(f.Deviations, d)
	}
	f.NearestPredicted = -1
	for _, name := range reference.Names() {
		if n, _ := s.held.Predicted(mustNamed(name), held); n > f.NearestPredicted {
			f.Nearest, f.NearestPredicted = name, n
		}
	}
	return f
}

// commonest counts the held-out answers that are the answer that is most
// common among those seen.
func commonest(seen, held [][]spec.Verdict) int {
	var counts, heldCounts [fingerprint.Rejects + 1]int
	for _, o := range outcomesOf(seen) {
		counts[o]++
	}
	for _, o := range outcomesOf(held) {
		heldCounts[o]++
	}
	most := fingerprint.Allows
	for o := fingerprint.Allows; o <= fingerprint.Rejects; o++ {
		if counts[o] > counts[most] {
			most = o
		}
	}
	return heldCounts[most]
}
