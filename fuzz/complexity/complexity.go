// Package complexity measures how the time that a parser takes grows with the
// input: it asks queries that grow, in families of which each lets one thing
// grow, and fits an exponent to the times.
package complexity

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// Options say what to measure and for how long. The zero value works.
type Options struct {
	// Families are those to ask; nil means all.
	Families []Family
	// Stop is how long the subject may take for one query. Default 2 s. The
	// process of an adapter is killed by its client when it is silent for the
	// time that the client allows, which should be a little longer: a client whose
	// time runs out first asks again.
	Stop time.Duration
	// Budget is how long all families together may take. It is checked between
	// queries, so a few more may come after it. Default 60 s.
	Budget time.Duration
	// Progress is called with the subject and family that are asked next, and how
	// many of the subject's families are done; nil means no calls.
	Progress func(subject, family string, done, total int)

	// processor returns how long this process has had a processor; nil means
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

// A Result is how the time of several subjects grows.
type Result struct {
	// Format is the version of this form, 1.
	Format int `json:"format"`
	// Version and Command are those of the program that measured, if known.
	Version string   `json:"version,omitempty"`
	Command []string `json:"command,omitempty"`
	// Stop and Budget are the options, in nanoseconds.
	Stop   time.Duration `json:"stop_ns"`
	Budget time.Duration `json:"budget_ns"`
	// Elapsed is the time of the whole run, in nanoseconds.
	Elapsed time.Duration `json:"elapsed_ns"`
	// Interrupted: it ended before all subjects were asked.
	Interrupted bool `json:"interrupted,omitempty"`
	// Families are those that were asked, in order.
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
	// Curves are in the order of the families. They are fewer if the subject was
	// lost or the run was interrupted.
	Curves []Curve `json:"growths"`
	// Lost says why it could not be asked about the other families.
	Lost string `json:"lost,omitempty"`
}

// Findings returns the curves that are findings, the worst first.
func (s *Subject) Findings() []*Curve {
	return slices.DeleteFunc(s.Worst(), func(c *Curve) bool { return !c.Finding() })
}

// Worst returns all curves, the worst first: those that were stopped, the smallest
// witness first, then the others by exponent, then by longest time.
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

// Measure measures one subject after the other, with o.Budget for each. It asks
// the queries of each family, from the smallest on and each of twice the size, and
// fits exponents. A family that was not asked because the budget was used up has
// no timings. When ctx ends or a subject is lost, the result holds what was
// finished until then. Nothing else must ask the subjects meanwhile.
//
// Between any two queries it asks a trivial one. That makes sure that the subject
// is there, makes an adapter that keeps the last file drop it, and gives the time
// to subtract where the subject does not report the time inside the library. So
// what a library itself keeps from one file to the next counts in its favour.
//
// A query that has no answer after o.Stop ends its family. An adapter's process
// then ends too, and is started again. Go cannot end a goroutine: a parser in this
// process gets four times o.Stop more to return, during which nothing is asked,
// and is counted as abandoned if it does not; it then takes a processor from
// whatever is measured later.
//
// What would be a finding because of its exponent is measured again until that
// settles. So is, once, a query that ran out of time though half of it already
// took so much that a busy machine may be the cause.
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
