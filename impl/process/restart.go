package process

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/repcheck/repcheck/spec"
)

const (
	// mostBarren is how many starts in a row may yield no answer. One may be bad
	// luck, a second the fault of one request; the third begins with a trivial
	// query (newCanary), and an adapter that does not answer even that is lost.
	mostBarren = 3
	// mostFaults bounds the faults that are kept. An adapter author fixes the
	// first ones first.
	mostFaults = 20
	// mostProtocolFaults is how many protocol faults are tolerated: more mean a
	// broken adapter, not an unusual library.
	mostProtocolFaults = 20
	// lookAgain is the shortest interval between two checks of a silent process.
	lookAgain = 10 * time.Millisecond
	// hangCost is the cost of a timeout, besides the start that follows; mostCost
	// is the most that all failures of one call cost.
	hangCost = 2
	mostCost = 3
	// closeGrace is how long an adapter may take to exit after stdin was closed.
	closeGrace = time.Second
)

// SecondLook is the factor by which the timeout of a request or command is
// extended when it is run a second time, alone, after it timed out.
const SecondLook = 2

// start starts the adapter again.
func (c *Client) start() {
	if c.credit.Over() {
		c.lose(fmt.Sprintf("it was started again %d times and answered too little in between", c.stats.Restarts))
		c.dismiss()
		return
	}
	c.spend(1)
	c.stats.Restarts++
	c.changing = true
	go func() {
		ch, err := launch(c.ctx, &c.opts, &c.hello)
		c.do(func() { c.started(ch, err) })
	}()
}

func (c *Client) started(ch *child, err error) {
	c.changing = false
	if err != nil {
		c.bury(fault{verdict: spec.Crash, text: err.Error()}, nil, true)
		return
	}
	c.adopt(ch)
	if c.closed {
		c.end(0, func(string, string) {})
	} else if c.barren == mostBarren-1 {
		c.suspects = append([]*request{newCanary()}, c.suspects...)
	}
}

// adopt makes ch the current child.
func (c *Client) adopt(ch *child) {
	ch.firstID = c.lastID + 1
	c.child = ch
	c.patience = patienceWith(ch.t, c.opts.Timeout)
	ch.run(func(answers []answer, f *fault) { c.do(func() { c.accept(ch, answers, f) }) })
}

// end ends the child: at once, or after grace if that is not 0. gone is called
// with the lock held; its state is empty if the process had to be killed.
func (c *Client) end(grace time.Duration, gone func(state, stderr string)) {
	ch := c.child
	c.child, c.changing, c.alone = nil, true, false
	clear(c.inflight)
	close(ch.out)
	go func() {
		state := ch.finish(grace)
		c.do(func() {
			c.changing = false
			gone(state, ch.t.Stderr())
		})
	}()
}

// fail ends the child because of f. Requests that were in flight become suspects,
// except a suspect that was the first and only request of the child: that is the
// culprit. Its verdict is decided when the child has ended.
func (c *Client) fail(f fault) {
	ch := c.child
	list := c.victims(f.id)
	var culprit *request
	if c.alone && len(list) == 1 && ch.asked == 1 && !f.stray {
		culprit, list = list[0], nil
	}
	if f.verdict == spec.Timeout {
		list = late(list)
	}
	c.suspects = append(list, c.suspects...)
	if f.verdict == spec.Timeout {
		c.spend(hangCost)
	}
	grace := time.Duration(0)
	if f.died {
		grace = exitGrace
	}
	c.end(grace, func(state, stderr string) {
		c.bury(f.complete(state, stderr), culprit, ch.answered == 0)
	})
}

// spend spends credit. A file that kills a library does so for many URLs, but is
// only one reason to distrust it, so a call costs no more than mostCost.
func (c *Client) spend(units int) {
	if len(c.suspects) > 0 {
		call := c.suspects[0].call
		units = min(units, mostCost-call.cost)
		call.cost += units
	}
	c.credit.Spend(units)
}

// late prepares the requests that were in flight at a timeout to be sent a second
// time. An adapter that answers in order timed out on the first of them: if that
// has several URLs, they are sent one by one right away, as all of them together
// would take as long again.
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

// victims returns the requests in flight that are still wanted, in the order in
// which they were sent, except that the one named by the fault comes first.
func (c *Client) victims(named int64) []*request {
	var ids []int64
	for id, r := range c.inflight {
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
		list = append(list, c.inflight[id])
	}
	return list
}

// bury updates the state of the client after the end of a child.
func (c *Client) bury(f fault, culprit *request, barren bool) {
	c.lastFault = f.String()
	if c.barren++; !barren {
		c.barren = 0
	}
	switch {
	case culprit == nil:
		c.fault(f.String())
		if f.verdict == spec.ProtocolError {
			c.protocolFaults++
		}
	case len(culprit.urls) > 1:
		culprit.late = f.verdict == spec.Timeout
		c.suspects = append(culprit.split(), c.suspects...)
	default:
		culprit.call.answer(culprit.index[0], spec.Answer{Verdict: f.verdict, Detail: f.String()})
		culprit.call.fail(f.verdict)
	}
	switch {
	case c.closed:
	case c.barren == mostBarren:
		c.lose(fmt.Sprintf("%d starts in a row gave no answer", c.barren))
	case c.protocolFaults > mostProtocolFaults:
		c.lose(fmt.Sprintf("it broke the protocol more than %d times", mostProtocolFaults))
	}
}

// fault records a fault, if it is one of the first.
func (c *Client) fault(text string) {
	if len(c.stats.Faults) < mostFaults {
		c.stats.Faults = append(c.stats.Faults, text)
	}
}

// lose gives the adapter up.
func (c *Client) lose(reason string) {
	c.lost = fmt.Errorf("%w: %s; at last %s", ErrLost, reason, c.lastFault)
}

// dismiss answers all requests of a client that is closed or lost.
func (c *Client) dismiss() {
	a := tooLate
	if c.lost != nil {
		a.Detail = c.lost.Error()
	}
	all := slices.AppendSeq(slices.Concat(c.suspects, c.queue), maps.Values(c.inflight))
	for _, r := range all {
		for _, i := range r.index {
			r.call.answer(i, a)
		}
	}
	c.queue, c.suspects = nil, nil
	clear(c.inflight)
}
