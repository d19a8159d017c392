package process

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"
)

// An actor is a Transport whose adapter is a function with stdin, stdout,
// stderr and an exit code.
type actor struct {
	*fake
	errs   tail
	state  string        // how it ended, once done is closed
	linger time.Duration // how long it runs on after the end of stdin or SIGTERM
}

func (a *actor) State() string { return a.state }

func (a *actor) Stderr() string { return a.errs.String() }

func (a *actor) terminate() error {
	time.AfterFunc(a.linger, a.Kill)
	return nil
}

// wait sleeps, unless the adapter is killed.
func (a *actor) wait(d time.Duration) {
	select {
	case <-a.killed:
	case <-time.After(d):
	}
}

// acts returns a Launch that runs the adapters, one for each start, and the last
// one for all further starts.
func acts(adapters ...func(a *actor) int) func(context.Context) (Transport, error) {
	starts := 0
	return func(context.Context) (Transport, error) {
		act := adapters[min(starts, len(adapters)-1)]
		starts++
		a := &actor{fake: &fake{killed: make(chan struct{}), done: make(chan struct{})}}
		a.inR, a.inW = io.Pipe()
		a.outR, a.outW = io.Pipe()
		go func() {
			defer close(a.done)
			defer a.outW.Close()
			defer a.inR.Close()
			code := act(a)
			select {
			case <-a.killed:
				a.state = "signal: killed"
			default:
				a.state = fmt.Sprintf("exit status %d", code)
			}
		}()
		return a, nil
	}
}

// smallBurst is how many requests the check "burst" sends in tests with a fake
// adapter. It exceeds those of all other checks.
const smallBurst = 600

// acting returns options for Examine that run the adapters as acts does.
func acting(adapters ...func(a *actor) int) Options {
	return Options{Launch: acts(adapters...), burst: smallBurst}
}

// playing returns an adapter with the fault for a Launch.
func playing(fault string) func(*actor) int {
	return func(a *actor) int {
		if fault == "sigterm" {
			a.linger = time.Hour
		}
		code := sick(fault, a.inR, a.outW, &a.errs)
		if fault == "end" {
			a.wait(time.Hour)
		}
		return code
	}
}

const testHello = `{"hello":1,"name":"x","version":"1"}` + "\n"

// forever is an adapter that does not end by itself.
func forever(a *actor) int {
	<-a.killed
	return 0
}

// first reads the hello without answering it, then runs act.
func first(act func(a *actor) int) func(*actor) int {
	return func(a *actor) int {
		_, _ = bufio.NewReader(a.inR).ReadString('\n')
		return act(a)
	}
}

// greets answers the hello, then runs act on the lines that follow.
func greets(act func(a *actor, in *bufio.Scanner) int) func(*actor) int {
	return func(a *actor) int {
		in := bufio.NewScanner(a.inR)
		in.Buffer(nil, 8<<20)
		in.Scan()
		io.WriteString(a.outW, testHello)
		return act(a, in)
	}
}

// replies answers each request with the result of say.
func replies(say func(a *actor, id int64) string) func(*actor) int {
	return greets(func(a *actor, in *bufio.Scanner) int {
		for in.Scan() {
			io.WriteString(a.outW, say(a, parse(in.Bytes()).ID))
		}
		return 0
	})
}

// slowly is a correct adapter that receives some lines late.
func slowly(wait time.Duration, late func(line string) bool) func(*actor) int {
	return func(a *actor) int {
		r, w := io.Pipe()
		go func() {
			defer w.Close()
			in := bufio.NewScanner(a.inR)
			in.Buffer(nil, 8<<20)
			for in.Scan() {
				if late(in.Text()) {
					a.wait(wait)
				}
				io.WriteString(w, in.Text()+"\n")
			}
		}()
		defer r.Close()
		return sick("", r, a.outW, &a.errs)
	}
}
