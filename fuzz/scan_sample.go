package fuzz

import (
	"container/heap"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/rand/v2"

	"github.com/repcheck/repcheck/corpus"
)

// The ways in which the files of a scan may have been chosen.
const (
	SampleAll   = "all"   // every file of the source
	SampleHash  = "hash"  // a fair sample
	SampleFirst = "first" // the first ones, as the source could not be read twice
)

// sampleHash is what decides if a file belongs to a sample.
func sampleHash(seed uint64, sum [sha256.Size]byte) uint64 {
	// Other than the questions' state, so that no kind of question is more
	// likely in a sample.
	return rand.NewPCG(^seed, binary.LittleEndian.Uint64(sum[8:])).Uint64()
}

// choose returns what tells if a file is to be taken. It must be asked once for
// each file, in order.
func (s *scan) choose(ctx context.Context) (func(hash uint64) bool, error) {
	limit := s.options.Limit
	if limit <= 0 {
		s.setSample(SampleAll, 0)
		return func(uint64) bool { return true }, nil
	}
	err := corpus.ErrRewind
	source, ok := s.source.(rewinder)
	if ok {
		// Nothing has been read yet: this only finds out if it works.
		err = source.Rewind()
	}
	if errors.Is(err, corpus.ErrRewind) {
		s.setSample(SampleFirst, limit)
		return func(uint64) bool { return true }, nil // run knows the limit
	}
	if err != nil {
		return nil, err
	}
	lowest, err := s.lowest(ctx, limit)
	if err != nil {
		return nil, err
	}
	kind := SampleHash
	if len(lowest) < limit {
		kind = SampleAll
	}
	s.setSample(kind, len(lowest))
	s.tolerate = true
	return lowest.take(), source.Rewind()
}

// lowest reads the source and returns the lowest hashes.
func (s *scan) lowest(ctx context.Context, limit int) (hashes, error) {
	s.setChoosing(true)
	defer s.setChoosing(false)
	var lowest hashes
	err := s.read(ctx, func(_ corpus.File, sum [sha256.Size]byte) bool {
		s.mu.Lock()
		s.done++
		s.mu.Unlock()
		hash := sampleHash(s.options.Seed, sum)
		if len(lowest) < limit {
			heap.Push(&lowest, hash)
		} else if hash < lowest[0] {
			lowest[0] = hash
			heap.Fix(&lowest, 0)
		}
		return true
	}, s.unreadable)
	return lowest, err
}

func (s *scan) setChoosing(b bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.choosing = b
}

func (s *scan) setSample(kind string, files int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally.result.Sample, s.sample = kind, files
}

// hashes is a heap with the highest on top.
type hashes []uint64

func (h hashes) Len() int           { return len(h) }
func (h hashes) Less(i, j int) bool { return h[i] > h[j] }
func (h hashes) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *hashes) Push(x any)        { *h = append(*h, x.(uint64)) }
func (h *hashes) Pop() any          { panic("nothing is taken from the heap") }

// take returns what is true for as many files as there are hashes. Equal bodies
// have equal hashes, and not all of them may belong to the sample.
func (h hashes) take() func(hash uint64) bool {
	if len(h) == 0 {
		return func(uint64) bool { return false }
	}
	highest, equal := h[0], 0
	for _, hash := range h {
		if hash == highest {
			equal++
		}
	}
	return func(hash uint64) bool {
		if hash == highest {
			equal--
			return equal >= 0
		}
		return hash < highest
	}
}
