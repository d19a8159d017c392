package fuzz

import (
	"context"
	"sync"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// A worker asks one subject and tells a slow parser from a busy machine: it asks
// again, and nothing else meanwhile, about a file that took long. A process that
// works on several files at a time lets all of them wait for a slow one.
type worker struct {
	*impl.Throttle
	// enough is how many confirmed slow files make every later one believed.
	enough int

	mu        sync.Mutex // guards what follows
	rests     time.Time  // until when free is false
	rechecked int        // slow files that were asked about again
	confirmed int        // of those, the files that were slow again
}

const (
	// maxRechecks bounds how many slow files are asked about again: where every
	// file is slow, nothing is gained by it. A campaign without a count is content
	// with one that is slow again, as slowness is then a finding already.
	maxRechecks    = 32
	enoughCampaign = 1

	// restFor is for how many times its duration a slow call lets the subject rest
	// in a campaign that may leave subjects out. Without the rest, subjects that are
	// often slow would take the processors from the others.
	restFor = 4

	// settleFactor is for how many times its duration a call that timed out is
	// waited for.
	settleFactor = 4
)

// A reply is what a subject answered about one file.
type reply struct {
	impl.Reply
	// slow: it took more than the constant slow, and not because of the machine.
	slow bool
}

func newWorkers(subjects []impl.Subject, jobs int) []*worker {
	var all []*worker
	for _, t := range impl.Throttles(subjects, jobs) {
		all = append(all, &worker{Throttle: t, enough: maxRechecks})
	}
	return all
}

// ask asks about a file, and again if it took long. When ctx ends early, the
// reply means nothing.
func (w *worker) ask(ctx context.Context, robots []byte, probes []spec.Probe) reply {
	r := w.Ask(ctx, robots, probes)
	if r.Took <= slow {
		return reply{Reply: r}
	}
	timedOut := r.TimedOut()
	if !w.rechecks(timedOut, robots) {
		w.mu.Lock()
		defer w.mu.Unlock()
		return reply{r, timedOut || w.confirmed > 0}
	}
	settle := time.Duration(0)
	if timedOut {
		settle = settleFactor * r.Took
	}
	again := w.AskAlone(ctx, robots, probes, settle)
	if timedOut || again.Took < r.Took && !again.TimedOut() {
		r = again
	}
	if r.Took > slow {
		w.mu.Lock()
		w.confirmed++
		w.mu.Unlock()
	}
	return reply{r, r.Took > slow}
}

// rechecks reports whether a slow file is to be asked about again. A timeout is
// only where a file in this process is so large that a busy machine explains it:
// a call that never returns must not be repeated, and the client of a process has
// asked twice already.
func (w *worker) rechecks(timedOut bool, robots []byte) bool {
	if w.Err() != nil || timedOut && (len(robots) <= heavy || w.Kind() == impl.InOwnProcess) {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.confirmed >= w.enough || w.rechecked >= maxRechecks {
		return false
	}
	w.rechecked++
	return true
}

// free reports whether the subject has nothing to do and does not rest.
func (w *worker) free() bool { return w.Free() && !w.resting() }

func (w *worker) resting() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Before(w.rests)
}

// rest lets the subject rest after a slow reply.
func (w *worker) rest(r reply) {
	if r.Took <= slow && !r.TimedOut() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rests = time.Now().Add(restFor * r.Took)
}

// every calls do at each interval until stop is called, which waits for the call
// that is running and may be called again.
func every(interval time.Duration, do func()) (stop func()) {
	end := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				do()
			case <-end:
				return
			}
		}
	})
	return sync.OnceFunc(func() { close(end); running.Wait() })
}
