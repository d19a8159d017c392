package fingerprint_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/spec"
)

// An askedSubject gives the verdict of its function to the n-th call of Ask, and
// is lost after a given number of calls.
type askedSubject struct {
	impl.Subject
	verdict func(n int64) spec.Verdict
	lostAt  int64
	asked   atomic.Int64
}

func (s *askedSubject) Parallel() int     { return 1 }
func (s *askedSubject) Kind() impl.Kind   { return impl.InThisProcess }
func (s *askedSubject) Stats() impl.Stats { return impl.Stats{} }

func (s *askedSubject) Err() error {
	if s.asked.Load() >= s.lostAt {
		return errors.New("lost")
	}
	return nil
}

func (s *askedSubject) Ask(_ context.Context, _ []byte, probes []spec.Probe) []spec.Answer {
	n := s.asked.Add(1)
	answers := make([]spec.Answer, len(probes))
	for i := range answers {
		answers[i] = spec.Answer{Verdict: s.verdict(n), Detail: "why\nand a stack"}
	}
	return answers
}

func TestAsk(t *testing.T) {
	t.Parallel()
	const count = 200
	allows := func(int64) spec.Verdict { return spec.Allow }
	tests := []struct {
		name    string
		verdict func(n int64) spec.Verdict
		lostAt  int64
		asked   int
		want    string // in the error
	}{
		{"sound", allows, count + 1, count, ""},
		{"not started", allows, 0, 0, "lost"},
		{"lost on the way", allows, 7, 7, "lost"},
		{"times out on every second file", func(n int64) spec.Verdict {
			return []spec.Verdict{spec.Timeout, spec.Allow}[n%2]
		}, count + 1, 40, "timed out on 20 files"},
		{"answers nothing", func(int64) spec.Verdict { return spec.Unsupported }, count + 1, count, "it answered none of 400 queries: why"},
		{"rejects all files", func(int64) spec.Verdict { return spec.Reject }, count + 1, count, ""},
		{"times out now and then", func(n int64) spec.Verdict {
			if n%20 == 0 {
				return spec.Timeout
			}
			return spec.Allow
		}, count + 1, count, ""},
	}
	var files []fingerprint.File
	for i := range count {
		files = append(files, fingerprint.File{Robots: []byte(fmt.Sprint(i)), Probes: make([]spec.Probe, 2)})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			done := 0
			verdicts, err := fingerprint.Ask(t.Context(), files, &askedSubject{verdict: tt.verdict, lostAt: tt.lostAt}, 0, func() { done++ })
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want %q", err, tt.want)
			}
			if done != count {
				t.Errorf("done with %d files, want %d", done, count)
			}
			var want [][]spec.Verdict
			for i := range count {
				v := spec.Unsupported
				if i < tt.asked {
					v = tt.verdict(int64(i + 1))
				}
				want = append(want, []spec.Verdict{v, v})
			}
			if diff := cmp.Diff(want, verdicts); diff != "" {
				t.Error(diff)
			}
		})
	}
}
