package fingerprint

import (
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// Evidence is what the answers say for one deviation from rfc9309.
type Evidence struct {
	Point  reference.Point
	Choice reference.Choice
	// For counts the answers that are predicted because of the deviation and
	// would not be without it, all others kept. Against counts those that would
	// be predicted without it and are not with it.
	For, Against int
	// Witness is the first question with an answer for the deviation; it is
	// nowhere if there is none.
	Witness Place
}

// A Place is that of a question: of the file among the files, and of the probe
// among the file's. Both are -1 if there is none.
type Place struct{ File, Probe int }

// Evidence returns what the verdicts say for each deviation of in from rfc9309,
// in the order of the points. For the verdicts see [Search.Find].
func (s *Search) Evidence(in reference.Interpretation, verdicts [][]spec.Verdict) []Evidence {
	answers := s.flat(verdicts)
	with := s.Answers(in)
	all := []Evidence{}
	for _, p := range Deviations(in) {
		plain := in
		plain[p] = reference.RFC9309[p]
		e := Evidence{Point: p, Choice: in[p], Witness: Place{-1, -1}}
		without := s.Answers(plain)
		for f := range s.files {
			for i := s.first[f]; i < s.first[f+1]; i++ {
				switch {
				case with[i] == without[i] || answers[i] == Silent:
				case without[i] == answers[i]:
					e.Against++
				case with[i] == answers[i]:
					if e.For++; e.For == 1 {
						e.Witness = Place{f, i - s.first[f]}
					}
				}
			}
		}
		all = append(all, e)
	}
	return all
}
