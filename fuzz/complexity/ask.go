package complexity

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/repcheck/repcheck/spec"
)

const (
	// A query is repeated up to maxAsks times as long as all runs together take
	// less than maxAsking, and the shortest time counts: any other load of the
	// machine can only add to it.
	maxAsks   = 3
	maxAsking = 150 * time.Millisecond

	// readyLimit is how long a trivial query may take: an adapter may have to be
	// killed and restarted first.
	readyLimit = 30 * time.Second

	// settleFor is how many times Stop a call in this process that was stopped
	// may take to return by itself, before it is considered one that never does.
	settleFor = 4
)

// A reply is the outcome of one query.
type reply struct {
	spec.Answer
	took      time.Duration
	inLibrary bool
	abandoned bool
}

// least runs a query several times, as long as that is cheap, and returns the
// reply that took the least time, or the first one that is not an answer.
func (m *meter) least(ctx context.Context, w spec.Query) (best reply, err error) {
	if m.inThisProcess() {
		// Garbage of earlier queries in this process must not be collected during
		// this one.
		runtime.GC()
	}
	var sum time.Duration
	for i := 0; i < maxAsks && sum < maxAsking; i++ {
		if err := m.ready(ctx); err != nil {
			return best, err
		}
		r, err := m.ask(ctx, w)
		if err != nil {
			return best, err
		}
		if !r.Verdict.Answered() {
			return r, nil
		}
		sum += max(r.took, 0)
		if i == 0 || r.took < best.took {
			best = r
		}
	}
	return best, nil
}

// trivialQuery takes as little time as possible with any parser.
var trivialQuery = asked(anyone+"Disallow: /a\n", "/a")

// ready waits until the subject answers a trivial query, and records how long
// that takes. The error says that the subject gives no answer, or that ctx ended.
func (m *meter) ready(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	began := time.Now()
	a := m.subject.Ask(bounded, trivialQuery.Robots, []spec.Probe{trivialQuery.Probe})[0]
	took := time.Since(began)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case m.subject.Err() != nil:
		return fmt.Errorf("%s was lost: %w", m.info.Name, m.subject.Err())
	case !a.Verdict.Decided():
		return fmt.Errorf("%s does not answer a trivial query: %s %s", m.info.Name, a.Verdict, a.Detail)
	}
	if m.trivial == 0 || took < m.trivial {
		m.trivial = took
	}
	return nil
}

// ask sends one query, with the time limit.
func (m *meter) ask(ctx context.Context, w spec.Query) (reply, error) {
	bounded, cancel := context.WithTimeout(ctx, m.o.Stop)
	defer cancel()
	library, processor, began := m.library(), m.o.processor(), time.Now()
	a := m.subject.Ask(bounded, w.Robots, []spec.Probe{w.Probe})[0]
	whole := time.Since(began)
	r := reply{Answer: a, took: whole - m.trivial}
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	if a.Verdict == spec.Timeout && m.inThisProcess() {
		r.abandoned = !m.settle(ctx, library)
		return r, ctx.Err()
	}
	if inside := m.library() - library; inside > 0 {
		r.took, r.inLibrary = inside, true
		if m.inThisProcess() {
			// Library time beyond that of the whole call belongs to a call that was
			// abandoned before; time beyond the processor's was spent waiting.
			r.took = min(inside, whole)
			if had := m.o.processor() - processor; had > 0 {
				r.took = min(r.took, had)
			}
		}
	}
	r.took = max(r.took, 1)
	return r, nil
}

// library returns the time inside the library so far, 0 if the subject does not
// report it.
func (m *meter) library() time.Duration { return m.subject.Stats().Library }

// settle waits for a stopped call in this process to return, and reports whether
// it did. Then its time has been added to that of the library, which was before
// when the call began.
func (m *meter) settle(ctx context.Context, before time.Duration) bool {
	const look = 10 * time.Millisecond
	for waited := time.Duration(0); m.library() == before; waited += look {
		if waited >= settleFor*m.o.Stop || ctx.Err() != nil {
			return false
		}
		time.Sleep(look)
	}
	return true
}
