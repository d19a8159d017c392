package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// A Transport is one run of an adapter: a process, or in tests something that
// behaves like one. Its methods may be called concurrently.
type Transport interface {
	io.Reader // the adapter's stdout; an error once it ended
	io.Writer // the adapter's stdin

	// CloseWrite closes the adapter's stdin.
	CloseWrite() error
	// Kill ends the adapter and the processes it started, without waiting. A Read
	// or Write under way returns. It may be called at any time and more than
	// once.
	Kill()
	// Done is closed when the adapter has ended and its remaining stdout was read
	// or given up.
	Done() <-chan struct{}
	// State returns how it ended, "exit status 3", once Done is closed.
	State() string
	// Stderr returns the tail of the adapter's stderr; it is complete once Done
	// is closed.
	Stderr() string
}

const (
	// drainGrace is how long a pipe of a dead process may be silent. Its own
	// output is in the pipe already; only a grandchild that escaped from the
	// process group keeps the pipe open, and its output is not an answer.
	drainGrace = 100 * time.Millisecond
	// drainLimit ends reading from such a grandchild if it is never silent, and
	// from any on a system whose pipes have no deadlines.
	drainLimit = 3 * time.Second
	// stderrTail is how much of stderr is kept, in bytes: a screenful, which
	// holds the end of a stack trace, where the exception is named.
	stderrTail = 4 << 10
)

// A process is the Transport of a real child process.
type process struct {
	cmd    *exec.Cmd
	mark   string   // in the environment of the processes it starts
	stdin  *os.File // our ends
	stdout outlet
	stderr tail
	done   chan struct{}
	state  string        // written before done is closed
	eof    chan struct{} // closed by ended when stdout has no more output for us
	ended  func()

	mu     sync.Mutex
	reaped bool   // we may no longer signal the process ID
	over   string // if it was killed for its memory: that and how much it held

	// The process and those of its descendants that were alive at the last check,
	// how long these had waited for a processor then, and how long all have
	// waited so far.
	tree               []int
	lastWaited, waited time.Duration
}

// markVariable is the environment variable that identifies a program that left
// the process group. Nested harnesses each add a mark.
const markVariable = "REPCHECK_PROCESS"

var marks atomic.Int64

// startProcess starts o.Command.
func startProcess(o *Options) (*process, error) {
	argv := o.Command
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
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), stdin: inW, stdout: outlet{outR},
		done: make(chan struct{}), eof: make(chan struct{})}
	p.ended = sync.OnceFunc(func() { close(p.eof) })
	p.mark = fmt.Sprintf("%d.%d;", os.Getpid(), marks.Add(1))
	p.cmd.Dir, p.cmd.Env = o.Dir, append(Environment(o.Env...), markVariable+"="+os.Getenv(markVariable)+p.mark)
	// These are files, not io.Writers, so that Wait waits only for the process,
	// and not for the processes that inherited its pipes.
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = inR, outW, errW
	ownGroup(p.cmd)
	adoptOrphans()
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
	go p.wait(outlet{errR})
	go p.watch(o.MaxMemory)
	return p, nil
}

// wait waits for the process to end.
func (p *process) wait(stderr outlet) {
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		io.Copy(&p.stderr, stderr)
	}()
	p.cmd.Wait() // the error is in ProcessState
	p.mu.Lock()
	p.reaped = true
	killGroup(p.cmd.Process) // the processes that it started
	p.mu.Unlock()
	killOrphans(p.cmd.Process.Pid, p.mark)

	p.stdout.ended()
	stderr.ended()
	limit := time.NewTimer(drainLimit)
	defer limit.Stop()
	for _, finished := range []chan struct{}{p.eof, copied} {
		select {
		case <-finished:
		case <-limit.C:
			limit.Reset(0)
		}
	}
	p.stdin.Close()
	p.stdout.Close()
	stderr.Close()
	<-copied
	if p.state = p.over; p.state == "" {
		p.state = p.cmd.ProcessState.String()
	}
	close(p.done)
}

func (p *process) Read(b []byte) (int, error) {
	n, err := p.stdout.Read(b)
	if err != nil {
		p.ended()
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
	p.ended()
}

// An outlet is the reading end of a pipe that the process writes to. It does
// not embed the file, whose WriteTo io.Copy would prefer to Read.
type outlet struct{ f *os.File }

// ended limits Read to drainGrace, since the process has ended.
func (o outlet) ended() { _ = o.f.SetReadDeadline(time.Now()) }

func (o outlet) Close() error { return o.f.Close() }

// Read sets the deadline again when it has passed: a read that finds data in the
// pipe then succeeds, even if this machine was slow to get to it.
func (o outlet) Read(b []byte) (int, error) {
	n, err := o.f.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		_ = o.f.SetReadDeadline(time.Now().Add(drainGrace))
		if n, err = o.f.Read(b); errors.Is(err, os.ErrDeadlineExceeded) {
			err = io.EOF
		}
	}
	return n, err
}

// A tail is a writer that keeps the last stderrTail bytes.
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
