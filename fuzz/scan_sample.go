package fuzz

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/repcheck/repcheck/corpus"
)

// The ways in which the files of a scan may have been chosen.
const (
	SampleAll   = "all"   // every file of the source
	SampleHash  = "hash"  // a fair sample
	SampleFirst = "first" // the first ones, as the source could not be read twice
)

// sampleHash decides whether a file belongs to a sample. It uses different bits
// than the choice of the queries, so that no kind of query is more likely in a
// sample.
func sampleHash(seed uint64, sum [sha256.Size]byte) uint64 {
	return rand.NewPCG(^seed, binary.LittleEndian.Uint64(sum[8:])).Uint64()
}

// choose returns a function that reports whether a file is scanned. It must be
// called once for each file, in order.
func (s *scan) choose(ctx context.Context) (take func(hash uint64) bool, err error) {
	limit := s.options.Limit
	all := func(uint64) bool { return true }
	if limit <= 0 {
		s.setSample(SampleAll, 0)
		return all, nil
	}
	err = corpus.ErrRewind
	source, ok := s.source.(rewinder)
	if ok {
		err = source.Rewind() // nothing was read yet: this only checks whether it works
	}
	if errors.Is(err, corpus.ErrRewind) {
		s.setSample(SampleFirst, limit) // run applies the limit
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	hashes, err := s.hashes(ctx)
	if err != nil {
		return nil, err
	}
	kind := SampleHash
	if len(hashes) < limit {
		kind = SampleAll
	}
	slices.Sort(hashes)
	left := map[uint64]int{} // equal files have equal hashes, and some of them may not belong to the sample
	for _, hash := range hashes[:min(limit, len(hashes))] {
		left[hash]++
	}
	s.setSample(kind, min(limit, len(hashes)))
	s.tolerate = true
	return func(hash uint64) bool {
		left[hash]--
		return left[hash] >= 0
	}, source.Rewind()
}

// hashes reads the source and returns the hashes of its files.
func (s *scan) hashes(ctx context.Context) (all []uint64, err error) {
	s.mu.Lock()
	s.choosing = true
	s.mu.Unlock()
	err = corpus.Each(ctx, s.source, func(f corpus.File) bool {
		all = append(all, sampleHash(s.options.Seed, sha256.Sum256(f.Robots)))
		s.mu.Lock()
		s.done = int64(len(all))
		s.mu.Unlock()
		return true
	}, s.unreadable)
	return all, err
}

func (s *scan) setSample(kind string, files int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.result.Sample, s.sample, s.choosing = kind, files, false
}
