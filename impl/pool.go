package impl

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// Each calls do with every number from 0 to n-1, in that order and in as many
// goroutines as there are workers, and returns when all calls have returned.
func Each(n, workers int, do func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, max(workers, 1)) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	all.Wait()
}

// A Throttle limits the concurrent calls to one subject, times them and counts
// its timeouts. It is safe for concurrent use and does not close the subject.
type Throttle struct {
	Subject
	// MostTimeouts is on how many files the subject may time out before it gets
	// no more queries; 0 means no limit. It is set before the first call.
	MostTimeouts int

	slots chan struct{} // one for each concurrent call
	alone chan struct{} // held by AskAlone: two callers that collect slots would deadlock
	// processor has one slot for each processor, shared by all subjects that run
	// in this process: with more calls at a time, each would take time from the
	// others and seem slow.
	processor chan struct{}
	before    time.Duration // Stats().Library when the Throttle was made

	mu       sync.Mutex // guards the fields below
	running  int
	since    time.Time // when running became more than 0
	busy     time.Duration
	timeouts int // counted by file
}

// Throttles returns one Throttle for each subject. jobs limits the concurrent
// calls to each; 0 means as many as keep it busy.
func Throttles(subjects []Subject, jobs int) []*Throttle {
	processor := make(chan struct{}, runtime.GOMAXPROCS(0))
	all := make([]*Throttle, len(subjects))
	for i, s := range subjects {
		calls := max(1, s.Parallel())
		if jobs > 0 {
			calls = min(calls, jobs)
		}
		all[i] = &Throttle{Subject: s, slots: make(chan struct{}, calls), alone: make(chan struct{}, 1), before: s.Stats().Library}
		if s.Kind() != InOwnProcess {
			all[i].processor = processor
		}
	}
	return all
}

// A Reply holds a subject's answers about one file.
type Reply struct {
	// Answers has one answer for each probe. One without a verdict was not given:
	// the subject was lost, or ctx ended before the query was sent.
	Answers []spec.Answer
	// Took is the duration of the call, 0 if there was none.
	Took time.Duration
}

// TimedOut reports whether the subject timed out on the file.
func (r *Reply) TimedOut() bool {
	return slices.ContainsFunc(r.Answers, func(a spec.Answer) bool { return a.Verdict == spec.Timeout })
}

// Asked reports whether the subject gave an answer.
func (r *Reply) Asked() bool {
	return slices.ContainsFunc(r.Answers, func(a spec.Answer) bool { return a.Verdict != "" })
}

// Ask queries the subject as soon as fewer calls than the limit are running. If
// ctx ends early, the answers mean nothing.
func (t *Throttle) Ask(ctx context.Context, robots []byte, probes []spec.Probe) Reply {
	r := t.ask(ctx, 1, robots, probes)
	if r.TimedOut() && ctx.Err() == nil {
		t.mu.Lock()
		t.timeouts++
		t.mu.Unlock()
	}
	return r
}

// AskAlone is like Ask, but the subject works on nothing else meanwhile. A call
// in this process that timed out first gets up to settle to return, because it
// takes time and memory from the next one.
func (t *Throttle) AskAlone(ctx context.Context, robots []byte, probes []spec.Probe, settle time.Duration) Reply {
	if !acquire(ctx, t.alone) {
		return Reply{Answers: make([]spec.Answer, len(probes))}
	}
	defer release(t.alone)
	pause(ctx, settle)
	r := t.ask(ctx, cap(t.slots), robots, probes)
	if r.TimedOut() {
		pause(ctx, settle)
	}
	return r
}

func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// ask queries the subject once it holds that many slots.
func (t *Throttle) ask(ctx context.Context, slots int, robots []byte, probes []spec.Probe) Reply {
	r := Reply{Answers: make([]spec.Answer, len(probes))}
	for range slots {
		if !acquire(ctx, t.slots) {
			return r
		}
		defer release(t.slots)
	}
	if t.processor != nil {
		if !acquire(ctx, t.processor) {
			return r
		}
		defer release(t.processor)
	}
	if t.Err() != nil {
		return r
	}
	began := t.begin()
	copy(r.Answers, t.Subject.Ask(ctx, robots, probes))
	r.Took = t.end(began)
	if err := t.Subject.Err(); err != nil {
		for i, a := range r.Answers {
			if a.Detail == err.Error() {
				r.Answers[i] = spec.Answer{}
			}
		}
	}
	return r
}

func (t *Throttle) begin() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if t.running++; t.running == 1 {
		t.since = now
	}
	return now
}

func (t *Throttle) end(began time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if t.running--; t.running == 0 {
		t.busy += now.Sub(t.since)
	}
	return now.Sub(began)
}

// Err says why the subject gets no more queries: it is lost, or it timed out on
// too many files.
func (t *Throttle) Err() error {
	if err := t.Subject.Err(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.MostTimeouts > 0 && t.timeouts >= t.MostTimeouts {
		return fmt.Errorf("it timed out on %d files and got no queries about the others: fix it, or raise --timeout", t.timeouts)
	}
	return nil
}

// Free reports whether a call of Ask would begin at once.
func (t *Throttle) Free() bool { return len(t.slots) < cap(t.slots) }

// Limit returns how many calls may run at a time.
func (t *Throttle) Limit() int { return cap(t.slots) }

// Busy returns the time that the answers took. If the subject measures the time
// inside the library, it is that, summed over concurrent calls; otherwise it is
// the time during which at least one call was running.
func (t *Throttle) Busy() (busy time.Duration, inLibrary bool) {
	if d := t.Stats().Library - t.before; d > 0 {
		return d, true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.busy, false
}

// acquire takes a slot and reports whether it could before ctx ended.
func acquire(ctx context.Context, slots chan struct{}) bool {
	select {
	case slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func release(slots chan struct{}) { <-slots }
