package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// hashed gives every case a hash of its own.
func hashed(r *conformance.Result) *conformance.Result {
	for i := range r.Cases {
		r.Cases[i].Hash = r.Cases[i].ID
	}
	return r
}

// compared compares two results for the tests of reports.
func compared(t *testing.T, old, new *conformance.Result) *conformance.Comparison {
	t.Helper()
	c, err := conformance.Compare(hashed(old), hashed(new), spec.Should)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// everyChange returns a comparison with every kind of change.
func everyChange(t *testing.T) *conformance.Comparison {
	t.Helper()
	old, new := every(), every()
	old.Version, old.CaseSet, new.Set = "v0.0.9", "another", "2026.1"
	old.Subjects[0].Version = "v1.1.1"
	old.Subjects = append(old.Subjects, subject("gone", "v1"))
	new.Subjects = append(new.Subjects, subject("come", "v2"))
	old.Subjects[1].Lost = ""
	outcome := func(r *conformance.Result, at, subject int) []conformance.Check {
		return r.Cases[at].Outcomes[subject].Checks
	}
	// precedence/longest-wins: one failure breaks, one becomes a crash, and one
	// known failure passes.
	outcome(old, 0, 0)[0] = pass("/a/b")
	was := outcome(new, 0, 0)[2]
	was.Got = spec.Answer{Verdict: spec.Allow}
	outcome(old, 0, 0)[2] = was
	outcome(old, 0, 1)[0] = known("/a/b", "the first rule that matches wins, as in 1996")
	outcome(new, 0, 1)[0] = pass("/a/b")
	outcome(old, 0, 2)[1], outcome(new, 0, 2)[1] = pass("/b"), known("/b", "since v2 the last rule wins")
	outcome(old, 0, 2)[0] = known("/a/b", "the first rule that matches wins, as in 1996")
	// limits/half-a-megabyte breaks below the level that counts.
	long := outcome(new, 2, 2)[0]
	long.Status, long.Got.Verdict = conformance.Pass, spec.Allow
	outcome(old, 2, 2)[0] = long
	// example/empty-file times out, agents/case is not run.
	outcome(new, 6, 2)[0].Got.Verdict = spec.Timeout
	new.Cases[4].Outcomes[0].Checks = nil
	// open-groups/blank-line changes to another choice.
	outcome(old, 5, 0)[0].Got.Verdict = spec.Disallow
	c, err := conformance.Compare(edited(hashed(old)), hashed(new), spec.Should)
	if err != nil {
		t.Fatal(err)
	}
	c.Old.File, c.New.File = "old.json", "new\x1b.json"
	return c
}

// edited gives lines/odd-octets another hash, and paths/prefix another ID.
func edited(r *conformance.Result) *conformance.Result {
	r.Cases[1].Hash = "edited"
	r.Cases[7].ID = "paths/suffix"
	return r
}

// manyChanges returns a comparison with more changes than a report lists.
func manyChanges(t *testing.T) *conformance.Comparison {
	t.Helper()
	old, new := crowd(), crowd()
	for i := range old.Cases {
		old.Cases[i].Outcomes[2] = outcome(old.Subjects[2].Name, pass("/a"), pass("/b"))
		old.Cases[i].Outcomes[3] = outcome(old.Subjects[3].Name, fail("/a", 0, ""), pass("/b"))
		new.Cases[i].Outcomes[3] = outcome(new.Subjects[3].Name, pass("/a"), pass("/b"))
	}
	return compared(t, old, new)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	comparisons := []struct {
		name string
		c    *conformance.Comparison
		full bool
	}{
		{"every", everyChange(t), true},
		{"many", manyChanges(t), false},
		{"same", compared(t, fine(), fine()), false},
	}
	for _, comparison := range comparisons {
		goldenStyles(t, "compare-"+comparison.name, comparison.full, Options{}, func(o Options) doc.Document { return Compare(comparison.c, nil, o) })
	}
	var out bytes.Buffer
	if err := WriteJSON(&out, everyChange(t)); err != nil {
		t.Fatal(err)
	}
	golden(t, "compare-every.json", out.Bytes())
}

// TestComparedVerdict: the verdict says FAILED if the exit code will not be 0.
func TestComparedVerdict(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(old, new *conformance.Result)
		want   string
	}{
		{"same", func(_, _ *conformance.Result) {}, "ok: no regression at SHOULD or above"},
		{"fixed", func(old, _ *conformance.Result) {
			old.Cases[0].Outcomes[0] = outcome("temoto", known("/a", ""), pass("/b"))
		},
			"ok: no regression at SHOULD or above; 1 fixed"},
		{"broke", func(_, new *conformance.Result) {
			new.Cases[0].Outcomes[0] = outcome("temoto", fail("/a", 0, ""), known("/b", ""))
		}, "FAILED: 2 regressions at SHOULD or above"},
		{"broke below", func(old, new *conformance.Result) {
			old.Cases[0].Level, new.Cases[0].Level = spec.May, spec.May
			new.Cases[0].Outcomes[0] = outcome("temoto", fail("/a", 0, ""), pass("/b"))
		}, "ok: no regression at SHOULD or above"},
		{"lost", func(_, new *conformance.Result) { new.Subjects[0].Lost = "gone" }, "FAILED: 1 parser lost"},
		{"lost before", func(old, _ *conformance.Result) { old.Subjects[0].Lost = "gone" }, "ok: no regression at SHOULD or above"},
	} {
		old, new := fine(), fine()
		test.change(old, new)
		c := compared(t, old, new)
		got := comparedVerdict(c)
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		if failed := c.Regressions() > 0 || len(c.Lost()) > 0; failed != strings.HasPrefix(got, "FAILED") {
			t.Errorf("%s: %q with %d regressions and %d lost", test.name, got, c.Regressions(), len(c.Lost()))
		}
	}
}
