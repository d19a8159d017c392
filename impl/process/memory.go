package process

import (
	"fmt"
	"time"
)

// memoryEvery is how often a process's memory is looked at: a program that
// takes a gigabyte a second is then ended some hundred megabytes late, and
// looking costs a thousandth of a processor.
const memoryEvery = 100 * time.Millisecond

// overMemory opens the state of a process that was killed for its memory.
const overMemory = "held more memory than it may"

// watchMemory kills the process when it and what it started hold more than
// most octets, until done is closed.
func (p *process) watchMemory(most int64) {
	tick := time.NewTicker(memoryEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-tick.C:
		}
		held := residentMemory(p.cmd.Process.Pid)
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
