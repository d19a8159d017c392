package process

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/repcheck/repcheck/spec"
)

// These tests run in synctest bubbles: time is fake, so that they can check exact
// times, and a goroutine that outlives Close fails the test.

// A fake is a Transport whose adapter is a function.
type fake struct {
	inR    *io.PipeReader
	inW    *io.PipeWriter
	outR   *io.PipeReader
	outW   *io.PipeWriter
	killed chan struct{}
	done   chan struct{}
	state  string // a script may set it
}

func (f *fake) Read(b []byte) (int, error)  { return f.outR.Read(b) }
func (f *fake) Write(b []byte) (int, error) { return f.inW.Write(b) }
func (f *fake) CloseWrite() error           { return f.inW.Close() }
func (f *fake) Done() <-chan struct{}       { return f.done }
func (f *fake) State() string               { return f.state }
func (f *fake) Stderr() string              { return "" }
func (f *fake) Kill() {
	select {
	case <-f.killed:
	default:
		close(f.killed)
	}
	f.inR.CloseWithError(io.ErrClosedPipe)
	f.outR.CloseWithError(io.ErrClosedPipe)
}

// ended sets the state, if the script has not.
func (f *fake) ended() {
	select {
	case <-f.killed:
		f.state = cmp.Or(f.state, killed)
	default:
		f.state = cmp.Or(f.state, "fake status")
	}
}

// launches returns a Launch that runs scripts, one for each start, and the last
// one for all further starts. Each has already sent its hello with the window.
func launches(window int, scripts ...func(f *fake, in *bufio.Scanner)) func(context.Context) (Transport, error) {
	hello := wireHello{Hello: 1, SubjectInfo: spec.SubjectInfo{Name: "fake"}}
	if window > 0 {
		hello.Window = &window
	}
	return launchesAs(hello, scripts...)
}

func launchesAs(hello wireHello, scripts ...func(f *fake, in *bufio.Scanner)) func(context.Context) (Transport, error) {
	starts := 0
	return func(context.Context) (Transport, error) {
		script := scripts[min(starts, len(scripts)-1)]
		starts++
		f := &fake{killed: make(chan struct{}), done: make(chan struct{})}
		f.inR, f.inW = io.Pipe()
		f.outR, f.outW = io.Pipe()
		go func() {
			defer close(f.done)
			defer f.outW.Close()
			defer f.inR.Close()
			defer f.ended()
			in := bufio.NewScanner(f.inR)
			if in.Scan() {
				json.NewEncoder(f.outW).Encode(hello)
				script(f, in)
			}
		}()
		return f, nil
	}
}

// asked is a request as a script receives it.
type asked struct {
	ID  int64
	URL string
}

func parse(line []byte) asked {
	var a asked
	if err := json.Unmarshal(line, &a); err != nil {
		panic(err)
	}
	return a
}

// good answers all requests.
func good(f *fake, in *bufio.Scanner) {
	for in.Scan() {
		fmt.Fprintf(f.outW, `{"id":%d,"allow":true}`+"\n", parse(in.Bytes()).ID)
	}
}

// instead answers with the result of say.
func instead(say func(f *fake, a asked) string) func(*fake, *bufio.Scanner) {
	return func(f *fake, in *bufio.Scanner) {
		for in.Scan() {
			io.WriteString(f.outW, say(f, parse(in.Bytes())))
		}
	}
}

func (a asked) allow() string { return fmt.Sprintf(`{"id":%d,"allow":true}`+"\n", a.ID) }

func quit(*fake, *bufio.Scanner) {}

func start(t *testing.T, opts Options) *Client {
	c, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func one(c *Client, url string) spec.Answer {
	return c.Ask(context.Background(), nil, []spec.Probe{{Agent: "FooBot", URL: url}})[0]
}

func verdicts(answers []spec.Answer) (all []spec.Verdict) {
	for _, a := range answers {
		all = append(all, a.Verdict)
	}
	return all
}
