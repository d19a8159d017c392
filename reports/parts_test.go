package reports

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

func TestCompareNatural(t *testing.T) {
	t.Parallel()
	want := []string{"RFC9309-2.2.2-4", "RFC9309-2.2.2-18", "RFC9309-2.2.2-19", "RFC9309-2.2.2-19a", "RFC9309-2.2.10-1", "RFC9309-ABNF-EOL"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, compareNatural)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the order differs (-want +got):\n%s", diff)
	}
}

func TestSectionOf(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"RFC9309-2.2.2-4": "2.2.2", "RFC9309-2.2.2-19a": "2.2.2", "RFC9309-ABNF-UTF8-1-noctl": "2.2", "GOOGLE-LINE-8": "GOOGLE", "x": "x", "": "",
	} {
		if got := sectionOf(id); got != want {
			t.Errorf("sectionOf(%q) is %q, want %q", id, got, want)
		}
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*conformance.Result)
		failOn spec.Level
		want   string
	}{
		{"fine", func(*conformance.Result) {}, spec.Should, "ok: no unexpected failure"},
		{"lost", func(r *conformance.Result) { r.Subjects[0].Lost = "gone" }, spec.Should, "FAILED: 1 parser lost"},
		{"lost on the way", func(r *conformance.Result) {
			r.Subjects[0].Lost = "gone"
			r.Cases[0].Outcomes[0] = outcome("temoto", fail("/a", 0, ""), leftOpen("/b"), leftOpen("/c"))
		}, spec.Should, "FAILED: 1 unexpected failure at SHOULD or above, 2 queries without an answer, 1 parser lost"},
		{"known", func(r *conformance.Result) { r.Cases[0].Outcomes[0] = outcome("temoto", known("/a", "")) }, spec.Should,
			"ok: no unexpected failure; 1 failure is known and explained by the baseline"},
		{"one counts", func(r *conformance.Result) {
			r.Cases[0].Outcomes[0] = outcome("temoto", fail("/a", 0, ""), known("/b", ""), known("/c", ""))
		}, spec.Should,
			"FAILED: 1 unexpected failure at SHOULD or above"},
		{"one does not", func(r *conformance.Result) {
			r.Cases[0].Level = spec.Should
			r.Cases[0].Outcomes[0] = outcome("temoto", fail("/a", 0, ""))
		}, spec.Must, "ok: no unexpected failure at MUST"},
		{"wrong entries", func(r *conformance.Result) { r.Baseline = make([]conformance.BaselineProblem, 2) }, spec.Must, "FAILED: 2 wrong baseline entries"},
		{"fixed", func(r *conformance.Result) {
			r.Cases[0].Outcomes[0] = outcome("temoto", pass("/a"), repaired("/b", "first rule wins"))
			r.Baseline = []conformance.BaselineProblem{{Kind: "stale", Subject: "temoto", Case: r.Cases[0].ID, Expectation: "FooBot /b"}}
		}, spec.Must, "FAILED: 1 fixed failure still in the baseline"},
	}
	for _, test := range tests {
		r := fine()
		r.FailOn = test.failOn
		test.change(r)
		got := newDigest(r).verdict()
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		if failed := r.Failed() || r.Lost(); failed != strings.HasPrefix(got, "FAILED") {
			t.Errorf("%s: %q, but Failed is %v and Lost %v", test.name, got, r.Failed(), r.Lost())
		}
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		queries int
		in      time.Duration
		want    string
	}{{0, time.Second, "–"}, {5, 0, "–"}, {5, 2 * time.Second, "2.5"}, {999, time.Second, "999"}, {1234567, time.Second, "1,234,567"}} {
		if got := rate(test.queries, test.in); got != test.want {
			t.Errorf("rate(%d, %v) is %s, want %s", test.queries, test.in, got, test.want)
		}
	}
}

// TestMatrixDropsDocument: if all IDs begin with the same document, it appears
// only in the column heading, so that six parsers fit next to long IDs.
func TestMatrixDropsDocument(t *testing.T) {
	t.Parallel()
	var subjects []conformance.SubjectResult
	for _, name := range []string{"reference", "benjaminestes", "grobotstxt", "samclarke", "slyrz", "temoto"} {
		subjects = append(subjects, subject(name, ""))
	}
	r := run(subjects...)
	for _, id := range []string{"RFC9309-ABNF-UTF8-char-noctl", "RFC9309-2.5-2"} {
		c := judging("topic/"+id, "2.2", spec.Must, id)
		for _, s := range subjects {
			c.Outcomes = append(c.Outcomes, outcome(s.Name, fail("/a", 0, ""), pass("/b")))
		}
		r.Cases = append(r.Cases, c)
	}
	lines := func(r *conformance.Result) string {
		var out strings.Builder
		if err := Run(finish(r), nil, Options{}).Text(&out, doc.TextOptions{}); err != nil {
			t.Fatal(err)
		}
		_, matrix, _ := strings.Cut(out.String(), "\nRFC9309-…")
		return "RFC9309-…" + strings.Join(strings.SplitN(matrix, "\n", 4)[:3], "\n")
	}
	want := `RFC9309-…             level  reference  benjaminestes  grobotstxt  samclarke  slyrz   temoto
2.2  Syntax
ABNF-UTF8-char-noctl  MUST   ✗ 1/2!     ✗ 1/2!         ✗ 1/2!      ✗ 1/2!     ✗ 1/2!  ✗ 1/2!`
	if diff := cmp.Diff(want, lines(r)); diff != "" {
		t.Errorf("the matrix differs (-want +got):\n%s", diff)
	}
	r.Cases[1].Requirements[0] = "OTHER-1"
	var out strings.Builder
	if err := Run(r, nil, Options{}).Text(&out, doc.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "\nRFC9309-ABNF-UTF8-char-noctl") {
		t.Errorf("an ID is shortened beside one of another document:\n%s", got)
	}
}
