package complexity

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

const (
	defaultStop   = 2 * time.Second
	defaultBudget = 60 * time.Second

	// leastNoise is the time below which a point shows nothing: a busy machine
	// takes a processor away for that long.
	leastNoise = time.Millisecond

	// A finding is measured again until its exponent has changed by no more than
	// sameExponent settledRounds times in a row, and maxRounds times at most.
	settledRounds = 2
	sameExponent  = 0.02
	maxRounds     = 8

	// The next query, of twice the size, takes eight times as long in cubic time.
	// If this one took Stop/cheap, the next may time out, so it is run only if
	// there are too few points without it.
	cheap = 8

	// plausible is how much longer than one of half the size a query may take
	// because of the machine: beyond that, a timeout is not doubted.
	plausible = 16
)

// measure measures one subject; see [Measure]. The error says why it ended early.
func measure(ctx context.Context, subject impl.Subject, o Options) ([]Curve, error) {
	o = o.withDefaults()
	m := &meter{subject: subject, info: subject.Info(), o: o, ends: time.Now().Add(o.Budget)}
	var all []Curve
	for i := range o.Families {
		f := &o.Families[i]
		if o.Progress != nil {
			o.Progress(m.info.Name, f.Name, i, len(o.Families))
		}
		c, err := m.family(ctx, f)
		if err != nil {
			return all, err
		}
		all = append(all, c)
	}
	return all, nil
}

// A meter measures one subject.
type meter struct {
	subject impl.Subject
	info    spec.SubjectInfo
	o       Options
	ends    time.Time
	// trivial is the least time that a trivial query took; 0 before the first.
	trivial time.Duration
}

// inThisProcess reports whether the parser cannot be killed.
func (m *meter) inThisProcess() bool { return m.subject.Kind() == impl.InThisProcess }

// family runs the queries of one family. The error is about the subject or ctx.
func (m *meter) family(ctx context.Context, f *Family) (Curve, error) {
	c := Curve{Subject: m.info.Name, Version: m.info.Version, Lineage: m.info.Lineage, Family: f.Name}
	for n := f.first; c.Ended == ""; n *= 2 {
		w := f.Query(n)
		switch {
		case !f.fits(w):
			c.Ended = EndedLargest
		case m.enough(&c):
			c.Ended = EndedSlow
		case !time.Now().Before(m.ends):
			c.Ended = EndedBudget
		default:
			if err := m.point(ctx, &c, n, w); err != nil {
				return c, err
			}
		}
	}
	return c, m.fit(ctx, &c, f)
}

// enough reports whether the next query is not worth its time. With enough points
// for a full fit, that is so if it would take long; with just enough for any fit,
// if it would time out even without faster growth than before.
func (m *meter) enough(c *Curve) bool {
	const margin = 1.4 // for the machine
	if len(c.Timings) == 0 || c.Timings[len(c.Timings)-1].Time < m.o.Stop/cheap {
		return false
	}
	points := fitted(c.Timings, m.noise(c))
	if len(points) < leastFitted || len(points) == mostFitted {
		return len(points) == mostFitted
	}
	next := float64(points[len(points)-1].Time) * math.Exp2(exponent(points))
	return margin*next > float64(m.o.Stop)
}

// noise returns the time below which a point shows nothing. If whole answers are
// timed, the time of a trivial one, which is subtracted, varies by about its own
// amount.
func (m *meter) noise(c *Curve) time.Duration {
	if c.InLibrary {
		return leastNoise
	}
	return max(leastNoise, m.trivial)
}

// point runs the query of size n and adds the outcome to c.
func (m *meter) point(ctx context.Context, c *Curve, n int, w spec.Query) error {
	r, err := m.least(ctx, w)
	if err == nil && r.Verdict == spec.Timeout && m.doubt(c) {
		r, err = m.least(ctx, w)
	}
	if err != nil {
		return err
	}
	if r.abandoned {
		c.Abandoned++
	}
	timedOut := r.Verdict == spec.Timeout
	if c.WitnessN == 0 || (r.Verdict.Answered() || timedOut) && !m.heavy(c) {
		c.Witness, c.WitnessN = w, n
	}
	switch {
	case timedOut:
		c.Stopped, c.StoppedAt, c.StoppedOctets, c.Ended = true, n, w.Octets(), EndedStopped
	case r.Verdict.Answered():
		c.InLibrary = r.inLibrary
		c.Timings = append(c.Timings, Timing{N: n, Octets: w.Octets(), Time: r.took})
	default:
		c.Ended = string(r.Verdict) + ": " + r.Detail
	}
	return nil
}

// heavy reports whether the last point is slow enough to be the witness.
func (m *meter) heavy(c *Curve) bool {
	return len(c.Timings) > 0 && c.Timings[len(c.Timings)-1].Time > heavyQuery
}

// doubt reports whether the timeout may be caused by the machine. For a call in
// this process there is no doubt, as it was watched until it returned.
func (m *meter) doubt(c *Curve) bool {
	if m.inThisProcess() {
		return false
	}
	return len(c.Timings) == 0 || c.Timings[len(c.Timings)-1].Time >= m.o.Stop/plausible
}

// fit fits the exponent. While the curve would be a finding because of it, and
// measuring again changes it, the points are measured again. A busy machine, or
// one that assigns its processors in portions, adds a tenth of a second to
// anything that takes longer than the portion, and so bends a straight line.
func (m *meter) fit(ctx context.Context, c *Curve, f *Family) error {
	m.set(c)
	for round, settled := 0, 0; round < maxRounds && settled < settledRounds && !c.Stopped && c.Finding(); round++ {
		before := c.Exponent
		for i := len(c.Timings) - c.Fitted; i < len(c.Timings); i++ {
			r, err := m.least(ctx, f.Query(c.Timings[i].N))
			if err != nil {
				return err
			}
			if r.abandoned {
				c.Abandoned++
			}
			if r.Verdict.Answered() {
				c.Timings[i].Time = min(c.Timings[i].Time, r.took)
			}
		}
		m.set(c)
		if settled++; math.Abs(c.Exponent-before) > sameExponent && time.Now().Before(m.ends) {
			settled = 0
		}
	}
	return nil
}

// set fits the exponent to the available points. If a query was stopped, two of
// them suffice, of which the first counts as at least as slow as the noise:
// exponential growth leaves no more.
func (m *meter) set(c *Curve) {
	noise := m.noise(c)
	points := fitted(c.Timings, noise)
	if n := len(c.Timings); len(points) == 0 && c.Stopped && n >= 2 && c.Timings[n-1].Time > noise {
		points = slices.Clone(c.Timings[n-2:])
		points[0].Time = max(points[0].Time, noise)
	}
	c.Fitted, c.Exponent = len(points), 0
	if c.Fitted > 0 {
		c.Exponent = exponent(points)
	}
}
