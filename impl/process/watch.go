package process

import (
	"fmt"
	"sync"
	"time"

	"github.com/repcheck/repcheck/impl/internal/usage"
)

// watchEvery is how often a process is looked at: a program that takes a
// gigabyte a second is then ended some hundred megabytes late, and looking
// costs a thousandth of a processor.
const watchEvery = 100 * time.Millisecond

// overMemory opens the state of a process that was killed for its memory.
const overMemory = "held more memory than it may"

// A meter adds up what a process and its descendants have waited for a
// processor. What they waited that ended meanwhile stays counted.
type meter struct {
	pid int

	mu    sync.Mutex
	last  time.Duration // of those alive at the last look
	total time.Duration
}

// look measures, and returns the memory held.
func (m *meter) look() int64 {
	u := usage.Of(m.pid)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total += max(0, u.Waited-m.last)
	m.last = u.Waited
	return u.Memory
}

// waited is for a usage.Patience.
func (m *meter) waited(now bool) time.Duration {
	if now {
		m.look()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total
}

// watch kills the process when it and what it started hold more than most
// bytes, until done is closed.
func (p *process) watch(most int64) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-tick.C:
		}
		held := p.meter.look()
		if held <= most {
			continue
		}
		p.mu.Lock()
		if !p.reaped {
			p.over = fmt.Sprintf("%s, %d MiB where the limit is %d MiB", overMemory, held>>20, most>>20)
			killGroup(p.cmd.Process)
		}
		p.mu.Unlock()
		return
	}
}

// patienceWith returns a patience with a process, which measures wall time
// where nobody knows what it waits for.
func patienceWith(t Transport, limit time.Duration) usage.Patience {
	p := usage.Patience{Limit: limit}
	if real, ok := t.(*process); ok && usage.Known() {
		p.Waited = real.meter.waited
	}
	return p
}
