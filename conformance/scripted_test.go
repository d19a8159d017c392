package conformance_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// judged has a case for every situation that a baseline must handle: several
// expectations, a lower level, a case that only another interpretation scores,
// and a classifying case.
const judged = `section: "2.1"
cases:
  - id: t/first
    requirements: [RFC9309-2.2.2-1]
    level: MUST
    rationale: It judges.
    robots: |
      User-agent: FooBot
      Disallow: /a
      Disallow: /b
    expect:
      - {url: /a, verdict: disallow, line: 2}
      - {url: /b, verdict: disallow, line: 3, under: {koster-1996: allow}}
      - {url: /c, verdict: allow}
  - id: t/second
    requirements: [RFC9309-2.2.2-1]
    level: MAY
    rationale: It judges what is permitted.
    robots: |
      User-agent: FooBot
      Disallow: /d
    expect:
      - {url: /d, verdict: disallow, line: 2}
      - {url: /e, under: {google: allow}}
  - id: t/open
    requirements: [RFC9309-ABNF-EOL]
    point: last-line
    rationale: It classifies.
    robots: "User-agent: FooBot␊Disallow: /o"
    expect:
      - {url: /o, choices: {use: disallow, drop: allow}}
  - id: t/google
    requirements: [RFC9309-2.2.2-1]
    level: MUST
    rationale: Only another interpretation asks this.
    robots: |
      User-agent: FooBot
      Disallow: /g
    expect:
      - {url: /g, under: {google: disallow}}
`

// right are the answers that pass.
var right = map[string]spec.Verdict{"/a": spec.Disallow, "/b": spec.Disallow, "/c": spec.Allow, "/d": spec.Disallow, "/e": spec.Allow, "/o": spec.Disallow, "/g": spec.Disallow}

// scripted is a subject that gives the verdicts in says, by path, and answers all
// other queries correctly.
type scripted struct {
	name, version string
	says          map[string]spec.Verdict
	detail        string
	pattern       string
	parallel      int
	// takes is the duration of each call of Ask.
	takes time.Duration
	// everything, if set, is the verdict on every query.
	everything spec.Verdict
	// notStarted is the error before the first query, lost the error after it.
	notStarted, lost error
	asked            int
	// stop is called with the number of the call before Ask returns.
	stop func(call int)
}

func (s *scripted) Info() spec.SubjectInfo { return spec.SubjectInfo{Name: s.name, Version: s.version} }

func (s *scripted) Kind() impl.Kind { return impl.InManyProcesses }

func (s *scripted) Stats() impl.Stats { return impl.Stats{} }

func (s *scripted) Parallel() int { return max(s.parallel, 1) }

func (s *scripted) Close() error { return nil }

func (s *scripted) Err() error {
	if s.asked > 0 && s.lost != nil {
		return s.lost
	}
	return s.notStarted
}

func (s *scripted) Ask(_ context.Context, _ []byte, probes []spec.Probe) []spec.Answer {
	if s.parallel == 0 {
		s.asked++
	}
	time.Sleep(s.takes)
	answers := make([]spec.Answer, len(probes))
	for i, p := range probes {
		path := strings.TrimPrefix(p.URL, "http://foo.test")
		verdict := right[path]
		if v, ok := s.says[path]; ok {
			verdict = v
		}
		if s.everything != "" {
			verdict = s.everything
		}
		answers[i] = spec.Answer{Verdict: verdict, Detail: s.detail, Pattern: s.pattern}
	}
	if s.stop != nil {
		s.stop(s.asked)
	}
	return answers
}

func loadJudged(t *testing.T) *spec.Data {
	t.Helper()
	files := fstest.MapFS{"cases/2.1/t.yaml": {Data: []byte(judged)}}
	data, err := spec.Load(files, "own")
	if err != nil {
		t.Fatal(err)
	}
	// A set of all cases except the second.
	files["sets/first.txt"] = &fstest.MapFile{Data: spec.Freeze([]spec.Case{*data.Case("t/first"), *data.Case("t/open"), *data.Case("t/google")})}
	if data, err = spec.Load(files, "own"); err != nil {
		t.Fatal(err)
	}
	return data
}

func cases(data *spec.Data, ids ...string) []spec.Case {
	var chosen []spec.Case
	for _, id := range ids {
		chosen = append(chosen, *data.Case(id))
	}
	return chosen
}

func runOn(t *testing.T, data *spec.Data, chosen []spec.Case, o conformance.Options, subjects ...*scripted) *conformance.Result {
	t.Helper()
	return conformance.Run(t.Context(), data, chosen, subjectsOf(subjects...), o)
}

func subjectsOf(subjects ...*scripted) []impl.Subject {
	var all []impl.Subject
	for _, s := range subjects {
		all = append(all, s)
	}
	return all
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// baselineOf reads a baseline from text.
func baselineOf(t *testing.T, text string) *conformance.Baseline {
	t.Helper()
	t.Chdir(t.TempDir())
	b, err := conformance.LoadBaseline(write(t, "known.yaml", text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// statuses returns the statuses of the checks of the subject with index at, by
// path.
func statuses(r *conformance.Result, at int) map[string]string {
	all := map[string]string{}
	for _, c := range r.Cases {
		for _, check := range c.Outcomes[at].Checks {
			all[strings.TrimPrefix(check.URL, "http://foo.test")] = check.Status.String()
		}
	}
	return all
}

func messages(r *conformance.Result) []string {
	var all []string
	for _, p := range r.Baseline {
		all = append(all, p.Kind+" "+p.String())
	}
	return all
}
