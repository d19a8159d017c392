package conformance_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// TestOwnParser uses the suite as the tests of a Go parser do. Here the parser is
// the reference.
func TestOwnParser(t *testing.T) {
	t.Parallel()
	parser := reference.New(reference.RFC9309())
	subject := impl.Func("mine", func(robots []byte, agent, url string) (bool, error) {
		return parser.Parse(robots).Test(agent, url).Allow, nil
	})
	defer subject.Close()
	conformance.Test(t, subject, conformance.Options{})
}

// A test of your own parser.
func ExampleTest() {
	parser := reference.New(reference.RFC9309()) // replace it by your parser
	TestConformance := func(t *testing.T) {
		subject := impl.Func("mine", func(robots []byte, agent, url string) (bool, error) {
			return parser.Parse(robots).Test(agent, url).Allow, nil
		})
		defer subject.Close()
		conformance.Test(t, subject, conformance.Options{})
	}
	_ = TestConformance
}

// Run works without package testing: the result is a tree of all cases, with an
// outcome for each subject.
func ExampleRun() {
	subject := impl.Func("permissive", func([]byte, string, string) (bool, error) { return true, nil })
	defer subject.Close()
	data := spec.Default()
	cases := []spec.Case{*data.Case("precedence/longer-allow-wins")}
	r := conformance.Run(context.Background(), data, cases, []impl.Subject{subject}, conformance.Options{})
	for _, check := range r.Cases[0].Outcomes[0].Checks {
		fmt.Println(check.URL, check.Status)
	}
	// Output:
	// http://foo.test/a/b pass
	// http://foo.test/c fail
}

// TestNullModels: a parser that always gives the same verdict, or decides by the
// length of the URL, fails at every level.
func TestNullModels(t *testing.T) {
	t.Parallel()
	models := map[string]func(agent, url string) bool{
		"always allow":    func(string, string) bool { return true },
		"always disallow": func(string, string) bool { return false },
		"by length":       func(_, url string) bool { return len(url)%2 == 0 },
	}
	data := spec.Default()
	for name, model := range models {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			subject := impl.InProcess(spec.SubjectInfo{Name: "model"}, func([]byte) (func(agent, url string) spec.Answer, error) {
				return func(agent, url string) spec.Answer { return spec.Allowed(model(agent, url)) }, nil
			}, impl.InProcessOptions{})
			defer subject.Close()
			r := conformance.Run(t.Context(), data, data.Cases, []impl.Subject{subject}, conformance.Options{})
			for _, level := range []spec.Level{spec.Must, spec.Should} {
				tally := r.Subjects[0].Levels[level]
				if tally.Total == 0 || tally.Pass > tally.Total*2/3 {
					t.Errorf("%s: passes %d of %d checks", level, tally.Pass, tally.Total)
				}
			}
		})
	}
}
