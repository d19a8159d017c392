// Package complexity measures how a parser's running time grows with the input.
// It runs queries of increasing size, in families in which one aspect of the
// query grows, and fits an exponent to the times.
package complexity

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// Options select what to measure and for how long. The zero value works.
type Options struct {
	// Families are the families to measure; nil means all.
	Families []Family
	// Stop is how long the subject may take for one query. Default 2 s. The
	// process of an adapter is killed by its client when it is silent for longer
	// than the client's timeout, which should be a little longer than Stop: a
	// client that times out first sends the query again.
	Stop time.Duration
	// Budget is how long all families together may take. It is checked between
	// queries, so a few more may follow when it is used up. Default 60 s.
	Budget time.Duration
	// Progress is called with the subject and family that are measured next, and
	// how many of the subject's families are done; nil means no calls.
	Progress func(subject, family string, done, total int)

	// processor returns how long this process has used a processor; nil means
	// processorTime.
	processor func() time.Duration
}

func (o Options) withDefaults() Options {
	if o.Families == nil {
		o.Families = Families()
	}
	o.Stop = cmp.Or(max(o.Stop, 0), defaultStop)
	o.Budget = cmp.Or(max(o.Budget, 0), defaultBudget)
	if o.processor == nil {
		o.processor = processorTime
	}
	return o
}

// A Result describes how the running times of several subjects grow.
type Result struct {
	// Format is the version of this format, 1.
	Format int `json:"format"`
	// Version and Command are those of the program that measured, if known.
	Version string   `json:"version,omitempty"`
	Command []string `json:"command,omitempty"`
	// Stop and Budget are the options, in nanoseconds.
	Stop   time.Duration `json:"stop_ns"`
	Budget time.Duration `json:"budget_ns"`
	// Elapsed is the time of the whole run, in nanoseconds.
	Elapsed time.Duration `json:"elapsed_ns"`
	// Interrupted is set if it ended before all subjects were measured.
	Interrupted bool `json:"interrupted,omitempty"`
	// Families are the families measured, in order.
	Families []FamilyInfo `json:"families"`
	// Subjects are in the order in which they were given to Measure.
	Subjects []Subject `json:"subjects"`
}

// A FamilyInfo describes a [Family].
type FamilyInfo struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// A Subject is one subject with its curves.
type Subject struct {
	spec.SubjectInfo
	// Curves are in the order of the families. There are fewer if the subject was
	// lost or the run was interrupted.
	Curves []Curve `json:"growths"`
	// Lost says why the other families could not be measured.
	Lost string `json:"lost,omitempty"`
}

// Findings returns the curves that are findings, the worst first.
func (s *Subject) Findings() []*Curve {
	return slices.DeleteFunc(s.Worst(), func(c *Curve) bool { return !c.Finding() })
}

// Worst returns all curves, the worst first: stopped ones first, by the size of
// the witness, the smallest first; then the others by exponent, then by longest
// time.
func (s *Subject) Worst() []*Curve {
	var all []*Curve
	for i := range s.Curves {
		all = append(all, &s.Curves[i])
	}
	slices.SortStableFunc(all, func(a, b *Curve) int {
		switch {
		case a.Stopped && b.Stopped:
			return cmp.Compare(a.Witness.Octets(), b.Witness.Octets())
		case a.Stopped:
			return -1
		case b.Stopped:
			return 1
		}
		return cmp.Or(cmp.Compare(b.Exponent, a.Exponent), cmp.Compare(b.Slowest(), a.Slowest()))
	})
	return all
}

// Measure measures one subject after the other, with o.Budget for each. It runs
// the queries of each family, beginning with the smallest and doubling the size
// each time, and fits exponents. A family that was skipped because the budget was
// used up has no timings. When ctx ends or a subject is lost, the result holds
// everything finished until then. The subjects must not be queried from elsewhere
// meanwhile.
//
// Between any two queries it runs a trivial one. That makes sure that the subject
// still answers, makes an adapter that keeps the last file drop it, and gives the
// time to subtract if the subject does not report the time inside the library. So
// a library's own cache from one file to the next counts in its favour.
//
// A query without an answer after o.Stop ends its family. An adapter's process
// then ends too, and is started again. Go cannot end a goroutine: a parser in
// this process gets four times o.Stop more to return, during which no query is
// sent. If it does not return, it counts as abandoned, and takes processor time
// from all later measurements.
//
// A curve that would be a finding because of its exponent is measured again until
// the exponent settles. A query that timed out is repeated once if a query of
// half the size already took so long that a busy machine may be the cause.
func Measure(ctx context.Context, subjects []impl.Subject, o Options) *Result {
	o = o.withDefaults()
	began := time.Now()
	r := &Result{Format: 1, Stop: o.Stop, Budget: o.Budget}
	for _, f := range o.Families {
		r.Families = append(r.Families, FamilyInfo{f.Name, f.About})
	}
	for _, subject := range subjects {
		curves, err := measure(ctx, subject, o)
		s := Subject{SubjectInfo: subject.Info(), Curves: curves}
		if ctx.Err() != nil {
			r.Interrupted = true
		} else if err != nil {
			s.Lost = err.Error()
		}
		r.Subjects = append(r.Subjects, s)
		if r.Interrupted {
			break
		}
	}
	r.Elapsed = time.Since(began)
	return r
}
