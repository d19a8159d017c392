package conformance_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// checked returns one answered expectation about the path.
func checked(path string, status conformance.Status, got spec.Verdict) conformance.Check {
	return conformance.Check{
		Probe: spec.Probe{Agent: "FooBot", URL: spec.LongURL(path)}, Status: status, Want: spec.Allow, Got: spec.Answer{Verdict: got},
	}
}

// ran returns a result in which the subject "mine" answered the cases. Each case
// has one expectation, with the check under its ID. The hash of a case is its ID
// unless hashes has another.
func ran(checks map[string]conformance.Check, hashes map[string]string) *conformance.Result {
	r := &conformance.Result{
		Format: 1, Version: "v0.1.0", Interpretation: "rfc9309", CaseSet: "1a2b3c4d5e6f",
		Subjects: []conformance.SubjectResult{{SubjectInfo: spec.SubjectInfo{Name: "mine", Version: "1.0"}}},
	}
	for _, id := range []string{"a/1", "a/2", "a/3", "a/4"} {
		check, ok := checks[id]
		if !ok {
			continue
		}
		hash := id
		if hashes[id] != "" {
			hash = hashes[id]
		}
		c := conformance.CaseResult{ID: id, Hash: hash, Level: spec.Must}
		c.Outcomes = []conformance.Outcome{{Subject: "mine", Status: check.Status, Checks: []conformance.Check{check}}}
		if check.Got.Verdict == "" {
			c.Outcomes[0].Checks = nil // not run
		}
		r.Cases = append(r.Cases, c)
	}
	return r
}

// TestCompareStatus checks how a change of one expectation is classified.
func TestCompareStatus(t *testing.T) {
	t.Parallel()
	const (
		allow, disallow = spec.Allow, spec.Disallow
		gone            = "the process ended"
	)
	check := checked
	tests := []struct {
		name             string
		old, new         conformance.Check
		oldLost, newLost string
		want             string
	}{
		{"pass stays", check("/", conformance.Pass, allow), check("/", conformance.Pass, allow), "", "", "compared"},
		{"pass fails", check("/", conformance.Pass, allow), check("/", conformance.Fail, disallow), "", "", "compared broke counts"},
		{"pass becomes a known failure", check("/", conformance.Pass, allow), check("/", conformance.Known, disallow), "", "", "compared broke counts"},
		{"pass crashes", check("/", conformance.Pass, allow), check("/", conformance.Fail, spec.Crash), "", "", "compared broke counts"},
		{"pass breaks the protocol", check("/", conformance.Pass, allow), check("/", conformance.Broken, spec.ProtocolError), "", "", "compared broke counts"},
		{"skipped fails", check("/", conformance.Skipped, spec.Unsupported), check("/", conformance.Fail, disallow), "", "", "compared broke counts"},
		{"failure passes", check("/", conformance.Fail, disallow), check("/", conformance.Pass, allow), "", "", "compared fixed"},
		{"known failure passes", check("/", conformance.Known, disallow), check("/", conformance.Pass, allow), "", "", "compared fixed"},
		{"known timeout passes", check("/", conformance.Known, spec.Timeout), check("/", conformance.Pass, allow), "", "", "compared fixed"},
		{"failure becomes known", check("/", conformance.Fail, disallow), check("/", conformance.Known, disallow), "", "", "compared"},
		{"known failure is no longer known", check("/", conformance.Known, disallow), check("/", conformance.Fail, disallow), "", "", "compared"},
		{"failure crashes", check("/", conformance.Known, disallow), check("/", conformance.Fail, spec.Crash), "", "", "compared changed"},
		{"failure is skipped", check("/", conformance.Fail, disallow), check("/", conformance.Skipped, spec.Unsupported), "", "", "compared changed"},
		{"pass is skipped", check("/", conformance.Pass, allow), check("/", conformance.Skipped, spec.Unsupported), "", "", "compared changed"},
		{"another choice", check("/", conformance.Classified, allow), check("/", conformance.Classified, disallow), "", "", "compared changed"},
		{"pass times out", check("/", conformance.Pass, allow), check("/", conformance.Fail, spec.Timeout), "", "", "new-timeout"},
		{"timeout passes", check("/", conformance.Fail, spec.Timeout), check("/", conformance.Pass, allow), "", "", "old-timeout"},
		{"both time out", check("/", conformance.Fail, spec.Timeout), check("/", conformance.Fail, spec.Timeout), "", "", "old-timeout new-timeout"},
		{"lost", check("/", conformance.Pass, allow), check("/", conformance.Broken, spec.ProtocolError), "", gone, "new-unanswered lost"},
		{"lost in both", check("/", conformance.Broken, spec.ProtocolError), check("/", conformance.Broken, spec.ProtocolError), gone, gone, "old-unanswered new-unanswered"},
		{"lost after a failure", check("/", conformance.Pass, allow), check("/", conformance.Fail, disallow), "", gone, "compared broke counts lost"},
		{"found again", check("/", conformance.Broken, spec.ProtocolError), check("/", conformance.Pass, allow), gone, "", "old-unanswered"},
		{"not asked any more", check("/", conformance.Pass, allow), check("/", conformance.NotScored, ""), "", gone, "unasked lost"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			old := ran(map[string]conformance.Check{"a/1": test.old}, nil)
			new := ran(map[string]conformance.Check{"a/1": test.new}, nil)
			old.Subjects[0].Lost, new.Subjects[0].Lost = test.oldLost, test.newLost
			c, err := conformance.Compare(old, new, "")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			s := c.Subjects[0]
			for _, n := range []struct {
				name string
				n    int
			}{
				{"compared", s.Compared}, {"unasked", s.Unasked}, {"broke", len(s.Broke)}, {"fixed", len(s.Fixed)}, {"changed", len(s.Changed)},
				{"new-failure", len(s.NewFailures)}, {"old-timeout", s.Old.Timeouts}, {"new-timeout", s.New.Timeouts},
				{"old-unanswered", s.Old.Unanswered}, {"new-unanswered", s.New.Unanswered}, {"counts", c.Regressions()}, {"lost", len(c.Lost())},
			} {
				if n.n > 0 {
					got = append(got, n.name)
				}
			}
			if got := strings.Join(got, " "); got != test.want {
				t.Errorf("the change is %q, want %q", got, test.want)
			}
		})
	}
}

// TestCompareCases: only cases with the same content in both results are
// compared.
func TestCompareCases(t *testing.T) {
	t.Parallel()
	pass, fail := checked("/", conformance.Pass, spec.Allow), checked("/", conformance.Fail, spec.Disallow)
	old := ran(map[string]conformance.Check{"a/1": pass, "a/2": pass, "a/3": pass}, nil)
	new := ran(map[string]conformance.Check{"a/2": fail, "a/3": fail, "a/4": fail}, map[string]string{"a/3": "edited"})
	old.CaseSet = "another"
	old.Cases[1].Robots, new.Cases[0].Rationale = "Disallow: /\n", "It follows."
	old.Subjects[0].Version = "0.9"
	got, err := conformance.Compare(old, new, spec.Must)
	if err != nil {
		t.Fatal(err)
	}
	withFile := new.Cases[0]
	withFile.Robots = "Disallow: /\n"
	want := &conformance.Comparison{
		Format: 1, Interpretation: "rfc9309", FailOn: spec.Must,
		Old:        conformance.ComparedRun{Version: "v0.1.0", CaseSet: "another", Cases: 3},
		New:        conformance.ComparedRun{Version: "v0.1.0", CaseSet: "1a2b3c4d5e6f", Cases: 3},
		AddedCases: []string{"a/4"}, RemovedCases: []string{"a/1"}, EditedCases: []string{"a/3"},
		Subjects: []conformance.SubjectComparison{{
			Name: "mine", Old: conformance.SubjectRun{Version: "0.9"}, New: conformance.SubjectRun{Version: "1.0"}, Compared: 1,
			Broke: []conformance.Change{{Case: &withFile, Old: &pass, New: &fail}},
			NewFailures: []conformance.Change{
				{Case: &new.Cases[1], New: &fail}, {Case: &new.Cases[2], New: &fail},
			},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the comparison differs (-want +got):\n%s", diff)
	}
}

// TestCompareLevel: regressions count from the given level up, and those of a
// classifying case always do.
func TestCompareLevel(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		level, failOn spec.Level
		want          int
	}{
		{spec.Must, spec.Must, 1}, {spec.Text, spec.Must, 0}, {spec.Text, spec.Text, 1}, {spec.Text, "", 1}, {spec.Should, spec.Text, 0},
		{spec.Should, "", 1}, {spec.May, "", 0}, {spec.May, spec.May, 1}, {"", spec.Must, 1},
	} {
		old := ran(map[string]conformance.Check{"a/1": checked("/", conformance.Pass, spec.Allow)}, nil)
		new := ran(map[string]conformance.Check{"a/1": checked("/", conformance.Fail, spec.Disallow)}, nil)
		old.Cases[0].Level, new.Cases[0].Level = test.level, test.level
		if test.level == "" {
			old.Cases[0].Point, new.Cases[0].Point = "tie", "tie"
		}
		c, err := conformance.Compare(old, new, test.failOn)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Regressions(); got != test.want {
			t.Errorf("%q with --fail-on %q: %d regressions, want %d", test.level, test.failOn, got, test.want)
		}
	}
}

// TestCompareSubjects: a subject in one result only is named.
func TestCompareSubjects(t *testing.T) {
	t.Parallel()
	old := ran(map[string]conformance.Check{"a/1": checked("/", conformance.Pass, spec.Allow)}, nil)
	new := ran(map[string]conformance.Check{"a/1": checked("/", conformance.Pass, spec.Allow)}, nil)
	old.Subjects = append(old.Subjects, conformance.SubjectResult{SubjectInfo: spec.SubjectInfo{Name: "leaves"}})
	new.Subjects = append(new.Subjects, conformance.SubjectResult{SubjectInfo: spec.SubjectInfo{Name: "comes"}})
	c, err := conformance.Compare(old, new, "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"comes"}, {"leaves"}}, [][]string{c.AddedSubjects, c.RemovedSubjects}); diff != "" {
		t.Errorf("the subjects differ (-want +got):\n%s", diff)
	}
}

// TestCompareRefuses: results that cannot be compared are an error that says
// why.
func TestCompareRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(old, new *conformance.Result)
		want   string
	}{
		{"interpretations", func(_, new *conformance.Result) { new.Interpretation = "google" },
			"the old result judges by rfc9309, the new one by google: run both with the same --interpretation"},
		{"transforms", func(old, _ *conformance.Result) { old.Cases[0].Transform = "key-case-upper" },
			"the old result holds cases transformed by key-case-upper, the new one cases that are not transformed: run both with the same --transform"},
		{"no parser in common", func(_, new *conformance.Result) { new.Subjects[0].Name = "yours" },
			"the results have no parser in common: the old one has mine, the new one yours"},
		{"no case in common", func(_, new *conformance.Result) { new.Cases[0].Hash = "edited" },
			"the results have no expectation in common: run the same cases for both"},
		{"nothing asked", func(_, new *conformance.Result) { new.Cases[0].Outcomes = nil },
			"the results have no expectation in common: run the same cases for both"},
		{"no hashes", func(old, _ *conformance.Result) { old.CaseSet, old.Cases[0].Hash = "another", "" },
			"the old result does not tell which cases were edited: it has no hash of case a/1; run it again with this version of repcheck"},
		{"a case twice", func(old, _ *conformance.Result) { old.Cases = append(old.Cases, old.Cases[0]) },
			"the old result has the case a/1 twice"},
		{"a parser twice", func(_, new *conformance.Result) { new.Subjects = append(new.Subjects, new.Subjects[0]) },
			`the new result has two parsers named "mine"`},
	}
	for _, test := range tests {
		old := ran(map[string]conformance.Check{"a/1": checked("/", conformance.Pass, spec.Allow)}, nil)
		new := ran(map[string]conformance.Check{"a/1": checked("/", conformance.Pass, spec.Allow)}, nil)
		test.change(old, new)
		_, err := conformance.Compare(old, new, "")
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: error is %v, want %q", test.name, err, test.want)
		}
	}
	// Without hashes, an equal case set suffices.
	old := ran(map[string]conformance.Check{"a/1": checked("/", conformance.Pass, spec.Allow)}, nil)
	new := ran(map[string]conformance.Check{"a/1": checked("/", conformance.Fail, spec.Disallow)}, nil)
	old.Cases[0].Hash = ""
	if c, err := conformance.Compare(old, new, ""); err != nil || c.Regressions() != 1 {
		t.Errorf("results of one case set: %v, %v", c, err)
	}
}

// TestChangeJSON: a change contains query and answers, in octet notation where
// they may not be UTF-8.
func TestChangeJSON(t *testing.T) {
	t.Parallel()
	old, new := checked("/a", conformance.Pass, spec.Allow), checked("/a", conformance.Known, spec.Crash)
	old.URL, new.URL = "http://foo.test/\xFF", "http://foo.test/\xFF"
	old.Why, new.Got.Detail, new.Reason = "line 1 decides", "out of range", "since 1.1"
	got, err := json.Marshal([]conformance.Change{
		{Case: &conformance.CaseResult{ID: "a/1", Pos: "a.yaml:3", Level: spec.Must}, Old: &old, New: &new},
		{Case: &conformance.CaseResult{ID: "a/2", Point: "blank-line"}, New: &old},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"case":"a/1","pos":"a.yaml:3","level":"MUST","agent":"FooBot","url":"http://foo.test/⟦FF⟧","want":"allow",` +
		`"old":{"status":"pass","verdict":"allow"},"new":{"status":"known","verdict":"crash","detail":"out of range","reason":"since 1.1"},"why":"line 1 decides"},` +
		`{"case":"a/2","pos":"","point":"blank-line","agent":"FooBot","url":"http://foo.test/⟦FF⟧","want":"allow",` +
		`"new":{"status":"pass","verdict":"allow"},"why":"line 1 decides"}]`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("the JSON differs (-want +got):\n%s", diff)
	}
}
