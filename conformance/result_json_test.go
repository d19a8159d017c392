package conformance

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/repcheck/repcheck/spec"
)

// TestReadResult reads a result of format 1, writes it in the current one, and
// reads that back.
func TestReadResult(t *testing.T) {
	t.Parallel()
	old, err := os.ReadFile("testdata/result-1.json")
	if err != nil {
		t.Fatal(err)
	}
	first, err := ReadResult(old)
	if err != nil {
		t.Fatal(err)
	}
	want := Outcome{Subject: "slyrz", Status: Classified, Checks: []Check{{
		Probe: spec.Probe{Agent: "FooBot", URL: "http://foo.test/e%CC%81"}, Status: Classified,
		Got: spec.Answer{Verdict: spec.Allow}, Choices: []string{"octets"},
	}}}
	if diff := cmp.Diff(want, first.Cases[2].Outcomes[1]); diff != "" {
		t.Errorf("the outcome of slyrz (-want +got):\n%s", diff)
	}
	text, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadResult(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, again, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the result differs after a round trip (-want +got):\n%s", diff)
	}
}

// TestResultJSON round-trips bytes that are not UTF-8, a subject without
// answers, and every field of a check.
func TestResultJSON(t *testing.T) {
	t.Parallel()
	probes := []spec.Probe{{Agent: "Foo\xFF", URL: "http://foo.test/a b"}, {Agent: "", URL: "/\x00"}}
	failed := Check{
		Probe: probes[0], Status: Fail, Want: spec.Allow, WantLine: 2, Why: "line 2 decides", Fresh: spec.Allow,
		Got: spec.Answer{Verdict: spec.Crash, Line: 1, Pattern: "/", Detail: "boom"},
	}
	known := Check{Probe: probes[0], Status: Known, Want: spec.Allow, WantLine: 2, Reason: "as in 1994", Got: spec.Answer{Verdict: spec.Disallow}}
	classified := Check{Probe: probes[1], Status: Classified, Choices: []string{"a", "b"}, Got: spec.Answer{Verdict: spec.Allow}}
	r := &Result{
		Format: ResultFormat, Interpretation: "rfc9309",
		Subjects: []SubjectResult{{SubjectInfo: spec.SubjectInfo{Name: "one"}}, {SubjectInfo: spec.SubjectInfo{Name: "two"}}, {SubjectInfo: spec.SubjectInfo{Name: "three"}}},
		Cases: []CaseResult{{ID: "x/y", Outcomes: []Outcome{
			{Subject: "one", Status: Fail, Elapsed: 7, Checks: []Check{failed, classified}},
			{Subject: "two", Status: NotScored, Checks: []Check{}},
			{Subject: "three", Status: Known, Elapsed: 9, Checks: []Check{known, classified}},
		}}},
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadResult(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, got); diff != "" {
		t.Errorf("the result differs after a round trip (-want +got):\n%s\n%s", diff, text)
	}

	if n := strings.Count(string(text), `"b"`); n != 1 {
		t.Errorf("an answer that two subjects share is written %d times, want once: %s", n, text)
	}

	r.Cases[0].Outcomes[2].Checks[0].URL = "/other"
	if _, err := json.Marshal(r); err == nil || !strings.Contains(err.Error(), "case x/y: three was not asked the same queries") {
		t.Errorf("a subject that was asked something else: error is %v", err)
	}
}

func TestReadResultRefuses(t *testing.T) {
	t.Parallel()
	const head = `{"format":2,"subjects":[{"name":"one"}],"cases":[{"id":"x/y",`
	for _, test := range []struct{ text, want string }{
		{`[]`, "not a result of repcheck run --format json"},
		{`{"format":3}`, "format 3: this repcheck reads the formats 1 to 2"},
		{`{"pairs":[]}`, "format 0"},
		{head + `"queries":[{"agent":"a","url":"/","answers":[{"status":"pass","subjects":[1]}]}]}]}`, "case x/y: subject 1 of 1"},
		{head + `"queries":[{"agent":"a","url":"/","answers":[{"status":"pass","subjects":[-1]}]}]}]}`, "case x/y: subject -1 of 1"},
		{head + `"queries":[{"agent":"⟦","url":"/","answers":[]}]}]}`, `case x/y: agent "⟦"`},
		{head + `"elapsed_ns":[1,2]}]}`, "case x/y: elapsed_ns has 2 times for 1 subjects"},
		{head + `"queries":[{"agent":"a","url":"/","answers":[{"status":"fine","subjects":[0]}]}]}]}`, `"fine" is no status`},
	} {
		if _, err := ReadResult([]byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error is %v, want one that has %q", test.text, err, test.want)
		}
	}
}
