package conformance

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// samples are the files of a profile.
type samples struct {
	// files are all of them: the cases, then the other files that the search uses,
	// then those that are held out.
	files []fingerprint.File
	// known are the files that the search uses, including the cases.
	cases, known, held *fingerprint.Sample
	// knownFiles is the number of files in known.
	knownFiles int
	sources    []ProfileSource
	sections   []string // of the cases
}

// isHeld reports whether a file is held out. It depends only on the seed and the
// bytes of the file, so that equal files are always in the same half.
func isHeld(seed uint64, robots []byte) bool {
	h := sha256.New()
	h.Write(binary.LittleEndian.AppendUint64(nil, seed))
	h.Write(robots)
	return h.Sum(nil)[0]&1 == 1
}

func newSamples(cases []spec.Case, others []fingerprint.File, seed uint64) *samples {
	s := &samples{files: fingerprint.CaseFiles(cases)}
	s.cases = fingerprint.NewSample(s.files)
	s.sources = []ProfileSource{{Source: fingerprint.Case, SeenFiles: len(cases), SeenQueries: s.cases.Queries()}}
	for _, c := range cases {
		if !slices.Contains(s.sections, c.Section) {
			s.sections = append(s.sections, c.Section)
		}
	}
	var held []fingerprint.File
	for _, f := range others {
		k := slices.IndexFunc(s.sources, func(of ProfileSource) bool { return of.Source == f.Source })
		if k < 0 {
			k = len(s.sources)
			s.sources = append(s.sources, ProfileSource{Source: f.Source})
		}
		if isHeld(seed, f.Robots) {
			held = append(held, f)
			s.sources[k].HeldFiles++
			s.sources[k].HeldQueries += len(f.Probes)
		} else {
			s.files = append(s.files, f)
			s.sources[k].SeenFiles++
			s.sources[k].SeenQueries += len(f.Probes)
		}
	}
	s.known, s.knownFiles, s.held = s.cases, len(s.files), fingerprint.NewSample(held)
	if len(others) > 0 {
		s.known = fingerprint.NewSample(s.files)
	}
	s.files = slices.Concat(s.files, held)
	return s
}

// A Deviation is a choice other than that of rfc9309, with the evidence.
type Deviation struct {
	Point  string `json:"point"`
	Choice string `json:"choice"`
	// Refuted is set if the subject does not make the choice: by weight it predicted
	// more, but the answers from one source, or those about the cases that were
	// written for the point, are against it. The subject does something else there.
	Refuted bool `json:"refuted,omitempty"`
	// Evidence counts, for each of Profiles.Sources, the answers that only this
	// choice predicts, with all other choices unchanged, and those that the choice
	// of rfc9309 would predict and this one does not. Own counts those about the
	// cases that were written for the point.
	Evidence []fingerprint.Count `json:"evidence"`
	Own      fingerprint.Count   `json:"own"`
	// Witness is a query whose answer supports the choice; nil if there is none.
	Witness *SampleQuery `json:"witness,omitempty"`
}

// A SampleQuery is one query of the files of a profile.
type SampleQuery struct {
	Source fingerprint.Source `json:"source"`
	// File is the name of the file, and Robots its content in octet notation,
	// left out if it is longer than 2 KiB.
	File   string `json:"file"`
	Robots string `json:"robots,omitempty"`
	// Probe is the query in the format of [spec.ProbeID].
	Probe string `json:"probe"`
}

// longestShown is the maximum length, in bytes, of a file that is shown with a
// query.
const longestShown = 2 << 10

func sampleQuery(s *fingerprint.Sample, query int) SampleQuery {
	f, probe := s.Query(query)
	q := SampleQuery{Source: f.Source, File: f.Name, Probe: spec.ProbeID(probe)}
	if len(f.Robots) <= longestShown {
		q.Robots = spec.EncodeOctets(f.Robots)
	}
	return q
}

// deviations returns the deviations that were found, and those that were refuted.
func (s *samples) deviations(v *fingerprint.View, found fingerprint.Found) []Deviation {
	all := []Deviation{}
	for _, d := range found.In.Deviations() {
		e := v.Change(fingerprint.Back(d.Point), s.known.About(d.Point))
		e.For, e.Against = e.Against, e.For
		all = append(all, s.deviation(d, e))
	}
	for _, d := range found.Refuted {
		refuted := s.deviation(d, v.Change(d, s.known.About(d.Point)))
		refuted.Refuted = true
		all = append(all, refuted)
	}
	return all
}

func (s *samples) deviation(d reference.Change, e fingerprint.Evidence) Deviation {
	by, own := s.known.Counts(e, d.Point)
	out := Deviation{Point: d.Point.String(), Choice: d.ID(), Own: own}
	for _, of := range s.sources {
		out.Evidence = append(out.Evidence, by[of.Source])
	}
	if len(e.For) > 0 {
		q := sampleQuery(s.known, slices.Min(e.For))
		out.Witness = &q
	}
	return out
}

// Predicted counts the answers for which a prediction can be made, and those of
// them that are predicted. A crash, a timeout or an unsupported query is no answer.
type Predicted struct {
	Answered  int `json:"answered"`
	Predicted int `json:"predicted"`
}

// A Prediction says how much of a subject's answers its interpretation predicts.
type Prediction struct {
	// Seen counts the answers that the search used, Held all answers about the
	// files that are held out, and Sources those by source, in the order of
	// Profiles.Sources.
	Seen    Predicted   `json:"seen"`
	Held    Predicted   `json:"held"`
	Sources []Predicted `json:"sources"`
	// Constant counts the held-out answers that equal the subject's most common
	// answer. An interpretation that does not predict clearly more is
	// meaningless.
	Constant int `json:"constant"`
	// Missed are the held-out answers that are not predicted, those about the
	// shortest files first. Gaps has the same answers in groups.
	Missed []Missed `json:"missed,omitempty"`
	Gaps   []Gap    `json:"gaps,omitempty"`
	// Topics says, for each section of the cases, how many answers about these
	// are predicted by a search that does not use them, but starts from the choices
	// that were found with them.
	Topics []Topic `json:"topics"`
}

// AtRandom reports whether the interpretation predicts hardly more of the
// held-out answers than always giving the most common one would: less than a
// tenth of the others, although the answers are not nearly all the same.
func (p *Prediction) AtRandom() bool {
	return 10*(p.Held.Predicted-p.Constant) < p.Held.Answered-p.Constant
}

// TopicsPredicted adds up the answers of all topics.
func (p *Prediction) TopicsPredicted() (sum Predicted) {
	for _, t := range p.Topics {
		sum.Answered += t.Answered
		sum.Predicted += t.Predicted.Predicted
	}
	return sum
}

// A Topic is a section of the cases that a search did not use.
type Topic struct {
	Section string `json:"section"`
	Predicted
	Gaps []Gap `json:"gaps,omitempty"`
}

// Missed is an answer that differs from the prediction.
type Missed struct {
	SampleQuery
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

// predict returns what the interpretation predicts of the answers that the search
// did not use, and the held-out answers.
func (s *samples) predict(ctx context.Context, seen *fingerprint.View, found fingerprint.Found, verdicts [][]spec.Verdict) (*Prediction, []fingerprint.Outcome) {
	p := &Prediction{Sources: make([]Predicted, len(s.sources))}
	for i, answer := range seen.Answers {
		p.Seen.count(answer, seen.Predicted[i])
	}
	held := view{s.held.View(found.In, s.held.Outcomes(verdicts[s.knownFiles:]))}
	common := commonest(seen.Answers)
	for i, answer := range held.Answers {
		f, _ := held.Query(i)
		k := slices.IndexFunc(s.sources, func(of ProfileSource) bool { return of.Source == f.Source })
		p.Sources[k].count(answer, held.Predicted[i])
		p.Held.count(answer, held.Predicted[i])
		if answer == common && answer != fingerprint.Silent {
			p.Constant++
		}
	}
	p.Missed, p.Gaps = held.missed(held)
	for _, section := range s.sections {
		p.Topics = append(p.Topics, s.topic(ctx, section, seen.Answers, found))
	}
	return p, held.Answers
}

// topic says how many answers about the cases of a section are predicted by a
// search that does not use them, near the one that does.
func (s *samples) topic(ctx context.Context, section string, answers []fingerprint.Outcome, near fingerprint.Found) Topic {
	left, rest := slices.Clone(answers), slices.Clone(answers)
	for i := range answers {
		if f, _ := s.known.Query(i); f.Section == section {
			rest[i] = fingerprint.Silent
		} else {
			left[i] = fingerprint.Silent
		}
	}
	in := s.known.Adapt(ctx, rest, near).In
	v := view{s.known.View(in, left)}
	t := Topic{Section: section}
	for i, answer := range left {
		t.count(answer, v.Predicted[i])
	}
	_, t.Gaps = v.missed(view{s.known.View(in, answers)})
	return t
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
