package fuzz

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/corpus"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// A scanSleeper is a subject that takes time. As a process it works on one call
// after the other, even if it gets several at a time.
type scanSleeper struct {
	takes    func(robots string) time.Duration
	parallel int
	turn     chan struct{}
	lostAt   int64 // the first call for which it is lost; 0 means never

	calls, asking, most atomic.Int64
}

func newScanSleeper(parallel int, takes func(robots string) time.Duration) *scanSleeper {
	return &scanSleeper{takes: takes, parallel: parallel, turn: make(chan struct{}, 1)}
}

func (s *scanSleeper) Info() spec.SubjectInfo { return spec.SubjectInfo{Name: "sleeper"} }
func (s *scanSleeper) Parallel() int          { return s.parallel }
func (s *scanSleeper) Close() error           { return nil }
func (s *scanSleeper) Kind() impl.Kind        { return impl.InOwnProcess }
func (s *scanSleeper) Stats() impl.Stats      { return impl.Stats{Faults: []string{"it snores"}} }

func (s *scanSleeper) Err() error {
	if s.lostAt > 0 && s.calls.Load() >= s.lostAt {
		return errors.New("sleeps for good")
	}
	return nil
}

func (s *scanSleeper) Ask(ctx context.Context, robots []byte, probes []spec.Probe) []spec.Answer {
	n := s.asking.Add(1)
	defer s.asking.Add(-1)
	for most := s.most.Load(); n > most && !s.most.CompareAndSwap(most, n); most = s.most.Load() {
	}
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.calls.Add(1)
	answers := make([]spec.Answer, len(probes))
	select {
	case <-time.After(s.takes(string(robots))):
	case <-ctx.Done():
	}
	for i := range answers {
		answers[i].Verdict = spec.Allow
		if err := s.Err(); err != nil && i > 0 {
			answers[i] = spec.Answer{Verdict: spec.ProtocolError, Detail: err.Error()}
		} else if ctx.Err() != nil {
			answers[i] = spec.Answer{Verdict: spec.Timeout, Detail: "interrupted"}
		}
	}
	return answers
}

func smallFiles(n int) []corpus.File {
	var files []corpus.File
	for i := range n {
		files = append(files, fileNamed(fmt.Sprint("f", i), fmt.Sprintf("Disallow: /%d", i)))
	}
	return files
}

// Files that wait for a slow one to finish are not slow.
func TestScanSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScanSleeper(4, func(robots string) time.Duration {
			if robots == "Disallow: /7" {
				return 1500 * time.Millisecond
			}
			return time.Millisecond
		})
		r, err := Scan(t.Context(), filesOf(smallFiles(50)), []impl.Subject{s}, ScanOptions{Agents: 1, URLs: 2})
		if err != nil {
			t.Fatal(err)
		}
		if most := s.most.Load(); most != 4 {
			t.Errorf("%d calls at once, want 4: as many as keep it busy", most)
		}
		got := r.Subjects[0]
		want := &ScanSlow{Example: ScanExample{File: "f7", Hash: fileNamed("", "Disallow: /7").Hash(), Octets: 12}, Took: 1500 * time.Millisecond}
		if diff := cmp.Diff(want, got.Slowest); diff != "" || got.Slow != 1 {
			t.Errorf("%d slow: %s", got.Slow, diff)
		}
		// 49 calls of 1 ms, 1.5 s, and a second time the slow ones: itself and
		// three that waited.
		if want := 49*time.Millisecond + 3000*time.Millisecond + 3*time.Millisecond; got.Busy != want || got.InLibrary {
			t.Errorf("busy %v, want %v", got.Busy, want)
		}
		if diff := cmp.Diff([]string{"it snores"}, got.Faults); diff != "" {
			t.Error(diff)
		}
	})
}

// Queries that a lost subject leaves unanswered are neither findings nor
// compared.
func TestScanLost(t *testing.T) {
	t.Parallel()
	lost := newScanSleeper(1, func(string) time.Duration { return 0 })
	lost.lostAt = 3
	other := openFake(t, spec.SubjectInfo{Name: "other"}, time.Minute, func(string, string, string) spec.Verdict { return spec.Disallow })
	r, err := Scan(t.Context(), filesOf(smallFiles(10)), []impl.Subject{lost, other}, ScanOptions{Agents: 1, URLs: 2, Queries: []QueryKind{StressQueries}})
	if err != nil {
		t.Fatal(err)
	}
	s := r.Subjects[0]
	// Two files are answered, and of the third one query of two.
	a := r.Stress.Answers[0]
	if diff := cmp.Diff(map[spec.Verdict]int64{spec.Allow: 5}, a.Verdicts); diff != "" {
		t.Error(diff)
	}
	if s.Lost != "sleeps for good" || a.Unasked != 15 || len(a.Findings) != 0 || r.Stress.Queries != 20 {
		t.Errorf("%+v, %+v of %d queries", s, a, r.Stress.Queries)
	}
	if p := r.Stress.Pairs[0]; p.Queries != 5 || p.Differing != 5 || p.Files != 3 {
		t.Errorf("%+v", p)
	}
}

// stuckSource is a source that never provides its second file.
type stuckSource struct{ first bool }

func (s *stuckSource) Next() (corpus.File, error) {
	if s.first {
		select {}
	}
	s.first = true
	return fileNamed("only", "Disallow: /"), nil
}

func TestScanInterrupted(t *testing.T) {
	t.Parallel()
	t.Run("asking", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 95*time.Millisecond)
			defer cancel()
			s := newScanSleeper(1, func(string) time.Duration { return 10 * time.Millisecond })
			r, err := Scan(ctx, filesOf(smallFiles(50)), []impl.Subject{s}, ScanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Interrupted || r.Files != 9 || r.Elapsed != 95*time.Millisecond || len(r.Natural.Answers[0].Findings) != 0 {
				t.Errorf("%+v", r)
			}
		})
	})
	t.Run("fingerprints", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r, err := Scan(ctx, filesOf(smallFiles(5)), []impl.Subject{yesMan(t), subject(t, "rfc9309", reference.RFC9309())}, ScanOptions{Causes: true})
		if err != nil || !r.Interrupted || r.Files != 0 || r.Subjects[0].Fingerprint != nil || !r.Subjects[0].Unfingerprinted {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("choosing", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r, err := Scan(ctx, &fileTape{*filesOf(smallFiles(5))}, nil, ScanOptions{Limit: 2})
		if err != nil || !r.Interrupted || r.Files != 0 {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("source", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		r, err := Scan(ctx, &stuckSource{}, nil, ScanOptions{})
		if err != nil || !r.Interrupted || r.Files != 1 {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

func TestScanProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told []ScanProgress
		s := newScanSleeper(1, func(string) time.Duration { return 50 * time.Millisecond })
		o := ScanOptions{Limit: 10, Agents: 1, URLs: 2, Progress: func(p ScanProgress) { told = append(told, p) }}
		o.Queries = []QueryKind{StressQueries}
		if _, err := Scan(t.Context(), &fileTape{*filesOf(smallFiles(50))}, []impl.Subject{s}, o); err != nil {
			t.Fatal(err)
		}
		// Half a second: two ticks and the end.
		if len(told) != 3 {
			t.Fatalf("told %d times: %+v", len(told), told)
		}
		for i, p := range told {
			if p.Choosing || p.Total != 10 || p.Done != p.Files || p.Queries != 2*p.Files {
				t.Errorf("%d: %+v", i, p)
			}
		}
		if last := told[2]; last.Files != 10 || last.Octets == 0 || last.Elapsed != 500*time.Millisecond {
			t.Errorf("%+v", last)
		}
	})
}

func TestClassOf(t *testing.T) {
	t.Parallel()
	tests := []struct{ detail, want string }{
		{"", ""},
		{"no answer within 5s", "no answer within 5s"},
		{"panic: runtime error: slice bounds out of range [3:2] at github.com/slyrz/robots.(*Rule).Match (robots.go:134)",
			"panic: runtime error: slice bounds out of range […] at github.com/slyrz/robots.(*Rule).Match (robots.go:134)"},
		{"panic: index 12 of 7 at github.com/benjaminestes/robots/v2.f (parse.go:25)", "panic: index # of # at github.com/benjaminestes/robots/v2.f (parse.go:25)"},
		{"UnicodeDecodeError: 'utf-8' codec can't decode byte 0xea in position 0: invalid start byte", "UnicodeDecodeError: '…' codec can't decode byte # in position #: invalid start byte"},
		{"invalid \"x\xFFy\"", "invalid \"…\""},
		{"17 rules\xFF", "# …"},
		{"panic: end byte index 12 is not a char boundary; it is inside 'é' (bytes 11..13) of `Allow: /*bé$` at cylon-0.3.3/src/parse.rs:226",
			"panic: end byte index # is not a char boundary; it is inside '…' (bytes #..#) of `…` at cylon-0.3.3/src/parse.rs:226"},
		{"panic: start byte index 3 of `# robots", "panic: start byte index # of `…`"},
		{"panic: 2 of `a at b` at a.rs:7", "panic: # of `…` at a.rs:7"},
		{"non-absolute URI: admin-page/a b", "non-absolute URI: … b"},
		{"non-absolute URI: ", "non-absolute URI: …"},
		{"Port not a number: b", "Port not a number: …"},
		{"panic: overflow", "panic: overflow"},
		{"non-absolute URI: /a /b", "non-absolute URI: …"},
		{"SyntaxError: Invalid regular expression: /.*\u2028z\rdisallow: \r%2e/: Nothing to repeat", "SyntaxError: Invalid regular expression: …: Nothing to repeat"},
		{"LookupError: unknown hash fd89345af6aca5da", "LookupError: unknown hash #"},
		{"Can't locate \"unicode\" at /home/me/perl5/RobotRules.pm line 12.", "Can't locate \"…\" at … line #."},
		{"Crawl-delay before User-agent at token #12.", "Crawl-delay before User-agent at token #."},
		{strings.Repeat("x", maxCause) + "y", strings.Repeat("x", maxCause) + "…"},
	}
	for _, test := range tests {
		if got := classOf(test.detail); got != test.want {
			t.Errorf("classOf(%q) = %q, want %q", test.detail, got, test.want)
		}
	}
}

// Which findings are kept, and their counts, do not depend on the order.
func TestManyFindings(t *testing.T) {
	t.Parallel()
	var files []int
	for i := range 1000 {
		files = append(files, i)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var first string
	for range 5 {
		rng.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		s := newScan(&fileList{}, []impl.Subject{newScanSleeper(1, nil)}, ScanOptions{})
		for _, i := range files {
			// 250 causes in words, four files each.
			detail := strings.Repeat("a", i%250+1)
			probes := []spec.Probe{{Agent: "A", URL: "u"}, {Agent: "B", URL: "u"}}
			j := scanJob{file: fileNamed(fmt.Sprint("f", i), strings.Repeat("x", i))}
			answers := []spec.Answer{{Verdict: spec.Crash, Detail: detail}, {Verdict: spec.Crash, Detail: detail}}
			s.add(j, []scanBatch{{scanKind: &s.kinds[0], probes: probes, answers: [][]spec.Answer{answers}}}, nil)
		}
		r := s.finish(t.Context())
		r.Elapsed, r.Started = 0, time.Time{}
		for _, f := range r.Natural.Answers[0].Findings {
			if f.Files != 4 || f.Queries != 8 || f.Example.Agent != "A" {
				t.Fatalf("%+v", f)
			}
		}
		if n := len(r.Natural.Answers[0].Findings); n != maxFindings || !r.Natural.Answers[0].FindingsDropped || r.Natural.Answers[0].Verdicts[spec.Crash] != 2000 {
			t.Fatalf("%d findings, %+v", n, r.Natural.Answers[0].Verdicts)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(text)
		}
		if diff := cmp.Diff(first, string(text)); diff != "" {
			t.Fatal(diff)
		}
	}
}

// JSON preserves every byte of a query.
func TestScanExampleOctets(t *testing.T) {
	t.Parallel()
	p := spec.Probe{Agent: "Foo\x00", URL: "http://x.test/\xFF \n⟦a"}
	text, err := json.Marshal(exampleOf(scanJob{file: fileNamed("f", "")}, p))
	if err != nil {
		t.Fatal(err)
	}
	var e ScanExample
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatal(err)
	}
	agent, err := spec.DecodeOctets(e.Agent)
	if err != nil {
		t.Fatal(err)
	}
	url, err := spec.DecodeOctets(e.URL)
	if err != nil {
		t.Fatal(err)
	}
	if got := (spec.Probe{Agent: string(agent), URL: string(url)}); got != p {
		t.Errorf("%q became %q", p, got)
	}
}

// A hurried subject works in this process and times out at the first call about
// each file.
type hurried struct {
	impl.Subject
	asked map[int]int
}

func (h *hurried) Kind() impl.Kind { return impl.InThisProcess }

func (h *hurried) Ask(_ context.Context, robots []byte, probes []spec.Probe) []spec.Answer {
	time.Sleep(5 * time.Second)
	h.asked[len(robots)]++
	v := spec.Allow
	if h.asked[len(robots)] == 1 {
		v = spec.Timeout
	}
	answers := make([]spec.Answer, len(probes))
	for i := range answers {
		answers[i].Verdict = v
	}
	return answers
}

// A large file that timed out is tried a second time, a small one is not.
func TestScanTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &hurried{Subject: newScanSleeper(1, nil), asked: map[int]int{}}
		files := []corpus.File{fileNamed("small", "#"), fileNamed("large", strings.Repeat("#", heavy+1))}
		r, err := Scan(t.Context(), filesOf(files), []impl.Subject{h}, ScanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[int]int{1: 1, heavy + 1: 2}, h.asked); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(map[spec.Verdict]int64{spec.Allow: 1, spec.Timeout: 1}, r.Natural.Answers[0].VerdictFiles); diff != "" {
			t.Error(diff)
		}
		// Two calls, and a pause as long as four calls.
		if r.Elapsed < 30*time.Second {
			t.Errorf("took %v", r.Elapsed)
		}
	})
}
