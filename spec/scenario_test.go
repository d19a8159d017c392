package spec

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const goodScenario = `section: "2.3.1.4"
scenarios:
  - id: topic/one
    requirements: [RFC9309-2.3.1.4-1]
    level: MUST
    rationale: It follows.
    steps:
      - serve:
          - {target: /robots.txt, times: 1, status: 301, headers: {Location: "{other}/a"}}
          - {server: other, target: /a, body: "Disallow: {third}", encoding: gzip, fault: reset}
        expect:
          - {url: /b, verdict: disallow}
          - {agent: BarBot, url: "{tls}/b", under: {google: allow}}
      - after: 25h
        serve: [{status: 503}]
        requests: [{target: /robots.txt, most: 1}]
  - id: topic/two
    section: "2.4"
    point: server-error
    rationale: It is open.
    requires: [topic/one]
    serve: [{status: 503, body: "#"}]
    expect:
      - {url: /b, choices: {disallow: disallow, parse-partial: allow, no-verdict: reject, allow: allow}}
`

func loadScenarioFile(yaml string) (*Data, error) {
	return Load(fstest.MapFS{
		"cases/2.2.2/topic.yaml":  {Data: []byte(strings.ReplaceAll(goodCase, "topic/one", "topic/case"))},
		"cases/access/topic.yaml": {Data: []byte(yaml)},
	}, "my")
}

func TestLoadScenario(t *testing.T) {
	t.Parallel()
	d, err := loadScenarioFile(goodScenario)
	if err != nil {
		t.Fatal(err)
	}
	want := []Scenario{
		{
			ID: "topic/one", Section: "2.3.1.4", Requirements: []string{"RFC9309-2.3.1.4-1"}, Level: Must,
			Rationale: "It follows.",
			Steps: []Step{
				{
					Serve: []Response{
						{Server: "main", Target: "/robots.txt", Times: 1, Status: 301, Headers: map[string]string{"Location": "{other}/a"}},
						{Server: "other", Target: "/a", Status: 200, Body: []byte("Disallow: {third}"), Encoding: "gzip", Fault: "reset"},
					},
					Expect: []Expectation{
						{Probe: Probe{Agent: "FooBot", URL: "/b"}, Verdict: Disallow},
						{Probe: Probe{Agent: "BarBot", URL: "{tls}/b"}, Under: map[string]Verdict{"google": Allow}},
					},
				},
				{
					After: 25 * time.Hour, Serve: []Response{{Server: "main", Target: "/robots.txt", Status: 503}},
					Requests: []RequestCount{{Server: "main", Target: "/robots.txt", Most: 1}},
				},
			},
			Pos: "my/cases/access/topic.yaml:3",
		},
		{
			ID: "topic/two", Section: "2.4", Point: "server-error", Rationale: "It is open.", Requires: []string{"topic/one"},
			Steps: []Step{{
				Serve: []Response{{Server: "main", Target: "/robots.txt", Status: 503, Body: []byte("#")}},
				Expect: []Expectation{{
					Probe:   Probe{Agent: "FooBot", URL: "/b"},
					Choices: map[string]Verdict{"disallow": Disallow, "parse-partial": Allow, "no-verdict": Reject, "allow": Allow},
				}},
			}},
			Pos: "my/cases/access/topic.yaml:17",
		},
	}
	if diff := cmp.Diff(want, d.Scenarios); diff != "" {
		t.Errorf("scenarios differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[0].Steps[0].Expect, d.Scenario("topic/one").Expectations()); diff != "" {
		t.Errorf("expectations differ (-want +got):\n%s", diff)
	}
	if d.Scenario("topic/three") != nil {
		t.Error("a scenario is found that does not exist")
	}
}

// TestLoadScenarioRefuses compares every message, with the position and the fix that
// it names.
func TestLoadScenarioRefuses(t *testing.T) {
	t.Parallel()
	const one, two = `my/cases/access/topic.yaml:3: topic/one: `, `my/cases/access/topic.yaml:17: topic/two: `
	tests := []struct{ name, old, new, want string }{
		{"unknown key", "rationale:", "rationael:", `my/cases/access/topic.yaml:6:5: topic/one: unknown key "rationael" in a scenario: did you mean "rationale"?`},
		{"unknown requirement", "2.3.1.4-1]", "2.3.1.4-9]", one + `unknown requirement "RFC9309-2.3.1.4-9": did you mean "RFC9309-2.3.1.4-1"?`},
		{"unknown point", "server-error", "server-errors", two + `unknown point "server-errors": did you mean "server-error"?`},
		{"level of no requirement", "level: MUST", "level: SHOULD", one + `level SHOULD is not that of any of its requirements: give the level of the sentence that a wrong answer breaks`},
		{"no level", "    level: MUST\n", "", one + `a scenario names its requirements and a level (or, where RFC 9309 is open, a point)`},
		{"level and point", "point: server-error", "point: server-error\n    level: MUST", two + `a scenario that classifies (point: server-error) has no level`},
		{"no verdict", "/b, verdict: disallow", "/b", one + `FooBot /b: the expectation has no verdict, and none under an interpretation`},
		{"choices where it judges", "/b, verdict: disallow", "/b, verdict: disallow, choices: {allow: allow}", one + `FooBot /b: choices belong to a scenario that names a point`},
		{"verdict where it classifies", "/b, choices:", "/b, verdict: allow, choices:", two + `FooBot /b: a scenario that classifies gives choices, no verdict and no under`},
		{"no choices", ", choices: {disallow: disallow, parse-partial: allow, no-verdict: reject, allow: allow}", "", two + `FooBot /b: the expectation gives no verdict for any choice`},
		{"unknown choice", "parse-partial", "parse-parts", two + `FooBot /b: point server-error has no choice "parse-parts": did you mean "parse-partial"?`},
		{"a choice without a verdict", "no-verdict: reject, ", "", two + `FooBot /b: no verdict for choice "no-verdict" of server-error: give one for each choice`},
		{"choices that agree", "{disallow: disallow, parse-partial: allow, no-verdict: reject, allow: allow}", "{disallow: allow, parse-partial: allow, no-verdict: allow, allow: allow}",
			two + `no expectation tells the choices of server-error apart`},
		{"no rationale", "    rationale: It follows.\n", "", one + `the scenario has no rationale: say in one sentence why its verdicts follow`},
		{"repeated id", "id: topic/two", "id: topic/one", `my/cases/access/topic.yaml:17: topic/one: the id is used in my/cases/access/topic.yaml:3 already: ids are permanent and unique, choose another`},
		{"id of a case", "id: topic/two", "id: topic/case", `my/cases/access/topic.yaml:17: topic/case: a case has the same id: choose another`},
		{"id of another file", "id: topic/two", "id: other/two", `my/cases/access/topic.yaml:17: other/two: the id must be topic/<name> in lower-case letters, digits and hyphens, after the file's name`},
		{"no section", "section: \"2.3.1.4\"\n", "", `my/cases/access/topic.yaml:2: topic/one: neither the scenario nor its file has a section: give one of them a section`},
		{"requires an unknown scenario", "[topic/one]", "[topic/oen]", two + `requires the unknown scenario "topic/oen" (did you mean "topic/one"?)`},
		{"requires itself", "[topic/one]", "[topic/two]", two + `requires topic/two, which requires this scenario: remove one of the two`},
		{"requires each other", "rationale: It follows.", "rationale: It follows.\n    requires: [topic/two]", one + `requires topic/two, which requires this scenario: remove one of the two`},
		{"unknown server", "server: other", "server: othr", `my/cases/access/topic.yaml:10:22: topic/one: "othr" is no server: did you mean "other"?`},
		{"unknown server in a header", "{other}/a\"", "{othr}/a\"", one + `unknown server {othr} in header Location: did you mean "other"?`},
		{"unknown server in a body", "{third}", "{thrid}", one + `unknown server {thrid} in body: did you mean "third"?`},
		{"unknown server in a URL", "{tls}", "{ssl}", one + `unknown server {ssl} in url: use one of main, other, third, tls, v6`},
		{"absolute URL", "{tls}/b", "http://x.test/b", one + `the url "http://x.test/b" is no path: begin it with a slash (a url may have the name of a server in braces before it)`},
		{"target without slash", "target: /a,", "target: a,", one + `the target "a" is no path: begin it with a slash (a url may have the name of a server in braces before it)`},
		{"status", "status: 503}", "status: 103}", one + `status 103 of /robots.txt is outside of 200 to 999`},
		{"a response that no request gets", "{status: 503}", "{status: 503}, {status: 200}", one + `no request gets the second response for /robots.txt on main: give the first one times`},
		{"unbounded count", ", most: 1", "", one + `requests for /robots.txt: give least, most, or both in this order`},
		{"count that nothing fits", ", most: 1", ", least: 2, most: 1", one + `requests for /robots.txt: give least, most, or both in this order`},
		{"asked twice", "{agent: BarBot, url: \"{tls}/b\"", "{url: /b", one + `FooBot /b is asked twice`},
		{"a line", "/b, verdict: disallow", "/b, line: 1, verdict: disallow", one + `FooBot /b: a scenario tests no line`},
		{"time before the first step", "      - serve:", "      - after: 1h\n        serve:", `my/cases/access/topic.yaml:3: topic/one: the first step has no step before it: remove after`},
		{"no time", "25h", "25", `my/cases/access/topic.yaml:14:16: topic/one: "25" is no time like 25h`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			broken := strings.Replace(goodScenario, tt.old, tt.new, 1)
			if broken == goodScenario {
				t.Fatalf("%q is not in the good scenario", tt.old)
			}
			_, err := loadScenarioFile(broken)
			if err == nil {
				t.Fatal("accepted")
			}
			first, _, _ := strings.Cut(err.Error(), "\n")
			if diff := cmp.Diff(tt.want, first); diff != "" {
				t.Errorf("first message differs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLoadScenarioMoreRefuses adds a scenario to the good ones.
func TestLoadScenarioMoreRefuses(t *testing.T) {
	t.Parallel()
	const head = "  - {id: topic/more, requirements: [RFC9309-2.3.1.4-1], level: MUST, rationale: x, "
	const pos = `my/cases/access/topic.yaml:25: topic/more: `
	for _, tt := range []struct{ name, more, want string }{
		{"nothing expected", head + "serve: [{status: 404}]}\n", pos + `the scenario expects nothing: give a step expect or requests`},
		{"no steps", head[:len(head)-2] + "}\n", `my/cases/access/topic.yaml:25:5: topic/more: the scenario expects nothing: give serve and expect, or steps`},
		{"steps and serve", head + "serve: [{status: 404}], steps: [{expect: [{url: /c, verdict: allow}]}]}\n",
			`my/cases/access/topic.yaml:25:5: topic/more: the scenario has steps, so serve, expect and requests belong into these`},
		{"judged and classified", head + "serve: [{status: 503, body: \"#\"}], expect: [{url: /b, verdict: disallow}]}\n",
			`my/cases/access/topic.yaml:17: topic/two: FooBot /b: topic/more judges this query: if the document leaves it open, delete it there, otherwise here`},
	} {
		_, err := loadScenarioFile(goodScenario + tt.more)
		if err == nil {
			t.Errorf("%s: accepted", tt.name)
			continue
		}
		first, _, _ := strings.Cut(err.Error(), "\n")
		if diff := cmp.Diff(tt.want, first); diff != "" {
			t.Errorf("%s: first message differs (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestScenariosTestRequirements: scenarios test each requirement about access in both
// ways, or the requirement says why they cannot.
func TestScenariosTestRequirements(t *testing.T) {
	t.Parallel()
	d := Default()
	asked := map[string]map[Verdict]bool{}
	for i := range d.Scenarios {
		s := &d.Scenarios[i]
		for _, id := range s.Requirements {
			if asked[id] == nil {
				asked[id] = map[Verdict]bool{}
			}
			for _, e := range s.Expectations() {
				for _, name := range Interpretations {
					if v, ok := e.Want(name); ok && d.Requirement(id).AppliesUnder(name) {
						asked[id][v] = true
					}
				}
			}
		}
	}
	tested := slices.DeleteFunc(keys(asked), func(id string) bool { return !asked[id][Allow] || !asked[id][Disallow] })
	for _, q := range d.Requirements {
		byCase := slices.ContainsFunc(d.Cases, func(c Case) bool { return slices.Contains(c.Requirements, q.ID) })
		isTested := slices.Contains(tested, q.ID)
		switch {
		case asked[q.ID] != nil && q.Untested != "":
			t.Errorf("%s is tested by a scenario, but says why it is untested: %s", q.ID, q.Untested)
		case asked[q.ID] != nil && !isTested && !byCase:
			t.Errorf("%s: its scenarios ask for one of the two verdicts only", q.ID)
		case (q.Layer == "access" || q.Layer == "caching") && asked[q.ID] == nil && q.Untested == "" && !byCase:
			t.Errorf("%s: no scenario tests it, and it does not say why", q.ID)
		}
	}
	t.Logf("%d scenarios test %d requirements in both ways", len(d.Scenarios), len(tested))
}

// TestCountsUnder: a count of requests is scored under the interpretations that it
// names, or else as a verdict of RFC 9309.
func TestCountsUnder(t *testing.T) {
	t.Parallel()
	s := Scenario{Steps: []Step{{Requests: []RequestCount{
		{Server: "main", Target: "/a", Most: 0, Under: []string{"google"}},
		{Server: "other", Target: "/b", Least: 1, Most: -1},
	}}}}
	e := s.Case().Expect
	type row struct {
		URL     string
		RFC     Verdict
		Google  Verdict
		Answers [3]Verdict // to no, one and two requests
	}
	var got []row
	for i, c := range s.Steps[0].Requests {
		r := row{URL: e[i].URL}
		r.RFC, _ = e[i].Want("rfc9309")
		r.Google, _ = e[i].Want("google")
		for n := range r.Answers {
			r.Answers[n] = c.Answer(n).Verdict
		}
		got = append(got, r)
	}
	want := []row{
		{"requests:/a", "", Disallow, [3]Verdict{Disallow, Allow, Allow}},
		{"requests:{other}/b", Allow, Allow, [3]Verdict{Disallow, Allow, Allow}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
