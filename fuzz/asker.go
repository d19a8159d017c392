package fuzz

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// An asker asks one subject, no more at a time than keeps it busy, and takes
// the time.
type asker struct {
	subject impl.Subject
	slots   chan struct{} // one for each call that keeps the subject busy
	// processor is held where the subject works in this process, by one call
	// for each processor: any more would take their time from each other, and
	// seem slow or never to end.
	processor chan struct{}
	// alone is held to ask the subject nothing else meanwhile, by taking all
	// slots; two who did that at a time would wait for each other.
	alone   chan struct{}
	library time.Duration // when the scan began
	enough  int           // how many slow files settle that it is slow at times
	// mostTimeouts is how many files it may time out on before it is asked no more;
	// 0 means no bound.
	mostTimeouts int

	mu        sync.Mutex // guards what follows
	asking    int
	rested    time.Time // when it may be asked again, see free
	since     time.Time // asking is more than 0
	busy      time.Duration
	doubted   int // replies
	confirmed int // of those, the files that it was slow on again
	timeouts  int // files
}

// maxDoubted bounds how often slowness is looked into: where every file takes
// that long, nothing is gained by asking twice. A campaign that has to end in time
// is content with enoughSoon: who was slow once is a finding, and another time is
// none.
const (
	maxDoubted = 32
	enoughSoon = 1
)

// A reply is what a subject made of one file.
type reply struct {
	// answers are nil if the subject is lost.
	answers []spec.Answer
	// lost is why the subject cannot answer, "" if it can. It may have become
	// lost on the way, and then an answer whose detail this is was not given.
	lost string
	took time.Duration
	// slow is that it took more than slow, and is believed to do so whatever else
	// is asked meanwhile.
	slow bool
}

// isProcess tells a subject that is a process of its own.
func isProcess(s impl.Subject) bool { return s.Kind() == impl.InOwnProcess }

func newAskers(subjects []impl.Subject, jobs int) []*asker {
	processor := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all []*asker
	for _, s := range subjects {
		a := &asker{subject: s, slots: make(chan struct{}, max(1, min(s.Parallel(), jobs))), alone: make(chan struct{}, 1), enough: maxDoubted}
		if !isProcess(s) {
			a.processor = processor
		}
		a.library = s.Stats().Library
		all = append(all, a)
	}
	return all
}

// ask puts the questions. What it returns means nothing once ctx ended.
func (a *asker) ask(ctx context.Context, robots []byte, probes []spec.Probe) reply {
	r := a.once(ctx, 1, robots, probes)
	if r.timedOut() && ctx.Err() == nil {
		a.mu.Lock()
		a.timeouts++
		a.mu.Unlock()
	}
	if r.took <= slow {
		return r
	}
	if !a.doubt(r, robots) || !acquire(ctx, a.alone) {
		r.slow = a.believe(r)
		return r
	}
	settle(ctx, r)
	again := a.once(ctx, cap(a.slots), robots, probes)
	settle(ctx, again)
	release(a.alone)
	if r.timedOut() || again.took < r.took && !again.timedOut() {
		r = again
	}
	if r.slow = r.took > slow; r.slow {
		a.confirm()
	}
	return r
}

// err says why the subject is asked no more; nil if it is.
func (a *asker) err() error {
	if err := a.subject.Err(); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.mostTimeouts > 0 && a.timeouts >= a.mostTimeouts {
		return fmt.Errorf("it timed out on %d files and was not asked about the others: fix it, or raise --timeout", a.timeouts)
	}
	return nil
}

// believe reports whether the subject is slow that was not asked again: if it was
// seen to be on another file, or ran out of time.
func (a *asker) believe(r reply) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.confirmed > 0 || r.timedOut()
}

func (a *asker) confirm() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.confirmed++
}

// free reports whether the subject has nothing to do and is not resting. One
// that was slow, or ran out of time, rests for as long as restFor times that: else
// those that are so often would take all processors from those that answer.
func (a *asker) free() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.slots) < cap(a.slots) && time.Now().After(a.rested)
}

const restFor = 4

// resting reports whether free is false for lack of answers in time.
func (a *asker) resting() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return time.Now().Before(a.rested)
}

// rest is called with every reply of a campaign that may do without answers.
func (a *asker) rest(r reply) {
	if !r.timedOut() && r.took <= slow {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rested = time.Now().Add(restFor * r.took)
}

// settle gives a call that ran out of time and was given up some more to end
// by itself: as long as it runs, it takes time and memory that the next call
// would have to share.
func settle(ctx context.Context, r reply) {
	if !r.timedOut() {
		return
	}
	select {
	case <-time.After(4 * r.took):
	case <-ctx.Done():
	}
}

// once asks as soon as it holds that many slots.
func (a *asker) once(ctx context.Context, slots int, robots []byte, probes []spec.Probe) reply {
	for range slots {
		if !acquire(ctx, a.slots) {
			return reply{}
		}
		defer release(a.slots)
	}
	if !acquire(ctx, a.processor) {
		return reply{}
	}
	defer release(a.processor)
	if err := a.err(); err != nil {
		return reply{lost: err.Error()}
	}
	return a.timed(ctx, robots, probes)
}

// acquire takes a slot, and tells if it could before ctx ended. There is no
// limit where slots is nil.
func acquire(ctx context.Context, slots chan struct{}) bool {
	if slots == nil {
		return true
	}
	select {
	case slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func release(slots chan struct{}) {
	if slots != nil {
		<-slots
	}
}

// doubt reports whether a slow file is to be asked about again. A process that
// works on several files at a time lets all wait for a slow one, and a busy
// machine makes any parser slow; asking once more, and nothing else meanwhile,
// tells. A timeout is doubted only where a file in this process is so large
// that it needs no more than a busy machine: whatever really never returns must
// not be called twice, and a process was asked twice by its client.
func (a *asker) doubt(r reply, robots []byte) bool {
	if r.lost != "" || r.timedOut() && (len(robots) <= heavy || isProcess(a.subject)) {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.confirmed >= a.enough || a.doubted >= maxDoubted {
		return false
	}
	a.doubted++
	return true
}

func (r reply) timedOut() bool {
	return slices.ContainsFunc(r.answers, func(a spec.Answer) bool { return a.Verdict == spec.Timeout })
}

// timed asks, and counts the time in which the subject had something to answer.
func (a *asker) timed(ctx context.Context, robots []byte, probes []spec.Probe) reply {
	started := time.Now()
	a.mu.Lock()
	if a.asking++; a.asking == 1 {
		a.since = started
	}
	a.mu.Unlock()

	answers := a.subject.Ask(ctx, robots, probes)

	ended := time.Now()
	a.mu.Lock()
	if a.asking--; a.asking == 0 {
		a.busy += ended.Sub(a.since)
	}
	a.mu.Unlock()
	r := reply{answers: answers, took: ended.Sub(started)}
	if err := a.subject.Err(); err != nil {
		r.lost = err.Error()
	}
	return r
}

// tell adds to the result what is known of the subject as a whole.
func (a *asker) tell(s *ScanSubject) {
	a.mu.Lock()
	s.Busy = a.busy
	a.mu.Unlock()
	stats := a.subject.Stats()
	if d := stats.Library - a.library; d > 0 {
		s.Busy, s.InLibrary = d, true
	}
	s.Faults = stats.Faults
	if err := a.subject.Err(); err != nil {
		s.Lost = err.Error()
	}
}
