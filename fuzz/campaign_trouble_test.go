package fuzz

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// A fakeProcess is a parser in a process of its own that has been queried about n
// files.
type fakeProcess struct {
	name   string
	answer func(n int64, robots string) spec.Answer // its zero Answer means that of the reference
	takes  time.Duration
	lostAt int64               // it is lost after so many files; negative means never
	fresh  func() *fakeProcess // the result of Fresh
	asked  atomic.Int64
}

func (p *fakeProcess) Info() spec.SubjectInfo { return spec.SubjectInfo{Name: p.name} }
func (p *fakeProcess) Parallel() int          { return 1 }
func (p *fakeProcess) Close() error           { return nil }
func (p *fakeProcess) Kind() impl.Kind        { return impl.InOwnProcess }
func (p *fakeProcess) Stats() impl.Stats      { return impl.Stats{} }

func (p *fakeProcess) Err() error {
	if p.lostAt >= 0 && p.asked.Load() >= p.lostAt {
		return errors.New("lost")
	}
	return nil
}

func (p *fakeProcess) Ask(ctx context.Context, robots []byte, probes []spec.Probe) []spec.Answer {
	n := p.asked.Add(1)
	a := p.answer(n, string(robots))
	if p.takes > 0 {
		select {
		case <-time.After(p.takes):
		case <-ctx.Done():
			a = spec.Answer{Verdict: spec.Timeout, Detail: "interrupted"}
		}
	}
	if p.Err() != nil {
		a = spec.Answer{Verdict: spec.ProtocolError, Detail: p.Err().Error()}
	}
	answers := slices.Repeat([]spec.Answer{a}, len(probes))
	if a.Verdict == "" {
		file := reading.New(robots)
		for i, p := range probes {
			answers[i].Verdict = file.Verdict(reference.RFC9309(), p)
		}
	}
	return answers
}

// A freshProcess is a fakeProcess that is a Restarter.
type freshProcess struct{ *fakeProcess }

func (p freshProcess) Fresh(context.Context) (impl.Subject, error) {
	if p.fresh == nil {
		return nil, errors.New("it does not start")
	}
	return p.fresh(), nil
}

// correct answers like the reference, which makes its fingerprint trivial.
var correct = always("")

func always(v spec.Verdict) func(int64, string) spec.Answer {
	return func(int64, string) spec.Answer { return spec.Answer{Verdict: v} }
}

// The time limit of a campaign covers everything, and a single parser under test
// is queried about every input, even if it is slow.
func TestCampaignTime(t *testing.T) {
	const limit = 10 * time.Second
	tests := []struct {
		name    string
		parsers []*fakeProcess
		share   float64 // of the inputs that the first one is queried about
	}{
		{"one slow parser", []*fakeProcess{{name: "slow", answer: always(spec.Allow), takes: 700 * time.Millisecond, lostAt: -1}}, 1},
		// Without an answer there are no findings, on which all jobs could spend the
		// time.
		{"slow next to another", []*fakeProcess{
			{name: "slow", answer: always(spec.Unsupported), takes: 700 * time.Millisecond, lostAt: -1},
			{name: "fast", answer: always(spec.Unsupported), takes: 10 * time.Millisecond, lostAt: -1},
		}, 0},
		{"timeouts", []*fakeProcess{{name: "sick", answer: always(spec.Timeout), takes: time.Second, lostAt: -1}}, 1},
		{"never an answer", []*fakeProcess{{name: "dead", answer: always(spec.Timeout), takes: time.Hour, lostAt: -1}}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				subjects := []impl.Subject{subject(t, impl.ReferenceName, reference.RFC9309())}
				for _, p := range tt.parsers {
					subjects = append(subjects, p)
				}
				began := time.Now()
				r, err := Campaign(t.Context(), subjects, openStore(t, dir), CampaignOptions{Time: limit, Jobs: 2})
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took > limit+lastGrace+tellEvery {
					t.Errorf("it took %v", took)
				}
				first := r.Subjects[1]
				if share := float64(first.Inputs) / float64(max(1, r.Tally.Inputs)); tt.share == 1 && r.Tally.Inputs > 0 && share != 1 || tt.share == 0 && share > 0.5 {
					t.Errorf("it was asked about %.0f %% of %d inputs", 100*share, r.Tally.Inputs)
				}
				if !first.Unfingerprinted {
					t.Error("the search for its fingerprint ended in time")
				}
			})
		})
	}
}

// A parser that is lost, or answers nothing, is reported as lost; it gets no more
// queries, and the campaign continues with the others.
func TestCampaignLost(t *testing.T) {
	tests := []struct {
		name   string
		parser *fakeProcess
		o      CampaignOptions
		asked  int64 // at most
		want   string
	}{
		{"not started", &fakeProcess{answer: correct, lostAt: 0}, CampaignOptions{Count: 20}, 0, "lost"},
		// Each of the four jobs may be asking, or about to ask again, when it is lost.
		{"lost on the way", &fakeProcess{answer: correct, lostAt: 1200}, CampaignOptions{Count: 500, Jobs: 4}, 1200 + 2*4, "lost"},
		{"unsupported", &fakeProcess{answer: always(spec.Unsupported), lostAt: -1}, CampaignOptions{Count: 20}, 1 << 20, "answered no query about 20 inputs"},
		{"crashes", &fakeProcess{answer: always(spec.Crash), lostAt: -1}, CampaignOptions{Count: 20}, 1 << 20, "answered no query about 20 inputs"},
		{"timeouts", &fakeProcess{answer: func(n int64, _ string) spec.Answer {
			return spec.Answer{Verdict: []spec.Verdict{"", spec.Timeout}[n%2]}
		}, lostAt: -1}, CampaignOptions{Count: 1000}, 400, "timed out on 100 files"},
		{"sound", &fakeProcess{answer: correct, lostAt: -1}, CampaignOptions{Count: 20}, 1 << 20, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.parser.name = "tested"
			tt.o.Look, tt.o.minimizeCalls = 1, 10
			subjects := []impl.Subject{subject(t, impl.ReferenceName, reference.RFC9309()), subject(t, "other", reference.RFC9309()), tt.parser}
			r, err := Campaign(t.Context(), subjects, openStore(t, t.TempDir()), tt.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Subjects[2].Lost; (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("lost: %q, want %q", got, tt.want)
			}
			for _, s := range r.Subjects[:2] {
				if s.Lost != "" || s.Inputs != tt.o.Count {
					t.Errorf("%s was asked about %d inputs, lost: %q", s.Name, s.Inputs, s.Lost)
				}
			}
			if n := tt.parser.asked.Load(); n > tt.asked {
				t.Errorf("asked about %d files, want %d at most", n, tt.asked)
			}
		})
	}
}

// A campaign ends when no parser is left except the reference.
func TestCampaignAllLost(t *testing.T) {
	t.Parallel()
	subjects := []impl.Subject{subject(t, impl.ReferenceName, reference.RFC9309()), &fakeProcess{name: "gone", answer: always(spec.Allow), lostAt: 0}}
	r, err := Campaign(t.Context(), subjects, openStore(t, t.TempDir()), CampaignOptions{}) // otherwise without an end
	if err != nil {
		t.Fatal(err)
	}
	if r.Interrupted || r.Next != 0 || r.Subjects[1].Lost != "lost" {
		t.Errorf("%+v", r.CampaignProgress)
	}
}

// A second campaign in a directory is refused, with the process ID of the first,
// and may begin when that has ended.
func TestCampaignLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	begun, end := make(chan struct{}), make(chan struct{})
	once := sync.OnceFunc(func() { close(begun) })
	waits := &fakeProcess{name: "waits", lostAt: -1, answer: func(int64, string) spec.Answer {
		once()
		<-end
		return spec.Answer{}
	}}
	var first sync.WaitGroup
	first.Go(func() {
		if _, err := Campaign(t.Context(), []impl.Subject{waits}, openStore(t, dir), CampaignOptions{Count: 1, Look: 1, minimizeCalls: 1}); err != nil {
			t.Error(err)
		}
	})
	<-begun
	second := func() error {
		_, err := Campaign(t.Context(), []impl.Subject{subject(t, "second", reference.RFC9309())}, openStore(t, dir), CampaignOptions{Count: 2, Resume: true})
		return err
	}
	want := fmt.Sprintf("process %d runs a campaign in %s: ", os.Getpid(), dir)
	if err := second(); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	// Findings may be listed and deleted meanwhile.
	s := openStore(t, dir)
	f := finding("x", "a\n", 1)
	record(t, s, f, true)
	if err := s.Delete(f.ID()); err != nil || len(listed(t, dir)) != 0 {
		t.Error(err)
	}
	close(end)
	first.Wait()
	if err := second(); err != nil {
		t.Error("after it:", err)
	}
}

// A crash or a timeout that depends on earlier queries is not a finding. If a
// smaller witness shows one only after earlier queries, the finding keeps its
// witness.
func TestRecorderConfirms(t *testing.T) {
	t.Parallel()
	const robots = "User-agent: *\nDisallow: /a\n"
	crash, timeout, allow := spec.Answer{Verdict: spec.Crash, Detail: "boom"}, spec.Answer{Verdict: spec.Timeout}, spec.Answer{Verdict: spec.Allow}
	process := func(answer func(robots string) spec.Answer) func() *fakeProcess {
		return func() *fakeProcess {
			return &fakeProcess{name: "tested", lostAt: -1, answer: func(_ int64, robots string) spec.Answer { return answer(robots) }}
		}
	}
	is := func(a spec.Answer) func() *fakeProcess {
		return process(func(string) spec.Answer { return a })
	}
	tests := []struct {
		name    string
		live    spec.Answer
		fresh   func() *fakeProcess
		witness string // of the finding; "none" if there is none
	}{
		{"a crash", crash, is(crash), ""},
		{"a crash after others", crash, is(allow), "none"},
		{"another crash", crash, is(spec.Answer{Verdict: spec.Crash, Detail: "bang"}), "none"},
		{"no fresh process", crash, nil, "none"},
		{"a smaller one after others", crash, process(func(r string) spec.Answer {
			if r == robots {
				return crash
			}
			return allow
		}), robots},
		{"a timeout", timeout, is(timeout), robots},
		{"a timeout after others", timeout, is(allow), "none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			live := is(tt.live)()
			live.fresh = tt.fresh
			r := recorderOf(t, []impl.Subject{freshProcess{live}})
			want := []string{tt.witness}
			if tt.witness == "none" {
				want = nil
			}
			for i := range maxAttempts + 2 {
				tally, found := try(t, r, robots, fooBot("/b"))
				var got []string
				for _, f := range found {
					got = append(got, string(f.Witness.Robots))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("try %d: %s", i, diff)
				}
				if unsteady := tally.Unsteady == 1; unsteady != (want == nil) || tally.Known == 1 && want == nil {
					t.Errorf("try %d: %+v", i, tally)
				}
			}
		})
	}
}

// A parser that is lost while a finding is reproduced does not show that the
// finding is gone.
func TestReproduceLost(t *testing.T) {
	t.Parallel()
	f := finding("tested", "a\n", 1)
	f.Answers = []SubjectAnswer{{Subject: "tested", Answer: spec.Answer{Verdict: spec.Crash, Detail: "boom"}}}
	f.Hits = map[string]int{"tested": 1}
	r := Reproduce(t.Context(), &f, []impl.Subject{&fakeProcess{name: "tested", answer: always(spec.Allow), lostAt: 1}})
	if diff := cmp.Diff(Reproduction{}, r); diff != "" {
		t.Error(diff)
	}
}
