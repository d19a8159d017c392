package conformance

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/repcheck/repcheck/impl"
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

// put asks a subject everything. There is one slice of verdicts for each file;
// done is called after each.
func put(ctx context.Context, files []fingerprint.File, subject impl.Subject, jobs int, done func()) [][]spec.Verdict {
	verdicts := make([][]spec.Verdict, len(files))
	workers := max(subject.Parallel(), 1)
	if jobs > 0 {
		workers = min(workers, jobs)
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for f := int(next.Add(1)) - 1; f < len(files); f = int(next.Add(1)) - 1 {
				verdicts[f] = make([]spec.Verdict, len(files[f].Probes))
				if len(files[f].Probes) > 0 {
					for i, a := range subject.Ask(ctx, files[f].Robots, files[f].Probes) {
						verdicts[f][i] = a.Verdict
					}
				}
				done()
			}
		})
	}
	wg.Wait()
	return verdicts
}
