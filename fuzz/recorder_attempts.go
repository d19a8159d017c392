package fuzz

import "sync"

// attempts limit the time that a recorder spends on minimizing witnesses.
type attempts struct {
	mu      sync.Mutex // guards the fields below
	showing map[string]bool
	failed  map[string]int // by the ID of a finding
	looks   map[int]looks  // by subject
}

// looks counts the answers of a subject that were minimized because they have no
// cheap explanation.
type looks struct{ all, known int }

const (
	defaultLook = 15

	// knownLooks is how many looks that lead to a known finding count as one.
	knownLooks = 10

	// maxAttempts is how often a new finding is minimized whose subject does not
	// show it when queried alone.
	maxAttempts = 3
)

func newAttempts() *attempts {
	return &attempts{showing: map[string]bool{}, failed: map[string]int{}, looks: map[int]looks{}}
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

// mayLook reports whether the subject has used fewer looks than the limit, and
// counts one more.
func (a *attempts) mayLook(subject, limit int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.looks[subject]
	if knownLooks*(n.all-n.known)+n.known >= knownLooks*limit {
		return false
	}
	n.all++
	a.looks[subject] = n
	return true
}

// lookedAtKnown records that a look led to a known finding.
func (a *attempts) lookedAtKnown(subject int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.looks[subject]
	n.known++
	a.looks[subject] = n
}
