// Package fingerprint finds the interpretation under which the reference's
// answers are closest to those of a parser, and the evidence for each of its
// choices. It is shared by packages conformance and fuzz and is not for users:
// see conformance.Profile.
package fingerprint

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// A Source is where a file of a sample comes from.
type Source uint8

// The sources, in descending order of the weight of an answer.
const (
	// Case is the file of a case: its queries were written to tell choices apart.
	Case Source = iota
	// Real is a file that a site has published, with natural queries.
	Real
	// Generated is a file that the generator made.
	Generated
)

// sources are the names of the sources.
var sources = [...]string{Case: "case", Real: "real", Generated: "generated"}

// String returns "case", "real" or "generated".
func (s Source) String() string { return sources[s] }

// MarshalText encodes the source by its name.
func (s Source) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText decodes the name of a source.
func (s *Source) UnmarshalText(text []byte) error {
	i := slices.Index(sources[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is no source of files", text)
	}
	*s = Source(i)
	return nil
}

// weight is how much an answer counts in the search. There are several times as
// many answers about generated files as about cases; the weights make the cases
// the strongest evidence nevertheless.
func (s Source) weight() int { return [...]int{Case: 10, Real: 2, Generated: 1}[s] }

// A File is a robots.txt file with the queries about it.
type File struct {
	Source Source
	// Name identifies the file within its source.
	Name   string
	Robots []byte
	Probes []spec.Probe
	// Section is that of a case, and Point the one that a case classifies.
	Section, Point string
}

// CaseFiles returns the files of cases.
func CaseFiles(cases []spec.Case) []File {
	all := make([]File, len(cases))
	for i, c := range cases {
		all[i] = File{Source: Case, Name: c.ID, Robots: c.Robots, Section: c.Section, Point: c.Point}
		for _, e := range c.Expect {
			all[i].Probes = append(all[i].Probes, e.Probe)
		}
	}
	return all
}

// A Sample holds files with queries for parsers. A query is identified by its
// index among all queries, in the order of the files and their probes. A Sample
// is safe for concurrent use.
type Sample struct {
	files []File
	// first holds the index of the first query of each file; its last element is
	// the number of queries.
	first []int
	// short are the files that are not long, the shortest first; all are these,
	// followed by the others.
	short, all []int
	// named returns the predictions of the named interpretations, in the order of
	// reference.Names.
	named func() [][]Outcome

	most        int        // how many predictions are kept
	mu          sync.Mutex // guards predictions
	predictions map[reference.Interpretation]*prediction

	shown [][]func() []bool // by point and choice: see shows
}

// long reports whether reading the file takes so long that it is used only to judge
// the points that are about the bytes of a file as a whole or about its lines. Few
// files are long, but reading those takes ten times as long as reading all others.
// A case has such a file only for these points.
func (f *File) long() bool {
	return len(f.Robots) > 64<<10 || f.Source == Case && len(f.Robots) > 4<<10
}

// NewSample returns the sample of those files, which must not change.
func NewSample(files []File) *Sample {
	s := &Sample{files: files, first: make([]int, len(files)+1), all: make([]int, len(files)), most: maxPredictions, predictions: map[reference.Interpretation]*prediction{}}
	for i, f := range files {
		s.first[i+1], s.all[i] = s.first[i]+len(f.Probes), i
	}
	slices.SortStableFunc(s.all, func(a, b int) int { return cmp.Compare(len(files[a].Robots), len(files[b].Robots)) })
	isLong := func(f int) bool { return files[f].long() }
	s.short = slices.DeleteFunc(slices.Clone(s.all), isLong)
	s.all = append(slices.Clone(s.short), slices.DeleteFunc(s.all, func(f int) bool { return !isLong(f) })...)
	for _, p := range reference.Points() {
		of := make([]func() []bool, len(p.Choices()))
		for c := range of {
			of[c] = sync.OnceValue(func() []bool { return s.differs(reference.Change{Point: p, Choice: reference.Choice(c)}) })
		}
		s.shown = append(s.shown, of)
	}
	s.named = sync.OnceValue(func() (all [][]Outcome) {
		for _, name := range reference.Names() {
			in, err := reference.Named(name)
			if err != nil {
				panic(err) // the names come from the reference
			}
			all = append(all, s.Predict(in))
		}
		return all
	})
	return s
}

// Named returns the predictions of the named interpretations, in the order of
// reference.Names.
func (s *Sample) Named() [][]Outcome { return s.named() }

// Queries returns the number of queries.
func (s *Sample) Queries() int { return s.first[len(s.files)] }

// Query returns the file that a query is about, and the query.
func (s *Sample) Query(query int) (*File, spec.Probe) {
	f, probe := s.Place(query)
	return &s.files[f], s.files[f].Probes[probe]
}

// Place returns the file of a query and its index among the probes of the file.
func (s *Sample) Place(query int) (file, probe int) {
	file, found := slices.BinarySearch(s.first, query)
	if !found {
		file--
	}
	for s.first[file+1] == query { // a file without queries
		file++
	}
	return file, query - s.first[file]
}

// About returns the indexes of the files by which the choices of a point are
// judged.
func (s *Sample) About(p reference.Point) []int {
	if s.aboutLong(p) {
		return s.all
	}
	return s.short
}

// aboutLong reports whether long files are evidence for the choices of a point.
func (s *Sample) aboutLong(p reference.Point) bool {
	return p.Stage() == "octets" || p.Stage() == "lines"
}

// shows returns for each file whether a change to RFC 9309 is visible in it, which is
// false for long files. If it is, other interpretations are likely to show it too.
func (s *Sample) shows(c reference.Change) []bool { return s.shown[c.Point][c.Choice]() }

func (s *Sample) differs(c reference.Change) []bool {
	all := make([]bool, len(s.files))
	without, with := s.predict(reference.RFC9309(), s.short), s.predict(reference.With(c), s.short)
	for _, f := range s.short {
		all[f] = !slices.Equal(without[s.first[f]:s.first[f+1]], with[s.first[f]:s.first[f+1]])
	}
	return all
}

// Outcomes returns the outcomes of verdicts: one slice for each file, with one
// verdict for each of its probes. Anything else panics.
func (s *Sample) Outcomes(verdicts [][]spec.Verdict) []Outcome {
	all := make([]Outcome, 0, s.Queries())
	for _, of := range verdicts {
		for _, v := range of {
			all = append(all, OutcomeOf(v))
		}
	}
	if len(all) != s.Queries() {
		panic("fingerprint: not one verdict for each query")
	}
	return all
}

// Predict returns the answers of the reference under in.
func (s *Sample) Predict(in reference.Interpretation) []Outcome {
	return s.PredictAbout(in, s.all)
}

// PredictAbout returns the answers of the reference under in to the queries about
// those files; the others are Silent.
func (s *Sample) PredictAbout(in reference.Interpretation, files []int) []Outcome {
	all, predicted := make([]Outcome, s.Queries()), s.predict(in, files)
	for _, f := range files {
		copy(all[s.first[f]:s.first[f+1]], predicted[s.first[f]:])
	}
	return all
}

// A prediction holds the answers of the reference under one interpretation. They
// are computed file by file when they are needed.
type prediction struct {
	mu sync.Mutex
	// parser is nil until a file is parsed.
	parser *reference.Parser
	all    []Outcome
	done   []bool // by file
}

// maxPredictions bounds the predictions that are kept. Each takes 3 KB, one byte
// for each query and one for each file.
const maxPredictions = 4096

// predict returns a slice that holds the answers of the reference under in to the
// queries about files; the others may be missing. It is shared and must not be
// changed.
func (s *Sample) predict(in reference.Interpretation, files []int) []Outcome {
	return s.about(s.prediction(in), in, files)
}

// prediction returns the prediction of in, which may be used even if it is not kept
// any longer.
func (s *Sample) prediction(in reference.Interpretation) *prediction {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.predictions[in]
	if p == nil {
		if len(s.predictions) >= s.most {
			clear(s.predictions)
		}
		p = &prediction{all: make([]Outcome, s.Queries()), done: make([]bool, len(s.files))}
		s.predictions[in] = p
	}
	return p
}

// about adds the answers about files to a prediction of in, and returns all that it
// holds.
func (s *Sample) about(p *prediction, in reference.Interpretation, files []int) []Outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range files {
		if p.done[f] {
			continue
		}
		if p.parser == nil {
			p.parser = reference.New(in)
		}
		answer(p.parser.Parse(s.files[f].Robots), s.files[f].Probes, p.all[s.first[f]:])
		p.done[f] = true
	}
	return p.all
}

// answer stores the answers of a file in outcomes.
func answer(file *reference.File, probes []spec.Probe, outcomes []Outcome) {
	var rules *reference.Rules
	for i, p := range probes {
		if i == 0 || p.Agent != probes[i-1].Agent {
			rules = file.Rules(p.Agent)
		}
		outcomes[i] = Rejects
		if file.Refused() == "" {
			outcomes[i] = OutcomeOf(reading.VerdictOf(rules.Test(p.URL)))
		}
	}
}
