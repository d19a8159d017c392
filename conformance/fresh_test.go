package conformance_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// A moody subject disallows everything from the second query on.
type moody struct {
	asked  atomic.Int64
	starts *atomic.Int64 // of fresh processes
}

func (m *moody) Info() spec.SubjectInfo { return spec.SubjectInfo{Name: "moody"} }
func (m *moody) Kind() impl.Kind        { return impl.InOwnProcess }
func (m *moody) Parallel() int          { return 1 }
func (m *moody) Stats() impl.Stats      { return impl.Stats{} }
func (m *moody) Err() error             { return nil }
func (m *moody) Close() error           { return nil }

func (m *moody) Ask(_ context.Context, _ []byte, probes []spec.Probe) []spec.Answer {
	answers := make([]spec.Answer, len(probes))
	for i := range answers {
		answers[i] = spec.Allowed(m.asked.Add(1) < 2)
	}
	return answers
}

func (m *moody) Fresh(context.Context) (impl.Subject, error) {
	m.starts.Add(1)
	return &moody{starts: m.starts}, nil
}

// TestOrderDependent runs a subject whose answers change: the check records where
// a fresh process answers differently, and the number of processes is bounded
// even if many cases fail.
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
	if n := m.starts.Load(); n != 21 {
		t.Errorf("%d fresh processes, want one for all failures and then 20", n)
	}
}

// restartable is a scripted subject that can be restarted.
type restartable struct {
	*scripted
	fresh  func(n int) (*scripted, error)
	starts int
	closed int
}

func (r *restartable) Fresh(context.Context) (impl.Subject, error) {
	r.starts++
	s, err := r.fresh(r.starts)
	if err != nil {
		return nil, err
	}
	return &closing{s, &r.closed}, nil
}

type closing struct {
	*scripted
	closed *int
}

func (c *closing) Close() error {
	*c.closed++
	return nil
}

// TestFresh checks which failures are run again, and the recorded result.
func TestFresh(t *testing.T) {
	data := loadJudged(t)
	wrong := map[string]spec.Verdict{"/a": spec.Allow, "/d": spec.Allow}
	known := baselineOf(t, "subject: mine\ninterpretation: rfc9309\nknown:\n  - reason: x\n    cases: {t/first: {FooBot /a: allow}, t/second: {FooBot /d: allow}}\n")
	type row struct {
		Starts, Closed int
		Fresh          map[string]spec.Verdict
	}
	sound := func(int) (*scripted, error) { return &scripted{name: "mine"}, nil }
	for _, test := range []struct {
		name    string
		subject scripted
		fresh   func(int) (*scripted, error)
		o       conformance.Options
		want    row
	}{
		{"passes afresh", scripted{says: wrong}, sound, conformance.Options{}, row{3, 3, map[string]spec.Verdict{"/a": spec.Disallow, "/d": spec.Disallow}}},
		{"fails afresh", scripted{says: wrong}, func(int) (*scripted, error) { return &scripted{name: "mine", says: wrong}, nil }, conformance.Options{}, row{1, 1, map[string]spec.Verdict{}}},
		{"other checks of the case change", scripted{says: map[string]spec.Verdict{"/a": spec.Allow}}, func(int) (*scripted, error) {
			return &scripted{name: "mine", says: map[string]spec.Verdict{"/a": spec.Allow, "/b": spec.Allow}}, nil
		}, conformance.Options{}, row{1, 1, map[string]spec.Verdict{}}},
		{"does not start afresh", scripted{says: wrong}, func(int) (*scripted, error) { return nil, errors.New("no") }, conformance.Options{}, row{1, 0, map[string]spec.Verdict{}}},
		{"known", scripted{says: wrong}, sound, conformance.Options{Baseline: known}, row{0, 0, map[string]spec.Verdict{}}},
		{"lost", scripted{says: wrong, lost: errors.New("gone")}, sound, conformance.Options{}, row{0, 0, map[string]spec.Verdict{}}},
		{"answers nothing", scripted{everything: spec.Crash}, sound, conformance.Options{}, row{0, 0, map[string]spec.Verdict{}}},
		{"passes", scripted{}, sound, conformance.Options{}, row{0, 0, map[string]spec.Verdict{}}},
	} {
		test.subject.name = "mine"
		s := &restartable{scripted: &test.subject, fresh: test.fresh}
		r := conformance.Run(t.Context(), data, data.Cases, []impl.Subject{s}, test.o)
		if diff := cmp.Diff(test.want, row{s.starts, s.closed, freshOf(r)}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestFreshInterrupted: answers after an interrupt are ignored.
func TestFreshInterrupted(t *testing.T) {
	t.Parallel()
	data := loadJudged(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := &restartable{scripted: &scripted{name: "mine", says: map[string]spec.Verdict{"/a": spec.Allow, "/d": spec.Allow}}, fresh: func(int) (*scripted, error) {
		return &scripted{name: "mine", everything: spec.Timeout, stop: func(int) { cancel() }}, nil
	}}
	r := conformance.Run(ctx, data, data.Cases, []impl.Subject{s}, conformance.Options{})
	if got := freshOf(r); len(got) > 0 || s.starts != 1 || s.closed != 1 {
		t.Errorf("%v after %d starts, %d closed", got, s.starts, s.closed)
	}
}

// freshOf returns the differing verdicts of fresh processes, by path.
func freshOf(r *conformance.Result) map[string]spec.Verdict {
	all := map[string]spec.Verdict{}
	for _, c := range r.Cases {
		for _, check := range c.Outcomes[0].Checks {
			if check.Fresh != "" {
				all[spec.ShortURL(check.URL)] = check.Fresh
			}
		}
	}
	return all
}
