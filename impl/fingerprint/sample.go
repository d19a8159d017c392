// Package fingerprint finds the interpretation under which the reference's
// answers are closest to those of a parser, and the evidence for each of its
// choices. It is shared by packages conformance and fuzz and is not for users:
// see conformance.Profile.
package fingerprint

import (
	"cmp"
	"slices"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// A File is a robots.txt file with the queries about it.
type File struct {
	Robots []byte
	Probes []spec.Probe
}

// A Sample holds files with queries for parsers. A query is identified by its
// index among all queries, in the order of the files and their probes. A Sample
// is safe for concurrent use.
type Sample struct {
	files []File
	// first holds the index of the first query of each file; its last element is
	// the number of queries.
	first []int
	// short are the files of up to longest bytes, the shortest first; all are
	// these, followed by the others.
	short, all []int
}

// longest is the length of the longest short file. Few files are longer, but
// reading those takes ten times as long as reading all others, so they are used
// only to judge the points that are about the bytes of a file as a whole.
const longest = 64 << 10

// NewSample returns the sample of those files, which must not change.
func NewSample(files []File) *Sample {
	s := &Sample{files: files, first: make([]int, len(files)+1), all: make([]int, len(files))}
	for i, f := range files {
		s.first[i+1], s.all[i] = s.first[i]+len(f.Probes), i
	}
	slices.SortStableFunc(s.all, func(a, b int) int { return cmp.Compare(len(files[a].Robots), len(files[b].Robots)) })
	n, _ := slices.BinarySearchFunc(s.all, longest+1, func(f, n int) int { return cmp.Compare(len(files[f].Robots), n) })
	s.short = s.all[:n]
	return s
}

// Queries returns the number of queries.
func (s *Sample) Queries() int { return s.first[len(s.files)] }

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
	if p.Stage() == "octets" {
		return s.all
	}
	return s.short
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
	all := make([]Outcome, s.Queries())
	s.predict(in, all, files)
	return all
}

// predict stores the answers of the reference under in to the queries about
// files.
func (s *Sample) predict(in reference.Interpretation, into []Outcome, files []int) {
	parser := reference.New(in)
	for _, f := range files {
		if len(s.files[f].Probes) == 0 {
			continue
		}
		file := parser.Parse(s.files[f].Robots)
		for i, probe := range s.files[f].Probes {
			into[s.first[f]+i] = OutcomeOf(reading.Verdict(file, probe))
		}
	}
}
