package process

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

// These tests run in bubbles: time is fake, so that they state times exactly,
// and a goroutine that outlives Close fails the test.

// A fake is a Transport whose adapter is a function.
type fake struct {
	inR    *io.PipeReader
	inW    *io.PipeWriter
	outR   *io.PipeReader
	outW   *io.PipeWriter
	killed chan struct{}
	done   chan struct{}
}

func (f *fake) Read(b []byte) (int, error)  { return f.outR.Read(b) }
func (f *fake) Write(b []byte) (int, error) { return f.inW.Write(b) }
func (f *fake) CloseWrite() error           { return f.inW.Close() }
func (f *fake) Done() <-chan struct{}       { return f.done }
func (f *fake) State() string               { return "fake status" }
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

// Without a window in its hello an adapter is asked in lock-step.
func TestLockStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Options{Launch: launches(0, instead(func(_ *fake, a asked) string {
			time.Sleep(time.Second)
			return a.allow()
		}))})
		defer c.Close()
		match(t, make10(spec.Answer{Verdict: spec.Allow}), askEach(c, make([]spec.Probe, 10)))
		if diff := cmp.Diff(Stats{Queries: 10, Requests: 10, Busy: 10 * time.Second}, c.Stats()); diff != "" || c.Parallel() != 1 {
			t.Errorf("Parallel %d, stats:\n%s", c.Parallel(), diff)
		}
	})
}

// launches returns a Launch that runs scripts, one for each start, the last one
// for all further. Each has said hello with the window already.
func launches(window int, scripts ...func(f *fake, in *bufio.Scanner)) func(context.Context) (Transport, error) {
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
			in := bufio.NewScanner(f.inR)
			if in.Scan() {
				hello := wireHello{Hello: 1, Name: "fake"}
				if window > 0 {
					hello.Window = &window
				}
				json.NewEncoder(f.outW).Encode(hello)
				script(f, in)
			}
		}()
		return f, nil
	}
}

// asked is a request as a script sees it.
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

// instead answers with what say returns.
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

func TestLost(t *testing.T) {
	for _, test := range []struct {
		name     string
		scripts  []func(*fake, *bufio.Scanner)
		restarts int // MaxRestarts
		asks     int
		want     string // the reason
		lastGood int    // how many of the asks get their answer
	}{
		{
			name: "no answer", asks: 5, want: "3 starts in a row gave no answer; at last the adapter ended (fake status)",
			scripts: []func(*fake, *bufio.Scanner){quit},
		}, {
			name: "dies at everything", asks: 5, want: "3 starts in a row gave no answer",
			scripts: []func(*fake, *bufio.Scanner){func(_ *fake, in *bufio.Scanner) { in.Scan() }},
		}, {
			name: "hangs at everything", asks: 5, want: "gave no answer for 5s",
			scripts: []func(*fake, *bufio.Scanner){func(f *fake, _ *bufio.Scanner) { <-f.killed }},
		}, {
			name: "one answer, then quit", asks: 8, restarts: 5, want: "it was started again 5 times", lastGood: 6,
			scripts: []func(*fake, *bufio.Scanner){func(f *fake, in *bufio.Scanner) {
				in.Scan()
				io.WriteString(f.outW, parse(in.Bytes()).allow())
			}},
		}, {
			name: "twice", asks: 30, want: "it broke the protocol more than 20 times; at last the adapter answered a request twice", lastGood: 21,
			scripts: []func(*fake, *bufio.Scanner){instead(func(_ *fake, a asked) string { return a.allow() + a.allow() })},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := start(t, Options{Launch: launches(1, test.scripts...), MaxRestarts: test.restarts})
				defer c.Close()
				good := 0
				var last spec.Answer
				for i := range test.asks {
					last = one(c, "http://x.test/")
					synctest.Wait()
					if last.Verdict == spec.Allow {
						if good++; good != i+1 {
							t.Errorf("answer %d is good, the one before was not", i)
						}
					}
				}
				if good != test.lastGood {
					t.Errorf("%d good answers, want %d", good, test.lastGood)
				}
				err := c.Err()
				if !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), test.want) {
					t.Fatalf("Err is %v, want ErrLost with %q", err, test.want)
				}
				if diff := cmp.Diff(spec.Answer{Verdict: spec.ProtocolError, Detail: err.Error()}, last); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// Many culprits in a row do not make a lost adapter: the canary tells.
func TestManyCulprits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		crash := func(f *fake, in *bufio.Scanner) {
			for in.Scan() {
				a := parse(in.Bytes())
				if strings.Contains(a.URL, "bad") {
					return
				}
				io.WriteString(f.outW, a.allow())
			}
		}
		c := start(t, Options{Launch: launches(8, crash)})
		defer c.Close()
		for i := range 20 {
			if a := one(c, "http://x.test/bad"); a.Verdict != spec.Crash {
				t.Fatalf("%d: %v", i, a)
			}
		}
		if a := one(c, "http://x.test/"); a != (spec.Answer{Verdict: spec.Allow}) {
			t.Error(a)
		}
		if n := c.FaultCount(); n != 20 {
			t.Errorf("%d faults, want one for each crash", n)
		}
	})
}

// An answer starts the time anew: a slow adapter is no hanging one.
func TestTimeoutIsSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := instead(func(_ *fake, a asked) string {
			time.Sleep(4 * time.Second)
			return a.allow()
		})
		c := start(t, Options{Launch: launches(16, slow), Timeout: 5 * time.Second})
		defer c.Close()
		begin := time.Now()
		match(t, make10(spec.Answer{Verdict: spec.Allow}), askEach(c, make([]spec.Probe, 10)))
		if took := time.Since(begin); took != 40*time.Second {
			t.Errorf("took %v", took)
		}
		want := Stats{Queries: 10, Requests: 10, Busy: 40 * time.Second}
		if diff := cmp.Diff(want, c.Stats()); diff != "" || c.Faults() != nil {
			t.Errorf("stats (-want +got):\n%s faults: %v", diff, c.Faults())
		}
	})
}

func make10(a spec.Answer) []spec.Answer {
	all := make([]spec.Answer, 10)
	for i := range all {
		all[i] = a
	}
	return all
}

// A hang is found after Timeout, and confirmed after another.
func TestHangTakesTwoTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := instead(func(f *fake, a asked) string {
			if strings.Contains(a.URL, "bad") {
				<-f.killed
			}
			return a.allow()
		})
		c := start(t, Options{Launch: launches(16, hang), Timeout: 3 * time.Second})
		defer c.Close()
		begin := time.Now()
		if a := one(c, "bad"); a.Verdict != spec.Timeout {
			t.Error(a)
		}
		if took := time.Since(begin); took != 6*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(f *fake, in *bufio.Scanner) {
			for in.Scan() {
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
		if n := c.Stats().Requests; n != 3 { // 3 was never sent
			t.Errorf("%d requests sent", n)
		}
	})
}

// After an interrupted Ask the answers are the caller's.
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

// A suspect that dies where others were asked before may be innocent.
func TestDiesAtSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Options{Launch: launches(4, func(f *fake, in *bufio.Scanner) {
			in.Scan()
			io.WriteString(f.outW, parse(in.Bytes()).allow())
			in.Scan()
		})})
		defer c.Close()
		match(t, make10(spec.Answer{Verdict: spec.Allow}), askEach(c, make([]spec.Probe, 10)))
	})
}

// A second answer to the canary says nothing against the suspect after it.
func TestStrayIsNobodysFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Options{Launch: launches(2,
			func(_ *fake, in *bufio.Scanner) { in.Scan(); in.Scan() },
			func(_ *fake, in *bufio.Scanner) { in.Scan() },
			func(f *fake, in *bufio.Scanner) {
				in.Scan()
				canary := parse(in.Bytes())
				io.WriteString(f.outW, canary.allow())
				in.Scan()
				io.WriteString(f.outW, canary.allow())
				<-f.killed
			},
			good)})
		defer c.Close()
		got := c.Ask(t.Context(), nil, []spec.Probe{{Agent: "A"}, {Agent: "B"}})
		if diff := cmp.Diff([]spec.Verdict{spec.Crash, spec.Allow}, verdicts(got)); diff != "" {
			t.Error(diff)
		}
	})
}

// Suspects are asked in their order, but first the one that the fault names.
func TestOrderOfSuspects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		c := start(t, Options{Launch: launches(8,
			func(f *fake, in *bufio.Scanner) {
				var ids []int64
				for len(ids) < 8 && in.Scan() {
					ids = append(ids, parse(in.Bytes()).ID)
				}
				fmt.Fprintf(f.outW, `{"id":%d}`+"\n", ids[5])
			},
			instead(func(_ *fake, a asked) string {
				order = append(order, a.URL)
				return a.allow()
			}))})
		defer c.Close()
		var probes []spec.Probe
		for i := range 9 { // an agent each: a request each
			probes = append(probes, spec.Probe{Agent: fmt.Sprint(i), URL: fmt.Sprint(i)})
		}
		c.Ask(t.Context(), nil, probes)
		if diff := cmp.Diff("5 0 1 2 3 4 6 7 8", strings.Join(order, " ")); diff != "" {
			t.Error(diff)
		}
	})
}

// Close answers what is being asked, in every state of the client.
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

// Close in the middle of a start ends the start.
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
		first := true
		c := start(t, Options{Launch: func(ctx context.Context) (Transport, error) {
			if first {
				first = false
				return launches(1, quit)(ctx)
			}
			time.Sleep(time.Second)
			return launches(1, good)(ctx)
		}})
		answers := make(chan spec.Answer)
		go func() { answers <- one(c, "") }()
		synctest.Wait()
		c.d.post(func() {
			time.Sleep(2 * time.Second) // the start is reported meanwhile
			c.d.close()
		})
		if a := <-answers; a != tooLate {
			t.Errorf("got %v", a)
		}
		c.Close()
	})
}

// The adapter may be another one after a restart; that is not the subject.
func TestOtherHello(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one1, one2 := launches(1, quit), launches(2, good)
		first := true
		c := start(t, Options{Launch: func(ctx context.Context) (Transport, error) {
			if first {
				first = false
				return one1(ctx)
			}
			return one2(ctx)
		}})
		defer c.Close()
		one(c, "")
		if err := c.Err(); !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "one command, one subject") {
			t.Error(err)
		}
	})
}

// Answers to what was not read yet must not stop the dispatcher.
func TestAnswersUnasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ahead := func(f *fake, in *bufio.Scanner) {
			if !in.Scan() {
				return
			}
			for id := parse(in.Bytes()).ID; ; id++ {
				time.Sleep(time.Millisecond) // for the next question to be asked
				if _, err := fmt.Fprintf(f.outW, `{"id":%d,"allow":true}`+"\n", id); err != nil {
					return
				}
			}
		}
		c := start(t, Options{Launch: launches(2, ahead)})
		defer c.Close()
		for range 2000 {
			if a := askEach(c, make([]spec.Probe, 2)); a[0].Verdict == "" || a[1].Verdict == "" {
				t.Fatal(a)
			}
		}
	})
}

// What a killed adapter still says is heard by nobody.
func TestLateAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := func(f *fake, in *bufio.Scanner) {
			in.Scan()
			<-f.killed
			for id := range 10 {
				fmt.Fprintf(f.outW, `{"id":%d,"allow":false}`+"\n", id)
			}
		}
		c := start(t, Options{Launch: launches(4, late, good)})
		defer c.Close()
		match(t, make10(spec.Answer{Verdict: spec.Allow}), askEach(c, make([]spec.Probe, 10)))
		if n := c.FaultCount(); n != 1 {
			t.Errorf("faults: %v", c.Faults())
		}
	})
}

// A request that fails together but not URL by URL has no guilty URL.
func TestOnlyTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Options{Launch: launches(4, instead(func(_ *fake, a asked) string { return a.allow() }))})
		defer c.Close()
		match(t, make10(spec.Answer{Verdict: spec.Allow}), c.Ask(t.Context(), nil, make([]spec.Probe, 10)))
		if f := strings.Join(c.Faults(), ""); !strings.Contains(f, "urls with allows") {
			t.Error(f)
		}
	})
}

func TestOutcomes(t *testing.T) {
	const answer = `{"id":%d,"allows":[true,{"reject":"r"},{"unsupported":"u"},{"error":"e"},false,{"allow":false}],` +
		`"lines":[1,0,0,0,5,6],"patterns":["/","","","","/x",""],"ns":1500,"later":[{}]}` + "\n"
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Options{Launch: launches(4, instead(func(_ *fake, a asked) string {
			switch a.URL {
			case "":
				return fmt.Sprintf(answer, a.ID)
			default:
				return fmt.Sprintf(`{"id":%d,%s}`+"\n", a.ID, a.URL)
			}
		}))})
		defer c.Close()
		want := []spec.Answer{
			{Verdict: spec.Allow, Line: 1, Pattern: "/"},
			{Verdict: spec.Reject, Detail: "r"},
			{Verdict: spec.Unsupported, Detail: "u"},
			{Verdict: spec.Crash, Detail: "e"},
			{Verdict: spec.Disallow, Line: 5, Pattern: "/x"},
			{Verdict: spec.Disallow, Line: 6},
		}
		if diff := cmp.Diff(want, c.Ask(t.Context(), nil, make([]spec.Probe, 6))); diff != "" {
			t.Error(diff)
		}
		for say, want := range map[string]spec.Answer{
			`"allow":false,"line":2,"pattern":"/a"`: {Verdict: spec.Disallow, Line: 2, Pattern: "/a"},
			`"reject":""`:                           {Verdict: spec.Reject},
			`"error":"KeyError: 'x'"`:               {Verdict: spec.Crash, Detail: "KeyError: 'x'"},
		} {
			if diff := cmp.Diff(want, one(c, say)); diff != "" {
				t.Errorf("%s: %s", say, diff)
			}
		}
		if diff := cmp.Diff(Stats{Queries: 9, Requests: 4, Library: 1500}, c.Stats()); diff != "" {
			t.Error(diff)
		}
	})
}

// The window is kept: never more in flight, and always as many as there are.
func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		most := 0
		hold := func(f *fake, in *bufio.Scanner) {
			lines := make(chan asked)
			go func() {
				defer close(lines)
				for in.Scan() {
					lines <- parse(in.Bytes())
				}
			}()
			for a := range lines {
				held := []asked{a}
				for full := false; !full; {
					select {
					case a, ok := <-lines:
						if full = !ok; ok {
							held = append(held, a)
						}
					case <-time.After(time.Second):
						full = true
					}
				}
				most = max(most, len(held))
				for _, a := range held {
					io.WriteString(f.outW, a.allow())
				}
			}
		}
		c := start(t, Options{Launch: launches(7, hold)})
		defer c.Close()
		if c.Parallel() != 7 {
			t.Errorf("Parallel is %d", c.Parallel())
		}
		begin := time.Now()
		askEach(c, make([]spec.Probe, 21))
		if took := time.Since(begin); most != 7 || took != 3*time.Second {
			t.Errorf("%d at once, took %v; want 7, 3 s", most, took)
		}
	})
}
