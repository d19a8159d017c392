package process

import (
	"fmt"
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

// look looks for what the process has started, and at what they all have waited
// for a processor. What those waited that ended meanwhile stays counted.
func (p *process) look() {
	tree := usage.Tree(p.cmd.Process.Pid)
	waited := usage.Waited(tree)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waited += max(0, waited-p.lastWaited)
	p.tree, p.lastWaited = tree, waited
}

// hasWaited is for a usage.Patience.
func (p *process) hasWaited(now bool) time.Duration {
	if now {
		p.look()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waited
}

// watch kills the process when it and what it started hold more than most
// bytes, until done is closed.
func (p *process) watch(most int64) {
	tick := time.NewTicker(memoryEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		if n%treeEvery == 0 {
			p.look()
		}
		select {
		case <-p.done:
			return
		case <-tick.C:
		}
		p.mu.Lock()
		held := usage.Memory(p.tree)
		if held <= most {
			p.mu.Unlock()
			continue
		}
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
		p.Waited = real.hasWaited
	}
	return p
}
