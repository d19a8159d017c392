package fuzz

import (
	"context"
	"sync"
	"time"

	"github.com/repcheck/repcheck/impl"
)

const (
	// lastGrace is how long the inputs in progress may take after the last one
	// was generated.
	lastGrace = 2 * time.Second

	// restCheck is how often a campaign that waits for a subject checks whether
	// it is still resting.
	restCheck = 10 * time.Millisecond
)

// run processes inputs until the campaign ends, and saves it periodically.
func (c *campaign) run(ctx context.Context) error {
	c.mu.Lock()
	c.started = time.Now()
	c.mu.Unlock()
	generating, working := ctx, ctx
	if c.options.Time > 0 {
		var cancel [2]context.CancelFunc
		generating, cancel[0] = context.WithDeadline(ctx, c.ends)
		defer cancel[0]()
		working, cancel[1] = context.WithDeadline(ctx, c.ends.Add(lastGrace))
		defer cancel[1]()
	}
	stop := every(tellEvery, func() { c.fail(c.save()) })
	impl.Each(c.options.Jobs, c.options.Jobs, func(int) { c.work(generating, working) })
	stop()
	return c.save()
}

// work generates inputs until generating ends, and finishes the last one until
// working does. An input that is not finished then is not counted, and is
// generated again when the campaign is resumed.
func (c *campaign) work(generating, working context.Context) {
	g := NewGenerator(c.Seed)
	for c.await(generating) {
		number, ok := c.take()
		if !ok {
			return
		}
		in := g.Input(number)
		replies := c.ask(working, in)
		if working.Err() != nil {
			return
		}
		record := c.recorder.record(working, in, byProbe(len(in.Probes), replies))
		for i, r := range replies {
			if r.slow && !r.TimedOut() {
				c.recorder.recordSlow(working, record, i)
			}
		}
		if working.Err() != nil {
			return
		}
		c.count(record, replies)
	}
}

// take returns the number of the next input; ok is false if there are no more.
func (c *campaign) take() (number uint64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case len(c.again) > 0:
		number, c.again = c.again[0], c.again[1:]
	case c.options.Count > 0 && c.Inputs >= c.options.Count:
		return 0, false
	default:
		number = c.Inputs
		c.Inputs++
	}
	c.pending[number] = true
	return number, true
}

// ask queries all subjects about an input, or only those that are free: the
// processes all at once, the others one after the other. The reply of a subject
// that was skipped is zero.
func (c *campaign) ask(ctx context.Context, in Input) []reply {
	replies := make([]reply, len(c.workers))
	var processes sync.WaitGroup
	var inProcess []func()
	for i, w := range c.workers {
		if c.skipsBusy && !w.free() {
			continue
		}
		ask := func() {
			replies[i] = w.ask(ctx, in.Robots, in.Probes)
			if c.skipsBusy {
				w.rest(replies[i])
				select {
				case c.freed <- struct{}{}:
				default: // one is enough
				}
			}
		}
		if w.Kind() == impl.InOwnProcess {
			processes.Go(ask)
		} else {
			inProcess = append(inProcess, ask)
		}
	}
	for _, ask := range inProcess {
		ask()
	}
	processes.Wait()
	return replies
}

// count adds an input to the counts of the campaign.
func (c *campaign) count(in *inputRecord, replies []reply) {
	c.fail(in.err())
	c.mu.Lock()
	defer c.mu.Unlock()
	total := in.total()
	c.Tally.Add(total)
	c.answered += total.Answers
	for i, r := range replies {
		if !r.Asked() {
			continue
		}
		s := &c.Subjects[i]
		s.Inputs++
		s.Tally.Add(in.each[i])
		if r.slow {
			s.Slow++
		}
	}
	delete(c.pending, in.Number)
}

// await waits until generating an input is worthwhile: until half of the subjects
// that are not resting are free. Otherwise fast subjects and the generator would
// take the processors from the others. It reports false if ctx ends first, or if
// every parser is lost.
func (c *campaign) await(ctx context.Context) bool {
	for ctx.Err() == nil && !c.allLost() {
		free, resting := 0, 0
		for _, w := range c.workers {
			switch {
			case w.free():
				free++
			case w.resting():
				resting++
			}
		}
		if !c.skipsBusy || free > 0 && 2*free >= len(c.workers)-resting {
			return true
		}
		select {
		case <-c.freed:
		case <-time.After(restCheck):
		case <-ctx.Done():
		}
	}
	return false
}

// allLost reports whether there are parsers besides the reference, and all of
// them are lost.
func (c *campaign) allLost() bool {
	lost := 0
	for _, w := range c.workers {
		switch {
		case w.Info().Name == impl.ReferenceName:
		case w.Err() == nil:
			return false
		default:
			lost++
		}
	}
	return lost > 0
}

// fail records an error that does not end the campaign.
func (c *campaign) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && len(c.failures) < maxFailures {
		c.failures = append(c.failures, err)
	}
}
