package impl

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"runtime"
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
	// answering one probe) may take. On Linux the time for which this program
	// waited for a processor does not count, up to seven more times the limit.
	// Default 5 s.
	Timeout time.Duration
}

const (
	defaultTimeout = 5 * time.Second

	// maxAbandoned is how many calls that never returned a subject may leave
	// behind. Each may keep a processor busy until the run ends.
	maxAbandoned = 4

	// grace is how long a call in progress may still take when ctx ends. Most
	// end far sooner, and the goroutine need not be abandoned.
	grace = 50 * time.Millisecond

	// maxDetail is the longest text of a subject, in bytes, that is copied into
	// an answer: an error may quote half the file.
	maxDetail = 1 << 10
)

// Func returns a Subject for a Go function that reports whether the file robots
// allows the agent to fetch the URL. An error means that the parser refuses the
// file or the URL. allowed gets a copy of the file in each call, and may do
// anything that [InProcess] permits.
func Func(name string, allowed func(robots []byte, agent, url string) (bool, error)) Subject {
	return InProcess(spec.SubjectInfo{Name: name, Language: "go"}, func(robots []byte) (func(agent, url string) spec.Answer, error) {
		return func(agent, url string) spec.Answer {
			ok, err := allowed(bytes.Clone(robots), agent, url)
			if err != nil {
				return spec.Answer{Verdict: spec.Reject, Detail: describe(err)}
			}
			return spec.Allowed(ok)
		}, nil
	}, InProcessOptions{})
}

// A Parse reads a robots.txt file and returns the function that answers queries
// about it, one after another. An error means that the parser refuses the file.
type Parse = func(robots []byte) (match func(agent, url string) spec.Answer, err error)

// InProcess returns a Subject for a parser in this process.
//
// parse is called once for each call of Ask, with a copy of the file that it may
// keep or change; the function it returns is called for one query after another.
// Both run on a goroutine that is not the caller's, and concurrent calls of Ask
// make concurrent calls of parse. If parse returns an error, every query gets the
// verdict Reject, with the error's text.
//
// The parser may do anything that Go lets a caller survive:
//
//   - A panic or runtime.Goexit in parse gives every query the verdict Crash. One
//     in a query gives that query Crash, and the file is parsed again for the
//     others, as the panic may have left any state half updated. Detail holds the
//     panic and its place in the parser.
//   - A parse that takes longer than opts.Timeout gives every query Timeout. A
//     query that takes longer gets Timeout, and the file is parsed again for the
//     others.
//   - Go cannot end a goroutine, so a call that never returns is left running.
//     While four such calls are running, every query gets Timeout at once and Err
//     says why; as they return, the subject recovers.
//
// It must not do anything that kills the process: exhaust the stack or the
// memory, write to a map from two goroutines, panic in a goroutine of its own,
// call os.Exit. Its output to os.Stdout is not separated from that of the
// harness. A parser that does such things has to run as a process; see [Process].
//
// The time inside the library, parsing included, is the sum over all calls that
// returned.
func InProcess(info spec.SubjectInfo, parse Parse, opts InProcessOptions) Subject {
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
	parse   Parse
	timeout time.Duration
	waited  func(now bool) time.Duration // by this program, for a processor; nil if unknown

	busy      atomic.Int64 // nanoseconds
	abandoned atomic.Int32 // attempts that were given up and still run
}

func (s *inProcess) Info() spec.SubjectInfo { return s.info }

func (s *inProcess) Kind() Kind { return InThisProcess }

func (s *inProcess) Parallel() int { return runtime.GOMAXPROCS(0) }

func (s *inProcess) Stats() Stats { return Stats{Library: time.Duration(s.busy.Load())} }

func (s *inProcess) Close() error { return nil }

func (s *inProcess) Err() error {
	if n := s.abandoned.Load(); n >= maxAbandoned {
		return fmt.Errorf("%s: %d earlier calls never returned", s.info.Name, n)
	}
	return nil
}

// Ask makes one attempt. After a query that crashed or hung, it makes another one
// for the remaining queries.
func (s *inProcess) Ask(ctx context.Context, robots []byte, probes []spec.Probe) []spec.Answer {
	answers := make([]spec.Answer, 0, len(probes))
	for len(answers) < len(probes) {
		if ctx.Err() != nil {
			return fill(answers, len(probes), spec.Timeout, interrupted)
		}
		if err := s.Err(); err != nil {
			return fill(answers, len(probes), spec.Timeout, err.Error())
		}
		a := &attempt{subject: s, probes: probes, answers: answers, done: make(chan struct{})}
		go a.run(bytes.Clone(robots))
		answers = a.wait(ctx)
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

// An attempt is a goroutine that parses a file and answers the queries that have
// no answer yet, in order, until a call crashes or Ask stops it.
type attempt struct {
	subject *inProcess
	done    chan struct{} // closed when the goroutine ends

	mu      sync.Mutex // guards the fields below; nothing is called while it is held
	probes  []spec.Probe
	answers []spec.Answer // to the first of probes
	calls   int           // calls of the parser that returned
	stop    bool          // Ask wants no call after the one under way
	left    bool          // Ask has returned, with the answers
}

// run calls the parser. A goroutine that runtime.Goexit ends cannot be resumed,
// so the crash is noted in a deferred function.
func (a *attempt) run(robots []byte) {
	began, exited := time.Now(), true
	defer func() {
		if exited {
			a.crash("runtime.Goexit" + place())
		}
		a.subject.busy.Add(int64(time.Since(began)))
		a.mu.Lock()
		if a.left {
			a.subject.abandoned.Add(-1)
		}
		a.mu.Unlock()
		close(a.done)
	}()
	a.call(robots)
	exited = false
}

// call parses the file and answers the queries.
func (a *attempt) call(robots []byte) {
	defer func() {
		if v := recover(); v != nil {
			at := place()
			a.crash("panic: " + describe(v) + at)
		}
	}()
	match, err := a.subject.parse(robots)
	switch {
	case err != nil:
		a.rest(spec.Reject, describe(err))
		return
	case match == nil:
		a.rest(spec.Crash, "the parser returned neither a match function nor an error")
		return
	}
	for p, more := a.note(); more; {
		p, more = a.note(match(p.Agent, p.URL))
	}
}

// note adds the answers of a call, and returns the next query, if there is one
// and Ask still waits for it.
func (a *attempt) note(answers ...spec.Answer) (next spec.Probe, more bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.left {
		return spec.Probe{}, false
	}
	a.calls++
	a.answers = append(a.answers, answers...)
	if a.stop || len(a.answers) == len(a.probes) {
		return spec.Probe{}, false
	}
	return a.probes[len(a.answers)], true
}

// rest gives one answer to all queries that have none.
func (a *attempt) rest(v spec.Verdict, detail string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.left {
		a.answers = fill(a.answers, len(a.probes), v, detail)
	}
}

// crash fills in the answers that a crash leaves missing: that of the current
// query, or all of them if the file was being parsed.
func (a *attempt) crash(detail string) {
	if a.calls == 0 { // only this goroutine writes it
		a.rest(spec.Crash, detail)
		return
	}
	a.note(spec.Answer{Verdict: spec.Crash, Detail: detail})
}

// wait returns the answers when the goroutine ends or a call takes too long.
func (a *attempt) wait(ctx context.Context) []spec.Answer {
	var (
		ended    = ctx.Done()
		limit    = a.subject.timeout
		patience = usage.Patience{Limit: limit / 2, Waited: a.subject.waited} // from the second check on
		seen     int                                                          // calls that had returned at the last check
		still    int                                                          // checks that found no more
	)
	timer := time.NewTimer(limit / 2)
	defer timer.Stop()
	for {
		select {
		case <-a.done:
			return a.answers
		case <-ended:
			ended, limit, patience.Limit = nil, min(limit, grace), 0
			a.mu.Lock()
			a.stop = true
			a.mu.Unlock()
		case <-timer.C:
			now := time.Now()
			a.mu.Lock()
			calls := a.calls
			a.mu.Unlock()
			switch still++; {
			case calls != seen:
				seen, still = calls, 0
			case still == 1: // a process that was suspended gets a second check
				patience.Restart(now)
			case patience.Left(now) > 0:
			default:
				if answers, ok := a.leave(seen, limit); ok {
					return answers
				}
			}
		}
		timer.Reset(limit / 2)
	}
}

// leave abandons the goroutine, unless calls have returned since the last check.
func (a *attempt) leave(seen int, limit time.Duration) (answers []spec.Answer, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.calls != seen || len(a.answers) == len(a.probes):
		return nil, false
	case a.stop:
	case seen == 0:
		a.answers = fill(a.answers, len(a.probes), spec.Timeout, fmt.Sprintf("parsing took longer than %v", limit))
	default:
		a.answers = fill(a.answers, len(a.answers)+1, spec.Timeout, fmt.Sprintf("no answer within %v", limit))
	}
	a.left = true
	a.subject.abandoned.Add(1)
	return a.answers, true
}

// describe returns the text of a panic or error of the parser. Its method may
// panic in turn: fmt then says so, unless the value of that panic panics when
// printed.
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

// module is the prefix of the names of our own functions.
const module = "github.com/repcheck/repcheck/"

// place returns where the panic or runtime.Goexit happened that runs the calling
// deferred function: " at function (file:line)". It is the innermost function of
// the parser, not of the standard library that it called, nor of an adapter
// around it. If the parser cannot be identified, it is the innermost function of
// all.
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
		case f.Function == module+"impl.(*attempt).call":
			return innermost
		default:
			at := fmt.Sprintf(" at %s (%s:%d)", f.Function, path.Base(f.File), f.Line)
			// The first element of an import path contains a dot only outside the
			// standard library.
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
