package fuzz

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/repcheck/repcheck/impl/reference"
)

// A course hands out the numbers of the inputs, with the weights to make them
// by. Those of an epoch follow from what was measured of all epochs but the one
// before it, which may still be in hand; so they are the same each time.
type course struct {
	seed  uint64
	count uint64 // inputs to make in all, 0 for no bound

	mu       sync.Mutex
	changed  chan struct{} // closed, and made anew, when an epoch was measured
	next     uint64        // the first number not handed out
	again    []uint64      // handed out by an earlier process, and not finished
	pending  map[uint64]bool
	weights  map[uint64]Weights // by epoch
	coverage Coverage           // of all epochs before epoch
	epoch    uint64             // the first that is not in coverage
	parts    map[uint64]*part   // of the epochs from there on
}

// A part is what is measured of one epoch.
type part struct {
	coverage Coverage
	left     int // inputs to be measured
}

// A step is one number handed out.
type step struct {
	number  uint64
	weights Weights
	measure bool
}

func newCourse(seed, count uint64) *course {
	return &course{seed: seed, count: count, changed: make(chan struct{}), pending: map[uint64]bool{},
		weights: map[uint64]Weights{0: {}, 1: {}}, parts: map[uint64]*part{}}
}

// take returns the next step; ok is false if there are no more or ctx ends.
func (c *course) take(ctx context.Context) (s step, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.again) > 0 {
		n := c.again[0]
		c.again = c.again[1:]
		return step{number: n, weights: c.weights[n/Epoch]}, true
	}
	for {
		if c.count > 0 && c.next >= c.count {
			return step{}, false
		}
		if _, ok := c.weights[c.next/Epoch]; ok {
			break
		}
		changed := c.changed
		c.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		c.mu.Lock()
		if ctx.Err() != nil {
			return step{}, false
		}
	}
	n := c.next
	c.next++
	c.pending[n] = true
	return step{number: n, weights: c.weights[n/Epoch], measure: Sampled(n)}, true
}

// measure measures an input that take said to.
func (c *course) measure(in Input) {
	var one Coverage
	one.Add(in)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(in.Number/Epoch, &one)
}

func (c *course) add(epoch uint64, one *Coverage) {
	p := c.parts[epoch]
	if p == nil {
		p = &part{left: SamplesPerEpoch}
		c.parts[epoch] = p
	}
	p.coverage.Merge(one)
	p.left--
	for p := c.parts[c.epoch]; p != nil && p.left == 0; p = c.parts[c.epoch] {
		c.coverage.Merge(&p.coverage)
		delete(c.parts, c.epoch)
		c.weights[c.epoch+2] = c.weights[c.epoch+1].Adapt(&c.coverage)
		c.epoch++
		close(c.changed)
		c.changed = make(chan struct{})
	}
}

// done takes a number for finished.
func (c *course) done(number uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, number)
}

func (c *course) upTo() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.next
}

// measured returns the coverage of all that was measured.
func (c *course) measured() *Coverage {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := &Coverage{}
	all.Merge(&c.coverage)
	for _, p := range c.parts {
		all.Merge(&p.coverage)
	}
	return all
}

// starved lists the points that too few of the inputs touch.
func (c *course) starved() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.coverage.inputs < adaptAfter {
		return nil
	}
	var names []string
	for _, p := range reference.Points() {
		if c.coverage.starved(p) {
			names = append(names, p.String())
		}
	}
	return names
}

// A courseState is a course as it is kept. What was measured of the last two
// epochs is measured again: their inputs are made by Weights.
type courseState struct {
	Seed uint64 `json:"seed"`
	// Next is the first number that was not handed out. Pending were handed out
	// before, and not finished.
	Next    uint64   `json:"next"`
	Pending []uint64 `json:"pending,omitempty"`
	// Weights are those of the epochs from that of Next on, and of those of
	// Pending.
	Weights map[uint64]Weights `json:"weights"`
	// Coverage is of the epochs before Epoch, which is that of Next or one of the
	// two before it, or the one after it if all was measured that is to be.
	Epoch    uint64    `json:"epoch"`
	Coverage *Coverage `json:"coverage"`
}

func (c *course) state() courseState {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := courseState{Seed: c.seed, Next: c.next, Pending: slices.Sorted(maps.Keys(c.pending)), Weights: map[uint64]Weights{}, Epoch: c.epoch, Coverage: &Coverage{}}
	s.Coverage.Merge(&c.coverage)
	for e, w := range c.weights {
		if e >= min(c.epoch, c.next/Epoch) {
			s.Weights[e] = w
		} else if !slices.ContainsFunc(s.Pending, func(n uint64) bool { return n/Epoch == e }) {
			delete(c.weights, e)
		} else {
			s.Weights[e] = w
		}
	}
	return s
}

// course returns the course as it was kept, to go on with.
func (s *courseState) course(count uint64) *course {
	c := newCourse(s.Seed, count)
	c.next, c.again, c.weights, c.epoch = s.Next, s.Pending, s.Weights, s.Epoch
	c.coverage.Merge(s.Coverage)
	for _, n := range s.Pending {
		c.pending[n] = true
	}
	g := NewGenerator(s.Seed)
	for n := s.Epoch * Epoch; n < s.Next; n++ {
		if !Sampled(n) {
			continue
		}
		if n%Epoch == 0 {
			g.SetWeights(s.Weights[n/Epoch])
		}
		var one Coverage
		one.Add(g.Input(n))
		c.add(n/Epoch, &one)
	}
	return c
}
