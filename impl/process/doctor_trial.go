package process

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// A trial is one process of an adapter under examination. It sends and receives
// as a client does: a goroutine for each direction, lines of at most
// Options.MaxLine, an end that does not depend on the adapter.
type trial struct {
	ctx   context.Context
	ch    *child
	slack time.Duration // factor for the time limits
	limit time.Time     // of all requests together

	received chan received // what stdout brings; closed at its end
	quit     chan struct{} // closed when nothing more is received
	unwatch  func() bool   // ends the watch for the end of ctx
	closed   bool          // stdin is
	lastID   int64

	late  bool   // a time limit ran out
	junk  string // an excerpt of the first line that is not an answer
	about string // replaces the check's About, if not empty
}

// received is an answer, the reason why a line is not a correct one, or an
// excerpt of a line that is not an answer at all.
type received struct {
	answer answer
	err    error
	junk   string
}

// startTrial starts the adapter. A start may take a third of StartTimeout; as it
// takes longest, slack gives it three times StartTimeout at most.
func startTrial(ctx context.Context, opts Options, slack time.Duration) (*trial, error) {
	opts.StartTimeout = min(opts.StartTimeout/3*slack, opts.StartTimeout*3)
	ch, err := launch(ctx, &opts, nil)
	if err != nil {
		return nil, err
	}
	t := &trial{ctx: ctx, ch: ch, slack: slack, limit: time.Now().Add(trialTime), received: make(chan received), quit: make(chan struct{}),
		unwatch: context.AfterFunc(ctx, ch.t.Kill)}
	ch.wg.Add(2)
	go ch.write()
	go t.read()
	return t, nil
}

// close kills the process.
func (t *trial) close() {
	t.closeStdin()
	close(t.quit)
	t.ch.finish(0)
	t.unwatch()
}

// closeStdin ends stdin behind the requests that were sent.
func (t *trial) closeStdin() {
	if !t.closed {
		t.closed = true
		close(t.ch.out)
	}
}

func (t *trial) read() {
	defer t.ch.wg.Done()
	defer close(t.received)
	for {
		var r received
		line, err := t.ch.in.next()
		switch {
		case errors.Is(err, errLongLine):
			r.err = lengthError(line, t.ch.in.most)
		case err != nil:
			return
		case !bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")):
			r.junk = excerpt(bytes.TrimSpace(line))
		default:
			r.answer, r.err = decodeAnswer(line)
		}
		select {
		case t.received <- r:
		case <-t.quit:
			return
		}
		if err != nil {
			return // the rest of a long line
		}
	}
}

// send sends requests. It never waits for the adapter to read them.
func (t *trial) send(batch ...outgoing) error {
	select {
	case t.ch.out <- batch:
		return nil
	default: // there is room for all requests that are not yet answered
		return errors.New("answered requests before it read them — answer only what stdin asks")
	}
}

// requestOf is a request with these members beside its id.
func requestOf(id int64, members string) outgoing { return outgoing{id: id, question: []byte(members)} }

var errSilent = errors.New("sent no answer")

// receive waits for the next answer.
func (t *trial) receive(limit time.Duration) (answer, error) {
	limit = min(limit*t.slack, time.Until(t.limit))
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		select {
		case <-t.ctx.Done():
			return answer{}, t.ctx.Err()
		case <-timer.C:
			t.late = true
			return answer{}, fmt.Errorf("%w within %v%s", errSilent, limit.Round(time.Second), stderrNote(t.ch.t.Stderr()))
		case r, open := <-t.received:
			switch {
			case !open:
				return answer{}, t.ended()
			case r.junk != "":
				t.junk = cmp.Or(t.junk, r.junk)
			default:
				return r.answer, r.err
			}
		}
	}
}

// ended says how the adapter ended, or that only its stdout did.
func (t *trial) ended() error {
	return errors.New(ended().complete(reap(t.ch.t, exitGrace), t.ch.t.Stderr()).text)
}

// exits reports whether the adapter exits in time. What it still prints is
// dropped.
func (t *trial) exits(limit time.Duration) bool {
	timer := time.NewTimer(limit * t.slack)
	defer timer.Stop()
	lines := t.received
	for {
		select {
		case <-t.ch.t.Done():
			return true
		case <-t.ctx.Done():
			return false
		case <-timer.C:
			t.late = true
			return false
		case _, open := <-lines:
			if !open {
				lines = nil
			}
		}
	}
}

// ask sends one request and returns its answer.
func (t *trial) ask(e exchange) (answer, error) {
	t.lastID++
	id, limit := cmp.Or(e.id, t.lastID), patience
	if len(e.members) > bigFile {
		limit = bigPatience
	}
	if err := t.send(requestOf(id, e.members)); err != nil {
		return answer{}, err
	}
	a, err := t.receive(limit)
	if err == nil && a.id != id {
		err = fmt.Errorf("answered request %d with id %d — repeat the id of the request, an integer of up to 53 bits", id, a.id)
	}
	return a, err
}

// A terminator is a Transport that can send its adapter SIGTERM.
type terminator interface{ terminate() error }

func (p *process) terminate() error { return p.cmd.Process.Signal(syscall.SIGTERM) }
