// Package usage measures what a process holds and how long it had to wait for
// a processor, so that a limit on its time can be fair on a busy machine.
package usage

import "time"

// MostPatience is how many times longer a busy machine makes a limit at most.
const MostPatience = 8

// A Patience decides when a process has been silent for too long. Its limit
// does not count the time in which the process waited for a processor, up to
// seven more times the limit: a parser on a busy machine is slow, not stuck.
// Where the system does not tell what a process waits for, the limit is one of
// wall time.
type Patience struct {
	// Limit is how long the process may be silent.
	Limit time.Duration
	// Waited returns what the process has waited so far. What it returns may
	// be up to a second old unless now is set. Nil means that it is not known.
	Waited func(now bool) time.Duration

	since  time.Time
	before time.Duration // waited at since, or a little earlier
}

// Restart begins a new silence.
func (p *Patience) Restart(now time.Time) {
	p.since = now
	if p.Waited != nil {
		p.before = p.Waited(false)
	}
}

// Since is when the silence began.
func (p *Patience) Since() time.Time { return p.since }

// Left returns how long to wait before calling Left again; 0 means that the
// limit is reached.
func (p *Patience) Left(now time.Time) time.Duration {
	silent := now.Sub(p.since)
	most := MostPatience*p.Limit - silent
	switch {
	case silent < p.Limit:
		return p.Limit - silent
	case p.Waited == nil || most <= 0:
		return 0
	}
	waited := p.Waited(true) - p.before
	return min(max(p.Limit+waited-silent, 0), most)
}
