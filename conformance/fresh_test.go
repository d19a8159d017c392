package conformance_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// A moody subject forbids everything from the second question on.
type moody struct {
	asked  atomic.Int64
	starts *atomic.Int64 // of fresh ones
}

func (m *moody) Info() spec.SubjectInfo { return spec.SubjectInfo{Name: "moody"} }
func (m *moody) Parallel() int          { return 1 }
func (m *moody) Err() error             { return nil }
func (m *moody) Close() error           { return nil }

func (m *moody) Ask(_ context.Context, _ []byte, probes []spec.Probe) []spec.Answer {
	answers := make([]spec.Answer, len(probes))
	for i := range answers {
		answers[i] = spec.Bool(m.asked.Add(1) < 2)
	}
	return answers
}

func (m *moody) Fresh(context.Context) (impl.Subject, error) {
	m.starts.Add(1)
	return &moody{starts: m.starts}, nil
}

// TestOrderDependent asks a subject that changes its mind: where a fresh process
// says otherwise, the check says so, and however many cases fail, the processes
// are few.
func TestOrderDependent(t *testing.T) {
	t.Parallel()
	data := spec.Default()
	m := &moody{starts: new(atomic.Int64)}
	r := conformance.Run(context.Background(), data, data.Cases, []impl.Subject{m}, conformance.Options{})
	changed, same := 0, 0
	for _, c := range r.Cases {
		for _, check := range c.Outcomes[0].Checks {
			switch {
			case check.Fresh == "" && check.Status == conformance.Fail:
				same++
			case check.Fresh == spec.Allow && check.Status == conformance.Fail && check.Got.Verdict == spec.Disallow:
				changed++
			case check.Fresh != "":
				t.Errorf("%s: %+v", c.ID, check)
			}
		}
	}
	if changed == 0 || same == 0 {
		t.Errorf("%d verdicts changed and %d did not, want some of both", changed, same)
	}
	if n := m.starts.Load(); n != 20 {
		t.Errorf("%d fresh processes, want 20", n)
	}
}
