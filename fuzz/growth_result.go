package fuzz

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// A GrowthResult is how the time of several subjects grows.
type GrowthResult struct {
	// Format is the version of this form, 1.
	Format int `json:"format"`
	// Version and Command are those of the program that measured, if it says so.
	Version string   `json:"version,omitempty"`
	Command []string `json:"command,omitempty"`
	// Stop and Budget are the options, in nanoseconds.
	Stop   time.Duration `json:"stop_ns"`
	Budget time.Duration `json:"budget_ns"`
	// Elapsed is the time that all took, in nanoseconds.
	Elapsed time.Duration `json:"elapsed_ns"`
	// Interrupted: it ended before all subjects were asked.
	Interrupted bool `json:"interrupted,omitempty"`
	// Families are those that were asked, in order.
	Families []GrowthFamily `json:"families"`
	// Subjects are in the order in which they were given to MeasureAll.
	Subjects []GrowthSubject `json:"subjects"`
}

// A GrowthFamily is what there is to say of a [Family].
type GrowthFamily struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// A GrowthSubject is how the time of one subject grows.
type GrowthSubject struct {
	spec.SubjectInfo
	// Growths are in the order of the families. They are fewer if the subject was
	// lost or the measuring interrupted.
	Growths []Growth `json:"growths"`
	// Lost says why it could not be asked about the other families.
	Lost string `json:"lost,omitempty"`
}

// Findings are the growths that are findings, the worst first.
func (s *GrowthSubject) Findings() []*Growth {
	return slices.DeleteFunc(s.Worst(), func(g *Growth) bool { return !g.Finding() })
}

// Worst are all growths, the worst first: those that were stopped, the
// smallest witness first, then the others by their exponent, then by their
// longest time.
func (s *GrowthSubject) Worst() []*Growth {
	var all []*Growth
	for i := range s.Growths {
		all = append(all, &s.Growths[i])
	}
	slices.SortStableFunc(all, func(a, b *Growth) int {
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

// MeasureAll measures one subject after the other, as [MeasureGrowth] does, with
// o.Budget for each. A subject that is lost is left at that. When ctx ends, the
// result holds what was finished until then.
func MeasureAll(ctx context.Context, subjects []impl.Subject, o GrowthOptions) *GrowthResult {
	o = o.withDefaults()
	began := time.Now()
	r := &GrowthResult{Format: 1, Stop: o.Stop, Budget: o.Budget}
	for _, f := range o.Families {
		r.Families = append(r.Families, GrowthFamily{f.Name, f.About})
	}
	for _, subject := range subjects {
		growths, err := MeasureGrowth(ctx, subject, o)
		s := GrowthSubject{SubjectInfo: subject.Info(), Growths: growths}
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
