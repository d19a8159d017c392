package conformance_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// TestRunFixed: a check that passes although a baseline lists it as a failure
// contains the listed verdict, the reason and the file, so that a report can show
// it like a failure.
func TestRunFixed(t *testing.T) {
	t.Parallel()
	const id = "precedence/longer-allow-wins"
	path := filepath.Join(t.TempDir(), "known.yaml")
	baseline := "subject: reference\ninterpretation: rfc9309\nknown:\n  - reason: the first rule decides\n    cases:\n      " + id + ": {\"FooBot /a/b\": disallow}\n"
	if err := os.WriteFile(path, []byte(baseline), 0o644); err != nil {
		t.Fatal(err)
	}
	known, err := conformance.LoadBaseline(path)
	if err != nil {
		t.Fatal(err)
	}
	subject, err := impl.Reference("rfc9309", impl.InProcessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer subject.Close()
	data := spec.Default()
	c := data.Case(id)
	r := conformance.Run(context.Background(), data, []spec.Case{*c}, []impl.Subject{subject}, conformance.Options{Baseline: known})
	if got, want := r.Cases[0].Hash, c.Hash(); got != want {
		t.Errorf("the hash is %q, want %q", got, want)
	}
	if got, want := r.Cases[0].Robots, spec.EncodeOctets(c.Robots); got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
	type fixed struct {
		Status   conformance.Status
		Baseline spec.Verdict
		Reason   string
		Why      bool
	}
	var got []fixed
	for _, check := range r.Cases[0].Outcomes[0].Checks {
		if check.Baseline != "" {
			got = append(got, fixed{check.Status, check.Baseline, check.Reason, check.Why != ""})
		}
	}
	if diff := cmp.Diff([]fixed{{conformance.Pass, spec.Disallow, "the first rule decides", true}}, got); diff != "" {
		t.Errorf("the fixed checks differ (-want +got):\n%s", diff)
	}
}
