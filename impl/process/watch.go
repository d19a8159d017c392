package process

import (
	"fmt"
	"sync"
	"time"

	"github.com/repcheck/repcheck/impl/internal/usage"
)

const (
	// memoryEvery is how often the memory of a process is looked at: a program
	// that takes a gigabyte a second is then ended some hundred megabytes late.
	memoryEvery = 100 * time.Millisecond
	// treeEvery is after how many such looks its descendants are looked for, and
	// what they all have waited, which takes some reads for each thread.
	treeEvery = 5
)

// overMemory opens the state of a process that was killed for its memory.
const overMemory = "held more memory than it may"

// A meter adds up what a process and its descendants have waited for a
// processor. What they waited that ended meanwhile stays counted.
type meter struct {
	pid int

	mu    sync.Mutex
	tree  []int         // the processes alive at the last look
	last  time.Duration // what they had waited then
	total time.Duration
}

// look looks for the processes, and at what they have waited.
func (m *meter) look() {
	tree := usage.Tree(m.pid)
	waited := usage.Waited(tree)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total += max(0, waited-m.last)
	m.tree, m.last = tree, waited
}

// memory is what the processes hold that were alive at the last look.
func (m *meter) memory() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return usage.Memory(m.tree)
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
	tick := time.NewTicker(memoryEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		if n%treeEvery == 0 {
			p.meter.look()
		}
		select {
		case <-p.done:
			return
		case <-tick.C:
		}
		held := p.meter.memory()
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
// where the time it waits for a processor is not known.
func patienceWith(t Transport, limit time.Duration) usage.Patience {
	p := usage.Patience{Limit: limit}
	if real, ok := t.(*process); ok && usage.Known() {
		p.Waited = real.meter.waited
	}
	return p
}
