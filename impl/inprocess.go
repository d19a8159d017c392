package impl

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/repcheck/repcheck/impl/internal/usage"
	"github.com/repcheck/repcheck/spec"
)

// InProcessOptions are the options of InProcess. The zero value works.
type InProcessOptions struct {
	// Timeout is how long one call into the parser (reading the file, or
	// answering one probe) may take. On Linux the time in which this program
	// waited for a processor does not count, up to seven more times the limit.
	// Default 5 s.
	Timeout time.Duration
}

const (
	defaultTimeout = 5 * time.Second

	// maxAbandoned is how many calls that never returned a subject may leave
	// behind. Each may keep a processor busy for as long as the run lasts.
	maxAbandoned = 4

	// grace is how long a call in progress may still take when ctx ends. Most
	// end far sooner, and the worker need not be given up.
	grace = 50 * time.Millisecond

	// maxDetail is the longest text of a subject, in octets, that goes into an
	// answer: an error may quote half the file.
	maxDetail = 1 << 10
)

// InProcess makes a Subject of a parser in this process.
//
// parse is called once for each call of Ask, with a copy of the file that is
// its own to keep or change; the function it returns is called for one probe
// after the other. Both run on a goroutine that is not the caller's, and several
// calls of parse may run at a time, if Ask is called so. An error of parse gives
// every probe the verdict Reject, with the error's text.
//
// The parser may do anything that Go lets a caller survive:
//
//   - A panic or runtime.Goexit in parse gives every probe the verdict Crash.
//     One in a probe gives that probe Crash, and the file is parsed anew for
//     the others, as the panic may have left anything half done. Detail holds
//     the panic and the place in the parser.
//   - A parse that takes longer than opts.Timeout gives every probe Timeout. A
//     probe that does gets Timeout, and the file is parsed anew for the others.
//   - Go cannot end a goroutine, so a call that never returns is left running.
//     While four are, every probe gets Timeout at once and Err says why; as
//     they return, the subject recovers.
//
// It must not do what kills the process: exhaust the stack or the memory, write
// to a map from two goroutines, panic in a goroutine of its own, call os.Exit.
// Nor is its output to os.Stdout kept from the harness's own. A parser that does
// such things is to be run as a process.
//
// The Subject is a LibraryTimer: it knows the total time its calls took, parsing
// included, from which rates are computed. A call that never returns is not
// counted.
func InProcess(info spec.SubjectInfo, parse func(robots []byte) (func(agent, url string) spec.Answer, error), opts InProcessOptions) Subject {
	if opts.Timeout <= 0 {
		opts.Timeout = defaultTimeout
	}
	s := &inProcess{info: info, parse: parse, timeout: opts.Timeout}
	if usage.Known() {
		s.waited = func(bool) time.Duration { return usage.SelfWaited() }
	}
	return s
}

type inProcess struct {
	info    spec.SubjectInfo
	parse   func([]byte) (func(agent, url string) spec.Answer, error)
	timeout time.Duration
	waited  func(now bool) time.Duration // by this program, for a processor; nil if that is not known

	busy      atomic.Int64 // nanoseconds
	abandoned atomic.Int32 // workers given up that still run

	mu     sync.Mutex // guards what follows; nothing is called under it
	idle   []*worker
	closed bool
}

func (s *inProcess) Info() spec.SubjectInfo { return s.info }

func (s *inProcess) Parallel() int { return runtime.GOMAXPROCS(0) }

func (s *inProcess) LibraryTime() time.Duration { return time.Duration(s.busy.Load()) }

func (s *inProcess) Err() error {
	if n := s.abandoned.Load(); n >= maxAbandoned {
		return fmt.Errorf("%s: %d earlier calls never returned", s.info.Name, n)
	}
	return nil
}

func (s *inProcess) Close() error {
	s.mu.Lock()
	idle := s.idle
	s.idle, s.closed = nil, true
	s.mu.Unlock()
	for _, w := range idle {
		close(w.jobs)
	}
	return nil
}

func (s *inProcess) Ask(ctx context.Context, robots []byte, probes []spec.Probe) []spec.Answer {
	answers := make([]spec.Answer, 0, len(probes))
	for len(answers) < len(probes) {
		rest := probes[len(answers):]
		if ctx.Err() != nil {
			return fill(answers, len(probes), spec.Timeout, interrupted)
		}
		if err := s.Err(); err != nil {
			return fill(answers, len(probes), spec.Timeout, err.Error())
		}
		w := s.worker()
		w.start(robots, rest)
		answers = w.wait(ctx, answers)
	}
	return answers
}

const interrupted = "interrupted"

// fill appends equal answers until there are n.
func fill(answers []spec.Answer, n int, v spec.Verdict, detail string) []spec.Answer {
	for len(answers) < n {
		answers = append(answers, spec.Answer{Verdict: v, Detail: detail})
	}
	return answers
}

// worker returns a worker with nothing to do.
func (s *inProcess) worker() *worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		w := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return w
	}
	w := &worker{
		subject: s,
		jobs:    make(chan struct{}, 1),
		done:    make(chan struct{}, 1),
		timer:   time.NewTimer(s.timeout),
	}
	go w.serve()
	return w
}

// release takes back a worker that is done.
func (s *inProcess) release(w *worker) {
	s.mu.Lock()
	keep := !s.closed && len(s.idle) < s.Parallel()
	if keep {
		s.idle = append(s.idle, w)
	}
	s.mu.Unlock()
	if !keep {
		close(w.jobs)
	}
}

// A worker is a goroutine that calls the parser, and the memory it shares with
// the Ask that waits for it.
//
// From start until done the memory is the goroutine's, but for the answers that
// progress counts, which Ask may read. A worker that was given up keeps it for
// good: then nobody else holds the worker.
type worker struct {
	subject *inProcess
	jobs    chan struct{} // a job is to be done; closed to end the goroutine
	done    chan struct{} // the job was done, or as much of it as was wanted
	timer   *time.Timer   // of Ask

	robots  []byte
	probes  []spec.Probe
	answers []spec.Answer // as many as probes

	// progress is twice the number of answers given, plus one while the file is
	// parsed; it grows with every call that returns. The goroutine raises it and
	// Ask sets it to givenUp, both by compare-and-swap, so that they agree on
	// which came first.
	progress atomic.Int64
	// stop is set by Ask when it wants no more than the call under way.
	stop atomic.Bool

	// What follows is the goroutine's alone.
	working bool
	began   time.Time
	given   int                                 // answers
	match   func(agent, url string) spec.Answer // nil while the file is to be parsed
}

const givenUp = -1

// start hands the goroutine a job.
func (w *worker) start(robots []byte, probes []spec.Probe) {
	w.robots = append(w.robots[:0], robots...)
	w.probes = append(w.probes[:0], probes...)
	w.answers = slices.Grow(w.answers[:0], len(probes))[:len(probes)]
	w.progress.Store(0)
	w.stop.Store(false)
	w.jobs <- struct{}{}
}

// wait appends the answers to the probes of the job. They are fewer than the
// probes where one took too long and those after it are still to be asked. It
// releases the worker or gives it up.
func (w *worker) wait(ctx context.Context, answers []spec.Answer) []spec.Answer {
	var (
		asked = len(answers)
		all   = asked + len(w.probes)
		ended = ctx.Done()
		limit = w.subject.timeout
		seen  int64 // of progress
		still int   // looks at progress that saw none

		patience usage.Patience // since the first of these
	)
	for {
		// Two looks: a process that was suspended gets the second one to go on.
		w.timer.Reset(limit / 2)
		select {
		case <-w.done:
			w.timer.Stop()
			answers = append(answers, w.answers[:w.progress.Load()/2]...)
			w.subject.release(w)
			return fill(answers, all, spec.Timeout, interrupted)

		case <-ended:
			ended = nil
			limit = min(limit, grace)
			w.stop.Store(true)

		case <-w.timer.C:
			now := w.progress.Load()
			if now != seen {
				seen, still = now, 0
				continue
			}
			if still++; still == 1 {
				patience = usage.Patience{Limit: limit / 2, Waited: w.subject.waited}
				patience.Restart(time.Now())
				continue
			}
			busy := !w.stop.Load() && patience.Left(time.Now()) > 0
			if busy || asked+int(now/2) == all || !w.giveUp(now) {
				continue
			}
			answers = append(answers, w.answers[:now/2]...)
			switch {
			case w.stop.Load():
				return fill(answers, all, spec.Timeout, interrupted)
			case now%2 == 0:
				return fill(answers, all, spec.Timeout, fmt.Sprintf("parsing took longer than %v", limit))
			default:
				return fill(answers, len(answers)+1, spec.Timeout, fmt.Sprintf("no answer within %v", limit))
			}
		}
	}
}

// giveUp leaves the goroutine to itself unless it got past now, and tells if it
// did so.
func (w *worker) giveUp(now int64) bool {
	if !w.progress.CompareAndSwap(now, givenUp) {
		return false
	}
	w.subject.abandoned.Add(1)
	return true
}

// publish makes the answers given and the state of parsing known. It is false
// if Ask has given the worker up; the goroutine must then end.
func (w *worker) publish() bool {
	now := int64(2 * w.given)
	if w.match != nil {
		now++
	}
	if old := w.progress.Load(); old != givenUp && w.progress.CompareAndSwap(old, now) {
		return true
	}
	w.subject.busy.Add(int64(time.Since(w.began)))
	w.subject.abandoned.Add(-1)
	return false
}

// serve does jobs until there are no more or the worker is given up.
func (w *worker) serve() {
	ended := false
	defer func() {
		// runtime.Goexit was called. It cannot be stopped, so the job goes on
		// in another goroutine.
		if !ended && w.crash("runtime.Goexit"+place()) {
			go w.serve()
		}
	}()
	for w.working || w.next() {
		if !w.step() {
			break
		}
	}
	ended = true
}

// next waits for a job; it is false if there will be none.
func (w *worker) next() bool {
	_, ok := <-w.jobs
	w.working, w.given, w.match, w.began = ok, 0, nil, time.Now()
	return ok
}

// step parses the file, or asks one probe, or ends the job. It is false if the
// worker was given up.
func (w *worker) step() (wanted bool) {
	defer func() {
		if v := recover(); v != nil {
			at := place()
			wanted = w.crash("panic: " + describe(v) + at)
		}
	}()
	switch {
	case w.given == len(w.probes) || w.stop.Load():
		w.working = false
		w.subject.busy.Add(int64(time.Since(w.began)))
		w.done <- struct{}{}
		return true

	case w.match == nil:
		match, err := w.subject.parse(bytes.Clone(w.robots))
		switch {
		case err != nil:
			w.give(len(w.probes), spec.Answer{Verdict: spec.Reject, Detail: describe(err)})
		case match == nil:
			return w.crash("the parser returned neither a function to ask nor an error")
		}
		w.match = match
		return w.publish()

	default:
		p := w.probes[w.given]
		w.give(w.given+1, w.match(p.Agent, p.URL))
		return w.publish()
	}
}

// give answers the probes up to the n-th.
func (w *worker) give(n int, a spec.Answer) {
	for ; w.given < n; w.given++ {
		w.answers[w.given] = a
	}
}

// crash answers the probes that a crash leaves without one: that in hand, or
// all if the file was being parsed. The result is that of publish.
func (w *worker) crash(detail string) bool {
	n := w.given + 1
	if w.match == nil {
		n = len(w.probes)
	}
	w.give(n, spec.Answer{Verdict: spec.Crash, Detail: detail})
	w.match = nil
	return w.publish()
}

// describe is the text of a panic or error of the parser. Its method may panic
// in turn: fmt says so, but for a panic whose value panics when printed.
func describe(v any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("a %T that panics when printed", v)
		}
	}()
	text = strings.ToValidUTF8(strings.TrimSpace(fmt.Sprint(v)), "\uFFFD")
	if len(text) > maxDetail {
		text = strings.ToValidUTF8(text[:maxDetail], "") + "…"
	}
	return text
}

// module begins the names of our own functions.
const module = "github.com/repcheck/repcheck/"

// place says where the panic or runtime.Goexit happened because of which a
// deferred function calls it: " at function (file:line)". It is the innermost
// function of the parser, not of the standard library that it called, nor of an
// adapter around it; the innermost of all if the parser cannot be told.
func place() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	var innermost string
	for unwinding := false; ; {
		f, more := frames.Next()
		first, _, nested := strings.Cut(f.Function, "/")
		switch {
		case f.Function == "runtime.gopanic" || f.Function == "runtime.Goexit":
			unwinding = true
		case !unwinding || strings.HasPrefix(f.Function, "runtime."):
		case f.Function == module+"impl.(*worker).step":
			return innermost
		default:
			at := fmt.Sprintf(" at %s (%s:%d)", f.Function, path.Base(f.File), f.Line)
			// Only paths that are no part of the standard library begin with a
			// domain.
			if nested && strings.Contains(first, ".") && !strings.HasPrefix(f.Function, module) {
				return at
			}
			if innermost == "" {
				innermost = at
			}
		}
		if !more {
			return innermost
		}
	}
}
