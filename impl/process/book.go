package process

import (
	"slices"
	"sync"
	"time"
)

// mostFaults bounds the faults that are kept. An adapter author mends the first
// ones first.
const mostFaults = 20

// A book is what a client may tell at any time. The dispatcher writes it.
type book struct {
	mu     sync.Mutex
	stats  Stats     // Busy without the time since busy
	busy   time.Time // since when requests are in flight; zero if none are
	faults []string
	count  int
	err    error
}

func (b *book) fault(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.count++; b.count <= mostFaults {
		b.faults = append(b.faults, text)
	}
}

func (b *book) faultList() ([]string, int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.faults), b.count
}

func (b *book) lose(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = err
}

func (b *book) lost() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// sent notes n requests sent, with the first in flight since now.
func (b *book) sent(n int, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stats.Requests += n
	if b.busy.IsZero() {
		b.busy = now
	}
}

// answered notes an answer for urls URLs.
func (b *book) answered(urls int, library time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stats.Queries += urls
	b.stats.Library += library
}

// idle notes that nothing is in flight any more.
func (b *book) idle(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.busy.IsZero() {
		b.stats.Busy += now.Sub(b.busy)
		b.busy = time.Time{}
	}
}

// hasAnswered reports whether the adapter ever answered a query.
func (b *book) hasAnswered() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stats.Queries > 0
}

func (b *book) restarted() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stats.Restarts++
}

func (b *book) snapshot() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.stats
	if !b.busy.IsZero() {
		s.Busy += time.Since(b.busy)
	}
	return s
}
