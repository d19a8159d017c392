package process

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

func TestInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		hang := func(f *fake, in *bufio.Scanner) {
			for in.Scan() {
				requests++
				a := parse(in.Bytes())
				if strings.Contains(a.URL, "bad") {
					<-f.killed
					return
				}
				io.WriteString(f.outW, a.allow())
			}
		}
		c := start(t, Options{Launch: launches(1, hang)})
		defer c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		begin := time.Now()
		interrupted := spec.Answer{Verdict: spec.Timeout, Detail: "interrupted"}
		want := []spec.Answer{{Verdict: spec.Allow}, interrupted, interrupted}
		got := c.Ask(ctx, nil, []spec.Probe{{Agent: "A", URL: "1"}, {Agent: "B", URL: "bad"}, {Agent: "C", URL: "3"}})
		if diff := cmp.Diff(want, got); diff != "" || time.Since(begin) != 2*time.Second {
			t.Errorf("after %v (-want +got):\n%s", time.Since(begin), diff)
		}
		if diff := cmp.Diff([]spec.Answer{interrupted}, c.Ask(ctx, nil, []spec.Probe{{}})); diff != "" {
			t.Error(diff)
		}
		if a := one(c, "4"); a.Verdict != spec.Allow { // waits for the end of the hang, and is not blamed
			t.Error(a)
		}
		if took := time.Since(begin); took != 5*time.Second {
			t.Errorf("took %v", took)
		}
		if requests != 3 { // the one for 3 was never sent
			t.Errorf("%d requests sent", requests)
		}
	})
}

// After an interrupted Ask the answers belong to the caller.
func TestInterruptedAnswersStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Options{Launch: launches(1, instead(func(_ *fake, a asked) string {
			time.Sleep(3 * time.Second)
			return a.allow()
		}))})
		defer c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		got := c.Ask(ctx, nil, []spec.Probe{{}})
		clear(got)
		if a := one(c, ""); a.Verdict != spec.Allow || got[0] != (spec.Answer{}) {
			t.Errorf("%v, interrupted %v", a, got)
		}
	})
}

// Close answers all pending queries, in every state of the client.
func TestCloseWhileBusy(t *testing.T) {
	wait := func(f *fake, _ *bufio.Scanner) { <-f.killed }
	for name, after := range map[string]time.Duration{
		"running": time.Second, "asked again": 6 * time.Second,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := start(t, Options{Launch: launches(4, wait)})
				answers := make(chan []spec.Answer)
				go func() { answers <- askEach(c, make([]spec.Probe, 6)) }()
				time.Sleep(after)
				c.Close()
				for _, a := range <-answers {
					if a != tooLate {
						t.Errorf("got %v", a)
					}
				}
				if a := one(c, ""); a != tooLate {
					t.Errorf("got %v after Close", a)
				}
				c.Close()
			})
		})
	}
}

// Close during a start ends the start.
func TestCloseWhileStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := true
		good, silent := launches(4, quit), func(context.Context) (Transport, error) {
			f := &fake{killed: make(chan struct{}), done: make(chan struct{})}
			f.inR, f.inW = io.Pipe()
			f.outR, f.outW = io.Pipe()
			go func() {
				<-f.killed
				f.outW.Close()
				close(f.done)
			}()
			return f, nil
		}
		c := start(t, Options{Launch: func(ctx context.Context) (Transport, error) {
			if first {
				first = false
				return good(ctx)
			}
			return silent(ctx)
		}})
		answers := make(chan spec.Answer)
		go func() { answers <- one(c, "") }()
		time.Sleep(time.Second)
		begin := time.Now()
		c.Close()
		if a := <-answers; a != tooLate {
			t.Errorf("got %v", a)
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("Close took %v", took)
		}
	})
}

// A start that succeeds after Close is undone.
func TestCloseJustBeforeStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Options{Launch: launches(1, good)})
		ch, err := launch(t.Context(), &c.opts, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.do(func() { c.end(0, func(string, string) { c.changing = true }) }) // as if ch were being started
		synctest.Wait()
		answers := make(chan spec.Answer)
		go func() { answers <- one(c, "") }()
		synctest.Wait()
		closed := make(chan error)
		go func() { closed <- c.Close() }()
		if a := <-answers; a != tooLate {
			t.Errorf("got %v", a)
		}
		c.do(func() { c.started(ch, nil) })
		<-closed
		select {
		case <-ch.t.Done():
		default:
			t.Error("the adapter lives on")
		}
	})
}

// A process that was dead when it closed its stdout, and that the system removes
// late, is described as it ended: it did not keep running.
func TestEndsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := func(f *fake, in *bufio.Scanner) {
			in.Scan()
			f.outW.Close()
			f.state = overMemory
			<-f.killed
		}
		c := start(t, Options{Launch: launches(1, late)})
		defer c.Close()
		if a := one(c, "/"); !strings.HasPrefix(a.Detail, "the adapter "+overMemory) {
			t.Errorf("detail is %q", a.Detail)
		}
	})
}
