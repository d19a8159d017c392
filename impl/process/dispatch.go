package process

import (
	"errors"
	"fmt"
	"time"
)

// do executes f with the lock held, then takes every step that has become
// possible.
func (c *Client) do(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	if c.closed || c.lost != nil {
		c.dismiss()
	}
	switch {
	case c.child != nil:
		c.send()
	case c.changing:
	case c.closed:
		select {
		case <-c.released:
		default:
			c.timer.Stop()
			close(c.released)
		}
	case c.more():
		c.start()
	}
}

// send sends as many requests as the window allows.
func (c *Client) send() {
	var batch []outgoing
	for r := c.next(); r != nil; r = c.next() {
		if len(c.inflight) == 0 {
			c.patience.Limit = c.opts.Timeout
			if r.late {
				c.patience.Limit *= SecondLook
			}
			c.patience.Restart(time.Now())
		}
		if !r.canary {
			c.child.asked++
		}
		c.lastID++
		c.inflight[c.lastID] = r
		batch = append(batch, outgoing{c.lastID, c.child.fileOf(r), r.body})
	}
	if len(batch) > 0 {
		select {
		case c.child.out <- batch:
		default: // only if it answers requests that it has not read
			c.fail(broken(0, errors.New("answered requests before it read them — answer only requests that were read")))
			return
		}
	}
	if !c.armed && len(c.inflight) > 0 {
		c.timer.Reset(c.patience.Limit)
		c.armed = true
	}
}

// more drops interrupted requests and reports whether others wait.
func (c *Client) more() bool {
	for _, list := range []*[]*request{&c.suspects, &c.queue} {
		for len(*list) > 0 {
			if !(*list)[0].call.over() {
				return true
			}
			pop(list)
		}
	}
	return false
}

// next removes and returns the request to send now, nil if there is none.
func (c *Client) next() *request {
	switch {
	case !c.more(), c.alone && len(c.inflight) > 0, len(c.inflight) >= c.hello.window():
		return nil
	case len(c.suspects) == 0:
		c.alone = false
		return pop(&c.queue)
	case len(c.inflight) > 0:
		return nil
	}
	c.alone = true
	return pop(&c.suspects)
}

func pop(list *[]*request) *request {
	r := (*list)[0]
	(*list)[0] = nil
	*list = (*list)[1:]
	return r
}

// accept processes answers of ch, and the fault that ended them.
func (c *Client) accept(ch *child, answers []answer, f *fault) {
	if c.child != ch {
		return
	}
	now := time.Now()
	took := now.Sub(c.patience.Since())
	c.patience.Restart(now)
	for i := range answers {
		if r := c.inflight[answers[i].id]; r != nil && (r.slow || r.late && took > c.opts.Timeout) {
			for k := range answers[i].answers {
				answers[i].answers[k].Slow = true
			}
		}
		if err := c.settle(&answers[i]); err != nil {
			f = new(broken(answers[i].id, err))
			f.stray = errors.Is(err, errTwice)
			break
		}
	}
	if f != nil {
		c.fail(*f)
	}
}

var errTwice = errors.New("answered a request twice")

// settle passes an answer to the request that it names.
func (c *Client) settle(a *answer) error {
	r := c.inflight[a.id]
	n := 0
	if r != nil {
		n = len(r.urls)
	}
	switch {
	case r == nil && a.id >= c.child.firstID && a.id <= c.lastID:
		return fmt.Errorf("%w (id %d) — one answer for each request", errTwice, a.id)
	case r == nil:
		return fmt.Errorf("answered id %d, which no request has — repeat the id of the request", a.id)
	case a.plural && n == 1:
		return errors.New("answered a request for one url with allows — url is answered with allow, urls with allows")
	case a.plural && len(a.answers) != n:
		return fmt.Errorf("gave %d allows for %d urls — one for each, in order", len(a.answers), n)
	case !a.plural && n > 1 && !a.whole:
		return fmt.Errorf("answered a request for %d urls with allow — url is answered with allow, urls with allows", n)
	}
	delete(c.inflight, a.id)
	c.child.answered++
	if !r.canary {
		c.stats.Queries += n
		c.stats.Library += a.library
		c.credit.Earn(n)
	}
	for i, at := range r.index { // if the call was interrupted, answer changes nothing
		one := a.answers[0]
		if a.plural {
			one = a.answers[i]
		}
		r.call.answer(at, one)
	}
	return nil
}

// expire is called when the timer fires. The timer is set for the first request
// after a pause; the answers do not reset it, because they are many.
func (c *Client) expire() {
	c.armed = false
	if c.child == nil || len(c.inflight) == 0 {
		return
	}
	if left := c.patience.Left(time.Now()); left > 0 {
		c.timer.Reset(max(left, lookAgain))
		c.armed = true
		return
	}
	c.fail(hang(c.opts.Timeout, c.patience.Limit, c.stats.Queries > 0))
}
