package fuzz

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// GrowthOptions say how to measure growth. The zero value works.
type GrowthOptions struct {
	// Families are those to ask; nil means all.
	Families []Family
	// Stop is how long the subject may take for one question. Default 2 s. The
	// process of an adapter is killed by its client when it is silent for the
	// time that the client allows. That is best a little longer: a client that
	// runs out of time first asks again.
	Stop time.Duration
	// Budget is how long all families together may take. It is looked at between
	// questions, so a few more may come after it. Default 60 s.
	Budget time.Duration
	// Progress is told which subject is asked about which family next, and how
	// many of its families are done; nil means nobody is.
	Progress func(subject, family string, done, total int)

	// processor tells how long this process has had a processor; nil means
	// processorTime.
	processor func() time.Duration
}

const (
	growthStop   = 2 * time.Second
	growthBudget = 60 * time.Second

	// growthNoise is the time below which a point says nothing: a busy machine
	// takes a processor away for that long.
	growthNoise = time.Millisecond

	// A finding is measured again until its exponent has changed by no more than
	// growthSame growthSettled times in a row, and growthRounds times at most.
	growthSettled = 2
	growthSame    = 0.02
	growthRounds  = 8

	// The next question, of twice the size, takes eight times as long in cubic
	// time. Where this one took Stop/cheap, it may run out of time; so it is asked
	// only if there are too few points without it.
	cheap = 8

	// plausible is how much longer than half of it a question may take because of
	// the machine: beyond that, time that ran out is not doubted.
	plausible = 16
)

// MeasureGrowth asks the subject the questions of each family, from the smallest
// on and each of twice the size, and fits exponents.
//
// Between any two of them it asks a trivial question. That makes sure that the
// subject is there, takes the file before out of an adapter that keeps the last
// one, and is what the time of an answer is compared with where the subject does
// not tell the time inside the library. So what a library itself keeps from one
// file to the next counts as its merit.
//
// A question that has no answer after o.Stop ends its family. An adapter's
// process then ends too, and is started again. Go cannot end a goroutine: a parser
// in this process gets four times o.Stop more to return, during which nothing is
// asked, and is counted as abandoned if it does not; it then takes a processor
// from whatever is measured later.
//
// What would be a finding because of its exponent is measured again till that
// settles. So is, once, a question that ran out of time though half of it took so
// much already that a busy machine may have done it.
//
// The result has an entry for each family, in their order; what was not asked, as
// the budget was used up, has no points. When ctx ends or the subject is lost, the
// result holds what was finished until then, and the error says why. Nothing else
// must ask the subject meanwhile.
func MeasureGrowth(ctx context.Context, subject impl.Subject, o GrowthOptions) ([]Growth, error) {
	o = o.withDefaults()
	m := &growthMeter{subject: subject, info: subject.Info(), o: o, ends: time.Now().Add(o.Budget)}
	var all []Growth
	for i := range o.Families {
		f := &o.Families[i]
		if o.Progress != nil {
			o.Progress(m.info.Name, f.Name, i, len(o.Families))
		}
		g, err := m.family(ctx, f)
		if err != nil {
			return all, err
		}
		all = append(all, g)
	}
	return all, nil
}

func (o GrowthOptions) withDefaults() GrowthOptions {
	if o.Families == nil {
		o.Families = Families()
	}
	o.Stop = cmp.Or(max(o.Stop, 0), growthStop)
	o.Budget = cmp.Or(max(o.Budget, 0), growthBudget)
	if o.processor == nil {
		o.processor = processorTime
	}
	return o
}

// A growthMeter measures one subject.
type growthMeter struct {
	subject impl.Subject
	info    spec.SubjectInfo
	o       GrowthOptions
	ends    time.Time
	// trivial is the least time that a trivial question took; 0 before the first.
	trivial time.Duration
}

// inThisProcess reports whether the parser cannot be killed.
func (m *growthMeter) inThisProcess() bool { return m.subject.Kind() == impl.InThisProcess }

// family asks the questions of one family. The error is about the subject or ctx.
func (m *growthMeter) family(ctx context.Context, f *Family) (Growth, error) {
	g := Growth{Subject: m.info.Name, Version: m.info.Version, Lineage: m.info.Lineage, Family: f.Name}
	for n := f.first; g.Ended == ""; n *= 2 {
		w := f.Question(n)
		switch {
		case !f.fits(w):
			g.Ended = EndedLargest
		case m.enough(&g):
			g.Ended = EndedSlow
		case !time.Now().Before(m.ends):
			g.Ended = EndedBudget
		default:
			if err := m.point(ctx, &g, n, w); err != nil {
				return g, err
			}
		}
	}
	return g, m.fit(ctx, &g, f)
}

// enough reports whether the next question is not worth its time: with all the
// points that are fitted, it would take long; with just enough of them, it would
// run out of time though nothing grows faster than before.
func (m *growthMeter) enough(g *Growth) bool {
	const margin = 1.4 // for the machine
	if len(g.Points) == 0 || g.Points[len(g.Points)-1].Time < m.o.Stop/cheap {
		return false
	}
	points := fitted(g.Points, m.noise(g))
	if len(points) < leastFitted || len(points) == mostFitted {
		return len(points) == mostFitted
	}
	next := float64(points[len(points)-1].Time) * math.Exp2(exponent(points))
	return margin*next > float64(m.o.Stop)
}

// noise is the time below which a point says nothing. Where whole answers are
// timed, the time of a trivial one, which is taken off, wavers by about itself.
func (m *growthMeter) noise(g *Growth) time.Duration {
	if g.InLibrary {
		return growthNoise
	}
	return max(growthNoise, m.trivial)
}

// point asks the question of size n and adds what came of it to g.
func (m *growthMeter) point(ctx context.Context, g *Growth, n int, w Witness) error {
	r, err := m.least(ctx, w)
	if err == nil && r.verdict == spec.Timeout && m.doubt(g) {
		r, err = m.least(ctx, w)
	}
	if err != nil {
		return err
	}
	if r.abandoned {
		g.Abandoned++
	}
	timedOut := r.verdict == spec.Timeout
	if g.WitnessN == 0 || (r.answered() || timedOut) && !m.heavy(g) {
		g.Witness, g.WitnessN = w, n
	}
	switch {
	case timedOut:
		g.Stopped, g.StoppedAt, g.StoppedOctets, g.Ended = true, n, w.Octets(), EndedStopped
	case r.answered():
		g.InLibrary = r.inLibrary
		g.Points = append(g.Points, GrowthPoint{N: n, Octets: w.Octets(), Time: r.took})
	default:
		g.Ended = string(r.verdict) + ": " + r.detail
	}
	return nil
}

// heavy reports whether the last point is slow enough to be the witness.
func (m *growthMeter) heavy(g *Growth) bool {
	return len(g.Points) > 0 && g.Points[len(g.Points)-1].Time > heavyQuestion
}

// doubt reports whether the machine may be the reason that the time ran out. A
// call in this process was watched till it returned.
func (m *growthMeter) doubt(g *Growth) bool {
	if m.inThisProcess() {
		return false
	}
	return len(g.Points) == 0 || g.Points[len(g.Points)-1].Time >= m.o.Stop/plausible
}

// fit fits the exponent. As long as it would be a finding because of it, and
// measuring again changes it, the points are measured again: a busy machine, or
// one that gives out its processors in portions, adds a tenth of a second to
// whatever takes longer than the portion, and so bends a straight line.
func (m *growthMeter) fit(ctx context.Context, g *Growth, f *Family) error {
	m.set(g)
	for round, settled := 0, 0; round < growthRounds && settled < growthSettled && !g.Stopped && g.Finding(); round++ {
		before := g.Exponent
		for i := len(g.Points) - g.Fitted; i < len(g.Points); i++ {
			r, err := m.least(ctx, f.Question(g.Points[i].N))
			if err != nil {
				return err
			}
			if r.abandoned {
				g.Abandoned++
			}
			if r.answered() {
				g.Points[i].Time = min(g.Points[i].Time, r.took)
			}
		}
		m.set(g)
		if settled++; math.Abs(g.Exponent-before) > growthSame && time.Now().Before(m.ends) {
			settled = 0
		}
	}
	return nil
}

// set fits the exponent to the points there are. Where a question was stopped
// two of them do, of which the first is taken to be as slow as the noise at the
// least: time that explodes leaves no more.
func (m *growthMeter) set(g *Growth) {
	noise := m.noise(g)
	points := fitted(g.Points, noise)
	if n := len(g.Points); len(points) == 0 && g.Stopped && n >= 2 && g.Points[n-1].Time > noise {
		points = slices.Clone(g.Points[n-2:])
		points[0].Time = max(points[0].Time, noise)
	}
	g.Fitted, g.Exponent = len(points), 0
	if g.Fitted > 0 {
		g.Exponent = exponent(points)
	}
}
