package conformance

import (
	"context"
	"testing"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// Test runs every case on the subject as a subtest, for the tests of a parser
// written in Go. A failure of the level o.FailOn or above (MUST and SHOULD by
// default) that o.Baseline does not explain fails its subtest, and a wrong
// baseline fails the test. The subject is left open.
func Test(t *testing.T, subject impl.Subject, o Options) {
	t.Helper()
	data := spec.Default()
	r := Run(context.Background(), data, data.Cases, []impl.Subject{subject}, o)
	for i := range r.Cases {
		c := &r.Cases[i]
		t.Run(c.ID, func(t *testing.T) { testCase(t, c, r.FailOn) })
	}
	for _, p := range r.Baseline {
		t.Error(p)
	}
}

func testCase(t *testing.T, c *CaseResult, failOn spec.Level) {
	out := &c.Outcomes[0]
	if c.Level.Weight() < failOn.Weight() {
		return
	}
	for i := range out.Checks {
		check := &out.Checks[i]
		if check.Status < Fail {
			continue
		}
		t.Errorf("%s (%s, %s)\n%s\n%s\nmay %s fetch %s? want %s, got %s %s\n%s", c.Pos, c.Level, c.Requirements, c.Rationale,
			c.Robots, spec.EncodeInline(check.Agent), spec.EncodeInline(check.URL), check.Want, check.Got.Verdict, check.Got.Detail, check.Why)
	}
}
