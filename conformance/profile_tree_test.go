package conformance

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/spec"
)

// named returns profiles with only names and lineages.
func named(subjects ...spec.SubjectInfo) *Profiles {
	all := &Profiles{}
	for _, s := range subjects {
		all.Subjects = append(all.Subjects, SubjectProfile{SubjectInfo: s})
	}
	return all
}

// TestTree compares the tree with distances calculated by hand: a and b are
// nearest, c joins them at (4+6)/2, d and e join each other, and the two groups
// join at the average over all six.
func TestTree(t *testing.T) {
	t.Parallel()
	all := named(spec.SubjectInfo{Name: "a"}, spec.SubjectInfo{Name: "b"}, spec.SubjectInfo{Name: "c d"}, spec.SubjectInfo{Name: "d"}, spec.SubjectInfo{Name: "it's"})
	all.Distances = [][]float64{
		{0, .02, .04, .10, .10},
		{.02, 0, .06, .10, .10},
		{.04, .06, 0, .16, .16},
		{.10, .10, .16, 0, .08},
		{.10, .10, .16, .08, 0},
	}
	want := &Tree{
		Newick: "(((a:0.010000,b:0.010000):0.015000,'c d':0.025000):0.035000,(d:0.040000,'it''s':0.040000):0.020000);",
		Merges: []Merge{{0, 1, .02}, {5, 2, .05}, {3, 4, .08}, {6, 7, .12}},
	}
	if diff := cmp.Diff(want, all.join(), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("the tree differs (-want +got):\n%s", diff)
	}
}

// TestRelate checks distances, relatives and lineages on answers that are short
// enough to count by hand. A query that one of two subjects did not answer counts
// for neither.
func TestRelate(t *testing.T) {
	t.Parallel()
	all := named(spec.SubjectInfo{Name: "a", Lineage: "x"}, spec.SubjectInfo{Name: "b", Lineage: "x"}, spec.SubjectInfo{Name: "c"}, spec.SubjectInfo{Name: "mute"})
	const n, s, y = fingerprint.Disallows, fingerprint.Silent, fingerprint.Allows
	all.relate([][]fingerprint.Outcome{
		{y, y, y, y, y},
		{y, y, y, n, s},
		{n, n, y, n, s},
		{s, s, s, s, s},
	})
	want := [][]float64{{0, .25, .75, 1}, {.25, 0, .5, 1}, {.75, .5, 0, 1}, {1, 1, 1, 0}}
	if diff := cmp.Diff(want, all.Distances); diff != "" {
		t.Errorf("distances differ (-want +got):\n%s", diff)
	}
	var relatives []string
	for _, f := range all.Subjects {
		relatives = append(relatives, f.Relative)
	}
	if diff := cmp.Diff([]string{"b", "a", "b", "a"}, relatives); diff != "" {
		t.Errorf("relatives differ (-want +got):\n%s", diff)
	}
	lineage := LineageDistance{Lineage: "x", Subjects: []string{"a", "b"}, Widest: .25, Nearest: .5, Inside: "b", Outside: "c"}
	if diff := cmp.Diff([]LineageDistance{lineage}, all.Lineages); diff != "" || !all.Lineages[0].Together() {
		t.Errorf("lineages differ (-want +got):\n%s", diff)
	}
}
