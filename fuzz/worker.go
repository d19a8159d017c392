package fuzz

import (
	"context"
	"sync"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// A worker queries one subject and distinguishes a slow parser from a busy
// machine: it repeats the queries about a file that took long, with nothing else
// running meanwhile. A process that works on several files at a time lets all of
// them wait for a slow one.
type worker struct {
	*impl.Throttle
	// enough is how many confirmed slow files make the worker trust later ones
	// without repeating them.
	enough int

	mu        sync.Mutex // guards the fields below
	rests     time.Time  // until when free is false
	rechecked int        // slow files that were repeated
	confirmed int        // those of them that were slow again
}

const (
	// maxRechecks limits how many slow files are repeated: if every file is slow,
	// repeating gains nothing. For a campaign without a count, one that is slow
	// again is enough, as slowness is then already a finding.
	maxRechecks    = 32
	enoughCampaign = 1

	// restFor is the factor from the duration of a slow call to the time for
	// which the subject then rests in a campaign that may skip subjects. Without
	// the rest, subjects that are often slow would take the processors from the
	// others. A file of many URLs that hang takes minutes; maxRest keeps it from
	// costing the subject the rest of the campaign.
	restFor = 4
	maxRest = 30 * time.Second

	// settleFactor is the factor from the duration of a call that timed out to
	// the time to wait for its return.
	settleFactor = 4
)

// A reply holds a subject's answers about one file.
type reply struct {
	impl.Reply
	// slow is set if it took longer than the constant slow, and not because of
	// the machine.
	slow bool
}

func newWorkers(subjects []impl.Subject, jobs int) []*worker {
	var all []*worker
	for _, t := range impl.Throttles(subjects, jobs) {
		all = append(all, &worker{Throttle: t, enough: maxRechecks})
	}
	return all
}

// ask sends the queries about a file, and repeats them if that took long. If ctx
// ends early, the reply means nothing.
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

// rechecks reports whether a slow file is to be repeated. A timeout is repeated
// only in this process and for a file so large that a busy machine explains it: a
// call that never returns must not be repeated, and the client of a process has
// tried twice already.
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

// free reports whether the subject is idle and not resting.
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
	w.rests = time.Now().Add(min(restFor*r.Took, maxRest))
}

// every calls do at each interval until stop is called. stop waits for the call
// that is running, and may be called again.
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
