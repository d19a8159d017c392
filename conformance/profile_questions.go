package conformance

import (
	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/spec"
)

// A question is one expectation of a case.
type question struct {
	of          *spec.Case
	expectation int
}

func (q *question) probe() spec.Probe { return q.of.Expect[q.expectation].Probe }

// questions are all questions of the cases, those of a case side by side, with
// the reference's answers.
type questions struct {
	*fingerprint.Search
	all   []question
	files []fingerprint.File
	// first holds the place of the first question of each case; its last
	// element is the end.
	first []int
}

func newQuestions(cases []spec.Case) *questions {
	q := &questions{}
	for i := range cases {
		c := &cases[i]
		f := fingerprint.File{Robots: c.Robots}
		q.first = append(q.first, len(q.all))
		for k := range c.Expect {
			q.all = append(q.all, question{of: c, expectation: k})
			f.Probes = append(f.Probes, c.Expect[k].Probe)
		}
		q.files = append(q.files, f)
	}
	q.first = append(q.first, len(q.all))
	q.Search = fingerprint.NewSearch(q.files)
	return q
}
