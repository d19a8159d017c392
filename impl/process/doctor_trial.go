package process

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"
)

// A trial is one process of an adapter under examination. A goroutine writes, so
// that a full pipe blocks nothing; an adapter that is silent for too long is
// killed.
type trial struct {
	ctx   context.Context
	ch    *child
	slack time.Duration // factor for the time limits
	limit time.Time     // for all requests together
	// burstSize is how many requests the check "burst" sends.
	burstSize int

	unwatch func() bool // stops watching for the end of ctx
	closed  bool        // stdin is closed
	lastID  int64

	late  bool   // a time limit was exceeded
	junk  string // an excerpt of the first line that is not an answer
	about string // replaces the check's About, if not empty
}

// startTrial starts the adapter. A start may take a third of StartTimeout times
// slack, but at most three times StartTimeout: starts are what takes longest.
func startTrial(ctx context.Context, opts Options, slack time.Duration) (*trial, error) {
	opts.StartTimeout = min(opts.StartTimeout/3*slack, opts.StartTimeout*3)
	ch, err := launch(ctx, &opts, nil)
	if err != nil {
		return nil, err
	}
	ch.wg.Go(ch.write)
	return &trial{ctx: ctx, ch: ch, slack: slack, limit: time.Now().Add(trialTime), burstSize: opts.burst, unwatch: context.AfterFunc(ctx, ch.t.Kill)}, nil
}

// close kills the process.
func (t *trial) close() {
	t.closeStdin()
	t.ch.finish(0)
	t.unwatch()
}

// closeStdin closes stdin after the requests that were sent.
func (t *trial) closeStdin() {
	if !t.closed {
		t.closed = true
		close(t.ch.out)
	}
}

// send sends requests. It never waits for the adapter to read them.
func (t *trial) send(batch ...outgoing) error {
	select {
	case t.ch.out <- batch:
		return nil
	default: // there is room for all requests that are not yet answered
		return errors.New("answered requests before it read them — answer only requests that were read")
	}
}

// requestOf returns a request with an id and these members.
func requestOf(id int64, members string) outgoing { return outgoing{id: id, question: []byte(members)} }

var errSilent = errors.New("sent no answer")

// receive waits for the next answer.
func (t *trial) receive(limit time.Duration) (answer, error) {
	limit = min(limit*t.slack, time.Until(t.limit))
	timer := time.AfterFunc(limit, t.ch.t.Kill)
	line, err := t.next()
	inTime := timer.Stop()
	switch {
	case t.ctx.Err() != nil:
		return answer{}, t.ctx.Err()
	case !inTime:
		t.late = true
		return answer{}, fmt.Errorf("%w within %v%s", errSilent, limit.Round(time.Second), stderrNote(t.ch.t.Stderr()))
	case errors.Is(err, errLongLine):
		return answer{}, lengthError(line, t.ch.in.most)
	case err != nil:
		return answer{}, t.ended()
	}
	return decodeAnswer(line)
}

// next returns the next line that could be an answer.
func (t *trial) next() ([]byte, error) {
	for {
		line, err := t.ch.in.next()
		text := bytes.TrimSpace(line)
		if err != nil || bytes.HasPrefix(text, []byte("{")) {
			return line, err
		}
		t.junk = cmp.Or(t.junk, excerpt(text))
	}
}

// ended returns an error that says how the adapter ended, or that only its stdout
// did.
func (t *trial) ended() error {
	return errors.New(ended().complete(reap(t.ch.t, exitGrace), t.ch.t.Stderr()).text)
}

// exits reports whether the adapter exits in time. Any further output is dropped.
func (t *trial) exits(limit time.Duration) bool {
	t.ch.wg.Go(func() { io.Copy(io.Discard, t.ch.t) })
	timer := time.NewTimer(limit * t.slack)
	defer timer.Stop()
	select {
	case <-t.ch.t.Done():
		return true
	case <-t.ctx.Done():
	case <-timer.C:
		t.late = true
	}
	return false
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
