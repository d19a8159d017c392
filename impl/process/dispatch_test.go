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

// An adapter without a window in its hello gets requests in lock-step.
func TestLockStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Options{Launch: launches(0, instead(func(_ *fake, a asked) string {
			time.Sleep(time.Second)
			return a.allow()
		}))})
		defer c.Close()
		begin := time.Now()
		match(t, make10(spec.Answer{Verdict: spec.Allow}), askEach(c, make([]spec.Probe, 10)))
		if took := time.Since(begin); took != 10*time.Second {
			t.Errorf("took %v", took)
		}
		if diff := cmp.Diff(Stats{Queries: 10}, c.Stats()); diff != "" || c.Parallel() != 1 {
			t.Errorf("Parallel %d, stats:\n%s", c.Parallel(), diff)
		}
	})
}

func TestLost(t *testing.T) {
	for _, test := range []struct {
		name     string
		scripts  []func(*fake, *bufio.Scanner)
		asks     int
		want     string // the reason
		lastGood int    // how many calls get their answer
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
			// 20 starts and one more for every five answers.
			name: "one answer, then quit", asks: 30, want: "it was started again 25 times and answered too little in between", lastGood: 26,
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
				c := start(t, Options{Launch: launches(1, test.scripts...)})
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

// Many culprits in a row do not make a lost adapter: the canary shows that it can
// answer.
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
		for range 400 { // these earn the starts
			one(c, "http://x.test/")
		}
		for i := range mostFaults - 1 {
			if a := one(c, "http://x.test/bad"); a.Verdict != spec.Crash {
				t.Fatalf("%d: %v", i, a)
			}
		}
		if a := one(c, "http://x.test/"); a != (spec.Answer{Verdict: spec.Allow}) {
			t.Error(a)
		}
		if n := len(c.Stats().Faults); n != mostFaults-1 {
			t.Errorf("%d faults, want one for each crash", n)
		}
	})
}

// An answer restarts the clock: a slow adapter has not hung.
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
		if diff := cmp.Diff(Stats{Queries: 10}, c.Stats()); diff != "" {
			t.Errorf("stats (-want +got):\n%s", diff)
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

// Three timeouts are enough for one file: a fourth query is not sent, and the
// earlier ones keep their answers.
func TestHangsOfOneFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(f *fake, in *bufio.Scanner) {
			for in.Scan() {
				var a struct {
					ID   int64
					URL  string
					URLs []string
				}
				if err := json.Unmarshal(in.Bytes(), &a); err != nil {
					panic(err)
				}
				if a.URLs != nil || strings.HasPrefix(a.URL, "bad") {
					<-f.killed
					return
				}
				io.WriteString(f.outW, asked{ID: a.ID}.allow())
			}
		}
		c := start(t, Options{Launch: launches(16, hang), Timeout: 3 * time.Second})
		began := time.Now()
		var probes []spec.Probe
		for _, url := range []string{"bad1", "good", "bad2", "bad3", "bad4", "bad5"} {
			probes = append(probes, spec.Probe{Agent: "FooBot", URL: url})
		}
		answers := c.Ask(t.Context(), nil, probes)
		want := []spec.Verdict{spec.Timeout, spec.Allow, spec.Timeout, spec.Timeout, spec.Timeout, spec.Timeout}
		if diff := cmp.Diff(want, verdicts(answers)); diff != "" {
			t.Error(diff)
		}
		for i, a := range answers {
			if asked := i < 4; strings.Contains(a.Detail, "was not sent") == asked {
				t.Errorf("%s: %s", probes[i].URL, a.Detail)
			}
		}
		// The whole request; then twice as long for each of the three, and a
		// further time for bad2, since its process had answered before.
		if took := time.Since(began); took != 27*time.Second {
			t.Errorf("it took %v, want one timeout of 3s and four of 6s", took)
		}
		c.Close()
	})
}

// A hang is found after Timeout, and confirmed after twice that.
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
		want := spec.Answer{Verdict: spec.Timeout, Detail: "the adapter gave no answer for 3s, nor for 6s when the query was sent again, alone — if it does print one, flush stdout after it"}
		if diff := cmp.Diff(want, one(c, "bad")); diff != "" {
			t.Error(diff)
		}
		if took := time.Since(begin); took != 9*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// A suspect on which a process dies that has answered other queries may be
// innocent.
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

// A second answer to the canary is no evidence against the suspect sent after it.
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

// Suspects are sent in their order, but the one that the fault names comes first.
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
		for i := range 9 { // one agent each: one request each
			probes = append(probes, spec.Probe{Agent: fmt.Sprint(i), URL: fmt.Sprint(i)})
		}
		c.Ask(t.Context(), nil, probes)
		if diff := cmp.Diff("5 0 1 2 3 4 6 7 8", strings.Join(order, " ")); diff != "" {
			t.Error(diff)
		}
	})
}

// After a restart the adapter may be a different program; that is not the
// subject.
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

// Answers to requests that the adapter has not read must not stop the client.
func TestAnswersUnasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ahead := func(f *fake, in *bufio.Scanner) {
			if !in.Scan() {
				return
			}
			for id := parse(in.Bytes()).ID; ; id++ {
				time.Sleep(time.Millisecond) // until the next query is sent
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

// Lines that a killed adapter still writes are ignored.
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
		if n := len(c.Stats().Faults); n != 1 {
			t.Errorf("faults: %v", c.Stats().Faults)
		}
	})
}

// If a request fails as a whole but none of its URLs fails alone, no URL is
// guilty.
func TestOnlyTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Options{Launch: launches(4, instead(func(_ *fake, a asked) string { return a.allow() }))})
		defer c.Close()
		match(t, make10(spec.Answer{Verdict: spec.Allow}), c.Ask(t.Context(), nil, make([]spec.Probe, 10)))
		if f := strings.Join(c.Stats().Faults, ""); !strings.Contains(f, "urls with allows") {
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
		if diff := cmp.Diff(Stats{Queries: 9, Library: 1500}, c.Stats()); diff != "" {
			t.Error(diff)
		}
	})
}

// The client respects the window: never more requests in flight, and always as
// many as are available.
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
