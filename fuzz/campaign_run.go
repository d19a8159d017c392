package fuzz

import (
	"context"
	"sync"
	"time"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// lastGrace is how long inputs that are in hand may take once no more are made.
const lastGrace = 2 * time.Second

// run makes inputs until there is an end to it, and keeps the state meanwhile.
func (c *campaign) run(ctx context.Context) error {
	c.mu.Lock()
	c.started = time.Now()
	c.mu.Unlock()
	making, working := ctx, ctx
	if c.options.Time > 0 {
		var enough, cut context.CancelFunc
		making, enough = context.WithDeadline(ctx, c.ends)
		defer enough()
		working, cut = context.WithDeadline(ctx, c.ends.Add(lastGrace))
		defer cut()
	}
	var workers sync.WaitGroup
	for range c.options.Jobs {
		workers.Go(func() { c.work(making, working) })
	}
	done := make(chan struct{})
	go func() { workers.Wait(); close(done) }()
	return c.keep(done)
}

// keep writes the state until done, and then once more.
func (c *campaign) keep(done <-chan struct{}) (err error) {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		ended, write := false, c.store.keepUp
		select {
		case <-tick.C:
		case <-done:
			ended, write = true, c.store.Flush
		}
		c.fail(write())
		err = c.keeper.write(c.state())
		if ended {
			return err
		}
		c.fail(err)
	}
}

// fail takes note of an error that does not end the campaign.
func (c *campaign) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && len(c.failures) < maxFailures {
		c.failures = append(c.failures, err)
	}
}

// work makes inputs while making lasts, and finishes those in hand while working
// does.
func (c *campaign) work(making, working context.Context) {
	g := NewGenerator(c.options.Seed)
	for c.await(making) {
		number, ok := c.schedule.take()
		if !ok {
			return
		}
		c.try(working, g.Input(number))
	}
}

// await waits until it is worth while to make an input: until half of the subjects
// are free, of those that do not rest. Else those that answer at once, and the
// making of inputs, would take the processors from the others. It reports false if
// ctx ends first, or if every parser is lost.
func (c *campaign) await(ctx context.Context) bool {
	for ctx.Err() == nil && !c.allLost() {
		if !c.choosy {
			return true
		}
		free, resting := 0, 0
		for _, a := range c.askers {
			switch {
			case a.free():
				free++
			case a.resting():
				resting++
			}
		}
		if free > 0 && 2*free >= len(c.askers)-resting {
			return true
		}
		select {
		case <-c.freed:
		case <-time.After(lookAgain):
		case <-ctx.Done():
		}
	}
	return false
}

// allLost reports whether there are parsers beside the reference, and none of them
// can answer any more.
func (c *campaign) allLost() bool {
	lost := 0
	for _, a := range c.askers {
		switch {
		case a.subject.Info().Name == impl.ReferenceName:
		case a.err() == nil:
			return false
		default:
			lost++
		}
	}
	return lost > 0
}

// lookAgain is how long it may go unseen that a subject rests no more.
const lookAgain = 10 * time.Millisecond

// try puts one input to the subjects. One that is not finished when ctx ends is
// not counted, and stays among those to be made.
func (c *campaign) try(ctx context.Context, in Input) {
	replies := c.ask(ctx, in)
	if ctx.Err() != nil {
		return
	}
	answers, asked := byProbe(in, replies)
	taken := c.recorder.take(ctx, in, answers)
	if ctx.Err() != nil {
		return
	}
	for i, r := range replies {
		if r.slow && !r.timedOut() {
			taken.tooSlow(i)
		}
	}
	c.fail(taken.err())
	c.mu.Lock()
	defer c.mu.Unlock()
	total := taken.total()
	c.tally.Add(total)
	c.answered += total.Answers
	for i := range c.subjects {
		if !asked[i] {
			continue
		}
		c.subjects[i].Inputs++
		c.subjects[i].Tally.Add(taken.each[i])
		if replies[i].slow {
			c.subjects[i].Slow++
		}
	}
	c.schedule.done(in.Number)
}

// ask asks all subjects, or those that are free: the processes all at once, the
// others in the meantime. The reply of one that was not asked is zero.
func (c *campaign) ask(ctx context.Context, in Input) []reply {
	replies := make([]reply, len(c.askers))
	one := func(i int) {
		a := c.askers[i]
		replies[i] = a.ask(ctx, in.Robots, in.Probes)
		if c.choosy {
			a.rest(replies[i])
			select {
			case c.freed <- struct{}{}:
			default: // somebody is told already
			}
		}
	}
	wanted := func(a *asker) bool { return !c.choosy || a.free() }
	var processes sync.WaitGroup
	for i, a := range c.askers {
		if isProcess(a.subject) && wanted(a) {
			processes.Go(func() { one(i) })
		}
	}
	for i, a := range c.askers {
		if !isProcess(a.subject) && wanted(a) {
			one(i)
		}
	}
	processes.Wait()
	return replies
}

// byProbe turns replies by subject into answers by probe. An answer that stands
// for the loss of the subject is none.
func byProbe(in Input, replies []reply) (answers [][]spec.Answer, asked []bool) {
	all := make([]spec.Answer, len(in.Probes)*len(replies))
	asked = make([]bool, len(replies))
	for i := range in.Probes {
		answers = append(answers, all[i*len(replies):(i+1)*len(replies)])
	}
	for s, r := range replies {
		for i, a := range r.answers {
			if r.lost == "" || a.Detail != r.lost {
				answers[i][s] = a
				asked[s] = true
			}
		}
	}
	return answers, asked
}
