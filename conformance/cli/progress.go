package cli

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// A progress tells on standard error how far a long command has come: on a
// terminal in one line that changes, elsewhere in a plain line now and then. A
// command that ends within a second tells nothing.
type progress struct {
	env      *env
	terminal bool
	started  time.Time
	mu       sync.Mutex
	told     time.Time
	width    int
}

const (
	quietFor      = time.Second
	terminalEvery = 100 * time.Millisecond
	plainEvery    = 10 * time.Second
)

func (e *env) newProgress() *progress {
	now := time.Now()
	return &progress{env: e, terminal: isTerminal(e.stderr), started: now, told: now}
}

// tell prints the line if it is time for one.
func (p *progress) tell(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	every := plainEvery
	if p.terminal {
		every = terminalEvery
	}
	if now.Sub(p.started) < quietFor || now.Sub(p.told) < every {
		return
	}
	p.told = now
	line := fmt.Sprintf(format, args...)
	if !p.terminal {
		fmt.Fprintln(p.env.stderr, line)
		return
	}
	fmt.Fprint(p.env.stderr, "\r"+line+strings.Repeat(" ", max(0, p.width-len(line))))
	p.width = len(line)
}

// done takes the line away.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.width > 0 {
		fmt.Fprint(p.env.stderr, "\r"+strings.Repeat(" ", p.width)+"\r")
		p.width = 0
	}
}
