package fuzz

import (
	"maps"
	"slices"
	"sync"
)

// A schedule hands out the numbers of the inputs, each of them once over all
// runs of a campaign. It is safe for concurrent use.
type schedule struct {
	seed  uint64
	count uint64 // inputs to make in all, 0 for no limit

	mu      sync.Mutex
	next    uint64   // the first number not handed out
	again   []uint64 // handed out by an earlier run that did not finish them
	pending map[uint64]bool
}

func newSchedule(seed, count uint64) *schedule {
	return &schedule{seed: seed, count: count, pending: map[uint64]bool{}}
}

// take returns the next number; ok is false if there are no more.
func (s *schedule) take() (number uint64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.again) > 0 {
		number, s.again = s.again[0], s.again[1:]
		return number, true
	}
	if s.count > 0 && s.next >= s.count {
		return 0, false
	}
	number = s.next
	s.next++
	s.pending[number] = true
	return number, true
}

// done marks a number as finished.
func (s *schedule) done(number uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, number)
}

// upTo returns the first number that was not handed out.
func (s *schedule) upTo() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next
}

// A scheduleState is a schedule as it is stored.
type scheduleState struct {
	Seed uint64 `json:"seed"`
	// Next is the first number that was not handed out. Pending were handed out
	// before, and not finished.
	Next    uint64   `json:"next"`
	Pending []uint64 `json:"pending,omitempty"`
}

func (s *schedule) state() scheduleState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return scheduleState{Seed: s.seed, Next: s.next, Pending: slices.Sorted(maps.Keys(s.pending))}
}

// schedule returns the schedule that was stored, to be continued up to count.
func (s *scheduleState) schedule(count uint64) *schedule {
	c := newSchedule(s.Seed, count)
	c.next, c.again = s.Next, s.Pending
	for _, n := range s.Pending {
		c.pending[n] = true
	}
	return c
}
