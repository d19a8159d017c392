// Package usage measures how much memory a process holds and how long it had to
// wait for a processor, so that a limit on its time can be fair on a busy
// machine.
package usage

import "time"

// MostPatience is the largest factor by which a busy machine extends a limit.
const MostPatience = 8

// A Patience decides when a process has been silent for too long. Its limit does
// not count the time for which the process waited for a processor, up to seven
// more times the limit: a parser on a busy machine is slow, not stuck. On systems
// that do not report this waiting time, the limit is one of wall time.
type Patience struct {
	// Limit is how long the process may be silent.
	Limit time.Duration
	// Waited returns how long the process has waited so far. The value may be up
	// to a second old unless now is set. A nil Waited means that the time is
	// unknown.
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

// Since returns when the silence began.
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
