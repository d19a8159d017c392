package process

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// problems returns the problems by the name of their check, and fails if the
// results differ from those that tell got.
func problems(t *testing.T, opts Options) map[string]string {
	t.Helper()
	var told []Checkup
	all := Examine(t.Context(), opts, func(c Checkup) { told = append(told, c) })
	if diff := cmp.Diff(told, all); diff != "" || len(all) != len(checks()) {
		t.Errorf("%d of %d checks, told (-) and returned (+) differ:\n%s", len(all), len(checks()), diff)
	}
	found := map[string]string{}
	for _, c := range all {
		if c.Problem != "" {
			found[c.Name] = c.Problem
		}
		if c.Problem != "" && c.Skipped != "" {
			t.Errorf("%s is skipped and has a problem: %+v", c.Name, c)
		}
	}
	return found
}

// TestExamine gives the adapter one fault after the other. The check with the
// name of the fault must find it, and no other check may fail.
func TestExamine(t *testing.T) {
	t.Parallel()
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				opts := acting(playing(c.name))
				for _, result := range Examine(t.Context(), opts, nil) {
					switch {
					case result.Name != c.name:
						if result.Problem != "" {
							t.Errorf("%s: %s", result.Name, result.Problem)
						}
					case !strings.HasPrefix(result.Problem, "the adapter ") || !strings.Contains(result.Problem, " — "):
						t.Errorf("the problem is %q, want one that says how to fix it", result.Problem)
					default:
						if want := hints[c.name]["python"]; result.Hint != want && c.name != "hello" {
							t.Errorf("the hint is %q, want %q", result.Hint, want)
						}
					}
				}
			})
		})
	}
}

// If a check fails, those that need it are skipped, and so are those that need a
// skipped one.
func TestExamineSkips(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		skipped := map[string]string{}
		for _, c := range Examine(t.Context(), acting(playing("verdict")), nil) {
			if c.Skipped != "" {
				skipped[c.Name] = c.Skipped
			}
		}
		want := map[string]string{"urls": "fix verdict first", "state": "fix verdict first", "hash": "fix state first", "kept": "fix hash first"}
		if diff := cmp.Diff(want, skipped); diff != "" {
			t.Error(diff)
		}
	})
}

// TestExamineSound runs a correct adapter as processes, even on a busy machine.
func TestExamineSound(t *testing.T) {
	t.Parallel()
	for _, c := range Examine(t.Context(), self(t, sickness, 0), nil) {
		if c.Problem != "" || c.Skipped != "" && (c.Name != "sigterm" || runtime.GOOS != "windows") {
			t.Errorf("%+v", c)
		}
	}
}

// TestExamineServe examines the loop of Serve. Its parser is a fake, so the
// checks of verdicts do not apply.
func TestExamineServe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		found := problems(t, acting(func(a *actor) int {
			if err := Serve(context.Background(), a.inR, a.outW, oracle{}); err != nil {
				fmt.Fprintln(&a.errs, err)
				return 1
			}
			return 0
		}))
		for name, problem := range found {
			if name != "verdict" && name != "state" && name != "hash" && name != "kept" {
				t.Errorf("%s: %s", name, problem)
			}
		}
	})
}

// TestExamineHostile examines adapters that could stop a naive examination, or
// fill its memory. Each examination ends in time and names the problem.
func TestExamineHostile(t *testing.T) {
	t.Parallel()
	allow := func(id int64) string { return fmt.Sprintf(`{"id":%d,"allow":true}`+"\n", id) }
	endless := func(a *actor, text string) int {
		for {
			if _, err := io.WriteString(a.outW, text); err != nil {
				return 0
			}
		}
	}
	for _, test := range []struct {
		name    string
		adapter func(a *actor) int
		most    time.Duration // limit for the examination
		check   string
		want    string // a part of its problem
	}{
		{"silent", forever, 101 * time.Second, "hello", "sent no hello within 1m30s — answer the line {\"hello\":1} with a hello, and flush stdout"},
		{"endless hello", first(func(a *actor) int { return endless(a, strings.Repeat("x", 1000)) }), time.Second,
			"hello", "sent a hello longer than 65536 bytes: \"xxx"},
		{"closes stdout before the hello", first(func(a *actor) int { a.outW.Close(); return forever(a) }), 2 * time.Second,
			"hello", "closed its stdout before its hello"},
		{"exits before the hello", first(func(a *actor) int { return 3 }), time.Second,
			"hello", "ended (exit status 3) before its hello"},
		{"reads nothing", greets(func(a *actor, _ *bufio.Scanner) int { return forever(a) }), time.Minute,
			"flush", "sent no answer within 30s — flush stdout"},
		{"closes stdout and stays", greets(func(a *actor, in *bufio.Scanner) int { in.Scan(); a.outW.Close(); return forever(a) }), 10 * time.Second,
			"flush", "closed its stdout and"},
		{"closes both and stays", greets(func(a *actor, in *bufio.Scanner) int { a.outW.Close(); a.inR.Close(); return forever(a) }), 10 * time.Second,
			"flush", "closed its stdout and"},
		{"stops reading in a large request", func(a *actor) int {
			in := bufio.NewScanner(a.inR) // of lines up to 64 KiB
			for in.Scan() {
				if strings.Contains(in.Text(), `"hello"`) {
					io.WriteString(a.outW, testHello)
				} else {
					io.WriteString(a.outW, allow(parse(in.Bytes()).ID))
				}
			}
			return forever(a)
		}, 5 * time.Minute, "big", "sent no answer within 1m40s"},
		{"endless line", greets(func(a *actor, in *bufio.Scanner) int { return endless(a, strings.Repeat("x", 4096)) }), 10 * time.Second,
			"flush", "printed a line longer than 8388608"},
		{"endless lines", greets(func(a *actor, in *bufio.Scanner) int {
			for { // slowly, for fake time to pass
				a.wait(time.Millisecond)
				if _, err := io.WriteString(a.outW, "log\n"); err != nil {
					return 0
				}
			}
		}), 2 * time.Minute, "flush", "sent no answer within 30s"},
		{"answers before it reads", greets(func(a *actor, in *bufio.Scanner) int {
			for id := int64(1); ; id++ {
				a.wait(time.Millisecond)
				if _, err := io.WriteString(a.outW, allow(id)); err != nil {
					return 0
				}
			}
		}), 5 * time.Minute, "id", "answered request 7 with id 1"},
		{"answers twice", replies(func(_ *actor, id int64) string { return allow(id) + allow(id) }), 5 * time.Minute,
			"window", "answered request 1 twice"},
		{"ever slower", func() func(*actor) int {
			wait := time.Duration(0)
			return replies(func(a *actor, id int64) string { wait += time.Second; a.wait(wait); return allow(id) })
		}(), 20 * time.Minute, "odd-input", "sent no answer within"},
		{"empty allows", replies(func(_ *actor, id int64) string { return fmt.Sprintf(`{"id":%d,"allows":[]}`+"\n", id) }), time.Minute,
			"verdict", "answered url with allows"},
		{"exits in the middle", replies(func(a *actor, id int64) string { a.outW.Close(); return "" }), time.Minute,
			"flush", "closed its stdout"},
		{"slow in one check", greets(func(a *actor, in *bufio.Scanner) int {
			for in.Scan() {
				if strings.Contains(in.Text(), "[*+?(") {
					a.wait(29 * time.Second) // each is in time for the second process
				}
				io.WriteString(a.outW, allow(parse(in.Bytes()).ID))
			}
			return 0
		}), patience + trialTime + time.Second, "odd-input", "sent no answer within 4s"},
		{"logs instead of an answer", greets(func(a *actor, in *bufio.Scanner) int {
			for in.Scan() {
				if strings.Contains(in.Text(), "Disalow") {
					io.WriteString(a.outW, "unknown key\n")
				} else {
					io.WriteString(a.outW, allow(parse(in.Bytes()).ID))
				}
			}
			return 0
		}), patience + time.Second, "stdout", `printed a line that is not an answer: "unknown key"`},
		{"too many allows", playing("too many"), time.Minute, "urls", "sent 4 allows for 3 urls"},
		{"blanks", replies(func(_ *actor, id int64) string { return " \t" + allow(id) }), time.Minute,
			"verdict", "answered allow for http://x.test/no"},
		{"large id", replies(func(_ *actor, id int64) string { return allow(id + id/3*100) }), time.Minute,
			"window", "sent an answer with id 103, which no request has"},
		{"negative id", replies(func(_ *actor, id int64) string { return allow(id - id/3*100) }), time.Minute,
			"window", "sent an answer with id -97, which no request has"},
		{"forgets at the end", func(a *actor) int {
			var lines []string
			in := bufio.NewScanner(a.inR)
			in.Buffer(nil, 8<<20)
			ended := make(chan bool)
			more := make(chan string)
			go func() {
				defer close(ended)
				for in.Scan() {
					more <- in.Text()
				}
			}()
			for {
				select {
				case line := <-more:
					lines = append(lines, line)
				case <-time.After(time.Millisecond):
					for _, line := range lines {
						if strings.Contains(line, `"hello"`) {
							io.WriteString(a.outW, `{"hello":1,"name":"x","version":"1","window":20}`+"\n")
						} else {
							io.WriteString(a.outW, allow(parse([]byte(line)).ID))
						}
					}
					lines = nil
				case <-ended:
					if len(lines) > 0 {
						io.WriteString(a.outW, allow(parse([]byte(lines[0])).ID))
					}
					return 0
				}
			}
		}, time.Minute, "end", "sent 1 of 8 answers when stdin ended after the requests"},
		{"prints at its end", func(a *actor) int {
			code := sick("", a.inR, a.outW, &a.errs)
			io.WriteString(a.outW, strings.Repeat("statistics\n", 1000))
			return code
		}, time.Minute, "", ""},
		{"dies at the end", func(a *actor) int { sick("", a.inR, a.outW, &a.errs); return 7 }, time.Minute,
			"end", "ended with exit status 7 when stdin ended — exit with code 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				found := problems(t, acting(test.adapter))
				if took := time.Since(begin); took > test.most {
					t.Errorf("took %v, want at most %v", took, test.most)
				}
				if test.check == "" && len(found) > 0 || !strings.Contains(found[test.check], test.want) {
					t.Errorf("the problems are %q, want %q: %q", found, test.check, test.want)
				}
			})
		})
	}
}

// TestExamineAgain runs adapters that are too slow in the first process of a
// check, as on a busy machine. Only being too slow in the second one as well is a
// problem.
func TestExamineAgain(t *testing.T) {
	t.Parallel()
	sound := playing("")
	hello := func(line string) bool { return strings.Contains(line, `"hello"`) }
	request := func(line string) bool { return !hello(line) }
	lingering := func(wait time.Duration) func(*actor) int {
		return func(a *actor) int {
			a.linger = wait
			code := sick("", a.inR, a.outW, &a.errs)
			a.wait(wait)
			return code
		}
	}
	for _, test := range []struct {
		name     string
		adapters []func(*actor) int // one for each start: hello is the first, or the first two, then flush
		want     map[string]string
	}{
		{"hello", []func(*actor) int{slowly(89*time.Second, hello), slowly(89*time.Second, hello), sound}, map[string]string{}},
		{"hello too late", []func(*actor) int{slowly(91*time.Second, hello), slowly(91*time.Second, hello), sound},
			map[string]string{"hello": `the adapter sent no hello within 1m30s — answer the line {"hello":1} with a hello, and flush stdout`}},
		{"answer", []func(*actor) int{sound, slowly(29*time.Second, request), slowly(29*time.Second, request), sound}, map[string]string{}},
		{"answer too late", []func(*actor) int{sound, slowly(31*time.Second, request), slowly(31*time.Second, request), sound},
			map[string]string{"flush": "the adapter sent no answer within 30s — flush stdout after each answer"}},
		{"exit", []func(*actor) int{lingering(9 * time.Second)}, map[string]string{}},
		{"exit too late", []func(*actor) int{lingering(11 * time.Second)}, map[string]string{
			"end":     "the adapter was still running 10s after stdin ended — leave the loop at the end of stdin",
			"sigterm": "the adapter was still running 10s after SIGTERM — do not catch SIGTERM, or exit when it comes",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				if diff := cmp.Diff(test.want, problems(t, acting(test.adapters...))); diff != "" {
					t.Errorf("problems (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// An adapter that is slow at every answer, but never too slow, is correct.
func TestExamineSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		slow := slowly(patience-time.Millisecond, func(line string) bool { return !strings.Contains(line, "hello") })
		for _, c := range Examine(t.Context(), acting(slow), nil) {
			if c.Problem != "" {
				t.Errorf("%+v", c)
			}
			if want := "answers requests in a row: 11 in 30s"; c.Name == "burst" && c.About != want {
				t.Errorf("burst %s, want it to %s", c.About, want)
			}
		}
		if took := time.Since(begin); took > 4*time.Minute {
			t.Errorf("took %v", took)
		}
	})
}

// Two checks without an answer in time are enough to skip the others.
func TestExamineSilentTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		silent := greets(func(a *actor, _ *bufio.Scanner) int { return forever(a) })
		got := map[string]int{}
		for _, c := range Examine(t.Context(), acting(playing(""), playing(""), silent), nil) {
			switch {
			case c.Problem != "":
				got[c.Name]++
			case c.Skipped == "the adapter ran out of time in 2 checks; fix them first", strings.HasPrefix(c.Skipped, "fix "):
				got["skipped"]++
			default:
				got["sound"]++
			}
		}
		if diff := cmp.Diff(map[string]int{"sound": 2, "id": 1, "verdict": 1, "skipped": len(checks()) - 4}, got); diff != "" {
			t.Error(diff)
		}
		if took, want := time.Since(begin), 2*(patience+moreTime*patience); took != want {
			t.Errorf("took %v, want %v", took, want)
		}
	})
}

// The length limit for a hello is that of the protocol, independent of MaxLine.
func TestHelloLength(t *testing.T) {
	t.Parallel()
	for length, good := range map[int]bool{MaxHello: true, MaxHello + 1: false} {
		t.Run(fmt.Sprint(length), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				head, tail := `{"hello":1,"name":"x","later":"`, `"}`
				line := head + strings.Repeat("x", length-len(head)-len(tail)) + tail
				c, err := Start(t.Context(), Options{Launch: acts(first(func(a *actor) int {
					io.WriteString(a.outW, line+"\n")
					_, _ = io.Copy(io.Discard, a.inR)
					return 0
				}))})
				if err == nil {
					c.Close()
				}
				if (err == nil) != good || err != nil && !strings.Contains(err.Error(), "sent a hello longer than 65536 bytes") {
					t.Error(err)
				}
			})
		})
	}
}

// TestExamineInterrupted ends the context at many points in time. Examine returns
// at once in any state of the adapter, without the check that was running.
func TestExamineInterrupted(t *testing.T) {
	t.Parallel()
	for name, adapter := range map[string]func(*actor) int{
		"silent":              forever,
		"closes stdout":       first(func(a *actor) int { a.outW.Close(); return forever(a) }),
		"silent after hello":  greets(func(a *actor, _ *bufio.Scanner) int { return forever(a) }),
		"closes stdout later": greets(func(a *actor, in *bufio.Scanner) int { in.Scan(); a.outW.Close(); return forever(a) }),
		"prints lines": greets(func(a *actor, _ *bufio.Scanner) int {
			for {
				a.wait(time.Millisecond)
				if _, err := io.WriteString(a.outW, "x\n"); err != nil {
					return 0
				}
			}
		}),
		"does not exit": playing("end"),
	} {
		for _, after := range []time.Duration{0, 500 * time.Millisecond, 2 * time.Second, 15 * time.Second} {
			t.Run(fmt.Sprint(name, " after ", after), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithTimeout(t.Context(), after)
					defer cancel()
					begin := time.Now()
					all := Examine(ctx, acting(adapter), nil)
					if took := time.Since(begin); took != after && len(all) < len(checks()) || took > after {
						t.Errorf("returned after %v", took)
					}
					for _, c := range all {
						if strings.Contains(c.Problem, "context") || strings.Contains(c.Problem, "interrupted") {
							t.Errorf("%+v", c)
						}
					}
				})
			})
		}
	}
}
