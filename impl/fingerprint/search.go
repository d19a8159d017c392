package fingerprint

import (
	"context"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// A Search knows questions and computes the reference's answers to them under
// any interpretation, each once: several subjects share it. It is safe for
// concurrent use.
type Search struct{ *predictions }

// NewSearch returns the search over those questions. The files must not change
// while it is in use.
func NewSearch(files []File) *Search { return &Search{newPredictions(files)} }

// Questions returns the number of questions.
func (s *Search) Questions() int { return s.count() }

// Find returns the interpretation that predicts most of a subject's verdicts;
// among those found that predict as many, one with the fewest deviations from
// rfc9309. There is one slice of verdicts for each file, with one for each of
// its probes; anything else panics.
//
// The search goes uphill from several starts, so it may end below the best. The
// same questions and verdicts give the same interpretation, unless ctx ends: then
// the search does too, soon, with what it has.
func (s *Search) Find(ctx context.Context, verdicts [][]spec.Verdict) reference.Interpretation {
	a := ascent{predictions: s.predictions, ctx: ctx, answers: s.flat(verdicts)}
	return a.run()
}

// Predicted counts the answers that in predicts, out of those that a prediction
// can be made for: all but crashes, timeouts, broken protocol and what the
// subject cannot be asked.
func (s *Search) Predicted(in reference.Interpretation, verdicts [][]spec.Verdict) (n, of int) {
	answers := s.flat(verdicts)
	for _, a := range answers {
		if a != Silent {
			of++
		}
	}
	return Agreement(s.Answers(in), answers), of
}

// Deviations returns the points at which in differs from rfc9309, in order.
func Deviations(in reference.Interpretation) []reference.Point {
	var all []reference.Point
	for _, p := range reference.Points() {
		if in[p] != reference.RFC9309[p] {
			all = append(all, p)
		}
	}
	return all
}
