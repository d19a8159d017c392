package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// A Transport is one run of an adapter: a process, or in tests something that
// behaves like one. Read, Write and the rest may be called at the same time.
type Transport interface {
	io.Reader // the adapter's stdout; an error once it ended
	io.Writer // the adapter's stdin

	// CloseWrite is the end of the adapter's stdin.
	CloseWrite() error
	// Kill ends the adapter and what it started, without waiting. A Read or
	// Write under way returns. It may be called at any time and more than once.
	Kill()
	// Done is closed when the adapter ended and what it left in stdout was read
	// or given up.
	Done() <-chan struct{}
	// State tells how it ended, "exit status 3", once Done is closed.
	State() string
	// Stderr is the tail of what the adapter wrote there; complete once Done is
	// closed.
	Stderr() string
}

const (
	// drainGrace is how long the pipes of a dead process are still read. Its
	// own output is in them already; only a grandchild that escaped from the
	// process group keeps them open, and what that writes is nobody's answer.
	drainGrace = 100 * time.Millisecond
	// stderrTail is how much of stderr is kept, in octets: a screenful, which
	// holds the end of a stack trace, where the exception is named.
	stderrTail = 4 << 10
)

// A process is the Transport of a real child process.
type process struct {
	cmd           *exec.Cmd
	stdin, stdout *os.File // our ends
	stderr        tail
	done          chan struct{}
	state         string        // written before done is closed
	eof           chan struct{} // closed when stdout has nothing more for us
	eofOnce       sync.Once

	mu     sync.Mutex
	reaped bool // the process id is no longer ours to kill
}

// startProcess starts argv, with dir and env as in exec.Cmd.
func startProcess(argv []string, dir string, env []string) (*process, error) {
	if len(argv) == 0 || argv[0] == "" {
		return nil, errors.New("no command given")
	}
	var opened []*os.File
	pipe := func() (r, w *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, nil
		}
		opened = append(opened, r, w)
		return r, w
	}
	inR, inW := pipe()
	outR, outW := pipe()
	errR, errW := pipe()
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), stdin: inW, stdout: outR,
		done: make(chan struct{}), eof: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = dir, env
	// Files, not io.Writers: Wait then waits for the process alone, and not for
	// whoever inherited its pipes.
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = inR, outW, errW
	ownGroup(p.cmd)
	err := errors.New("cannot open pipes")
	if len(opened) == 6 {
		err = p.cmd.Start()
	}
	if err != nil {
		for _, f := range opened {
			f.Close()
		}
		return nil, err
	}
	inR.Close()
	outW.Close()
	errW.Close()
	go p.wait(errR)
	return p, nil
}

// wait follows the process to its end.
func (p *process) wait(stderr *os.File) {
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		io.Copy(&p.stderr, stderr)
	}()
	p.cmd.Wait() // the error is in ProcessState
	p.mu.Lock()
	p.reaped = true
	killGroup(p.cmd.Process) // those it started
	p.mu.Unlock()

	grace := time.NewTimer(drainGrace)
	defer grace.Stop()
	for _, finished := range []chan struct{}{p.eof, copied} {
		select {
		case <-finished:
		case <-grace.C:
			grace.Reset(0)
		}
	}
	p.stdin.Close()
	p.stdout.Close()
	stderr.Close()
	<-copied
	p.state = p.cmd.ProcessState.String()
	close(p.done)
}

func (p *process) Read(b []byte) (int, error) {
	n, err := p.stdout.Read(b)
	if err != nil {
		p.eofOnce.Do(func() { close(p.eof) })
	}
	return n, err
}

func (p *process) Write(b []byte) (int, error) { return p.stdin.Write(b) }
func (p *process) CloseWrite() error           { return p.stdin.Close() }
func (p *process) Done() <-chan struct{}       { return p.done }
func (p *process) State() string               { return p.state }
func (p *process) Stderr() string              { return p.stderr.String() }

func (p *process) Kill() {
	p.mu.Lock()
	if !p.reaped {
		killGroup(p.cmd.Process)
	}
	p.mu.Unlock()
	p.stdin.Close() // ends a Write or Read that a grandchild keeps waiting
	p.stdout.Close()
	p.eofOnce.Do(func() { close(p.eof) })
}

// A tail is a writer that remembers the last stderrTail octets.
type tail struct {
	mu  sync.Mutex
	buf []byte
	cut bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - stderrTail; over > 0 {
		t.buf, t.cut = append(t.buf[:0], t.buf[over:]...), true
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cut {
		return "…" + string(t.buf)
	}
	return string(t.buf)
}
