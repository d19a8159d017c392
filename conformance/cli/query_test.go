package cli

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// A toldSubject returns the answers of its function. It is lost if err is set.
type toldSubject struct {
	impl.Subject
	name   string
	err    error
	answer func(ctx context.Context) spec.Verdict
}

func (s *toldSubject) Info() spec.SubjectInfo { return spec.SubjectInfo{Name: s.name} }
func (s *toldSubject) Err() error             { return s.err }

func (s *toldSubject) Ask(ctx context.Context, _ []byte, probes []spec.Probe) []spec.Answer {
	answers := make([]spec.Answer, len(probes))
	for i := range answers {
		answers[i].Verdict = s.answer(ctx)
	}
	return answers
}

// A lost subject gets no queries. The others do, and the error names the lost
// one.
func TestAskAllLost(t *testing.T) {
	t.Parallel()
	allow := func(context.Context) spec.Verdict { return spec.Allow }
	subjects := []impl.Subject{
		&toldSubject{name: "first", answer: allow},
		&toldSubject{name: "gone", err: errors.New("not started: no such file"), answer: func(context.Context) spec.Verdict { panic("it is asked") }},
		&toldSubject{name: "last", answer: allow},
	}
	got, err := askAll(t.Context(), subjects, nil, make([]spec.Probe, 1))
	if err != nil {
		t.Fatal(err)
	}
	want := [][]spec.Answer{{{Verdict: spec.Allow}}, {{Verdict: spec.Unsupported, Detail: "not started: no such file"}}, {{Verdict: spec.Allow}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var exit *exitError
	if err := lostSubjects(subjects); !errors.As(err, &exit) || exit.code != exitLost || err.Error() != "a parser was lost: gone: not started: no such file" {
		t.Error(err)
	}
}

// An interrupted query has no answers to show.
func TestAskAllInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	subjects := []impl.Subject{
		&toldSubject{name: "first", answer: func(context.Context) spec.Verdict { return spec.Allow }},
		&toldSubject{name: "slow", answer: func(ctx context.Context) spec.Verdict { cancel(); <-ctx.Done(); return spec.Timeout }},
		&toldSubject{name: "last", answer: func(context.Context) spec.Verdict { panic("it is asked") }},
	}
	if got, err := askAll(ctx, subjects, nil, make([]spec.Probe, 1)); got != nil || err == nil || !strings.HasPrefix(err.Error(), "interrupted: 1 of 3 parsers have answered") {
		t.Errorf("%v, %v", got, err)
	}
}

// A blocking read does not keep an interrupted command running.
func TestAwaitInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	begun, end := make(chan struct{}), make(chan struct{})
	defer close(end)
	go func() { <-begun; cancel() }()
	_, err := await(ctx, func() (int, error) { close(begun); <-end; return 0, nil })
	if err == nil || !strings.HasPrefix(err.Error(), "interrupted") {
		t.Error(err)
	}
}
