package conformance_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// TestStatuses checks the status of each verdict, and whether it counts against
// the run at each level.
func TestStatuses(t *testing.T) {
	t.Parallel()
	data := loadJudged(t)
	type row struct {
		Status            conformance.Status
		Must, Should, Any bool // whether the run failed, by the lowest level that counts
	}
	tests := []struct {
		path    string
		verdict spec.Verdict
		want    row
	}{
		{"/a", spec.Disallow, row{Status: conformance.Pass}},
		{"/a", spec.Allow, row{conformance.Fail, true, true, true}},
		{"/a", spec.Reject, row{conformance.Fail, true, true, true}},
		{"/a", spec.Crash, row{conformance.Fail, true, true, true}},
		{"/a", spec.Timeout, row{conformance.Fail, true, true, true}},
		{"/a", spec.ProtocolError, row{conformance.Broken, true, true, true}},
		{"/a", spec.Unsupported, row{Status: conformance.Skipped}},
		{"/d", spec.Allow, row{conformance.Fail, false, false, true}},
		{"/d", spec.ProtocolError, row{conformance.Broken, false, false, true}},
		{"/e", spec.Disallow, row{Status: conformance.NotScored}},
		{"/o", spec.Disallow, row{Status: conformance.Classified}},
		{"/o", spec.Allow, row{Status: conformance.Classified}},
		// Any choice is fine, but none of the document's is to give no answer, or to
		// reject a file that no choice rejects.
		{"/o", spec.Unsupported, row{Status: conformance.Classified}},
		{"/o", spec.Reject, row{conformance.Fail, true, true, true}},
		{"/o", spec.Crash, row{conformance.Fail, true, true, true}},
		{"/o", spec.Timeout, row{conformance.Fail, true, true, true}},
		{"/o", spec.ProtocolError, row{conformance.Broken, true, true, true}},
	}
	for _, test := range tests {
		says := map[string]spec.Verdict{test.path: test.verdict}
		var got row
		for level, failed := range map[spec.Level]*bool{spec.Must: &got.Must, "": &got.Should, spec.May: &got.Any} {
			r := runOn(t, data, data.Cases, conformance.Options{FailOn: level}, &scripted{name: "mine", says: says})
			*failed = r.Failed()
			for _, c := range r.Cases {
				for _, check := range c.Outcomes[0].Checks {
					if strings.HasSuffix(check.URL, test.path) {
						got.Status = check.Status
					}
				}
			}
			if r.Lost() {
				t.Errorf("%s %s: lost: %s", test.path, test.verdict, r.Subjects[0].Lost)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s %s:\n%s", test.path, test.verdict, diff)
		}
	}
}

// TestRejectIsAChoice: a refusal of the file classifies if a choice refuses it.
func TestRejectIsAChoice(t *testing.T) {
	t.Parallel()
	data := spec.Default()
	r := runOn(t, data, cases(data, "open-groups/orphan-rule-alone"), conformance.Options{}, &scripted{name: "mine", everything: spec.Reject})
	check := r.Cases[0].Outcomes[0].Checks[0]
	if check.Status != conformance.Classified || !slices.Equal(check.Choices, []string{"reject-file"}) || r.Failed() {
		t.Errorf("%s, choices %q", check.Status, check.Choices)
	}
}

// TestLevelUnder: the level of a case is that of the document whose verdict is
// judged.
func TestLevelUnder(t *testing.T) {
	t.Parallel()
	data := spec.Default()
	for _, test := range []struct {
		id, interpretation string
		want               spec.Level
	}{
		{"precedence/longer-allow-wins", "rfc9309", spec.Must},
		{"precedence/longer-allow-wins", "google", spec.Must},        // the verdict of RFC 9309
		{"precedence/longer-allow-wins", "standard-1994", spec.Text}, // a document without keywords
		{"google/url-not-normalised", "rfc9309", spec.Must},          // against Google's parser
		{"google/url-not-normalised", "google", spec.Text},           // which has no keywords
		{"rep/exact-token", "koster-rep-00", spec.Must},              // a MUST of that draft
		{"example/star-group-gif", "koster-rep-00", spec.Text},       // none of its requirements is named
		{"standard/record-without-disallow", "standard-1994", spec.May},
		{"lines/bom", "rfc9309", ""},
	} {
		c := data.Case(test.id)
		if got := data.LevelUnder(c, test.interpretation); got != test.want {
			t.Errorf("%s under %s: level %q, want %q", test.id, test.interpretation, got, test.want)
		}
		r := runOn(t, data, []spec.Case{*c}, conformance.Options{Interpretation: test.interpretation}, &scripted{name: "mine", everything: spec.Allow})
		if got := r.Cases[0].Level; got != test.want {
			t.Errorf("%s under %s: the result has level %q, want %q", test.id, test.interpretation, got, test.want)
		}
	}
}

// TestCounts checks the numbers of queries and answers, and the counts by status
// and level.
func TestCounts(t *testing.T) {
	t.Parallel()
	data := loadJudged(t)
	r := runOn(t, data, data.Cases, conformance.Options{}, &scripted{name: "mine", version: "1.0",
		says: map[string]spec.Verdict{"/a": spec.Crash, "/b": spec.Unsupported, "/c": spec.Reject, "/d": spec.Timeout}})
	got := r.Subjects[0]
	got.Elapsed = 0
	want := conformance.SubjectResult{
		SubjectInfo: spec.SubjectInfo{Name: "mine", Version: "1.0"},
		Queries:     6, Answered: 3, // /g is not run
		Checks: map[conformance.Status]int{conformance.Fail: 3, conformance.Skipped: 1, conformance.NotScored: 1, conformance.Classified: 1},
		Levels: map[spec.Level]conformance.Tally{spec.Must: {Total: 2}, spec.May: {Total: 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	octets, err := json.Marshal(&got)
	if err != nil || !strings.Contains(string(octets), `"queries":6,"answered":3,`) {
		t.Errorf("%s, %v", octets, err)
	}
}

// TestLost: a subject is lost if it did not start, answered nothing or stopped
// answering; the others continue.
func TestLost(t *testing.T) {
	t.Parallel()
	data := loadJudged(t)
	tests := []struct {
		name    string
		subject scripted
		want    string
		asked   int // calls
		checks  int
	}{
		{"fine", scripted{}, "", 3, 6},
		{"one answer is enough", scripted{everything: spec.Reject}, "", 3, 6},
		{"not started", scripted{notStarted: errors.New("no such file")}, "no such file", 0, 0},
		{"gone after the first", scripted{lost: errors.New("gone")}, "gone", 3, 6},
		{"gone without an answer", scripted{lost: errors.New("gone"), everything: spec.Crash}, "gone", 3, 6},
		{"supports nothing", scripted{everything: spec.Unsupported, detail: "not \x1b[31mmine\nat all"}, "it answered none of 6 queries (6 unsupported): not ⟦U+001B⟧[31mmine", 3, 6},
		{"crashes always", scripted{everything: spec.Crash}, "it answered none of 6 queries (6 crash)", 3, 6},
		{"never in time", scripted{everything: spec.Timeout}, "it answered none of 6 queries (6 timeout)", 3, 6},
		{"not one answer, in several ways", scripted{everything: spec.ProtocolError}, "it answered none of 6 queries (6 protocol-error)", 3, 6},
	}
	for _, test := range tests {
		test.subject.name = "mine"
		other := &scripted{name: "other"}
		done := 0
		r := runOn(t, data, data.Cases, conformance.Options{Progress: func(n, _ int) { done = n }}, &test.subject, other)
		if got := r.Subjects[0].Lost; got != test.want || r.Lost() != (test.want != "") {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		checks := 0
		for _, c := range r.Cases {
			checks += len(c.Outcomes[0].Checks)
			if c.Outcomes[0].Subject != "mine" || c.Outcomes[0].Checks == nil {
				t.Errorf("%s: %+v", test.name, c.Outcomes[0])
			}
		}
		if test.subject.asked != test.asked || checks != test.checks {
			t.Errorf("%s: %d calls and %d checks, want %d and %d", test.name, test.subject.asked, checks, test.asked, test.checks)
		}
		if s := r.Subjects[1]; s.Lost != "" || s.Answered != 6 || done != 8 {
			t.Errorf("%s: the other: %+v; %d done", test.name, s, done)
		}
	}
}

// TestLostByBaseline: a parser is not lost if the baseline expects no answer to
// all of its queries.
func TestLostByBaseline(t *testing.T) {
	data := loadJudged(t)
	const known = "subject: mine\ninterpretation: rfc9309\nknown:\n  - reason: it throws\n    cases: {t/first: {FooBot /a: crash, FooBot /b: crash, FooBot /c: crash}}\n"
	o := conformance.Options{Baseline: baselineOf(t, known)}
	subject := &scripted{name: "mine", everything: spec.Crash}
	if r := runOn(t, data, cases(data, "t/first"), o, subject); r.Lost() || r.Failed() {
		t.Errorf("lost: %q, failed: %t", r.Subjects[0].Lost, r.Failed())
	}
	if r := runOn(t, data, data.Cases, o, subject); !r.Lost() {
		t.Error("a parser that answers nothing is not lost, as its baseline lists some of it")
	}
}

// TestInterrupted: cases that did not run have no checks, and a parser is not
// lost because there was no time for its answers.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	data := loadJudged(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	subject := &scripted{name: "mine", everything: spec.Unsupported, stop: func(call int) {
		if call == 2 {
			cancel()
		}
	}}
	r := conformance.Run(ctx, data, data.Cases, subjectsOf(subject), conformance.Options{})
	asked := []int{}
	for _, c := range r.Cases {
		asked = append(asked, len(c.Outcomes[0].Checks))
	}
	if diff := cmp.Diff([]int{3, 0, 0, 0}, asked); diff != "" {
		t.Error(diff)
	}
	if subject.asked != 2 {
		t.Errorf("%d calls after the interrupt", subject.asked-2)
	}
	if s := r.Subjects[0]; s.Queries != 3 || s.Answered != 0 || s.Lost != "" {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff([]string{"interrupted: what was not answered in time is not scored"}, r.Notes); diff != "" {
		t.Error(diff)
	}
}

// TestAsks: the cases that run depend on the set and the interpretation.
func TestAsks(t *testing.T) {
	t.Parallel()
	data := loadJudged(t)
	for _, test := range []struct {
		o    conformance.Options
		want []string
	}{
		{conformance.Options{Interpretation: "rfc9309"}, []string{"t/first", "t/second", "t/open"}},
		{conformance.Options{Interpretation: "google"}, []string{"t/first", "t/second", "t/open", "t/google"}},
		{conformance.Options{Interpretation: "rfc9309", Set: data.Set("first")}, []string{"t/first", "t/open"}},
	} {
		var got []string
		for i := range data.Cases {
			if test.o.Asks(&data.Cases[i]) {
				got = append(got, data.Cases[i].ID)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%+v:\n%s", test.o, diff)
		}
	}
}

// TestChecks tests the contents of single checks.
func TestChecks(t *testing.T) {
	t.Parallel()
	data := loadJudged(t)
	r := runOn(t, data, data.Cases, conformance.Options{}, &scripted{name: "mine", detail: "a\xffb", pattern: "/\xff", says: map[string]spec.Verdict{"/a": spec.Allow, "/o": spec.Unsupported}})
	first := r.Cases[0]
	if first.Robots != "User-agent: FooBot\nDisallow: /a\nDisallow: /b\n" {
		t.Errorf("%q", first.Robots)
	}
	failed := first.Outcomes[0].Checks[0]
	want := conformance.Check{
		Probe: spec.Probe{Agent: "FooBot", URL: "http://foo.test/a"}, Status: conformance.Fail, Want: spec.Disallow,
		Got: spec.Answer{Verdict: spec.Allow, Detail: "a\uFFFDb", Pattern: "/⟦FF⟧"}, WantLine: 2, Why: failed.Why,
	}
	if diff := cmp.Diff(want, failed); diff != "" || failed.Why == "" {
		t.Errorf("%s%q", diff, failed.Why)
	}
	if why := first.Outcomes[0].Checks[1].Why; why != "" {
		t.Errorf("a check that passes is explained: %q", why)
	}
	if c := r.Cases[2]; c.Robots != "" || len(c.Outcomes[0].Checks[0].Choices) != 0 {
		t.Errorf("%+v", c)
	}
	// The line belongs to RFC 9309's verdict; if another verdict is expected,
	// there is no line.
	r = runOn(t, data, data.Cases, conformance.Options{Interpretation: "koster-1996"}, &scripted{name: "mine"})
	if b := r.Cases[0].Outcomes[0].Checks[1]; b.Want != spec.Allow || b.WantLine != 0 || b.Status != conformance.Fail {
		t.Errorf("%+v", b)
	}
	r = runOn(t, data, data.Cases, conformance.Options{}, &scripted{name: "mine"})
	if got := r.Cases[2].Outcomes[0].Checks[0].Choices; !cmp.Equal(got, []string{"use"}) {
		t.Errorf("choices %v", got)
	}
}

// TestJobs: a subject runs as many cases at a time as it accepts, and at most
// Jobs.
func TestJobs(t *testing.T) {
	t.Parallel()
	data := loadJudged(t) // three of its cases run
	for _, test := range []struct {
		parallel, jobs int
		want           time.Duration
	}{{1, 0, 3}, {1, 8, 3}, {2, 0, 2}, {8, 0, 1}, {8, 2, 2}, {8, 1, 3}} {
		synctest.Test(t, func(t *testing.T) {
			subject := &scripted{name: "mine", parallel: test.parallel, takes: time.Second}
			r := runOn(t, data, data.Cases, conformance.Options{Jobs: test.jobs}, subject)
			if got := r.Subjects[0].Elapsed; got != test.want*time.Second || r.Elapsed != got {
				t.Errorf("%+v: took %v, all %v", test, got, r.Elapsed)
			}
		})
	}
}

// TestClassified: a check names all choices that the answer fits, in order.
func TestClassified(t *testing.T) {
	t.Parallel()
	data := spec.Default()
	r := runOn(t, data, data.Cases, conformance.Options{}, &scripted{name: "mine", everything: spec.Allow})
	most := 0
	for _, c := range r.Cases {
		for i, check := range c.Outcomes[0].Checks {
			var want []string
			for choice, verdict := range data.Case(c.ID).Expect[i].Choices {
				if verdict == spec.Allow {
					want = append(want, choice)
				}
			}
			slices.Sort(want)
			if diff := cmp.Diff(want, check.Choices); diff != "" {
				t.Errorf("%s: %s", c.ID, diff)
			}
			most = max(most, len(want))
		}
	}
	if most < 2 {
		t.Error("no answer fits two choices")
	}
}

// TestRoundTrip: a result is unchanged after writing and reading it.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	data := loadJudged(t)
	r := runOn(t, data, data.Cases, conformance.Options{}, &scripted{name: "mine", says: map[string]spec.Verdict{"/a": spec.Allow}})
	r.Cases[0].Outcomes[0].Checks[0].Agent = "Foo\xff⟦"
	octets, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := conformance.ReadResult(octets)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, again); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]string{
		"{":             "not a result of repcheck run --format json: unexpected end of JSON input",
		`{"format": 3}`: "format 3: this repcheck reads the formats 1 to 2",
		`{"format": 1, "cases": [{"outcomes": [{"checks": [{"agent": "⟦"}]}]}]}`:                 `agent "⟦": `,
		`{"format": 1, "cases": [{"outcomes": [{"checks": [{"url": "⟦"}]}]}]}`:                   `url "⟦": `,
		`{"format": 1, "cases": [{"outcomes": [{"status": "perfect"}]}]}`:                        `"perfect" is no status`,
		`{"format": 1, "cases": [{"outcomes": [{"checks": [{"status": "pass", "agent": 1}]}]}]}`: "not a result",
	} {
		if _, err := conformance.ReadResult([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
