package cli

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/longtest"
)

// TestAssertedChoices: no profile asserts a choice that the parser's own answers to
// the cases refute. It covers all parsers, other languages' too.
func TestAssertedChoices(t *testing.T) {
	longtest.Skip(t, "TestProfileReference covers the reference")
	f := &subjectFlags{all: true, disallowExit: 1, interpretation: spec.Interpretations[0], timeout: time.Second, startTimeout: time.Minute, memory: 2048}
	subjects, closeAll, err := f.open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	for _, why := range f.skipped {
		if os.Getenv("REPCHECK_REQUIRE_ADAPTERS") == "1" {
			t.Errorf("not tested, though demanded by REPCHECK_REQUIRE_ADAPTERS=1: %s", why)
		}
	}
	data := *spec.Default()
	// Long files take some parsers seconds each.
	data.Cases = slices.DeleteFunc(slices.Clone(data.Cases), func(c spec.Case) bool { return len(c.Robots) > 4<<10 })
	all := conformance.Profile(context.Background(), &data, subjects, conformance.ProfileOptions{})
	for i := range all.Subjects {
		s := &all.Subjects[i]
		if s.Lost != "" {
			t.Errorf("%s is lost: %s", s.Name, s.Lost)
		}
		if s.Predicted*10 < s.Asked*7 {
			t.Errorf("%s: %d of %d answers predicted, under 70%%", s.Name, s.Predicted, s.Asked)
		}
		for _, d := range s.Deviations {
			if !d.Refuted && (d.Own.Refutes() || slices.ContainsFunc(d.Evidence, fingerprint.Count.Refutes)) {
				t.Errorf("%s: %s=%s is asserted; the evidence is %v, that of its own cases %v", s.Name, d.Point, d.Choice, d.Evidence, d.Own)
			}
		}
	}
	if len(all.Subjects) != len(subjects) {
		t.Errorf("%d profiles of %d parsers", len(all.Subjects), len(subjects))
	}
}

// TestTelling: an input counts for each needed choice that it shows, and for no other.
func TestTelling(t *testing.T) {
	literal := reference.Change{Point: reference.Wildcards, Choice: reference.WildcardsLiteral}
	tie := reference.Change{Point: reference.Tie, Choice: reference.TieDisallow}
	needed := map[reference.Change]int{literal: 2, tie: 1}
	in := fuzz.Input{Robots: []byte("User-agent: *\nDisallow: /a*c\n"), Probes: []spec.Probe{{Agent: "FooBot", URL: "http://foo.test/abc"}}}
	for _, want := range []bool{true, true, false} {
		if got := telling(in, needed); got != want {
			t.Errorf("an input with a star, while %v are needed: tells %t, want %t", needed, got, want)
		}
	}
	if diff := cmp.Diff(map[reference.Change]int{tie: 1}, needed); diff != "" {
		t.Errorf("still needed (-want +got):\n%s", diff)
	}
}
