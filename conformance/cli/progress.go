package cli

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A progress shows the progress of a long command on standard error: on a
// terminal as one line that is updated; elsewhere, with --progress always, as a
// plain line now and then. A command that ends within a second shows nothing.
type progress struct {
	stderr   *textWriter
	terminal *os.File // nil if there is none
	quiet    bool
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
	p := &progress{stderr: e.stderr, started: now, told: now}
	if os.Getenv("TERM") != "dumb" {
		p.terminal = e.stderr.terminal()
	}
	p.quiet = e.progress == "never" || e.progress == "auto" && e.stderr.terminal() == nil
	return p
}

// tell prints the line if enough time has passed since the last one.
func (p *progress) tell(format string, args ...any) {
	if p.quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	every := plainEvery
	if p.terminal != nil {
		every = terminalEvery
	}
	if now.Sub(p.started) < quietFor || now.Sub(p.told) < every {
		return
	}
	p.told = now
	line := neutralLine(fmt.Sprintf(format, args...))
	if p.terminal == nil {
		fmt.Fprintln(p.stderr, line)
		return
	}
	width := utf8.RuneCountInString(line)
	fmt.Fprint(p.terminal, "\r"+line+strings.Repeat(" ", max(0, p.width-width)))
	p.width = width
}

// done removes the line.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.width > 0 {
		fmt.Fprint(p.terminal, "\r"+strings.Repeat(" ", p.width)+"\r")
		p.width = 0
	}
}
