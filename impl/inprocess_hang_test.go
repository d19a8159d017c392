package impl

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

func TestInProcessHang(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		hang string // the file or URL for which the call does not return
		want []string
	}{
		{"first", "/a", []string{"timeout: no answer within 300ms", "allow", "allow"}},
		{"middle", "/b", []string{"allow", "timeout: no answer within 300ms", "allow"}},
		{"last", "/c", []string{"allow", "allow", "timeout: no answer within 300ms"}},
		{"parse", "file", []string{
			"timeout: parsing took longer than 300ms",
			"timeout: parsing took longer than 300ms",
			"timeout: parsing took longer than 300ms",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			held := make(chan struct{})
			returned := make(chan struct{})
			hold := func(what string) {
				if what == tt.hang {
					<-held
					close(returned)
				}
			}
			s := start(t, func(robots []byte) (match, error) {
				hold(string(robots))
				return func(agent, url string) spec.Answer { hold(url); return yes(agent, url) }, nil
			}, InProcessOptions{Timeout: quick})

			got := s.Ask(context.Background(), []byte("file"), probes("/a", "/b", "/c"))
			if diff := cmp.Diff(tt.want, verdicts(got)); diff != "" {
				t.Error(diff)
			}
			// The subject works while the call is still running, and after it
			// returned.
			for range 2 {
				got = s.Ask(context.Background(), nil, probes("/", "/"))
				if diff := cmp.Diff([]string{"allow", "allow"}, verdicts(got)); diff != "" {
					t.Error(diff)
				}
				if err := s.Err(); err != nil {
					t.Error(err)
				}
				if held != nil {
					close(held)
					<-returned
					held = nil
				}
			}
		})
	}
}

// A slow parser that makes progress has not hung, however long the whole call
// takes.
func TestInProcessSlow(t *testing.T) {
	t.Parallel()
	s := start(t, func([]byte) (match, error) {
		return func(agent, url string) spec.Answer {
			time.Sleep(quick / 6)
			return yes(agent, url)
		}, nil
	}, InProcessOptions{Timeout: quick})
	ps := probes(strings.Split(strings.Repeat("/", 11), "/")...)
	for i, a := range s.Ask(context.Background(), nil, ps) {
		if a.Verdict != spec.Allow {
			t.Errorf("probe %d: %v", i, a)
		}
	}
	if busy, least := s.Stats().Library, 12*quick/6; busy < least || busy > 10*least {
		t.Errorf("busy for %v, want a little over %v", busy, least)
	}
}

func TestInProcessAbandonedLimit(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	var calls atomic.Int32
	s := start(t, func(robots []byte) (match, error) {
		return func(agent, url string) spec.Answer {
			calls.Add(1)
			if url == "/hang" {
				<-held
			}
			return yes(agent, url)
		}, nil
	}, InProcessOptions{Timeout: quick})

	late := "timeout: no answer within 300ms"
	never := "timeout: fake: 4 earlier calls never returned"
	got := s.Ask(context.Background(), nil, probes("/", "/hang", "/hang", "/hang", "/hang", "/", "/hang"))
	want := []string{"allow", late, late, late, late, never, never}
	if diff := cmp.Diff(want, verdicts(got)); diff != "" {
		t.Error(diff)
	}
	if err := s.Err(); err == nil || err.Error() != "fake: 4 earlier calls never returned" {
		t.Errorf("Err is %v", err)
	}
	before, began := calls.Load(), time.Now()
	got = s.Ask(context.Background(), nil, probes("/"))
	if diff := cmp.Diff([]string{never}, verdicts(got)); diff != "" {
		t.Error(diff)
	}
	if calls.Load() != before || time.Since(began) > quick {
		t.Errorf("the parser was called, or the answer took %v", time.Since(began))
	}

	close(held)
	for deadline := time.Now().Add(10 * time.Second); s.Err() != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(s.Err())
		}
	}
	got = s.Ask(context.Background(), nil, probes("/", "/hang"))
	if diff := cmp.Diff([]string{"allow", "allow"}, verdicts(got)); diff != "" {
		t.Error(diff)
	}
}

// A call that was given up may end in any way.
func TestInProcessLateEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(){
		"panic":  func() { panic("late") },
		"Goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := make(chan struct{})
			s := start(t, func([]byte) (match, error) {
				<-held
				end()
				return yes, nil
			}, InProcessOptions{Timeout: quick / 10})
			for range maxAbandoned {
				s.Ask(context.Background(), nil, probes("/", "/"))
			}
			if s.Err() == nil {
				t.Fatal("no error after four calls that hang")
			}
			close(held)
			for deadline := time.Now().Add(10 * time.Second); s.Err() != nil; time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal(s.Err())
				}
			}
		})
	}
}

func TestInProcessInterrupted(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := start(t, func(robots []byte) (match, error) {
		return func(agent, url string) spec.Answer {
			switch url {
			case "/cancel":
				cancel()
			case "/slow":
				time.Sleep(10 * time.Millisecond)
			case "/hang":
				cancel()
				<-held
			}
			return yes(agent, url)
		}, nil
	}, InProcessOptions{Timeout: time.Hour})
	const cut = "timeout: interrupted"

	// The calls under way end by themselves, and their answers count. How many
	// there were is a race.
	slow := make([]string, 1000)
	for i := range slow {
		slow[i] = "/slow"
	}
	got := verdicts(s.Ask(ctx, nil, probes(append([]string{"/", "/cancel"}, slow...)...)))
	if diff := cmp.Diff([]string{"allow", "allow"}, got[:2]); diff != "" {
		t.Error(diff)
	}
	if got[len(got)-1] != cut || len(got) != 1002 {
		t.Errorf("last of %d answers is %q", len(got), got[len(got)-1])
	}

	// No call is made if ctx ended before Ask.
	got = verdicts(s.Ask(ctx, nil, probes("/hang")))
	if diff := cmp.Diff([]string{cut}, got); diff != "" {
		t.Error(diff)
	}

	// A call that does not end is given up.
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	got = verdicts(s.Ask(ctx, nil, probes("/", "/hang", "/")))
	if diff := cmp.Diff([]string{"allow", cut, cut}, got); diff != "" {
		t.Error(diff)
	}
	close(held)

	got = verdicts(s.Ask(context.Background(), nil, probes("/")))
	if diff := cmp.Diff([]string{"allow"}, got); diff != "" {
		t.Error(diff)
	}
}

// A parser that had to wait for a processor gets more time.
func TestBusyMachine(t *testing.T) {
	for _, tt := range []struct {
		name   string
		share  float64 // of the time for which it waits
		takes  time.Duration
		answer spec.Verdict
	}{
		{"idle machine", 0, 7 * time.Second, spec.Timeout},
		{"busy machine", 0.75, 10 * time.Second, spec.Allow},
		{"busy machine, and a parser that takes far too long", 0.75, 30 * time.Second, spec.Timeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t, func([]byte) (match, error) {
					return func(string, string) spec.Answer { time.Sleep(tt.takes); return spec.Answer{Verdict: spec.Allow} }, nil
				}, InProcessOptions{Timeout: 4 * time.Second})
				began := time.Now()
				s.(*inProcess).waited = func(bool) time.Duration { return time.Duration(tt.share * float64(time.Since(began))) }
				if got := s.Ask(t.Context(), nil, []spec.Probe{{}})[0].Verdict; got != tt.answer {
					t.Errorf("%s, want %s", got, tt.answer)
				}
				time.Sleep(time.Minute) // the call returns, and its worker ends
			})
		})
	}
}
