package conformance

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// UpdateVariable is the environment variable that makes [TestBaseline] rewrite
// its baseline; its value is the reason under which new failures are entered.
const UpdateVariable = "REPCHECK_UPDATE_BASELINE"

// Test runs every case on the subject as a subtest, for the tests of a parser
// written in Go. A failure of the level FailOn or above (MUST and SHOULD by
// default) that the Baseline of the options does not explain fails its subtest,
// and a wrong baseline fails the test. Options are one or none. The subject is
// left open.
func Test(t *testing.T, subject impl.Subject, options ...Options) {
	t.Helper()
	r := runTest(t, subject, options)
	for i := range r.Cases {
		c := &r.Cases[i]
		t.Run(c.ID, func(t *testing.T) { testCase(t, c, r.FailOn) })
	}
	for _, p := range r.Baseline {
		t.Error(p)
	}
}

// TestBaseline is Test with the known failures in the file at path: a failure
// that it explains is passed over, one that it does not explain fails, and so
// does an entry that no longer holds. To write the file, run the test with
// [UpdateVariable] set to a reason, then edit the reasons.
func TestBaseline(t *testing.T, subject impl.Subject, path string, options ...Options) {
	t.Helper()
	reason := os.Getenv(UpdateVariable)
	var o Options
	if len(options) > 0 {
		o = options[0]
	}
	known, err := LoadBaseline(path)
	switch {
	case err == nil:
		o.Baseline = known
	case reason == "":
		t.Fatalf("%v: %s='first run' go test writes it", err, UpdateVariable)
	}
	if reason == "" {
		Test(t, subject, o)
		return
	}
	entered, dropped, err := UpdateBaseline(path, reason, runTest(t, subject, []Options{o}))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d expectations entered, %d dropped", path, entered, dropped)
}

func runTest(t *testing.T, subject impl.Subject, options []Options) *Result {
	t.Helper()
	if len(options) > 1 {
		t.Fatalf("%d options, want one or none", len(options))
	}
	var o Options
	if len(options) == 1 {
		o = options[0]
	}
	data := spec.Default()
	return Run(context.Background(), data, data.Cases, []impl.Subject{subject}, o)
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
		t.Errorf("%s (%s, %s)\n%s\n%s\nmay %s fetch %s? want %s, got %s\n%s", c.Pos, c.Level, c.Requirements, c.Rationale,
			c.Robots, spec.EncodeInline(check.Agent), spec.EncodeInline(check.URL), check.Want,
			strings.TrimSpace(string(check.Got.Verdict)+" "+check.Got.Detail), check.Why)
	}
}
