package process

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/repcheck/repcheck/impl/internal/usage"
)

// A phase is the state of the dispatcher. Requests are sent only while running.
//
//	       work to do            hello heard
//	idle ─────────────▶ starting ───────────▶ running ──▶ closing ──▶ stopped
//	 ▲  ▲                  │ failed     fault │
//	 │  └──────────────────┘                  ▼
//	 └──────────────────────────────────── dying
//
// From idle it goes to lost when hope is given up; from anywhere to stopped,
// by way of the end of the child, when the client is closed.
type phase int

const (
	idle     phase = iota // no child
	starting              // a goroutine is in launch
	running               // child answers
	dying                 // a goroutine is in child.finish after a fault
	closing               // a goroutine is in child.finish after Close
	lost                  // no child, and there will be none
)

// The dispatcher owns all state of a client. Its goroutine, run, executes the
// functions that others post, one after another, and never waits for anything
// else, so that every request gets its answer whatever the adapter does.
//
// A request is in exactly one place: queue, suspects, inflight, or, from the
// fault that it provoked alone until that process is gone, an argument of bury.
type dispatcher struct {
	opts    Options
	hello   wireHello // of the first start; later ones must be equal
	window  int
	book    book
	posts   chan func()
	stopped chan struct{} // closed when run returns
	ctx     context.Context
	cancel  context.CancelFunc // ends a launch

	// The rest belongs to run.

	phase    phase
	closed   bool // Close was called
	child    *child
	queue    []*request // not yet asked
	suspects []*request // to be asked alone, before the queue
	inflight map[int64]*request
	alone    bool // what is in flight is a suspect or a canary; nothing joins it
	lastID   int64
	batch    []outgoing // sent at the end of this turn
	unbooked int        // requests in batch that count

	timer    *time.Timer
	armed    bool           // timer is running
	patience usage.Patience // since the last answer, or the first request after a pause

	credit         usage.Credit // for starts
	barren         int          // starts in a row without an answer
	protocolFaults int
	lastFault      string
}

func newDispatcher(opts Options, first *child) *dispatcher {
	d := &dispatcher{opts: opts, hello: first.hello, window: first.hello.window(),
		posts: make(chan func(), MaxWindow), stopped: make(chan struct{}),
		inflight: make(map[int64]*request), timer: time.NewTimer(time.Hour)}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	d.timer.Stop()
	d.adopt(first)
	go d.run()
	return d
}

// post has f executed by run, unless that has returned or returns before.
func (d *dispatcher) post(f func()) {
	select {
	case d.posts <- f:
	case <-d.stopped:
	}
}

func (d *dispatcher) run() {
	defer close(d.stopped)
	defer d.cancel()
	defer d.timer.Stop()
	for !(d.closed && (d.phase == idle || d.phase == lost)) {
		expired := false
		select {
		case f := <-d.posts:
			f()
		case <-d.timer.C:
			expired = true
		}
		// What is waiting is done before anything is sent or judged too late:
		// requests then leave in batches.
		for n := len(d.posts); n > 0; n-- {
			(<-d.posts)()
		}
		if expired {
			d.expire()
		}
		d.pump()
	}
}

// submit queues requests.
func (d *dispatcher) submit(requests []*request) {
	if d.closed || d.phase == lost {
		d.dismiss(requests)
		return
	}
	d.queue = append(d.queue, requests...)
}

// pump starts a child if one is needed, and sends what may be sent.
func (d *dispatcher) pump() {
	if d.phase == idle && !d.closed && d.more() {
		d.start()
	}
	if d.phase != running {
		return
	}
	for r := d.next(); r != nil; r = d.next() {
		d.send(r)
	}
	if len(d.batch) > 0 {
		select {
		case d.child.out <- d.batch:
		default: // only if it answers what it has not read
			d.fail(broken(0, errors.New("answered requests before it read them — answer what was asked")))
			return
		}
		d.book.sent(d.unbooked, d.patience.Since())
		d.batch, d.unbooked = nil, 0
	}
	if !d.armed && len(d.inflight) > 0 {
		d.timer.Reset(d.patience.Limit)
		d.armed = true
	}
}

// more drops interrupted requests and reports whether others wait.
func (d *dispatcher) more() bool {
	for _, list := range []*[]*request{&d.suspects, &d.queue} {
		for len(*list) > 0 {
			if !(*list)[0].call.over() {
				return true
			}
			pop(list)
		}
	}
	return false
}

// next takes the request to send now, nil if there is none.
func (d *dispatcher) next() *request {
	if !d.more() || d.alone && len(d.inflight) > 0 {
		return nil
	}
	if len(d.suspects) > 0 {
		if len(d.inflight) > 0 {
			return nil
		}
		d.alone = true
		return pop(&d.suspects)
	}
	d.alone = false
	if len(d.inflight) >= d.window {
		return nil
	}
	return pop(&d.queue)
}

func pop(list *[]*request) *request {
	r := (*list)[0]
	(*list)[0] = nil
	*list = (*list)[1:]
	return r
}

func (d *dispatcher) send(r *request) {
	if len(d.inflight) == 0 {
		d.patience.Limit = d.opts.Timeout
		if r.late {
			d.patience.Limit *= secondLook
		}
		d.patience.Restart(time.Now())
	}
	if !r.canary {
		d.child.asked++
		d.unbooked++
	}
	d.lastID++
	d.inflight[d.lastID] = r
	d.batch = append(d.batch, outgoing{d.lastID, d.child.fileOf(r), r.body})
}

// accept takes answers of ch, and the fault that ended them.
func (d *dispatcher) accept(ch *child, answers []answer, f *fault) {
	if d.phase != running || d.child != ch {
		return
	}
	now := time.Now()
	took := now.Sub(d.patience.Since())
	d.patience.Restart(now)
	for i := range answers {
		if r := d.inflight[answers[i].id]; r != nil && (r.slow || r.late && took > d.opts.Timeout) {
			for k := range answers[i].answers {
				answers[i].answers[k].Slow = true
			}
		}
		if err := d.settle(&answers[i]); err != nil {
			f = new(broken(answers[i].id, err))
			f.stray = errors.Is(err, errTwice)
			break
		}
	}
	if len(d.inflight) == 0 {
		d.book.idle(now)
	}
	if f != nil {
		d.fail(*f)
	}
}

var errTwice = errors.New("answered a request twice")

// settle gives an answer to the request that it names.
func (d *dispatcher) settle(a *answer) error {
	r := d.inflight[a.id]
	n := 0
	if r != nil {
		n = len(r.urls)
	}
	switch {
	case r == nil && a.id >= d.child.firstID && a.id <= d.lastID:
		return fmt.Errorf("%w (id %d) — one answer for each request", errTwice, a.id)
	case r == nil:
		return fmt.Errorf("answered id %d, which was not asked — repeat the id of the request", a.id)
	case a.plural && n == 1:
		return errors.New("answered a request for one url with allows — url is answered with allow, urls with allows")
	case a.plural && len(a.answers) != n:
		return fmt.Errorf("gave %d allows for %d urls — one for each, in order", len(a.answers), n)
	case !a.plural && n > 1 && !a.whole:
		return fmt.Errorf("answered a request for %d urls with allow — url is answered with allow, urls with allows", n)
	}
	delete(d.inflight, a.id)
	d.child.answered++
	if !r.canary {
		d.book.answered(n, a.library)
		d.credit.Earn(n)
	}
	if r.call.over() { // interrupted: the caller owns the answers now
		return nil
	}
	if !a.plural {
		r.answer(a.answers[0])
		return nil
	}
	for i, at := range r.index {
		r.call.answer(at, a.answers[i])
	}
	return nil
}

// expire is called when the timer ran out, which is set for the first request
// after a pause and not touched by answers: they are many.
func (d *dispatcher) expire() {
	d.armed = false
	if d.phase != running || len(d.inflight) == 0 {
		return
	}
	if left := d.patience.Left(time.Now()); left > 0 {
		d.timer.Reset(max(left, lookAgain))
		d.armed = true
		return
	}
	d.fail(hang(d.opts.Timeout, d.patience.Limit, d.book.hasAnswered()))
}
