package spec_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

func TestQueryLines(t *testing.T) {
	t.Parallel()
	for robots, want := range map[string]int{"": 0, "a": 1, "a\n": 1, "a\r\nb": 2, "\r\r\n\n": 3, "\n\r": 2} {
		if got := (spec.Query{Robots: []byte(robots)}).Lines(); got != want {
			t.Errorf("%q has %d lines, want %d", robots, got, want)
		}
	}
}

// TestQueryCompare: sorted queries are in the order of lines, octets and values,
// regardless of their order before.
func TestQueryCompare(t *testing.T) {
	t.Parallel()
	query := func(robots, agent, url string) spec.Query {
		return spec.Query{Robots: []byte(robots), Probe: spec.Probe{Agent: agent, URL: url}}
	}
	want := []spec.Query{
		query("", "a", "/"), query("", "a", "/longer"), query("a\n", "", ""), query("a\n", "a", "/"),
		query("b\n", "a", "/"), query("b\n", "b", "/"), query("b\n", "b", "?"), query("\n\n", "", ""),
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, spec.Query.Compare)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if want[3].Octets() != 4 {
		t.Errorf("%d octets, want 4", want[3].Octets())
	}
}
