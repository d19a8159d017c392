package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/repcheck/repcheck/impl/internal/usage"
	"github.com/repcheck/repcheck/spec"
)

// ErrLost is wrapped by [Client.Err] after the adapter was given up.
var ErrLost = errors.New("adapter lost")

// Options define how to run an adapter. Command or Launch is required; the zero
// value of everything else works.
type Options struct {
	// Command is the program and its arguments; see [SplitCommand]. A program
	// with a slash in a relative path is looked up from Dir.
	Command []string
	// Dir is its working directory; if empty, ours.
	Dir string
	// Env adds to its environment; see [Environment].
	Env []string
	// Timeout is how long the adapter may send no answer at all while requests
	// are in flight; every answer restarts the clock. On Linux the time for which
	// the adapter waited for a processor does not count, up to seven more times
	// the limit. Default 5 s.
	Timeout time.Duration
	// StartTimeout is how long it may take from its start to its hello, counted
	// like Timeout. Default 30 s, as a runtime may have to load.
	StartTimeout time.Duration
	// MaxLine is the longest line it may print, in bytes. Default 8 MiB.
	MaxLine int
	// MaxMemory is how many bytes of memory it and the processes it started may
	// hold, measured ten times a second; Linux only. Default 2 GiB.
	MaxMemory int64
	// Known fills in the fields that the adapter's hello leaves out.
	Known spec.SubjectInfo
	// Launch starts the adapter in some way other than as a process of Command.
	// It is called for every start; ctx bounds the start, not the adapter.
	Launch func(ctx context.Context) (Transport, error)

	// burst is how many requests the check "burst" of Examine sends. Default
	// burstSize; tests that examine many adapters send fewer.
	burst int
}

// Stats are counts and times of a subject since its start. A field is zero if its
// value is unknown.
type Stats struct {
	// Library is the time spent inside the library, as measured by the adapter.
	Library time.Duration
	// Queries is how many URLs got an outcome, repeated ones included, and
	// Restarts how many starts of the process followed the first.
	Queries, Restarts int
	// Faults are the first 20 faults of the adapter, in order: what it did, how
	// to fix it, and its stderr. A fault that recurs while the client searches
	// for its cause is listed once.
	Faults []string
}

// A Client queries one adapter. It satisfies impl.Subject: even if the adapter
// dies, hangs or breaks the protocol, Ask returns, and its answers say what
// happened. All its methods may be called concurrently.
//
// An adapter that fails in one of these ways is killed and started again, and all
// requests that were in flight are sent again, one at a time. Only a request that
// provokes the fault again, as the first one of a fresh process, is marked Crash,
// Timeout or ProtocolError; of several URLs only the guilty ones. The second time
// a request has twice the timeout; an answer that comes then is marked Slow.
//
// An adapter may be started again 20 times. Every five URLs it answers earn it
// one more start, up to 100 in reserve; a timeout costs three, and one call of
// Ask no more than three.
type Client struct {
	opts     Options
	hello    wireHello // of the first start; later ones must be equal
	released chan struct{}
	ctx      context.Context
	cancel   context.CancelFunc // ends a launch

	// mu guards all fields below, and every call and request. Slow operations (a
	// start, the end of a process, reading, writing) never run while it is held:
	// they run in goroutines, which lock it by calling do.
	mu     sync.Mutex
	closed bool
	lost   error  // why the adapter was given up
	child  *child // nil before a start and after an end
	// changing is set while a goroutine starts or ends a child, and reports back.
	changing bool

	// A request is in exactly one of these. The exception is a request that
	// provoked a fault alone: until that process is gone, it is an argument of
	// bury.
	queue    []*request // not yet sent
	suspects []*request // to be sent alone, before the queue
	inflight map[int64]*request

	alone    bool // only a suspect or a canary is in flight, and no request joins it
	lastID   int64
	timer    *time.Timer    // runs expire
	armed    bool           // timer is running
	patience usage.Patience // since the last answer, or the first request after a pause

	credit         usage.Credit // for starts
	barren         int          // starts in a row without an answer
	protocolFaults int
	lastFault      string
	stats          Stats
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
	c := &Client{opts: opts, hello: ch.hello, released: make(chan struct{}), inflight: make(map[int64]*request)}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.timer = time.AfterFunc(time.Hour, func() { c.do(c.expire) })
	c.timer.Stop()
	c.do(func() { c.adopt(ch) })
	return c, nil
}

// withDefaults returns the options with the defaults filled in.
func (opts Options) withDefaults() Options {
	opts.Command = slices.Clone(opts.Command)
	opts.Timeout = cmp.Or(max(opts.Timeout, 0), 5*time.Second)
	opts.StartTimeout = cmp.Or(max(opts.StartTimeout, 0), 30*time.Second)
	opts.MaxLine = cmp.Or(max(opts.MaxLine, 0), 8<<20)
	opts.MaxMemory = cmp.Or(max(opts.MaxMemory, 0), 2<<30)
	opts.burst = cmp.Or(opts.burst, burstSize)
	if opts.Launch == nil {
		opts.Launch = func(context.Context) (Transport, error) { return startProcess(&opts) }
	}
	return opts
}

// Ask sends every probe to the adapter and returns one answer for each, in order.
// The probes of one agent travel in one request. If ctx ends early, the probes
// not yet answered get Timeout, with the detail "interrupted", and the client
// remains usable.
//
// Crash with a detail that begins with "the adapter" is the harness's verdict;
// otherwise the detail is the text of an exception that the adapter caught.
func (c *Client) Ask(ctx context.Context, robots []byte, probes []spec.Probe) []spec.Answer {
	call := newCall(len(probes))
	interrupt := func() { call.answerRest(spec.Answer{Verdict: spec.Timeout, Detail: "interrupted"}) }
	if call.over() || ctx.Err() != nil {
		interrupt()
		return call.answers
	}
	requests := call.requests(encodeFile(robots, slices.Contains(c.hello.Features, "hash")), probes)
	c.do(func() { c.queue = append(c.queue, requests...) })
	select {
	case <-call.done:
	case <-ctx.Done():
		c.do(interrupt)
	}
	return call.answers
}

// tooLate is the answer to any query of a closed client.
var tooLate = spec.Answer{Verdict: spec.ProtocolError, Detail: "the client was closed"}

// Info returns what the adapter's first hello contained, completed by
// Options.Known.
func (c *Client) Info() spec.SubjectInfo {
	info, known := c.hello.SubjectInfo, c.opts.Known
	info.Features = slices.Clone(info.Features)
	info.Package = cmp.Or(info.Package, known.Package)
	info.Version = cmp.Or(info.Version, known.Version)
	info.Language = cmp.Or(info.Language, known.Language)
	info.Lineage = cmp.Or(info.Lineage, known.Lineage)
	return info
}

// Parallel returns the adapter's window: the number of requests in flight that
// keep it busy. It is at least 1, at most MaxWindow.
func (c *Client) Parallel() int { return c.hello.window() }

// Err returns nil while the adapter can answer. Afterwards the error wraps
// ErrLost and says why the adapter was given up: three starts in a row without
// one answer, not even to a trivial query; no start left; more than 20 protocol
// faults. Every probe not answered by then, and every later one, gets
// ProtocolError with that text.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

// Stats returns the counts so far; it may be called after Close.
func (c *Client) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Faults = slices.Clone(s.Faults)
	return s
}

// Fresh starts a second instance of the adapter, as Start did: a process that has
// seen no query.
func (c *Client) Fresh(ctx context.Context) (*Client, error) { return Start(ctx, c.opts) }

// Close closes the adapter's stdin, and kills the process if it does not exit
// within a second, which is noted as a fault. Pending queries get ProtocolError.
// It returns nil when everything is released, also when called again.
func (c *Client) Close() error {
	c.do(func() {
		if c.closed {
			return
		}
		c.closed = true
		c.cancel()
		c.dismiss()
		if c.child != nil { // a start or an end under way finishes by itself
			c.end(closeGrace, func(state, stderr string) {
				if state == "" {
					c.fault(fmt.Sprintf("the adapter was still there %v after its stdin ended, and was killed — exit at the end of stdin%s",
						closeGrace, stderrNote(stderr)))
				}
			})
		}
	})
	<-c.released
	return nil
}
