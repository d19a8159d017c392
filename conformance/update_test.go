package conformance_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

const written = "# Known failures, one reason each. Written by repcheck run --update-baseline;\n# reasons, links and days of expiry are yours to edit.\n"

// old is the baseline before each update. It has an entry for every way in which
// a run may leave out an expectation.
const old = `subject: mine
interpretation: rfc9309
known:
  - reason: known bug
    link: https://x.test/1
    cases:
      t/first:
        FooBot /a: allow
        FooBot /b: allow
      t/second:
        FooBot /d: allow
`

// stillFails returns the answers that old lists.
func stillFails() map[string]spec.Verdict {
	return map[string]spec.Verdict{"/a": spec.Allow, "/b": spec.Allow, "/d": spec.Allow}
}

func entry(id, name string, verdict spec.Verdict) conformance.BaselineEntry {
	return conformance.BaselineEntry{Subject: "mine", Case: id, Expectation: name, Verdict: verdict}
}

// TestUpdateBaseline updates and prunes the same baseline with several results.
// Entries that a result does not cover stay.
func TestUpdateBaseline(t *testing.T) {
	t.Parallel()
	gone := func(path string) string { return strings.Replace(old, "        "+path+": allow\n", "", 1) }
	tests := []struct {
		name    string
		old     string // "" is old
		subject scripted
		cases   []string // nil means all
		set     bool
		stop    bool // after the first case
		google  bool

		updated, pruned conformance.BaselineUpdate
		// text is the baseline afterwards, without the comment; "" means
		// unchanged, and "none" that no entry is left.
		textUpdated, textPruned string
	}{
		{name: "everything still holds", subject: scripted{says: stillFails()}},
		{
			name: "one passes", subject: scripted{says: map[string]spec.Verdict{"/a": spec.Allow, "/d": spec.Allow}},
			updated:     conformance.BaselineUpdate{Dropped: []conformance.BaselineEntry{entry("t/first", "FooBot /b", spec.Allow)}},
			pruned:      conformance.BaselineUpdate{Dropped: []conformance.BaselineEntry{entry("t/first", "FooBot /b", spec.Allow)}},
			textUpdated: gone("FooBot /b"), textPruned: gone("FooBot /b"),
		},
		{
			name: "one is unsupported", subject: scripted{says: map[string]spec.Verdict{"/a": spec.Allow, "/b": spec.Unsupported, "/d": spec.Allow}},
			updated:     conformance.BaselineUpdate{Dropped: []conformance.BaselineEntry{entry("t/first", "FooBot /b", spec.Allow)}},
			pruned:      conformance.BaselineUpdate{Dropped: []conformance.BaselineEntry{entry("t/first", "FooBot /b", spec.Allow)}},
			textUpdated: gone("FooBot /b"), textPruned: gone("FooBot /b"),
		},
		{
			name: "a case passes", subject: scripted{says: map[string]spec.Verdict{"/a": spec.Allow, "/b": spec.Allow}},
			updated:     conformance.BaselineUpdate{Dropped: []conformance.BaselineEntry{entry("t/second", "FooBot /d", spec.Allow)}},
			pruned:      conformance.BaselineUpdate{Dropped: []conformance.BaselineEntry{entry("t/second", "FooBot /d", spec.Allow)}},
			textUpdated: strings.Replace(gone("FooBot /d"), "      t/second:\n", "", 1), textPruned: strings.Replace(gone("FooBot /d"), "      t/second:\n", "", 1),
		},
		{
			name: "one fails in another way", subject: scripted{says: map[string]spec.Verdict{"/a": spec.Allow, "/b": spec.Crash, "/d": spec.Allow}},
			updated: conformance.BaselineUpdate{
				Added:   []conformance.BaselineEntry{entry("t/first", "FooBot /b", spec.Crash)},
				Dropped: []conformance.BaselineEntry{entry("t/first", "FooBot /b", spec.Allow)},
			},
			pruned:      conformance.BaselineUpdate{Left: 1},
			textUpdated: gone("FooBot /b") + "  - reason: new bug\n    cases:\n      t/first:\n        FooBot /b: crash\n",
		},
		{
			name: "one is new", subject: scripted{says: map[string]spec.Verdict{"/a": spec.Allow, "/b": spec.Allow, "/c": spec.Disallow, "/d": spec.Allow}},
			updated:     conformance.BaselineUpdate{Added: []conformance.BaselineEntry{entry("t/first", "FooBot /c", spec.Disallow)}},
			pruned:      conformance.BaselineUpdate{Left: 1},
			textUpdated: old + "  - reason: new bug\n    cases:\n      t/first:\n        FooBot /c: disallow\n",
		},
		{
			name: "one timed out", subject: scripted{says: map[string]spec.Verdict{"/a": spec.Timeout, "/b": spec.Allow, "/d": spec.Allow}},
			updated: conformance.BaselineUpdate{Unanswered: 1, Left: 1}, pruned: conformance.BaselineUpdate{Unanswered: 1, Left: 1},
		},
		{
			name: "one broke the protocol", subject: scripted{says: map[string]spec.Verdict{"/a": spec.ProtocolError, "/b": spec.Allow, "/c": spec.ProtocolError, "/d": spec.Allow}},
			updated: conformance.BaselineUpdate{Unanswered: 1, Left: 2}, pruned: conformance.BaselineUpdate{Unanswered: 1, Left: 2},
		},
		{
			name: "a new timeout", subject: scripted{says: map[string]spec.Verdict{"/a": spec.Allow, "/b": spec.Allow, "/c": spec.Timeout, "/d": spec.Allow}},
			updated:     conformance.BaselineUpdate{Added: []conformance.BaselineEntry{entry("t/first", "FooBot /c", spec.Timeout)}},
			pruned:      conformance.BaselineUpdate{Left: 1},
			textUpdated: old + "  - reason: new bug\n    cases:\n      t/first:\n        FooBot /c: timeout\n",
		},
		{
			name: "the parser was lost", subject: scripted{lost: errors.New("gone")},
			updated: conformance.BaselineUpdate{Lost: []string{"mine"}}, pruned: conformance.BaselineUpdate{Lost: []string{"mine"}},
		},
		{
			name: "the parser did not start", subject: scripted{notStarted: errors.New("no such file")},
			updated: conformance.BaselineUpdate{Lost: []string{"mine"}}, pruned: conformance.BaselineUpdate{Lost: []string{"mine"}},
		},
		{
			name: "the parser supports nothing", subject: scripted{everything: spec.Unsupported},
			updated: conformance.BaselineUpdate{Lost: []string{"mine"}}, pruned: conformance.BaselineUpdate{Lost: []string{"mine"}},
		},
		{
			name: "a case was not selected", cases: []string{"t/first", "t/open"}, subject: scripted{says: stillFails()},
			updated: conformance.BaselineUpdate{Unseen: 1}, pruned: conformance.BaselineUpdate{Unseen: 1},
		},
		{
			name: "a case is not in the set", set: true, subject: scripted{says: map[string]spec.Verdict{"/a": spec.Allow, "/b": spec.Allow}},
			updated: conformance.BaselineUpdate{Unseen: 1}, pruned: conformance.BaselineUpdate{Unseen: 1},
		},
		{
			name: "the run was interrupted", stop: true, subject: scripted{},
			updated: conformance.BaselineUpdate{Unseen: 3}, pruned: conformance.BaselineUpdate{Unseen: 3},
		},
		{
			name: "nothing is left", subject: scripted{},
			updated:     conformance.BaselineUpdate{Dropped: []conformance.BaselineEntry{entry("t/first", "FooBot /a", spec.Allow), entry("t/first", "FooBot /b", spec.Allow), entry("t/second", "FooBot /d", spec.Allow)}},
			pruned:      conformance.BaselineUpdate{Dropped: []conformance.BaselineEntry{entry("t/first", "FooBot /a", spec.Allow), entry("t/first", "FooBot /b", spec.Allow), entry("t/second", "FooBot /d", spec.Allow)}},
			textUpdated: "none", textPruned: "none",
		},
		{
			name: "an expectation is gone", old: strings.Replace(old, "FooBot /b", "FooBot /z", 1), subject: scripted{says: map[string]spec.Verdict{"/a": spec.Allow, "/d": spec.Allow}},
			updated:     conformance.BaselineUpdate{Dropped: []conformance.BaselineEntry{entry("t/first", "FooBot /z", spec.Allow)}},
			pruned:      conformance.BaselineUpdate{Dropped: []conformance.BaselineEntry{entry("t/first", "FooBot /z", spec.Allow)}},
			textUpdated: gone("FooBot /b"), textPruned: gone("FooBot /b"),
		},
		{
			name: "a case is unknown", old: strings.Replace(old, "t/second", "t/secnod", 1), subject: scripted{says: map[string]spec.Verdict{"/a": spec.Allow, "/b": spec.Allow}},
			updated: conformance.BaselineUpdate{Unseen: 1}, pruned: conformance.BaselineUpdate{Unseen: 1},
		},
		{
			name: "another interpretation", google: true, subject: scripted{says: map[string]spec.Verdict{"/g": spec.Allow}},
			updated:     conformance.BaselineUpdate{Added: []conformance.BaselineEntry{entry("t/google", "FooBot /g", spec.Allow)}},
			pruned:      conformance.BaselineUpdate{Left: 1},
			textUpdated: old + "---\nsubject: mine\ninterpretation: google\nknown:\n  - reason: new bug\n    cases:\n      t/google:\n        FooBot /g: allow\n",
		},
		{
			name: "no version means every version", old: " ", subject: scripted{version: "1.0", says: map[string]spec.Verdict{"/c": spec.Disallow}},
			updated:     conformance.BaselineUpdate{Added: []conformance.BaselineEntry{entry("t/first", "FooBot /c", spec.Disallow)}},
			pruned:      conformance.BaselineUpdate{Left: 1},
			textUpdated: "subject: mine\ninterpretation: rfc9309\nknown:\n  - reason: new bug\n    cases:\n      t/first:\n        FooBot /c: disallow\n",
		},
		{
			name: "another version beside a version", old: strings.Replace(old, "interpretation", "versions:\n  - \"1.0\"\ninterpretation", 1),
			subject:     scripted{version: "1.1", says: map[string]spec.Verdict{"/c": spec.Disallow}},
			updated:     conformance.BaselineUpdate{Added: []conformance.BaselineEntry{entry("t/first", "FooBot /c", spec.Disallow)}},
			pruned:      conformance.BaselineUpdate{Left: 1},
			textUpdated: strings.Replace(old, "interpretation", "versions:\n  - \"1.0\"\ninterpretation", 1) + "---\nsubject: mine\nversions:\n  - \"1.1\"\ninterpretation: rfc9309\nknown:\n  - reason: new bug\n    cases:\n      t/first:\n        FooBot /c: disallow\n",
		},
		{
			name: "no version beside a version", old: strings.Replace(old, "interpretation", "versions:\n  - \"1.0\"\ninterpretation", 1),
			subject:     scripted{says: map[string]spec.Verdict{"/c": spec.Disallow}},
			updated:     conformance.BaselineUpdate{Added: []conformance.BaselineEntry{entry("t/first", "FooBot /c", spec.Disallow)}},
			pruned:      conformance.BaselineUpdate{Left: 1},
			textUpdated: strings.Replace(old, "interpretation", "versions:\n  - \"1.0\"\ninterpretation", 1) + "---\nsubject: mine\ninterpretation: rfc9309\nknown:\n  - reason: new bug\n    cases:\n      t/first:\n        FooBot /c: disallow\n",
		},
		{
			name: "two documents", old: old + "---\nsubject: mine\ninterpretation: rfc9309\nknown:\n  - reason: another bug\n    cases:\n      t/first:\n        FooBot /c: disallow\n",
			subject:     scripted{says: map[string]spec.Verdict{"/a": spec.Allow, "/b": spec.Crash, "/c": spec.Disallow, "/d": spec.Allow}},
			updated:     conformance.BaselineUpdate{Added: []conformance.BaselineEntry{entry("t/first", "FooBot /b", spec.Crash)}, Dropped: []conformance.BaselineEntry{entry("t/first", "FooBot /b", spec.Allow)}},
			pruned:      conformance.BaselineUpdate{Left: 1},
			textUpdated: gone("FooBot /b") + "  - reason: new bug\n    cases:\n      t/first:\n        FooBot /b: crash\n---\nsubject: mine\ninterpretation: rfc9309\nknown:\n  - reason: another bug\n    cases:\n      t/first:\n        FooBot /c: disallow\n",
		},
		{
			name: "another subject", old: strings.Replace(old, "mine", "yours", 1), subject: scripted{says: map[string]spec.Verdict{"/c": spec.Disallow}},
			updated:     conformance.BaselineUpdate{Added: []conformance.BaselineEntry{entry("t/first", "FooBot /c", spec.Disallow)}},
			pruned:      conformance.BaselineUpdate{Left: 1},
			textUpdated: strings.Replace(old, "mine", "yours", 1) + "---\nsubject: mine\ninterpretation: rfc9309\nknown:\n  - reason: new bug\n    cases:\n      t/first:\n        FooBot /c: disallow\n",
		},
		{
			name: "the reason is there already", old: strings.Replace(old, "known bug", "new bug", 1), subject: scripted{says: map[string]spec.Verdict{"/a": spec.Allow, "/b": spec.Allow, "/c": spec.Disallow, "/d": spec.Allow}},
			updated:     conformance.BaselineUpdate{Added: []conformance.BaselineEntry{entry("t/first", "FooBot /c", spec.Disallow)}},
			pruned:      conformance.BaselineUpdate{Left: 1},
			textUpdated: strings.Replace(strings.Replace(old, "known bug", "new bug", 1), "/b: allow\n", "/b: allow\n        FooBot /c: disallow\n", 1),
		},
		{
			name: "the reason expires", old: strings.Replace(strings.Replace(old, "known bug", "new bug", 1), "    cases", "    expires: \"2000-01-01\"\n    cases", 1),
			subject:     scripted{says: map[string]spec.Verdict{"/a": spec.Allow, "/b": spec.Allow, "/c": spec.Disallow, "/d": spec.Allow}},
			updated:     conformance.BaselineUpdate{Added: []conformance.BaselineEntry{entry("t/first", "FooBot /c", spec.Disallow)}},
			pruned:      conformance.BaselineUpdate{Left: 1},
			textUpdated: strings.Replace(strings.Replace(old, "known bug", "new bug", 1), "    cases", "    expires: \"2000-01-01\"\n    cases", 1) + "  - reason: new bug\n    cases:\n      t/first:\n        FooBot /c: disallow\n",
		},
		{
			name: "listed twice", old: old + "  - reason: again\n    cases:\n      t/first:\n        FooBot /a: allow\n", subject: scripted{says: stillFails()},
			updated:     conformance.BaselineUpdate{Dropped: []conformance.BaselineEntry{entry("t/first", "FooBot /a", spec.Allow)}},
			textUpdated: old,
		},
	}
	for _, test := range tests {
		for _, prune := range []bool{false, true} {
			name, want, text := test.name+"/update", test.updated, test.textUpdated
			if prune {
				name, want, text = test.name+"/prune", test.pruned, test.textPruned
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				before := test.old
				if before == "" {
					before = old
				}
				switch text {
				case "":
					text = before // as it was, without the comment
				case "none":
					text = written
				default:
					text = written + text
				}
				path := write(t, filepath.Join(t.TempDir(), "known.yaml"), before)
				r := runFor(t, path, test.subject, test.cases, test.set, test.stop, test.google)
				var got *conformance.BaselineUpdate
				var err error
				if prune {
					got, err = conformance.PruneBaseline(path, r)
				} else {
					got, err = conformance.UpdateBaseline(path, "new bug", r)
				}
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(&want, got); diff != "" {
					t.Errorf("the update (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(text, read(t, path)); diff != "" {
					t.Errorf("the file (-want +got):\n%s", diff)
				}
				// With the written baseline nothing is wrong, and the same update
				// changes nothing more.
				r = runFor(t, path, test.subject, test.cases, test.set, test.stop, test.google)
				if _, err := conformance.UpdateBaseline(path, "new bug", r); err != nil {
					t.Fatal(err)
				}
				if again := read(t, path); !prune && again != text {
					t.Errorf("a second update changes the file (-first +second):\n%s", cmp.Diff(text, again))
				}
			})
		}
	}
}

// runFor runs a copy of the subject with the baseline at path.
func runFor(t *testing.T, path string, subject scripted, ids []string, set, stop, google bool) *conformance.Result {
	t.Helper()
	data := loadJudged(t)
	b, err := conformance.LoadBaseline(path)
	if err != nil {
		t.Fatal(err)
	}
	o := conformance.Options{Baseline: b}
	subject.name = "mine"
	chosen := data.Cases
	if ids != nil {
		chosen = cases(data, ids...)
	}
	if set {
		o.Set = data.Set("first")
	}
	if google {
		o.Interpretation = "google"
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if stop {
		subject.stop = func(int) { cancel() }
	}
	return conformance.Run(ctx, data, chosen, subjectsOf(&subject), o)
}

func read(t *testing.T, path string) string {
	t.Helper()
	octets, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(octets)
}

// TestUpdateNeedsReason: without a reason nothing is written, and the possible
// changes are returned.
func TestUpdateNeedsReason(t *testing.T) {
	t.Parallel()
	data := loadJudged(t)
	path := filepath.Join(t.TempDir(), "known.yaml")
	r := runOn(t, data, data.Cases, conformance.Options{}, &scripted{name: "mine", says: map[string]spec.Verdict{"/a": spec.Allow}})
	for _, reason := range []string{"", " \t\n"} {
		got, err := conformance.UpdateBaseline(path, reason, r)
		want := &conformance.BaselineUpdate{Added: []conformance.BaselineEntry{entry("t/first", "FooBot /a", spec.Allow)}}
		if !errors.Is(err, conformance.ErrNoReason) {
			t.Errorf("%q: %v", reason, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: a file was written: %v", reason, err)
		}
	}
	if got := entry("t/first", "FooBot /a", spec.Allow).String(); got != `mine: t/first, "FooBot /a": allow` {
		t.Error(got)
	}
	// There is nothing to prune in a file that does not exist.
	if _, err := conformance.PruneBaseline(path, r); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	// If there is nothing to add, the file is written anyway, so that the next
	// run finds it.
	r = runOn(t, data, data.Cases, conformance.Options{}, &scripted{name: "mine"})
	if _, err := conformance.UpdateBaseline(path, "", r); err != nil || read(t, path) != written {
		t.Errorf("%v %q", err, read(t, path))
	}
}

// TestUpdateString checks the description of what was changed and what was not.
func TestUpdateString(t *testing.T) {
	t.Parallel()
	u := conformance.BaselineUpdate{
		Added: []conformance.BaselineEntry{{}, {}}, Dropped: []conformance.BaselineEntry{{}},
		Unseen: 3, Unanswered: 4, Left: 5, Lost: []string{"mine"},
	}
	want := "2 known failures added, 1 dropped\n3 kept because this run did not check them\n" +
		"4 kept because the answer timed out or broke the protocol\n5 unexpected failures not added\n" +
		"mine was lost: its entries are unchanged"
	if diff := cmp.Diff(want, u.String()); diff != "" {
		t.Error(diff)
	}
	if got := (&conformance.BaselineUpdate{}).String(); got != "0 known failures added, 0 dropped" {
		t.Error(got)
	}
}
