package conformance_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

const transformCases = `section: "2.1"
cases:
  - id: some/judging
    requirements: [RFC9309-2.2.2-1]
    level: MUST
    rationale: It judges.
    robots: |
      User-agent: FooBot
      Disallow: /a
      Disallow: /b
    expect:
      - {url: /a, verdict: disallow, line: 2}
      - {url: /b, verdict: disallow, line: 3}
      - {url: /c, verdict: allow}
  - id: some/classifying
    requirements: [RFC9309-ABNF-EOL]
    point: last-line
    rationale: It classifies what the line end may decide.
    robots: "User-agent: FooBot␊Disallow: /a"
    expect:
      - {url: /a, choices: {use: disallow, drop: allow}}
`

func loadCases(t *testing.T, text string) *spec.Data {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "cases", "2.1", "some.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	data, err := spec.Load(os.DirFS(dir), "own")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fickle allows every query with a crawler name in capitals or with a file that
// contains CR, and always allows /a.
func fickle() impl.Subject {
	return impl.InProcess(spec.SubjectInfo{Name: "fickle", Version: "1"}, func(robots []byte) (func(agent, url string) spec.Answer, error) {
		return func(agent, url string) spec.Answer {
			return spec.Allowed(bytes.Contains(robots, []byte("\r")) || agent != "FooBot" || !strings.HasSuffix(url, "/b"))
		}, nil
	}, impl.InProcessOptions{})
}

func TestRunTransforms(t *testing.T) {
	t.Parallel()
	data := loadCases(t, transformCases)
	known := filepath.Join(t.TempDir(), "known.yaml")
	if err := os.WriteFile(known, []byte(`subject: fickle
interpretation: rfc9309
known:
  - reason: it knows no a
    expires: 2030-01-01
    cases:
      some/judging: {"FooBot /a": allow, "FooBot /c": disallow}
`), 0o644); err != nil {
		t.Fatal(err)
	}
	baseline, err := conformance.LoadBaseline(known)
	if err != nil {
		t.Fatal(err)
	}
	transforms, err := conformance.Transforms([]string{"agent-case-probe", "line-ends-crlf"}, "rfc9309")
	if err != nil {
		t.Fatal(err)
	}
	subject := fickle()
	defer subject.Close()
	run := func(now string) *conformance.Result {
		day, err := time.Parse(time.DateOnly, now)
		if err != nil {
			t.Fatal(err)
		}
		return conformance.Run(t.Context(), data, data.Cases, []impl.Subject{subject}, conformance.Options{Baseline: baseline, Transforms: transforms, Now: day})
	}
	r := run("2029-12-31")
	type row struct {
		ID, Original, Transform, Requirements string
		Status                                conformance.Status
		Checks                                []string
	}
	var rows []row
	for _, c := range r.Cases {
		got := row{c.ID, c.Original(), c.Transform, strings.Join(c.Requirements, " "), c.Outcomes[0].Status, nil}
		for _, check := range c.Outcomes[0].Checks {
			got.Checks = append(got.Checks, spec.ProbeID(check.Probe)+" "+check.Status.String()+" "+check.Reason)
			if check.WantLine != 0 {
				t.Errorf("%s: line %d is to decide, though lines may have moved", c.ID, check.WantLine)
			}
		}
		rows = append(rows, got)
	}
	// The known failure for /a is also known when transformed; the wrong answer
	// to /b is new; the right answer to /c is not a baseline problem.
	want := []row{
		{"some/judging+agent-case-probe", "some/judging", "agent-case-probe", "RFC9309-2.2.1-5 RFC9309-2.2.2-1", conformance.Fail,
			[]string{"fOObOT /a known it knows no a", "fOObOT /b fail ", "fOObOT /c pass "}},
		{"some/judging+line-ends-crlf", "some/judging", "line-ends-crlf", "RFC9309-ABNF-NL RFC9309-2.2.2-1", conformance.Fail,
			[]string{"FooBot /a known it knows no a", "FooBot /b fail ", "FooBot /c pass "}},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	if len(r.Baseline) > 0 {
		t.Errorf("the baseline is called wrong: %v", r.Baseline)
	}
	if diff := cmp.Diff([]string{"2 transforms of 2 cases: 2 transformed cases replace them, 2 are left out because the transform does not apply"}, r.Notes); diff != "" {
		t.Error(diff)
	}
	if got := r.Cases[1].Robots; !strings.Contains(got, "␍") {
		t.Errorf("the file that is shown is not the transformed one: %q", got)
	}
	if why := r.Cases[0].Outcomes[0].Checks[1].Why; why == "" {
		t.Error("a failure of a transformed case is not explained")
	}
	// An expired baseline makes no failure known.
	r = run("2030-01-01")
	if got := r.Subjects[0].Checks[conformance.Known]; got != 0 || len(r.Baseline) != 1 {
		t.Errorf("%d failures are known by an entry that has expired; %v", got, r.Baseline)
	}
	// Unchanged cases have no transform.
	r = conformance.Run(t.Context(), data, data.Cases, []impl.Subject{subject}, conformance.Options{Baseline: baseline})
	if c := r.Cases[0]; c.Transform != "" || c.Original() != c.ID || len(r.Cases) != 2 {
		t.Errorf("%d cases; the first is %s, transformed %q", len(r.Cases), c.ID, c.Transform)
	}
}
