package conformance

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// A SampleFile is a file with queries for computing a fingerprint.
type SampleFile struct {
	fingerprint.File
	// Kind is the origin of the file: "generated" or "real". Shares are reported
	// for each kind.
	Kind string
	// Name identifies the file.
	Name string
	// Point is the point whose choices the file was written to distinguish, if
	// any.
	Point string
	// Known marks a file that is never held out. It was written to distinguish
	// choices, so predicting its answers proves little.
	Known bool
}

// Fingerprints holds, for each of several subjects, the interpretation that
// predicts most of its answers, the share that it predicts of answers about other
// files, and the distances between the subjects.
//
// The sample is split by a hash of each file. The search uses one half, and the
// evidence comes from it; all shares and distances come from the other half,
// which is held out.
type Fingerprints struct {
	// Format is the version of this format, 1.
	Format  int      `json:"format"`
	Version string   `json:"version"`
	Command []string `json:"command,omitempty"`
	Seed    uint64   `json:"seed"`
	// Source names the collection of the real files.
	Source string `json:"source,omitempty"`
	// Elapsed is the time of all queries and of the search, in nanoseconds.
	Elapsed time.Duration `json:"elapsed_ns"`
	// Sample counts files and queries by kind of file, in the order of the kinds
	// in the sample.
	Sample   []SampleKind  `json:"sample"`
	Subjects []Fingerprint `json:"subjects"`
	// Distances holds the distance between each two subjects, in the order of
	// Subjects: of the held-out queries that both answered, the share, from 0 to
	// 1, with different answers. It is 1 if there are no such queries.
	Distances [][]float64 `json:"distances"`
	// Tree joins the subjects by these distances; nil for fewer than two.
	Tree *Tree `json:"tree,omitempty"`
	// Lineages are the claimed lineages with at least two subjects.
	Lineages []LineageDistance `json:"lineages,omitempty"`
}

// A SampleKind counts the files and queries of one kind.
type SampleKind struct {
	Kind          string `json:"kind"`
	SeenFiles     int    `json:"seen_files"`
	SeenQuestions int    `json:"seen_questions"`
	HeldFiles     int    `json:"held_files"`
	HeldQuestions int    `json:"held_questions"`
}

// A Fingerprint is the interpretation that predicts most of a subject's answers
// in the seen half, with the share that it predicts in the held-out half.
type Fingerprint struct {
	spec.SubjectInfo
	// Verdicts counts the subject's answers in both halves. Crashes, timeouts and
	// unsupported queries are not answers, and count in no share.
	Verdicts map[spec.Verdict]int `json:"verdicts"`
	// Elapsed is the time of the search alone, in nanoseconds.
	Elapsed        time.Duration     `json:"elapsed_ns"`
	Interpretation map[string]string `json:"interpretation"`
	// Deviations are the points at which it differs from rfc9309, in order.
	Deviations []Deviation `json:"deviations"`
	// Seen and Held count the predicted answers in the two halves, and Kinds
	// those of the held-out half by kind of file, in the order of
	// Fingerprints.Sample.
	Seen  Predicted   `json:"seen"`
	Held  Predicted   `json:"held"`
	Kinds []Predicted `json:"kinds"`
	// Constant counts the held-out answers that equal the subject's most common
	// answer. An interpretation that does not predict clearly more is
	// meaningless.
	Constant int `json:"constant"`
	// Missed are the held-out answers that are not predicted, those about the
	// shortest files first. Gaps has the same answers in groups.
	Missed []Missed `json:"missed,omitempty"`
	Gaps   []Gap    `json:"gaps,omitempty"`
	// Nearest is the named interpretation that predicts most of the held-out
	// answers, and NearestPredicted the number that it predicts.
	Nearest          string `json:"nearest"`
	NearestPredicted int    `json:"nearest_predicted"`
	// Relative is the subject at the smallest distance, empty if there is no
	// other subject.
	Relative         string  `json:"relative,omitempty"`
	RelativeDistance float64 `json:"relative_distance,omitempty"`
	// Lost is the reason why the subject did not get all queries.
	Lost string `json:"lost,omitempty"`
}

// AtRandom reports whether the interpretation predicts hardly more of the
// held-out answers than always giving the most common one would: less than a
// tenth of the others, although the answers are not nearly all the same.
func (f *Fingerprint) AtRandom() bool {
	return 10*(f.Held.Predicted-f.Constant) < f.Held.Answered-f.Constant
}

// Predicted counts the answers for which a prediction can be made, and those of
// them that are predicted.
type Predicted struct {
	Answered  int `json:"answered"`
	Predicted int `json:"predicted"`
}

// A Deviation is a choice other than that of rfc9309, with the evidence from the
// seen half.
type Deviation struct {
	Point  string `json:"point"`
	Choice string `json:"choice"`
	// For counts the answers that only this choice predicts, with all other
	// choices unchanged; Against those that rfc9309's choice would predict and
	// this one does not.
	For     int `json:"for"`
	Against int `json:"against"`
	// Witness is a query whose answer supports the choice; nil if there is none.
	Witness *SampleQuestion `json:"witness,omitempty"`
}

// A SampleQuestion is one query of the sample.
type SampleQuestion struct {
	Kind string `json:"kind"`
	// File is the name of the file, and Robots its content in octet notation,
	// left out if it is longer than 2 KiB.
	File   string `json:"file"`
	Robots string `json:"robots,omitempty"`
	// Probe is the query in the format of [spec.ProbeID].
	Probe string `json:"probe"`
}

// Missed is an answer that differs from the prediction.
type Missed struct {
	SampleQuestion
	Got       spec.Verdict `json:"got"`
	Predicted spec.Verdict `json:"predicted"`
}

// A Gap is a group of answers that are not predicted. What they have in common is
// a change: each of them would be predicted with another choice at one point.
// There, the subject behaves partly like either choice, or like neither.
type Gap struct {
	// Point and Choice are empty for the answers that no change at a single point
	// explains.
	Point  string `json:"point,omitempty"`
	Choice string `json:"choice,omitempty"`
	// Answers counts them, and Witnesses are the first few, each about a
	// different file.
	Answers   int      `json:"answers"`
	Witnesses []Missed `json:"witnesses"`
}

// FingerprintOptions configure [TakeFingerprints]. The zero value works.
type FingerprintOptions struct {
	// Seed selects the files that are held out.
	Seed uint64
	// Jobs bounds the number of concurrent queries to a subject; 0 means as many
	// as keep it busy.
	Jobs int
	// Progress, if not nil, is called after every file with the number of
	// finished files and of all files. Calls come from several goroutines, one at
	// a time.
	Progress func(done, total int)
}

// TakeFingerprints sends the queries of the sample to every subject and computes
// its fingerprint. Equal seeds, samples and answers give equal fingerprints.
//
// If ctx ends early, subjects without complete answers are missing.
func TakeFingerprints(ctx context.Context, files []SampleFile, subjects []impl.Subject, o FingerprintOptions) *Fingerprints {
	started := time.Now()
	s := splitSample(files, o.Seed)
	all := &Fingerprints{Format: 1, Seed: o.Seed, Sample: s.kinds}
	var answers [][]fingerprint.Outcome
	eachAnswered(ctx, slices.Concat(s.seen.asked(), s.held.asked()), subjects, o.Jobs, o.Progress, func(info spec.SubjectInfo, verdicts [][]spec.Verdict, lost string) {
		f, held := s.take(ctx, info, verdicts)
		if f.Lost = lost; ctx.Err() == nil {
			all.Subjects, answers = append(all.Subjects, f), append(answers, held)
		}
	})
	all.relate(answers)
	all.Elapsed = time.Since(started)
	return all
}

// halves is a sample split into two halves.
type halves struct {
	seen, held *sample
	kinds      []SampleKind
}

// isHeld reports whether a file is held out. It depends only on the seed and the
// bytes of the file, so that equal files are always in the same half.
func isHeld(seed uint64, robots []byte) bool {
	h := sha256.New()
	h.Write(binary.LittleEndian.AppendUint64(nil, seed))
	h.Write(robots)
	return h.Sum(nil)[0]&1 == 1
}

func splitSample(files []SampleFile, seed uint64) *halves {
	s := &halves{}
	var seen, held []SampleFile
	for _, f := range files {
		k := s.kind(f.Kind)
		if k < 0 {
			k = len(s.kinds)
			s.kinds = append(s.kinds, SampleKind{Kind: f.Kind})
		}
		if !f.Known && isHeld(seed, f.Robots) {
			held = append(held, f)
			s.kinds[k].HeldFiles++
			s.kinds[k].HeldQuestions += len(f.Probes)
		} else {
			seen = append(seen, f)
			s.kinds[k].SeenFiles++
			s.kinds[k].SeenQuestions += len(f.Probes)
		}
	}
	s.seen, s.held = newSample(seen), newSample(held)
	return s
}

// kind returns the index of a kind of file, -1 if there is none.
func (s *halves) kind(name string) int {
	return slices.IndexFunc(s.kinds, func(k SampleKind) bool { return k.Kind == name })
}

// take computes the fingerprint of a subject from its answers, and also returns
// the held-out answers.
func (s *halves) take(ctx context.Context, info spec.SubjectInfo, verdicts [][]spec.Verdict) (Fingerprint, []fingerprint.Outcome) {
	started := time.Now()
	f := Fingerprint{SubjectInfo: info, Verdicts: tallyVerdicts(verdicts), Kinds: make([]Predicted, len(s.kinds)), Deviations: []Deviation{}}
	answers := s.seen.Outcomes(verdicts[:len(s.seen.files)])
	seen := s.seen.find(ctx, answers)
	f.Elapsed = time.Since(started)
	f.Interpretation = choices(seen.In)
	for i, want := range seen.Predicted {
		f.Seen.count(answers[i], want)
	}
	for _, d := range seen.In.Deviations() {
		back := seen.Change(reference.Change{Point: d.Point, Choice: reference.RFC9309()[d.Point]}, s.seen.About(d.Point))
		out := Deviation{Point: d.Point.String(), Choice: d.ID(), For: len(back.Against), Against: len(back.For)}
		if out.For > 0 {
			q := s.seen.question(slices.Min(back.Against))
			out.Witness = &q
		}
		f.Deviations = append(f.Deviations, out)
	}

	held := s.held.view(seen.In, s.held.Outcomes(verdicts[len(s.seen.files):]))
	common := commonest(answers)
	for i, answer := range held.Answers {
		file, _ := held.Place(i)
		f.Kinds[s.kind(s.held.files[file].Kind)].count(answer, held.Predicted[i])
		f.Held.count(answer, held.Predicted[i])
		if answer == common && answer != fingerprint.Silent {
			f.Constant++
		}
	}
	f.Missed, f.Gaps = held.missed()
	f.NearestPredicted = -1
	for i, name := range reference.Names() {
		if n := fingerprint.Agreement(s.held.named()[i], held.Answers); n > f.NearestPredicted {
			f.Nearest, f.NearestPredicted = name, n
		}
	}
	return f, held.Answers
}

// count counts an answer.
func (p *Predicted) count(answer, want fingerprint.Outcome) {
	if answer == fingerprint.Silent {
		return
	}
	p.Answered++
	if answer == want {
		p.Predicted++
	}
}

// commonest returns the most common answer.
func commonest(answers []fingerprint.Outcome) fingerprint.Outcome {
	var counts [fingerprint.Rejects + 1]int
	for _, o := range answers {
		counts[o]++
	}
	most := fingerprint.Allows
	for o := range fingerprint.Rejects + 1 {
		if o != fingerprint.Silent && counts[o] > counts[most] {
			most = o
		}
	}
	return most
}

// missed returns the answers that are not predicted, those about the shortest files
// first, and the same in groups.
func (v *view) missed() (all []Missed, gaps []Gap) {
	size := func(query int) int {
		file, _ := v.Place(query)
		return len(v.sample.files[file].Robots)
	}
	shortest := func(queries []int) []int {
		return slices.SortedFunc(slices.Values(queries), func(a, b int) int { return cmp.Or(cmp.Compare(size(a), size(b)), cmp.Compare(a, b)) })
	}
	one := func(i int) Missed {
		return Missed{SampleQuestion: v.sample.question(i), Got: v.Answers[i].Verdict(), Predicted: v.Predicted[i].Verdict()}
	}
	group := func(g Gap, queries []int) {
		g.Answers = len(queries)
		last := -1
		for _, i := range shortest(queries) {
			if file, _ := v.Place(i); file != last && len(g.Witnesses) < gapWitnesses {
				last = file
				g.Witnesses = append(g.Witnesses, one(i))
			}
		}
		gaps = append(gaps, g)
	}
	for _, i := range shortest(v.Missed) {
		all = append(all, one(i))
	}
	found, rest := v.causes(0)
	for _, c := range found {
		group(Gap{Point: c.Point.String(), Choice: c.ID()}, c.answers)
	}
	if len(rest) > 0 {
		group(Gap{}, rest)
	}
	return all, gaps
}

// gapWitnesses bounds the witnesses of a gap.
const gapWitnesses = 3
