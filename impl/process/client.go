package process

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// ErrLost is wrapped by [Client.Err] when the adapter is given up.
var ErrLost = errors.New("adapter lost")

// Options say how to run an adapter. Command or Launch is needed; the zero
// value of everything else works.
type Options struct {
	// Command is the program and its arguments; see [SplitCommand]. A program
	// with a slash in a relative path is looked up from Dir.
	Command []string
	// Dir is its working directory; empty means ours.
	Dir string
	// Env is its whole environment, "KEY=value"; nil means [Environment].
	Env []string
	// Timeout is how long the adapter may give no answer at all while requests
	// are in flight; every answer restarts the clock. On Linux the time in which
	// the adapter waited for a processor does not count, up to seven more times
	// the limit. Default 5 s.
	Timeout time.Duration
	// StartTimeout is how long it may take from its start to its hello, counted
	// like Timeout. Default 30 s, for a runtime may have to load.
	StartTimeout time.Duration
	// MaxLine is the longest line it may print, in octets. Default 8 MiB.
	MaxLine int
	// MaxMemory is how many octets of memory it and what it started may hold,
	// as seen ten times a second; Linux only. Default 2 GiB.
	MaxMemory int64
	// Launch starts the adapter some other way than as a process of Command.
	// It is called for every start; ctx bounds the start, not the adapter.
	Launch func(ctx context.Context) (Transport, error)
}

// Stats tells what a client has done so far.
type Stats struct {
	Queries  int           // URLs the adapter gave an outcome for, repeated ones included
	Requests int           // request lines sent, repeated ones included
	Busy     time.Duration // wall time with at least one request in flight
	Library  time.Duration // spent inside the library by the adapter's count; 0 if it does not count
	Restarts int           // starts after the first
}

// A Client asks one adapter. It satisfies impl.Subject: whatever the adapter
// does, Ask returns and says so in the answers. All its methods may be called
// concurrently.
//
// When the adapter dies, hangs or breaks the protocol, it is killed and started
// again, and what was in flight is asked again, one request at a time. Only
// what provokes the fault again, as the first request of a fresh process, is
// marked Crash, Timeout or ProtocolError; of several URLs only the guilty ones.
// The second time a request has twice the timeout; an answer that comes then is
// marked Slow.
//
// An adapter may be started again 20 times. Every five URLs it answers earn it one
// more start, up to 100 in reserve; a timeout costs three, and one call of Ask no
// more than three.
type Client struct {
	opts   Options
	d      *dispatcher
	info   spec.SubjectInfo
	hashed bool // the adapter keeps the last file
}

// Start starts the adapter and waits for its hello; ctx bounds that, not the
// client. The error is one sentence with the command, what happened and what to
// do, and the tail of stderr if there is any. The client must be closed.
func Start(ctx context.Context, opts Options) (*Client, error) {
	opts = opts.withDefaults()
	ch, err := launch(ctx, &opts, nil)
	if err != nil {
		return nil, fmt.Errorf("adapter %s %w", joinCommand(opts.Command), err)
	}
	h := ch.hello
	return &Client{
		opts:   opts,
		d:      newDispatcher(opts, ch),
		hashed: slices.Contains(h.Features, "hash"),
		info:   h.info(),
	}, nil
}

// withDefaults returns the options with what is not set filled in.
func (opts Options) withDefaults() Options {
	opts.Command = slices.Clone(opts.Command)
	setDefault(&opts.Timeout, 5*time.Second)
	setDefault(&opts.StartTimeout, 30*time.Second)
	setDefault(&opts.MaxLine, 8<<20)
	setDefault(&opts.MaxMemory, 2<<30)
	if opts.Env == nil {
		opts.Env = Environment()
	}
	if opts.Launch == nil {
		opts.Launch = func(context.Context) (Transport, error) {
			return startProcess(&opts)
		}
	}
	return opts
}

func setDefault[T int | int64 | time.Duration](v *T, to T) {
	if *v <= 0 {
		*v = to
	}
}

// Info is what the adapter said of itself at its first start.
func (c *Client) Info() spec.SubjectInfo {
	info := c.info
	info.Features = slices.Clone(info.Features)
	return info
}

// Parallel is the adapter's window: so many requests in flight keep it busy. At
// least 1, at most MaxWindow.
func (c *Client) Parallel() int { return c.d.window }

// Ask puts every probe to the adapter and returns one answer for each, in
// order. The probes of one agent travel in one request. When ctx ends early,
// the probes not yet answered get Timeout, with the detail "interrupted", and
// the client remains usable.
//
// Crash with a detail that begins with "the adapter" is the harness's verdict;
// otherwise the detail is the text of an exception that the adapter caught.
func (c *Client) Ask(ctx context.Context, robots []byte, probes []spec.Probe) []spec.Answer {
	call := newCall(len(probes))
	interrupted := spec.Answer{Verdict: spec.Timeout, Detail: "interrupted"}
	if call.over() {
		return call.answers
	}
	if ctx.Err() != nil {
		call.answerRest(interrupted)
		return call.answers
	}
	requests := call.requests(encodeFile(robots, c.hashed), probes)
	c.d.post(func() { c.d.submit(requests) })
	select {
	case <-call.done:
		return call.answers
	case <-ctx.Done():
		c.d.post(func() { call.answerRest(interrupted) })
	case <-c.d.stopped:
	}
	select {
	case <-call.done:
	case <-c.d.stopped: // the dispatcher writes no more, so we may
		if !call.over() {
			call.answerRest(tooLate)
		}
	}
	return call.answers
}

// tooLate is the answer to what is asked of a closed client.
var tooLate = spec.Answer{Verdict: spec.ProtocolError, Detail: "the client was closed"}

// Err is nil while the adapter can answer. Afterwards it wraps ErrLost and says
// why it was given up: three starts in a row without one answer, not even to a
// trivial query; no start left; more than 20 protocol faults. Every probe not
// answered by then, and every later one, gets ProtocolError with that text.
func (c *Client) Err() error { return c.d.book.lost() }

// Faults are the first 20 faults of the adapter, in order: what it did, how to
// mend it, its stderr. A fault that is seen again while its culprit is sought
// is not told twice.
func (c *Client) Faults() []string { list, _ := c.d.book.faultList(); return list }

// FaultCount is how many faults there were in all; Faults lists the first.
func (c *Client) FaultCount() int { _, n := c.d.book.faultList(); return n }

// Fresh starts the adapter once more, as Start did, beside this one: in a
// process that has seen nothing yet.
func (c *Client) Fresh(ctx context.Context) (*Client, error) { return Start(ctx, c.opts) }

// Stats tells what has been done so far; it may be called after Close.
func (c *Client) Stats() Stats { return c.d.book.snapshot() }

// Close ends the adapter's stdin, and the process if it does not exit within a
// second, which is noted as a fault. What is being asked gets ProtocolError. It
// returns nil when everything is released, also when called again.
func (c *Client) Close() error {
	c.d.post(c.d.close)
	<-c.d.stopped
	return nil
}
