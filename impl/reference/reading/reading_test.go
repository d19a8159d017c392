package reading_test

import (
	"slices"
	"testing"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// TestGivesRefusals: Gives parses a file for Reject only under choices that can
// cause a refusal, so its list of these choices must be complete.
func TestGivesRefusals(t *testing.T) {
	t.Parallel()
	seen := map[reference.Change]bool{}
	for _, c := range spec.Default().Cases {
		r, probe := reading.New(c.Robots), c.Expect[0].Probe
		if r.Verdict(reference.RFC9309(), probe) == spec.Reject {
			t.Fatalf("%s is refused under RFC 9309", c.ID)
		}
		for _, change := range reference.AllDeviations() {
			if len(c.Robots) > 16_000 && change.Point != reference.SizeLimit {
				continue // it would take seconds
			}
			refused := r.Verdict(reference.With(change), probe) == spec.Reject
			if gives := r.Gives(spec.Reject, probe, change); gives != refused {
				t.Errorf("%s: with %s it is refused: %t, got %t", c.ID, change, refused, gives)
			}
			seen[change] = seen[change] || refused
		}
	}
	for _, choice := range []string{"size-limit=reject", "control-octets=reject-file", "invalid-utf8=reject-file", "orphan-rules=reject-file", "malformed-url=refuse"} {
		var change reference.Change
		if err := change.UnmarshalText([]byte(choice)); err != nil || !seen[change] {
			t.Errorf("%s refuses the query of no case: %v", choice, err)
		}
	}
}

// TestShows compares Shows with the verdicts on every query of the small cases.
func TestShows(t *testing.T) {
	t.Parallel()
	for _, c := range spec.Default().Cases {
		if len(c.Robots) > 1000 {
			continue
		}
		var probes []spec.Probe
		for _, e := range c.Expect {
			probes = append(probes, e.Probe)
		}
		r, shows := reading.New(c.Robots), reading.Shows(c.Robots, probes)
		for _, change := range reference.AllDeviations() {
			want := slices.ContainsFunc(probes, func(p spec.Probe) bool {
				return !r.Gives(r.Verdict(reference.RFC9309(), p), p, change)
			})
			if got := shows(change); got != want {
				t.Errorf("%s: %s shows: %t, want %t", c.ID, change, got, want)
			}
		}
	}
}
