package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

// questions returns ten probes; bad marks those that the adapter fails on.
func questions(bad ...int) []spec.Probe {
	probes := make([]spec.Probe, 10)
	for i := range probes {
		probes[i] = spec.Probe{Agent: "FooBot", URL: fmt.Sprintf("http://x.test/%s/%d", [2]string{"yes", "no"}[i%2], i)}
	}
	for _, i := range bad {
		probes[i].URL += "/bad"
	}
	return probes
}

// want returns the expected answers to probes, with those of the culprits. A
// culprit's Detail is a part of the expected one; match replaces the longer one
// by it.
func want(probes []spec.Probe, culprit spec.Answer) []spec.Answer {
	answers := oracle{}.Ask(context.Background(), nil, probes)
	for i, p := range probes {
		if culprit.Verdict != "" && strings.Contains(p.URL, "bad") {
			answers[i] = culprit
		}
	}
	return answers
}

func match(t *testing.T, want, got []spec.Answer) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		if want[i].Detail != "" && strings.Contains(got[i].Detail, want[i].Detail) {
			got[i].Detail = want[i].Detail
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// askEach puts each probe in a call of its own, all at once.
func askEach(c *Client, probes []spec.Probe) []spec.Answer {
	answers := make([]spec.Answer, len(probes))
	var wg sync.WaitGroup
	for i, p := range probes {
		wg.Go(func() { answers[i] = c.Ask(context.Background(), nil, []spec.Probe{p})[0] })
	}
	wg.Wait()
	return answers
}

// TestFaults runs every kind of faulty adapter that does not hang, in lock-step
// and pipelined, with URLs in requests of their own and together. Only the
// culprits are marked, all other queries get their correct answers, and the
// client is usable afterwards.
func TestFaults(t *testing.T) {
	garbage := spec.Answer{Verdict: spec.ProtocolError, Detail: "stdout carries answers only"}
	for _, test := range []struct {
		mode    string
		culprit spec.Answer // for the bad URLs; zero: their correct answers
		fault   string      // in Faults; empty: there are none
	}{
		{mode: "serve"},
		{mode: "slow start"},
		{mode: "out of order"},
		{mode: "stderr"},
		{mode: "ignore end"},
		{mode: "crash", culprit: spec.Answer{Verdict: spec.Crash, Detail: "stderr ends:\nTraceback: boom"}, fault: "ended (exit status 7)"},
		{mode: "crash group", culprit: spec.Answer{Verdict: spec.Crash, Detail: "ended (exit status 7)"}, fault: "ended (exit status 7)"},
		{mode: "close stdout", culprit: spec.Answer{Verdict: spec.Crash, Detail: "closed its stdout and kept running"}, fault: "closed its stdout"},
		{mode: "garbage", culprit: garbage, fault: `not a JSON object: "hello"`},
		{mode: "no object", culprit: garbage, fault: `not a JSON object: "[true]"`},
		{mode: "endless line", culprit: spec.Answer{Verdict: spec.ProtocolError, Detail: "a line longer than 1000000 octets"}, fault: "a line longer than"},
		{mode: "endless lines", culprit: spec.Answer{Verdict: spec.ProtocolError, Detail: "without an id"}, fault: "without an id"},
		{mode: "endless answers", fault: "answered a request twice"},
		{mode: "twice", fault: "answered a request twice"},
		{mode: "unknown id", culprit: spec.Answer{Verdict: spec.ProtocolError, Detail: "which no request has"}, fault: "which no request has"},
		{mode: "no id", culprit: spec.Answer{Verdict: spec.ProtocolError, Detail: "without an id"}, fault: "without an id"},
		{mode: "wrong number", culprit: spec.Answer{Verdict: spec.ProtocolError, Detail: "for one url with allows"}, fault: "allows"},
		{mode: "no verdict", culprit: spec.Answer{Verdict: spec.ProtocolError, Detail: "sent no verdict"}, fault: "sent no verdict"},
		{mode: "wrong type", culprit: spec.Answer{Verdict: spec.ProtocolError, Detail: "of the wrong type"}, fault: "of the wrong type"},
	} {
		for _, window := range []int{1, 4} {
			t.Run(fmt.Sprintf("%s/%d", test.mode, window), func(t *testing.T) {
				t.Parallel()
				life, _ := lifelines(t)
				opts := self(t, test.mode, window, life)
				opts.Timeout, opts.MaxLine = time.Hour, 1_000_000 // none of these hangs
				bad := []int{3, 4}
				if test.mode == "close stdout" { // takes exitGrace each time
					bad = bad[:1]
				}
				c, err := Start(t.Context(), opts)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				probes := questions(bad...)
				match(t, want(probes, test.culprit), askEach(c, probes))
				match(t, want(probes, test.culprit), c.Ask(t.Context(), nil, probes))
				good := questions()
				match(t, want(good, spec.Answer{}), c.Ask(t.Context(), nil, good))

				if err := c.Err(); err != nil {
					t.Errorf("lost: %v", err)
				}
				faults := strings.Join(c.Stats().Faults, "\n")
				if (test.fault == "") != (faults == "") || !strings.Contains(faults, test.fault) {
					t.Errorf("faults are %q, want one with %q", faults, test.fault)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				if faults := strings.Join(c.Stats().Faults, "\n"); test.mode == "ignore end" && !strings.Contains(faults, "exit at the end of stdin") {
					t.Errorf("faults are %q after Close, want one about the end of stdin", faults)
				}
			})
		}
	}
}

func TestStartErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mode string
		want []string
	}{
		{"exit before hello", []string{"ended (exit status 3) before its hello", "start it by hand", "stderr ends:\nno such module"}},
		{"garbage before hello", []string{`not a JSON object: "Loading…"`, "stdout carries answers only"}},
		{"no hello", []string{"sent no hello within 300ms", "flush stdout"}},
	} {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			opts := self(t, test.mode, 1)
			opts.StartTimeout = 10 * time.Second
			if test.mode == "no hello" {
				opts.StartTimeout = 300 * time.Millisecond
			}
			_, err := Start(t.Context(), opts)
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range append(test.want, "adapter "+opts.Command[0]) {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error is %q, want %q in it", err, part)
				}
			}
		})
	}
	_, err := Start(t.Context(), Options{Command: []string{"no-such-program-here"}})
	if err == nil || !strings.Contains(err.Error(), "adapter no-such-program-here cannot be started") {
		t.Errorf("error is %v", err)
	}
	_, err = Start(t.Context(), Options{})
	if err == nil || !strings.Contains(err.Error(), "no command given") {
		t.Errorf("error is %v", err)
	}
}

// TestKillGroup checks that the processes of a hanging adapter die with it.
func TestKillGroup(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no process groups here")
	}
	life, conns := lifelines(t)
	opts := self(t, "hang group", 1, life)
	opts.Timeout = time.Hour
	c, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	answers := make(chan []spec.Answer)
	go func() { answers <- c.Ask(ctx, nil, []spec.Probe{{Agent: "FooBot", URL: "http://x.test/bad"}}) }()
	conn := <-conns // the grandchild is alive
	cancel()
	<-answers
	c.Close()
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := conn.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the grandchild lives after Close")
	}
}

// With one answer too few or too many a request counts as unanswered, also if the
// number of URLs is not 1.
func TestWrongNumber(t *testing.T) {
	t.Parallel()
	for _, allows := range []string{"[]", "[true,true]", "[true,true,true,true]"} {
		t.Run(allows, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := start(t, Options{Launch: launches(1, func(f *fake, in *bufio.Scanner) {
					for in.Scan() {
						id := parse(in.Bytes()).ID
						if strings.Contains(in.Text(), `"urls"`) {
							fmt.Fprintf(f.outW, `{"id":%d,"allows":%s}`+"\n", id, allows)
						} else {
							fmt.Fprintf(f.outW, `{"id":%d,"allow":true}`+"\n", id)
						}
					}
				})})
				defer c.Close()
				got := c.Ask(t.Context(), nil, make([]spec.Probe, 3))
				if diff := cmp.Diff([]spec.Verdict{spec.Allow, spec.Allow, spec.Allow}, verdicts(got)); diff != "" {
					t.Error(diff) // alone, each gets its answer
				}
				if faults := strings.Join(c.Stats().Faults, ""); !strings.Contains(faults, "allows for 3 urls") {
					t.Errorf("the faults are %q, want one about the number of allows", faults)
				}
			})
		})
	}
}

// TestNoLeak starts and closes clients in all states. It is not parallel, so that
// all processes and goroutines it sees are its own.
func TestNoLeak(t *testing.T) {
	for _, mode := range []string{"serve", "ignore end", "hang", "crash"} {
		opts := self(t, mode, 4)
		opts.Timeout = time.Minute
		c, err := Start(t.Context(), opts)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		c.Ask(ctx, nil, questions(2))
		cancel()
		c.Close()
	}
	deadline := time.Now().Add(time.Minute)
	for {
		buf := make([]byte, 1<<20)
		stacks := string(buf[:runtime.Stack(buf, true)])
		var left []string
		for _, s := range strings.Split(stacks, "\n\n") {
			if strings.Contains(s, "impl/process.") && !strings.Contains(s, "testing.tRunner") && !strings.Contains(s, "TestMain") {
				left = append(left, s)
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("goroutines after Close:\n%s", strings.Join(left, "\n\n"))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestOctets(t *testing.T) {
	t.Parallel()
	c, err := Start(t.Context(), self(t, "serve", 0))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, robots := range []string{"echo", "echo\x00\r\n\t\v\x1b\x7f", "echo\xff\xfe\x00", "echo\ufeff\u2028\u2029\ufffd", "echo\xed\xa0\x80", "echo<&>\"\\", "echo\U0001F600"} {
		probes := []spec.Probe{
			{Agent: "", URL: ""},
			{Agent: "a\x00b", URL: "http://x.test/\x00"},
			{Agent: "a\xffb", URL: "http://x.test/\xff"},
			{Agent: "a\xffb", URL: "http://x.test/\u2028"},
			{Agent: "a\xffb", URL: "http://x.test/\xfe"},
			{Agent: "a\x00b", URL: "http://x.test/\xc3\xa9"},
		}
		want := oracle{}.Ask(t.Context(), []byte(robots), probes)
		if diff := cmp.Diff(want, c.Ask(t.Context(), []byte(robots), probes)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", robots, diff)
		}
	}
	if f := c.Stats().Faults; f != nil {
		t.Error(f)
	}
}

// TestLarge sends more than any pipe holds in both directions: with one goroutine
// for both it would deadlock.
func TestLarge(t *testing.T) {
	t.Parallel()
	c, err := Start(t.Context(), self(t, "serve", 0))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	robots := []byte(strings.Repeat("Disallow: /a\n", 10_000))
	var probes []spec.Probe
	for i := range 2000 {
		probes = append(probes, spec.Probe{Agent: fmt.Sprint("Bot", i%3), URL: fmt.Sprint("http://x.test/no", i)})
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got := c.Ask(context.Background(), robots, probes)
			match(t, want(probes, spec.Answer{}), got)
		})
	}
	wg.Wait()
}
