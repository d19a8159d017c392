package process

import (
	"bufio"
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

// sleeper answers after as many seconds as the URL says for this start.
func sleeper(seconds func(url string) time.Duration) func(*fake, *bufio.Scanner) {
	return func(f *fake, in *bufio.Scanner) {
		for in.Scan() {
			a := parse(in.Bytes())
			select {
			case <-time.After(seconds(a.URL) * time.Second):
				io.WriteString(f.outW, a.allow())
			case <-f.killed:
				return
			}
		}
	}
}

// An answer that is late the first time but comes the second time is not a
// failure: it is marked slow.
func TestSlowIsNoTimeout(t *testing.T) {
	for _, tt := range []struct {
		name   string
		window int
		first  func(url string) time.Duration // how long each URL takes the first time
		second func(url string) time.Duration // and from then on
		urls   []string
		want   []spec.Answer
	}{
		{
			name: "late once, and quick the second time", window: 1,
			first: func(string) time.Duration { return 9 }, second: func(string) time.Duration { return 0 },
			urls: []string{"a"}, want: []spec.Answer{{Verdict: spec.Allow, Slow: true}},
		}, {
			name: "always late, but within the longer limit", window: 1,
			first: func(string) time.Duration { return 7 }, second: func(string) time.Duration { return 7 },
			urls: []string{"a"}, want: []spec.Answer{{Verdict: spec.Allow, Slow: true}},
		}, {
			name: "one of several in flight, the others are quick", window: 4,
			first: func(url string) time.Duration { return map[string]time.Duration{"b": 7}[url] }, second: func(url string) time.Duration { return map[string]time.Duration{"b": 7}[url] },
			urls: []string{"a", "b", "c"}, want: []spec.Answer{{Verdict: spec.Allow}, {Verdict: spec.Allow, Slow: true}, {Verdict: spec.Allow}},
		}, {
			name: "beyond the longer limit", window: 1,
			first: func(string) time.Duration { return 11 }, second: func(string) time.Duration { return 11 },
			urls: []string{"a"}, want: []spec.Answer{{Verdict: spec.Timeout, Detail: "no answer for 5s, nor for 10s when the query was sent again, alone"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := start(t, Options{Timeout: 5 * time.Second, Launch: launches(tt.window, sleeper(tt.first), sleeper(tt.second))})
				defer c.Close()
				var probes []spec.Probe
				for _, url := range tt.urls { // one agent each: one request each
					probes = append(probes, spec.Probe{Agent: url, URL: url})
				}
				match(t, tt.want, c.Ask(t.Context(), nil, probes))
			})
		})
	}
}

// The hint to flush is not shown for an adapter that has answered before.
func TestHintOfFlush(t *testing.T) {
	hangsOn := func(url string) time.Duration {
		if url == "bad" {
			return 1000
		}
		return 0
	}
	for _, answersBefore := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			c := start(t, Options{Launch: launches(1, sleeper(hangsOn))})
			defer c.Close()
			for range answersBefore {
				one(c, "good")
			}
			if a, want := one(c, "bad"), answersBefore == 0; strings.Contains(a.Detail, "flush") != want {
				t.Errorf("after %d answers: %s", answersBefore, a.Detail)
			}
		})
	}
}

// An adapter that dies or hangs again and again is given up soon; one that
// answers many queries in between is not.
func TestStartsAreEarned(t *testing.T) {
	dies := func(every int) func(*fake, *bufio.Scanner) {
		return func(f *fake, in *bufio.Scanner) {
			for n := 1; in.Scan(); n++ {
				if n%every == 0 {
					return
				}
				io.WriteString(f.outW, parse(in.Bytes()).allow())
			}
		}
	}
	hangs := func(every int) func(*fake, *bufio.Scanner) {
		return func(f *fake, in *bufio.Scanner) {
			for n := 1; in.Scan(); n++ {
				if n%every == 0 {
					<-f.killed
					return
				}
				io.WriteString(f.outW, parse(in.Bytes()).allow())
			}
		}
	}
	for _, tt := range []struct {
		name   string
		script func(*fake, *bufio.Scanner)
		lost   bool
	}{
		{"dies at every 21st query", dies(21), false},
		{"dies at every third query", dies(3), true},
		{"hangs at every 11th query", hangs(11), true},
		{"hangs at every 51st query", hangs(51), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := start(t, Options{Launch: launches(1, tt.script)})
				defer c.Close()
				for range 2000 {
					one(c, "http://x.test/")
				}
				if lost := errors.Is(c.Err(), ErrLost); lost != tt.lost {
					t.Errorf("after %d starts: lost is %v, want %v: %v", c.Stats().Restarts, lost, tt.lost, c.Err())
				}
				if n := c.Stats().Restarts; tt.lost && n > 200 {
					t.Errorf("it was started again %d times before it was given up", n)
				}
			})
		})
	}
}

// A parser that dies on some files is not lost, even if it dies on many of their
// URLs.
func TestDiesOfSomeFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Options{Launch: launches(1, func(f *fake, in *bufio.Scanner) {
			for in.Scan() {
				var a struct {
					ID   int64
					URL  string
					URLs []string
				}
				if err := json.Unmarshal(in.Bytes(), &a); err != nil {
					panic(err)
				}
				switch {
				case strings.Contains(in.Text(), "bad"):
					return
				case a.URLs == nil:
					io.WriteString(f.outW, asked{ID: a.ID}.allow())
				default:
					fmt.Fprintf(f.outW, `{"id":%d,"allows":[%s]}`+"\n", a.ID, strings.TrimSuffix(strings.Repeat("true,", len(a.URLs)), ","))
				}
			}
		})})
		defer c.Close()
		for n := range 100 {
			probes := make([]spec.Probe, 40)
			if n%2 == 0 {
				for i := range probes {
					probes[i].URL = "bad"
				}
			}
			c.Ask(t.Context(), nil, probes)
		}
		if err := c.Err(); err != nil {
			t.Errorf("after %d starts: %v", c.Stats().Restarts, err)
		}
	})
}

// Ten crashes are enough for one file: the other queries about it are not sent.
func TestCrashesOfOneFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		starts := 0
		c := start(t, Options{Launch: launches(256, func(_ *fake, in *bufio.Scanner) { starts++; in.Scan() })})
		defer c.Close()
		c.do(func() { c.credit.Earn(1000); c.barren = -1000 })
		answers := c.Ask(t.Context(), nil, make([]spec.Probe, 40))
		for i, a := range answers {
			if asked := i < 10; a.Verdict != spec.Crash || strings.Contains(a.Detail, "was not sent, after 10 other queries about this file that ended in crash") == asked {
				t.Errorf("query %d: %+v", i, a)
			}
		}
		if starts > 13 {
			t.Errorf("%d starts for one file", starts)
		}
	})
}

func TestEnvironment(t *testing.T) {
	t.Setenv("PATH", "/bin")
	t.Setenv("LC_ALL", "C")
	for _, secret := range []string{"AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "MY_SETTING", "MY_OTHER", "YOUR_SETTING", "PATHS"} {
		t.Setenv(secret, "secret")
	}
	of := func(env []string) map[string]bool {
		has := map[string]bool{}
		for _, v := range env {
			name, _, _ := strings.Cut(v, "=")
			has[name] = true
		}
		for _, name := range []string{"PATH", "LC_ALL"} {
			if !has[name] {
				t.Errorf("%s is not passed", name)
			}
			delete(has, name)
		}
		for name := range has {
			if !strings.Contains(name, "SETTING") && !strings.Contains(name, "OTHER") && !strings.Contains(name, "TOKEN") && !strings.Contains(name, "SECRET") && name != "PATHS" {
				delete(has, name)
			}
		}
		return has
	}
	for _, tt := range []struct {
		extra []string
		want  map[string]bool
	}{
		{nil, map[string]bool{}},
		{[]string{"MY_SETTING"}, map[string]bool{"MY_SETTING": true}},
		{[]string{"MY_*"}, map[string]bool{"MY_SETTING": true, "MY_OTHER": true}},
		{[]string{"NEW_SETTING=1"}, map[string]bool{"NEW_SETTING": true}},
	} {
		if diff := cmp.Diff(tt.want, of(Environment(tt.extra...))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.extra, diff)
		}
	}
}
