package fuzz

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/corpus"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// TestScanFile checks that every file is reported, with the queries on which a
// parser that uses the first matching rule differs from the reference. Its choice
// is among the causes.
func TestScanFile(t *testing.T) {
	t.Parallel()
	first := reference.RFC9309()
	first[reference.Precedence] = reference.PrecedenceFirst
	odd := openFake(t, spec.SubjectInfo{Name: "odd"}, 0, func(_, agent, _ string) spec.Verdict {
		return spec.Unsupported // a verdict that cannot be compared
	})
	subjects := []impl.Subject{subject(t, "rfc9309", reference.RFC9309()), subject(t, "first", first), odd}
	files := filesOf([]corpus.File{
		fileNamed("agree.test", "User-agent: *\nDisallow: /\n"),
		fileNamed("differ.test", "User-agent: *\nDisallow: /\nAllow: /a\n"),
	})
	got := map[string]*ScanFile{}
	result, err := Scan(t.Context(), files, subjects, ScanOptions{File: func(f *ScanFile) { got[f.Name] = f }})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || len(got["agree.test"].Disagreements) != 0 {
		t.Fatalf("told of %d files, want 2, and none of a disagreement about the first: %+v", len(got), got)
	}
	all := got["differ.test"].Disagreements
	if n := result.Natural.Pair(0, 1).Differing; n == 0 || int64(len(all)) != n {
		t.Errorf("told of %d disagreements, and counted %d: want the same, and some", len(all), n)
	}
	for _, d := range all {
		want := ScanDisagreement{
			Kind: NaturalQueries, Probe: d.Probe, Verdicts: []spec.Verdict{spec.Allow, spec.Disallow, spec.Unsupported},
			Causes: map[spec.Verdict][]Change{spec.Disallow: d.Causes[spec.Disallow]},
		}
		if !slices.Contains(d.Causes[spec.Disallow], Change{Point: reference.Precedence, Choice: reference.PrecedenceFirst}) {
			t.Errorf("%s: the causes %v lack the choice of the parser", spec.ProbeID(d.Probe), d.Causes[spec.Disallow])
		}
		if diff := cmp.Diff(want, d); diff != "" {
			t.Errorf("disagreement (-want +got):\n%s", diff)
		}
	}
}
