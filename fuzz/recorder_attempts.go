package fuzz

import "sync"

// attempts limit the time that a recorder spends on minimizing witnesses.
type attempts struct {
	mu      sync.Mutex // guards the fields below
	showing map[string]bool
	failed  map[string]int // by the ID of a finding
	// looked is the cost of the answers that were minimized because they have no
	// cheap explanation, by subject.
	looked map[int]int
}

const (
	defaultLook = 15

	// lookCost is the cost of a look; one that leads to a known finding costs 1.
	lookCost = 10

	// maxAttempts is how often a new finding is minimized whose subject does not
	// show it when queried alone.
	maxAttempts = 3
)

func newAttempts() *attempts {
	return &attempts{showing: map[string]bool{}, failed: map[string]int{}, looked: map[int]int{}}
}

// begin reports whether the caller is to minimize and store a new finding: no
// other goroutine is working on it, and fewer than maxAttempts attempts failed.
// unsteady reports that at least one failed.
func (a *attempts) begin(id string) (begun, unsteady bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.showing[id] || a.failed[id] >= maxAttempts {
		return false, a.failed[id] > 0
	}
	a.showing[id] = true
	return true, false
}

// end ends the attempt that begin began.
func (a *attempts) end(id string, stored bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.showing, id)
	if !stored {
		a.failed[id]++
	}
}

// mayLook reports whether the subject has a look left of that many, and counts it.
func (a *attempts) mayLook(subject, limit int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.looked[subject] >= lookCost*limit {
		return false
	}
	a.looked[subject] += lookCost
	return true
}

// lookedAtKnown records that a look led to a known finding.
func (a *attempts) lookedAtKnown(subject int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.looked[subject] -= lookCost - 1
}
