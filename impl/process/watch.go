package process

import (
	"fmt"
	"time"

	"github.com/repcheck/repcheck/impl/internal/usage"
)

const (
	// memoryEvery is how often the memory of a process is measured: a program
	// that takes a gigabyte a second is then killed some hundred megabytes late.
	memoryEvery = 100 * time.Millisecond
	// treeEvery is after how many such measurements the descendants of the
	// process are listed and their waiting times read, which takes some reads for
	// each thread.
	treeEvery = 5
)

// overMemory begins the state of a process that was killed for its memory.
const overMemory = "held more memory than it may"

// look updates the list of processes that the process has started, and how long
// they all have waited for a processor. The waiting time of those that ended
// meanwhile still counts.
func (p *process) look() {
	tree := usage.Tree(p.cmd.Process.Pid)
	waited := usage.Waited(tree)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waited += max(0, waited-p.lastWaited)
	p.tree, p.lastWaited = tree, waited
}

// hasWaited is the function Waited of a usage.Patience.
func (p *process) hasWaited(now bool) time.Duration {
	if now {
		p.look()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waited
}

// watch kills the process when it and the processes that it started hold more
// than most bytes, until done is closed.
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

// patienceWith returns a patience with a process, which measures wall time if the
// time for which the process waits for a processor is unknown.
func patienceWith(t Transport, limit time.Duration) usage.Patience {
	p := usage.Patience{Limit: limit}
	if real, ok := t.(*process); ok && usage.Known() {
		p.Waited = real.hasWaited
	}
	return p
}
