package conformance_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// TestBaselineEntries compares entries with answers: which failures become known,
// and which entries are wrong, on which line and with which fix.
func TestBaselineEntries(t *testing.T) {
	const head = "subject: mine\ninterpretation: rfc9309\nknown:\n  - reason: known bug\n"
	tests := []struct {
		name     string
		baseline string
		subject  scripted
		options  conformance.Options
		// want holds the statuses that are not pass, classified or not-scored.
		want     map[string]string
		problems []string
		notes    []string
		failed   bool
	}{
		{
			name:     "a crash on an open point is excused",
			baseline: head + "    cases:\n      t/open: {FooBot /o: crash}\n",
			subject:  scripted{says: map[string]spec.Verdict{"/o": spec.Crash}},
			want:     map[string]string{"/o": "known"},
		},
		{
			name:     "a crash on an open point that is over is stale",
			baseline: head + "    cases:\n      t/open: {FooBot /o: crash}\n",
			problems: []string{"stale known.yaml:6: mine: t/open, \"FooBot /o\" is classified now and does not fail: run again with --baseline known.yaml --prune-baseline to drop the entry"},
			failed:   true,
		},
		{
			name:     "the known answer is excused",
			baseline: head + "    cases:\n      t/first: {FooBot /a: allow}\n",
			subject:  scripted{says: map[string]spec.Verdict{"/a": spec.Allow}},
			want:     map[string]string{"/a": "known"},
		},
		{
			name:     "another wrong answer is not",
			baseline: head + "    cases:\n      t/first:\n        FooBot /b: reject\n        FooBot /a: reject\n",
			subject:  scripted{says: map[string]spec.Verdict{"/a": spec.Allow, "/b": spec.Reject}},
			want:     map[string]string{"/a": "fail", "/b": "known"},
			problems: []string{`stale known.yaml:8: mine: t/first, "FooBot /a": the answer is allow now, not reject: run again with --baseline known.yaml --update-baseline --reason 'why' to change the entry`},
			failed:   true,
		},
		{
			name:     "what passes is stale",
			baseline: head + "    cases:\n      t/first:\n        FooBot /a: allow\n        FooBot /b: allow\n",
			subject:  scripted{says: map[string]spec.Verdict{"/a": spec.Allow}},
			want:     map[string]string{"/a": "known"},
			problems: []string{`stale known.yaml:8: mine: t/first, "FooBot /b" passes now: run again with --baseline known.yaml --prune-baseline to drop the entry`},
			failed:   true,
		},
		{
			name:     "an alias has the line of its anchor",
			baseline: head + "    cases: &c\n      t/first: &e\n        FooBot /b: allow\n" + "  - reason: again\n    cases: *c\n" + "  - reason: once more\n    cases:\n      t/first: *e\n",
			problems: []string{
				`stale known.yaml:7: mine: t/first, "FooBot /b" passes now: run again with --baseline known.yaml --prune-baseline to drop the entry`,
				`stale known.yaml:7: mine: t/first, "FooBot /b" passes now: run again with --baseline known.yaml --prune-baseline to drop the entry`,
				`stale known.yaml:7: mine: t/first, "FooBot /b" passes now: run again with --baseline known.yaml --prune-baseline to drop the entry`,
			},
			failed: true,
		},
		{
			name:     "what is unsupported now is stale",
			baseline: head + "    cases:\n      t/first: {FooBot /a: allow}\n",
			subject:  scripted{says: map[string]spec.Verdict{"/a": spec.Unsupported}},
			want:     map[string]string{"/a": "skipped"},
			problems: []string{`stale known.yaml:6: mine: t/first, "FooBot /a" is skipped now and does not fail: run again with --baseline known.yaml --prune-baseline to drop the entry`},
			failed:   true,
		},
		{
			name:     "a case that classifies does not fail",
			baseline: head + "    cases:\n      t/open: {FooBot /o: allow}\n",
			subject:  scripted{says: map[string]spec.Verdict{"/o": spec.Allow}},
			problems: []string{`stale known.yaml:6: mine: t/open, "FooBot /o" is classified now and does not fail: run again with --baseline known.yaml --prune-baseline to drop the entry`},
			failed:   true,
		},
		{
			name:     "a timeout shows nothing about another known answer",
			baseline: head + "    cases:\n      t/first: {FooBot /a: allow}\n",
			subject:  scripted{says: map[string]spec.Verdict{"/a": spec.Timeout}},
			want:     map[string]string{"/a": "fail"},
			failed:   true,
		},
		{
			name:     "a known timeout is excused",
			baseline: head + "    cases:\n      t/first: {FooBot /a: timeout}\n",
			subject:  scripted{says: map[string]spec.Verdict{"/a": spec.Timeout}},
			want:     map[string]string{"/a": "known"},
		},
		{
			name:     "a protocol error is never excused",
			baseline: head + "    cases:\n      t/first: {FooBot /a: allow}\n",
			subject:  scripted{says: map[string]spec.Verdict{"/a": spec.ProtocolError}},
			want:     map[string]string{"/a": "broken"},
			failed:   true,
		},
		{
			name:     "the case is unknown",
			baseline: head + "    cases:\n      t/first: {FooBot /a: allow}\n      t/secnod: {FooBot /d: allow}\n",
			subject:  scripted{says: map[string]spec.Verdict{"/a": spec.Allow}},
			want:     map[string]string{"/a": "known"},
			problems: []string{`unmatched known.yaml:7: mine: there is no case t/secnod (did you mean t/second?): correct the ID or delete this line`},
			failed:   true,
		},
		{
			name:     "the expectation is unknown",
			baseline: head + "    cases:\n      t/first:\n\n        FooBot /z: allow\n",
			problems: []string{`unmatched known.yaml:8: mine: case t/first has no expectation "FooBot /z": run again with --baseline known.yaml --prune-baseline to drop the entry`},
			failed:   true,
		},
		{
			name:     "the entry has expired",
			baseline: head + "    cases:\n      t/first: {FooBot /a: allow, FooBot /b: allow}\n    expires: 2030-01-01\n",
			subject:  scripted{says: map[string]spec.Verdict{"/a": spec.Allow}},
			options:  conformance.Options{Now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)},
			want:     map[string]string{"/a": "fail"},
			problems: []string{`expired known.yaml:7: mine: the entry expired on 2030-01-01 (known bug): fix the parser and delete the entry, or set a later day`},
			failed:   true,
		},
		{
			name:     "an entry expires by today's date",
			baseline: head + "    expires: 2000-01-01\n    cases:\n      t/first: {FooBot /a: allow}\n",
			subject:  scripted{says: map[string]spec.Verdict{"/a": spec.Allow}},
			want:     map[string]string{"/a": "fail"},
			problems: []string{`expired known.yaml:5: mine: the entry expired on 2000-01-01 (known bug): fix the parser and delete the entry, or set a later day`},
			failed:   true,
		},
		{
			name:     "the day before it has not",
			baseline: head + "    cases:\n      t/first: {FooBot /a: allow}\n    expires: 2030-01-01\n",
			subject:  scripted{says: map[string]spec.Verdict{"/a": spec.Allow}},
			options:  conformance.Options{Now: time.Date(2029, 12, 31, 23, 59, 0, 0, time.UTC)},
			want:     map[string]string{"/a": "known"},
		},
		{
			name:     "the version is another one",
			baseline: "subject: mine\nversions: [1.0, 2.*]\ninterpretation: rfc9309\nknown:\n  - reason: x\n    cases: {t/first: {FooBot /a: allow}}\n",
			subject:  scripted{version: "1.1", says: map[string]spec.Verdict{"/a": spec.Allow}},
			want:     map[string]string{"/a": "fail"},
			problems: []string{`version known.yaml:2: mine: the entries are for version 1.0, 2.*, and the parser has version 1.1: add "1.1" to versions, or delete versions to apply them to every version`},
			failed:   true,
		},
		{
			name:     "the subject tells no version",
			baseline: "subject: mine\nversions: [1.0]\ninterpretation: rfc9309\nknown: []\n",
			problems: []string{`version known.yaml:2: mine: the entries are for version 1.0, and the parser reports no version: delete versions to apply them to every version`},
			failed:   true,
		},
		{
			name:     "the version matches a pattern",
			baseline: "subject: mine\nversions: [1.0, 2.*]\ninterpretation: rfc9309\nknown:\n  - reason: x\n    cases: {t/first: {FooBot /a: allow}}\n",
			subject:  scripted{version: "2.7", says: map[string]spec.Verdict{"/a": spec.Allow}},
			want:     map[string]string{"/a": "known"},
		},
		{
			name: "of several versions one applies",
			baseline: "subject: mine\nversions: [1.0]\ninterpretation: rfc9309\nknown: []\n---\n" +
				"subject: mine\nversions: [1.1]\ninterpretation: rfc9309\nknown:\n  - reason: x\n    cases: {t/first: {FooBot /a: allow}}\n",
			subject: scripted{version: "1.1", says: map[string]spec.Verdict{"/a": spec.Allow}},
			want:    map[string]string{"/a": "known"},
		},
		{
			name:     "no version means every version",
			baseline: head + "    cases:\n      t/first: {FooBot /a: allow}\n",
			subject:  scripted{version: "9.9", says: map[string]spec.Verdict{"/a": spec.Allow}},
			want:     map[string]string{"/a": "known"},
		},
		{
			name:     "the interpretation is another one",
			baseline: "subject: mine\ninterpretation: google\nknown:\n  - reason: x\n    cases: {t/first: {FooBot /a: allow}}\n",
			subject:  scripted{says: map[string]spec.Verdict{"/a": spec.Allow}},
			want:     map[string]string{"/a": "fail"},
			failed:   true,
		},
		{
			name:     "the subject is another one",
			baseline: "subject: yours\ninterpretation: rfc9309\nknown:\n  - reason: x\n    cases: {t/first: {FooBot /a: allow, FooBot /b: allow}}\n",
			subject:  scripted{says: map[string]spec.Verdict{"/a": spec.Allow}},
			want:     map[string]string{"/a": "fail"},
			failed:   true,
		},
		{
			name:     "what is not scored is left alone",
			baseline: head + "    cases:\n      t/second: {FooBot /e: disallow}\n      t/google: {FooBot /g: allow}\n",
			subject:  scripted{says: map[string]spec.Verdict{"/e": spec.Disallow, "/g": spec.Allow}},
		},
		{
			name:     "what the set does not have is left alone",
			baseline: head + "    cases:\n      t/second: {FooBot /d: allow}\n",
			options:  conformance.Options{Set: &spec.Set{}}, // replaced by the set of the data
			notes:    []string{"judged by the frozen set first: 1 later cases are not scored"},
		},
		{
			name:     "a lost subject is not said to pass",
			baseline: head + "    cases:\n      t/first: {FooBot /a: allow, FooBot /b: reject, FooBot /z: allow, FooBot /c: disallow}\n",
			subject:  scripted{says: map[string]spec.Verdict{"/b": spec.Allow, "/c": spec.Disallow}, lost: errors.New("gone")},
			want:     map[string]string{"/b": "fail", "/c": "known"},
			failed:   true,
		},
		{
			name:     "a lost subject has no version to compare",
			baseline: "subject: mine\nversions: [1.0]\ninterpretation: rfc9309\nknown: []\n",
			subject:  scripted{notStarted: errors.New("no such file")},
		},
		{
			name: "two entries for one expectation",
			baseline: head + "    cases:\n      t/first: {FooBot /a: allow}\n" +
				"  - reason: another\n    cases:\n      t/first: {FooBot /a: crash}\n",
			subject:  scripted{says: map[string]spec.Verdict{"/a": spec.Allow}},
			want:     map[string]string{"/a": "known"},
			problems: []string{`stale known.yaml:9: mine: t/first, "FooBot /a": the answer is allow now, not crash: run again with --baseline known.yaml --update-baseline --reason 'why' to change the entry`},
			failed:   true,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data := loadJudged(t)
			test.subject.name = "mine"
			test.options.Baseline = baselineOf(t, test.baseline)
			if test.options.Set != nil {
				test.options.Set = data.Set("first")
			}
			r := runOn(t, data, data.Cases, test.options, &test.subject)
			got := statuses(r, 0)
			for path, status := range got {
				if status == "pass" || status == "classified" || status == "not-scored" {
					delete(got, path)
				}
			}
			if test.want == nil {
				test.want = map[string]string{}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("statuses (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.problems, messages(r)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.notes, r.Notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			if r.Failed() != test.failed {
				t.Errorf("failed is %t, want %t", r.Failed(), test.failed)
			}
		})
	}
}

// TestBaselineMerges: the status of a case is the highest status of its checks
// after the baseline was applied, and the reason is in the check.
func TestBaselineMerges(t *testing.T) {
	data := loadJudged(t)
	b := baselineOf(t, "subject: mine\ninterpretation: rfc9309\nknown:\n  - reason: known bug\n    cases: {t/first: {FooBot /a: allow}}\n")
	subject := &scripted{name: "mine", says: map[string]spec.Verdict{"/a": spec.Allow}}
	r := runOn(t, data, cases(data, "t/first"), conformance.Options{Baseline: b}, subject)
	out := r.Cases[0].Outcomes[0]
	if out.Status != conformance.Known || out.Checks[0].Reason != "known bug" || out.Checks[0].Why == "" || r.Failed() {
		t.Errorf("%+v", out)
	}
	if got := r.Subjects[0].Levels[spec.Must]; got != (conformance.Tally{Pass: 2, Total: 3}) {
		t.Errorf("a known failure counts as %+v", got)
	}
}

// TestShippedVersions: a user cannot change the baseline that repcheck ships, so
// no problem is reported if its entries are for another version.
func TestShippedVersions(t *testing.T) {
	t.Parallel()
	data := spec.Default()
	b, err := conformance.DefaultBaseline()
	if err != nil {
		t.Fatal(err)
	}
	subject := &scripted{name: "temoto", version: "v9"}
	b = b.Without([]string{"slyrz"}).Within(data) // as repcheck run does
	r := runOn(t, data, cases(data, "precedence/longer-allow-wins"), conformance.Options{Baseline: b}, subject)
	want := []string{"the known failures of temoto in conformance/baselines/temoto.yaml are for version v1.1.2, not v9: they are not applied; record your own with --baseline FILE --update-baseline"}
	if diff := cmp.Diff(want, r.Notes); diff != "" || len(r.Baseline) > 0 {
		t.Errorf("%v\n%s", r.Baseline, diff)
	}
}

// TestShippedBaselines: a baseline that repcheck ships is for one subject, named
// like its file, for those versions whose source code its reasons refer to, and for
// existing cases.
func TestShippedBaselines(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("baselines/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text := read(t, file)
		subject := "\nsubject: " + strings.TrimSuffix(filepath.Base(file), ".yaml") + "\n"
		if strings.Count(text, "\nsubject: ") != strings.Count(text, subject+"versions:\n") || !strings.Contains(text, subject) {
			t.Errorf("%s: each document must name the subject of the file, then its versions", file)
		}
		for _, m := range regexp.MustCompile(`(?m)^ {6}([^ ]+):$`).FindAllStringSubmatch(text, -1) {
			if spec.Default().Case(m[1]) == nil && spec.Default().Scenario(m[1]) == nil {
				t.Errorf("%s: there is no case %s", file, m[1])
			}
		}
	}
}

// TestSubjects: Without drops the entries of subjects, Within those of cases.
func TestSubjects(t *testing.T) {
	data := loadJudged(t)
	b := baselineOf(t, "subject: a\ninterpretation: rfc9309\nknown:\n  - reason: x\n    cases: {t/first: {FooBot /a: allow}, t/gone: {FooBot /a: allow}}\n---\n"+
		"subject: b\ninterpretation: rfc9309\nknown: []\n")
	if diff := cmp.Diff([]string{"a", "b"}, b.Subjects()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"b"}, b.Without([]string{"a"}).Subjects()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a", "b", "b"}, b.Merge(b.Without([]string{"a"})).Subjects()); diff != "" {
		t.Error(diff)
	}
	subject := &scripted{name: "a", says: map[string]spec.Verdict{"/a": spec.Allow}}
	r := runOn(t, data, data.Cases, conformance.Options{Baseline: b.Within(data)}, subject)
	if len(r.Baseline) > 0 || statuses(r, 0)["/a"] != "known" {
		t.Errorf("%v %v", r.Baseline, statuses(r, 0))
	}
	if r := runOn(t, data, data.Cases, conformance.Options{Baseline: b}, subject); len(r.Baseline) != 1 {
		t.Errorf("Within changed the baseline itself: %v", r.Baseline)
	}
}

// TestLoadBaseline: a file that is not a baseline is rejected, with the file, the
// line and the fix.
func TestLoadBaseline(t *testing.T) {
	t.Chdir(t.TempDir())
	const head = "subject: a\ninterpretation: rfc9309\n"
	tests := []struct{ name, text, want string }{
		{"unknown key", head + "knwon: []\n", `known.yaml: not a baseline: line 3: unknown key "knwon": use subject, versions, interpretation, known`},
		{"unknown key of an entry", head + "known:\n  - reason: x\n    expiers: 2020-01-01\n    cases: {}\n", `known.yaml: not a baseline: line 5: unknown key "expiers": use reason, link, expires, cases`},
		{"no subject", "interpretation: rfc9309\n", "known.yaml: a document of a baseline needs the keys subject and interpretation"},
		{"no interpretation", "subject: a\n", "known.yaml: a document of a baseline needs the keys subject and interpretation"},
		{"an empty document", head + "---\n", "known.yaml: a document of a baseline needs the keys subject and interpretation"},
		{"not a mapping", "- a\n", "known.yaml: not a baseline: line 1: want a mapping with the keys subject, versions, interpretation, known"},
		{"an empty entry", head + "known: [null]\n", "known.yaml: an entry of known is empty: delete it"},
		{"no reason", head + "known:\n\n  - cases: {}\n", "known.yaml:5: the entry has no reason: say why the subject fails"},
		{"a blank reason", head + "known:\n  - reason: ' '\n", "known.yaml:4: the entry has no reason: say why the subject fails"},
		{"a wrong day", head + "known:\n  - reason: x\n    expires: tomorrow\n", `known.yaml:5: expires is "tomorrow": write a day like 2027-06-30`},
		{"no verdict", head + "known:\n  - reason: x\n    cases:\n      t/a:\n        FooBot /: alow\n", `known.yaml:7: "alow" is not an answer that fails a case: use allow, disallow, reject, crash or timeout`},
		{"unsupported", head + "known:\n  - reason: x\n    cases: {t/a: {FooBot /: unsupported}}\n", `known.yaml:5: "unsupported" is not an answer that fails a case: use allow, disallow, reject, crash or timeout`},
		{"a protocol error", head + "known:\n  - reason: x\n    cases: {t/a: {FooBot /: protocol-error}}\n", `known.yaml:5: "protocol-error" is not an answer that fails a case: use allow, disallow, reject, crash or timeout`},
		{"a key twice", head + "known:\n  - reason: x\n    cases:\n      t/a: {FooBot /: allow}\n      t/a: {FooBot /: allow}\n", `known.yaml: not a baseline: line 7: mapping key "t/a" already defined at line 6`},
		{"no YAML", "a: [\n", "known.yaml: not a baseline: line 1: did not find expected node content"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := conformance.LoadBaseline(write(t, "known.yaml", test.text))
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
	for _, text := range []string{"", "# nothing\n", head, head + "known:\n  - &x\n    reason: x\n    link: https://x.test\n    expires: 2030-01-01\n    cases: &c {t/a: {FooBot /: crash}}\n  - {reason: y, cases: *c}\n"} {
		if _, err := conformance.LoadBaseline(write(t, "known.yaml", text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestLoadBaselineFolder reads all YAML files of a folder and no other files.
func TestLoadBaselineFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "more.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, subject := range map[string]string{"one.yaml": "a", "two.yml": "b", "more.yaml/three.yaml": "c"} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), "subject: "+subject+"\ninterpretation: rfc9309\n")
	}
	write(t, filepath.Join(dir, "README.md"), "- no baseline")
	b, err := conformance.LoadBaseline(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c", "a", "b"}, b.Subjects()); diff != "" {
		t.Error(diff)
	}
	broken := write(t, filepath.Join(dir, "more.yaml", "four.yaml"), "- a\n")
	if _, err := conformance.LoadBaseline(dir); err == nil || !strings.HasPrefix(err.Error(), filepath.ToSlash(broken)+": not a baseline") {
		t.Errorf("a broken file in a folder gives %v", err)
	}
}

// TestLoadBaselineSize: a file that is too large is rejected before it is parsed.
func TestLoadBaselineSize(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "known.yaml")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(16<<20 + 1); err != nil {
		t.Fatal(err)
	}
	if _, err := conformance.LoadBaseline(path); err == nil || !strings.HasSuffix(err.Error(), "known.yaml is larger than 16 MiB: pass a file that --update-baseline wrote") {
		t.Error(err)
	}
	if _, err := conformance.LoadBaseline(path + ".none"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
