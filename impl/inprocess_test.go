package impl

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

// quick is a time limit for calls that are not meant to return. It is long enough
// that a call that does return is not mistaken for one on a busy machine.
const quick = 300 * time.Millisecond

type (
	match = func(agent, url string) spec.Answer
	parse = func(robots []byte) (match, error)
)

func yes(string, string) spec.Answer { return spec.Answer{Verdict: spec.Allow} }

// start makes a subject that lives as long as the test.
func start(t testing.TB, p parse, opts InProcessOptions) Subject {
	s := InProcess(spec.SubjectInfo{Name: "fake"}, p, opts)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func probes(urls ...string) []spec.Probe {
	var ps []spec.Probe
	for _, u := range urls {
		ps = append(ps, spec.Probe{Agent: "FooBot", URL: u})
	}
	return ps
}

// verdicts returns the verdicts of the answers, each with the start of its
// detail.
func verdicts(answers []spec.Answer) []string {
	var vs []string
	for _, a := range answers {
		s := string(a.Verdict)
		if a.Detail != "" {
			s += ": " + a.Detail
		}
		vs = append(vs, s)
	}
	return vs
}

// badError panics when its Error method is called.
type badError struct{}

func (badError) Error() string { panic("no text") }

// worseError panics with a value that panics when printed.
type worseError struct{}

func (worseError) Error() string { panic(worseError{}) }

// exitError ends the goroutine that calls its Error method.
type exitError struct{}

func (exitError) Error() string { runtime.Goexit(); return "" }

func TestInProcessAnswers(t *testing.T) {
	t.Parallel()
	const here = " at github.com/repcheck/repcheck/impl.TestInProcessAnswers."
	// doing makes a parser whose matcher does what f does for "/bad".
	doing := func(f func()) parse {
		return func([]byte) (match, error) {
			return func(agent, url string) spec.Answer {
				if url == "/bad" {
					f()
				}
				return spec.Answer{Verdict: spec.Disallow, Line: 3}
			}, nil
		}
	}
	failing := func(f func()) parse {
		return func([]byte) (match, error) { f(); return yes, nil }
	}
	returning := func(m match, err error) parse {
		return func([]byte) (match, error) { return m, err }
	}
	var nilMap map[string]int
	tests := []struct {
		name  string
		parse parse
		want  []string // for /a, /bad, /c; compared up to its length, "" once for all
	}{
		{"plain", doing(func() {}), []string{"disallow", "disallow", "disallow"}},
		{"error", returning(nil, errors.New("line 1: no\n")), []string{"reject: line 1: no"}},
		{"error and matcher", returning(yes, errors.New("no")), []string{"reject: no"}},
		{"error that panics", returning(nil, badError{}), []string{"reject: %!v(PANIC=Error method: no text)"}},
		{"error that exits", returning(nil, exitError{}), []string{"crash: runtime.Goexit at github.com/repcheck/repcheck/impl.exitError.Error"}},
		{"nil error pointer", returning(nil, (*badError)(nil)), []string{"reject: <nil>"}},
		{"nil matcher", returning(nil, nil), []string{"crash: the parser returned neither"}},
		{"panic in parse", failing(func() { panic("boom") }), []string{"crash: panic: boom" + here}},
		{"panic in match", doing(func() { panic("boom") }), []string{"disallow", "crash: panic: boom" + here, "disallow"}},
		{"runtime error", doing(func() { nilMap["a"]++ }), []string{"disallow", "crash: panic: assignment to entry in nil map" + here, "disallow"}},
		{"nil pointer", doing(func() { _ = *(*int)(nil) }), []string{"disallow", "crash: panic: runtime error: invalid memory address", "disallow"}},
		{"nil panic", doing(func() { panic(nil) }), []string{"disallow", "crash: panic: panic called with nil argument", "disallow"}},
		{"panic with an error that panics", doing(func() { panic(badError{}) }), []string{"disallow", "crash: panic: %!v(PANIC=Error method: no text)" + here, "disallow"}},
		{"panic with an error that panics with itself", doing(func() { panic(worseError{}) }), []string{"disallow", "crash: panic: a impl.worseError that panics when printed" + here, "disallow"}},
		{"panic with an error that exits", doing(func() { panic(exitError{}) }), []string{"disallow", "crash: runtime.Goexit at github.com/repcheck/repcheck/impl.exitError.Error", "disallow"}},
		{"panic while panicking", doing(func() {
			defer func() { panic("second") }()
			panic("first")
		}), []string{"disallow", "crash: panic: second" + here, "disallow"}},
		{"panic with much text", doing(func() { panic(strings.Repeat("é", 1<<20)) }), []string{"disallow", "crash: panic: " + strings.Repeat("é", maxDetail/2) + "…" + here, "disallow"}},
		{"panic with no text", doing(func() { panic("\xff") }), []string{"disallow", "crash: panic: \uFFFD" + here, "disallow"}},
		{"panic in the standard library", doing(func() { _ = strings.Repeat("x", -1) }), []string{"disallow", "crash: panic: strings: negative Repeat count at ", "disallow"}},
		{"Goexit in parse", failing(runtime.Goexit), []string{"crash: runtime.Goexit" + here}},
		{"Goexit in match", doing(runtime.Goexit), []string{"disallow", "crash: runtime.Goexit" + here, "disallow"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, tt.parse, InProcessOptions{})
			for range 3 { // a crash must leave nothing behind that shows in the next call
				got := verdicts(s.Ask(context.Background(), []byte("x"), probes("/a", "/bad", "/c")))
				if len(got) != 3 {
					t.Fatalf("%d answers, want 3: %q", len(got), got)
				}
				for i := range got {
					want := tt.want[min(i, len(tt.want)-1)]
					got[i] = got[i][:min(len(got[i]), len(want))]
				}
				want := tt.want
				for len(want) < 3 {
					want = append(want, want[0])
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatal(diff)
				}
			}
			if err := s.Err(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestInProcessKeepsAnswerWhole(t *testing.T) {
	t.Parallel()
	want := []spec.Answer{{Verdict: spec.Disallow, Line: 2, Pattern: "/x", Detail: "d"}}
	s := start(t, func([]byte) (match, error) {
		return func(agent, url string) spec.Answer {
			if agent != "FooBot" || url != "/a" {
				return spec.Answer{}
			}
			return want[0]
		}, nil
	}, InProcessOptions{})
	if diff := cmp.Diff(want, s.Ask(context.Background(), nil, probes("/a"))); diff != "" {
		t.Error(diff)
	}
	if got := s.Ask(context.Background(), nil, nil); len(got) != 0 {
		t.Errorf("%v to no probes", got)
	}
}

func TestInProcessPlace(t *testing.T) {
	t.Parallel()
	// A dependency of ours plays the part of a library: an Equal method that
	// panics inside go-cmp is ours, but if go-cmp refuses options, the panic is
	// its own.
	s := start(t, func([]byte) (match, error) {
		return func(string, string) spec.Answer {
			cmp.Equal(struct{ a int }{1}, struct{ a int }{2})
			return spec.Answer{}
		}, nil
	}, InProcessOptions{})
	got := s.Ask(context.Background(), nil, probes("/"))[0]
	if got.Verdict != spec.Crash || !strings.Contains(got.Detail, " at github.com/google/go-cmp/cmp.") {
		t.Errorf("got %+v, want a crash in go-cmp", got)
	}
}

// Each parse gets the unchanged file, in memory of its own.
func TestInProcessCopiesFile(t *testing.T) {
	t.Parallel()
	var parsed, bad atomic.Int32
	s := start(t, func(robots []byte) (match, error) {
		parsed.Add(1)
		if string(robots) != "abc" {
			bad.Add(1)
		}
		clear(robots)
		return func(agent, url string) spec.Answer {
			if url == "/bad" {
				panic("boom")
			}
			return yes(agent, url)
		}, nil
	}, InProcessOptions{})
	robots := []byte("abc")
	for range 3 {
		s.Ask(context.Background(), robots, probes("/", "/bad", "/"))
	}
	if string(robots) != "abc" || bad.Load() != 0 || parsed.Load() != 6 {
		t.Errorf("file is %q, %d of %d parses saw another", robots, bad.Load(), parsed.Load())
	}
}

// Many concurrent calls of all kinds, mostly for the race detector.
func TestInProcessConcurrent(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	s := start(t, func(robots []byte) (match, error) {
		if string(robots) == "panic" {
			panic("parse")
		}
		return func(agent, url string) spec.Answer {
			switch url {
			case "/panic":
				panic("match")
			case "/exit":
				runtime.Goexit()
			case "/hang":
				<-held
			}
			return spec.Answer{Verdict: spec.Allow, Pattern: string(robots) + url}
		}, nil
	}, InProcessOptions{Timeout: 2 * time.Second})

	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				file, ps := fmt.Sprintf("%d.%d", g, i), probes("/a", "/panic", "/b", "/exit", "/c")
				if i%10 == 0 {
					file = "panic"
				}
				if g < 2 && i == 100 {
					ps[4].URL = "/hang"
				}
				robots := []byte(file)
				got := s.Ask(context.Background(), robots, ps)
				// The caller may change its own slice.
				clear(robots)
				clear(ps)
				if file == "panic" {
					if got[0].Verdict != spec.Crash || got[4].Verdict != spec.Crash {
						t.Errorf("%s: %v", file, got)
					}
					continue
				}
				for j, url := range []string{"/a", "", "/b"} {
					if url != "" && got[j].Pattern != file+url {
						t.Errorf("%s%s: %v", file, url, got[j])
					}
				}
			}
		})
	}
	wg.Wait()
	close(held)
	if s.Parallel() < 1 {
		t.Error("Parallel is", s.Parallel())
	}
}
