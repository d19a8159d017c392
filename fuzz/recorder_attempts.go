package fuzz

import (
	"cmp"
	"sync"
)

// attempts bound the time that a recorder spends on minimizing witnesses.
type attempts struct {
	// look is CampaignOptions.Look.
	look int

	mu      sync.Mutex // guards what follows
	showing map[string]bool
	failed  map[string]int // by the ID of a finding
	looks   map[int]looks  // by subject
}

// looks counts the answers of a subject that were minimized because no cheap
// explanation fits them.
type looks struct{ all, known int }

const (
	defaultLook = 15

	// knownLooks is how many looks that end at a known finding count for one.
	knownLooks = 10

	// maxAttempts is how often a new finding is minimized whose subject does not
	// show it when it is asked alone.
	maxAttempts = 3
)

func newAttempts() *attempts {
	return &attempts{showing: map[string]bool{}, failed: map[string]int{}, looks: map[int]looks{}}
}

// begin reports whether the caller is to minimize and store a new finding: no other
// goroutine is at it, and fewer than maxAttempts attempts failed. unsteady reports
// that one failed.
func (a *attempts) begin(id string) (begun, unsteady bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.showing[id] || a.failed[id] >= maxAttempts {
		return false, a.failed[id] > 0
	}
	a.showing[id] = true
	return true, false
}

// end ends what begin began.
func (a *attempts) end(id string, stored bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.showing, id)
	if !stored {
		a.failed[id]++
	}
}

// mayLook counts a look at an answer of the subject, if it has one left.
func (a *attempts) mayLook(subject int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.looks[subject]
	if knownLooks*(n.all-n.known)+n.known >= knownLooks*cmp.Or(a.look, defaultLook) {
		return false
	}
	n.all++
	a.looks[subject] = n
	return true
}

// lookedAtKnown counts that a look ended at a known finding.
func (a *attempts) lookedAtKnown(subject int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.looks[subject]
	n.known++
	a.looks[subject] = n
}
