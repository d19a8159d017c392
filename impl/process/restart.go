package process

import (
	"fmt"
	"slices"
	"time"

	"github.com/repcheck/repcheck/spec"
)

const (
	// mostBarren is how many starts in a row may yield no answer. One may be
	// bad luck, a second the culprit's doing; the third begins with a trivial
	// question (newCanary), and without an answer to that there is no hope.
	mostBarren = 3
	// mostProtocolFaults is how many faults of the protocol are put up with:
	// more than that is a broken adapter, not a strange library.
	mostProtocolFaults = 20
	// secondLook is how many times the timeout a request has that is asked alone
	// after it ran out of time.
	secondLook = 2
	// lookAgain bounds how often a silent process is looked at.
	lookAgain = 10 * time.Millisecond
	// hangCost is what a timeout costs beside the start that follows, mostCost
	// what all failures of one call cost.
	hangCost = 2
	mostCost = 3
	// closeGrace is how long an adapter may take to exit after stdin ended.
	closeGrace = time.Second
)

// start starts the adapter again.
func (d *dispatcher) start() {
	if d.credit.Over() {
		d.lose(fmt.Sprintf("it was started again %d times and answered too little in between; at last %s", d.book.snapshot().Restarts, d.lastFault))
		return
	}
	d.spend(1)
	d.book.restarted()
	d.phase = starting
	go func() {
		ch, err := launch(d.ctx, &d.opts, &d.hello)
		d.post(func() { d.started(ch, err) })
	}()
}

func (d *dispatcher) started(ch *child, err error) {
	switch {
	case err != nil:
		d.phase = idle
		d.bury(fault{verdict: spec.Crash, text: err.Error()}, nil, true)
	case d.closed:
		d.phase = closing
		go func() {
			reap(ch.t, 0)
			d.post(func() { d.phase = idle })
		}()
	default:
		d.adopt(ch)
		if d.barren == mostBarren-1 {
			d.alone = true
			d.send(newCanary())
		}
	}
}

// adopt makes ch the child that is asked.
func (d *dispatcher) adopt(ch *child) {
	ch.firstID = d.lastID + 1
	d.child, d.phase = ch, running
	d.patience = patienceWith(ch.t, d.opts.Timeout)
	ch.run(func(answers []answer, f *fault) {
		select {
		case d.posts <- func() { d.accept(ch, answers, f) }:
		case <-ch.gone:
		}
	})
}

// fail ends the child because of f. What was in flight becomes suspect, except
// a suspect that was the first and only request of the child: that is the
// culprit, judged when all is known about the child's end.
func (d *dispatcher) fail(f fault) {
	ch := d.child
	list := d.victims(f.id)
	var culprit *request
	if d.alone && len(list) == 1 && ch.asked == 1 && !f.stray {
		culprit, list = list[0], nil
	}
	if f.verdict == spec.Timeout {
		list = late(list)
	}
	d.suspects = append(list, d.suspects...)
	if f.verdict == spec.Timeout {
		d.spend(hangCost)
	}
	clear(d.inflight)
	d.batch, d.unbooked, d.alone = nil, 0, false
	d.book.idle(time.Now())
	d.phase = dying
	close(ch.out)
	close(ch.gone)
	grace := time.Duration(0)
	if f.died {
		grace = exitGrace
	}
	go func() {
		f := f.complete(ch.finish(grace), ch.t.Stderr())
		d.post(func() {
			d.child, d.phase = nil, idle
			d.bury(f, culprit, ch.answered == 0)
		})
	}()
}

// spend takes credit. A file that kills a library does so for many URLs, and is
// one reason to doubt it, so that a call costs no more than mostCost.
func (d *dispatcher) spend(units int) {
	if len(d.suspects) > 0 {
		c := d.suspects[0].call
		units = min(units, mostCost-c.cost)
		c.cost += units
	}
	d.credit.Spend(units)
}

// late prepares the requests that were in flight at a timeout to be asked once
// more. An adapter that answers in order ran out of time on the first of them:
// several URLs are asked one by one at once, as all of them together would take
// as long again.
func late(list []*request) []*request {
	for _, r := range list {
		r.late = true
	}
	switch {
	case len(list) == 0:
	case len(list[0].urls) > 1:
		return append(list[0].split(), list[1:]...)
	case len(list) == 1:
		list[0].slow = true
	}
	return list
}

// victims is what is in flight and still wanted, in the order of asking, but
// with the request that the fault names first.
func (d *dispatcher) victims(named int64) []*request {
	var ids []int64
	for id, r := range d.inflight {
		if !r.call.over() && !r.canary {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	if i := slices.Index(ids, named); i > 0 {
		ids = slices.Insert(slices.Delete(ids, i, i+1), 0, named)
	}
	var list []*request
	for _, id := range ids {
		list = append(list, d.inflight[id])
	}
	return list
}

// bury draws the conclusions from the end of a child.
func (d *dispatcher) bury(f fault, culprit *request, barren bool) {
	d.lastFault = f.String()
	if d.barren++; !barren {
		d.barren = 0
	}
	switch {
	case culprit == nil:
		d.book.fault(f.String())
		if f.verdict == spec.ProtocolError {
			d.protocolFaults++
		}
	case len(culprit.urls) > 1:
		culprit.late = f.verdict == spec.Timeout
		d.suspects = append(culprit.split(), d.suspects...)
	default:
		culprit.answer(spec.Answer{Verdict: f.verdict, Detail: f.String()})
		culprit.call.fail(f.verdict)
	}
	switch {
	case d.closed:
		d.dismissAll()
	case d.barren == mostBarren:
		d.lose(fmt.Sprintf("%d starts in a row gave no answer; at last %s", d.barren, d.lastFault))
	case d.protocolFaults > mostProtocolFaults:
		d.lose(fmt.Sprintf("it broke the protocol more than %d times; at last %s", mostProtocolFaults, d.lastFault))
	}
}

// lose gives the adapter up.
func (d *dispatcher) lose(reason string) {
	d.book.lose(fmt.Errorf("%w: %s", ErrLost, reason))
	d.phase = lost
	d.dismissAll()
}

// dismiss answers requests that will not be asked.
func (d *dispatcher) dismiss(requests []*request) {
	a := tooLate
	if err := d.book.lost(); err != nil {
		a.Detail = err.Error()
	}
	for _, r := range requests {
		if !r.call.over() {
			r.answer(a)
		}
	}
}

// dismissAll answers everything.
func (d *dispatcher) dismissAll() {
	d.dismiss(d.suspects)
	d.dismiss(d.queue)
	for _, r := range d.inflight {
		d.dismiss([]*request{r})
	}
	d.queue, d.suspects = nil, nil
	d.batch, d.unbooked = nil, 0
	clear(d.inflight)
	d.book.idle(time.Now())
}

// close ends the child, and then run.
func (d *dispatcher) close() {
	if d.closed {
		return
	}
	d.closed = true
	d.cancel()
	d.dismissAll()
	if d.phase != running {
		return // starting and dying go to idle by themselves
	}
	d.phase = closing
	ch := d.child
	close(ch.out)
	close(ch.gone)
	go func() {
		state := ch.finish(closeGrace)
		stderr := ch.t.Stderr()
		d.post(func() {
			if state == "" {
				d.book.fault(fmt.Sprintf("the adapter was still there %v after its stdin ended, and was killed — exit at the end of stdin%s",
					closeGrace, stderrNote(stderr)))
			}
			d.child, d.phase = nil, idle
		})
	}()
}
