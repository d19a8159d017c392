package spec

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

func (l *linter) scenarios() {
	seen := map[string]string{}
	l.bothInScenarios()
	for i := range l.Scenarios {
		s := &l.Scenarios[i]
		l.unique(seen, "scenario", s.ID, s.Pos)
		file, _, _ := strings.Cut(s.Pos, ":")
		topic := strings.TrimSuffix(path.Base(file), ".yaml")
		switch {
		case !strings.HasPrefix(s.ID, topic+"/") || !validID(s.ID):
			l.fail(s.Pos, s.ID, "the id must be %s/<name> in lower-case letters, digits and hyphens, after the file's name", topic)
		case l.Case(s.ID) != nil:
			l.fail(s.Pos, s.ID, "a case has the same id: choose another")
		}
		if s.Section == "" {
			l.fail(s.Pos, s.ID, "neither the scenario nor its file has a section: give one of them a section")
		}
		l.claims("scenario", &Case{
			ID: s.ID, Pos: s.Pos, Requirements: s.Requirements, Level: s.Level, Point: s.Point,
			Rationale: s.Rationale, Expect: s.Expectations(),
		})
		l.everyChoice(s)
		for _, id := range s.Requires {
			switch required := l.Scenario(id); {
			case required == nil:
				l.fail(s.Pos, s.ID, "requires the unknown scenario %q%s", id, DidYouMean(id, l.scenarioIDs()))
			case l.requires(required, s.ID, map[string]bool{}):
				l.fail(s.Pos, s.ID, "requires %s, which requires this scenario: remove one of the two", id)
			}
		}
		l.steps(s)
	}
}

func (l *linter) scenarioIDs() []string {
	ids := make([]string, len(l.Scenarios))
	for i := range l.Scenarios {
		ids[i] = l.Scenarios[i].ID
	}
	return ids
}

// requires reports whether s is the scenario with the ID or requires it, directly or
// through others.
func (l *linter) requires(s *Scenario, id string, seen map[string]bool) bool {
	if s == nil || seen[s.ID] {
		return false
	}
	seen[s.ID] = true
	return s.ID == id || slices.ContainsFunc(s.Requires, func(next string) bool { return l.requires(l.Scenario(next), id, seen) })
}

// everyChoice complains about choices without a verdict. A crawler that makes such a
// choice would have no expectation.
func (l *linter) everyChoice(s *Scenario) {
	p := l.Point(s.Point)
	if p == nil {
		return // no point, or reported already
	}
	for _, e := range s.Expectations() {
		for _, choice := range p.Choices {
			if e.Choices != nil && e.Choices[choice.ID] == "" {
				l.fail(s.Pos, s.ID, "%s: no verdict for choice %q of %s: give one for each choice", e.ID(), choice.ID, s.Point)
			}
		}
	}
}

func (l *linter) steps(s *Scenario) {
	expects := false
	for i := range s.Steps {
		step := &s.Steps[i]
		expects = expects || len(step.Expect)+len(step.Requests) > 0
		if i == 0 && step.After != 0 {
			l.fail(s.Pos, s.ID, "the first step has no step before it: remove after")
		}
		l.responses(s, step)
		l.expectations(&Case{ID: s.ID, Pos: s.Pos, Expect: step.Expect})
		for _, e := range step.Expect {
			l.target(s, "url", pathOn(e.URL))
			l.servers(s, "url", []byte(e.URL))
			if e.Line != 0 {
				l.fail(s.Pos, s.ID, "%s: a scenario tests no line", e.ID())
			}
		}
		for _, c := range step.Requests {
			l.target(s, "target", c.Target)
			if c.Least == 0 && c.Most < 0 || c.Most >= 0 && c.Least > c.Most {
				l.fail(s.Pos, s.ID, "requests for %s: give least, most, or both in this order", c.Target)
			}
		}
	}
	if !expects {
		l.fail(s.Pos, s.ID, "the scenario expects nothing: give a step expect or requests")
	}
}

// pathOn returns the path of a URL that may begin with the name of a server.
func pathOn(url string) string {
	if strings.HasPrefix(url, "{") {
		_, url, _ = strings.Cut(url, "}")
	}
	return url
}

func (l *linter) target(s *Scenario, what, target string) {
	if !strings.HasPrefix(target, "/") {
		l.fail(s.Pos, s.ID, "the %s %q is no path: begin it with a slash (a url may have the name of a server in braces before it)", what, target)
	}
}

// responses checks what the servers do in a step.
func (l *linter) responses(s *Scenario, step *Step) {
	always := map[string]bool{}
	for i := range step.Serve {
		a := &step.Serve[i]
		l.target(s, "target", a.Target)
		if a.Status < 200 || a.Status > 999 {
			l.fail(s.Pos, s.ID, "status %d of %s is outside of 200 to 999", a.Status, a.Target)
		}
		if always[a.Server+a.Target] {
			l.fail(s.Pos, s.ID, "no request gets the second response for %s on %s: give the first one times", a.Target, a.Server)
		}
		always[a.Server+a.Target] = always[a.Server+a.Target] || a.Times == 0
		for _, name := range keys(a.Headers) {
			l.servers(s, "header "+name, []byte(a.Headers[name]))
		}
		l.servers(s, "body", a.Body)
	}
}

var inBraces = regexp.MustCompile(`\{([A-Za-z0-9_-]*)\}`)

// servers complains about names in braces that are those of no server.
func (l *linter) servers(s *Scenario, what string, text []byte) {
	if !bytes.ContainsRune(text, '{') {
		return // most bodies, and some are long
	}
	for _, name := range inBraces.FindAllSubmatch(text, -1) {
		if !slices.Contains(Servers, string(name[1])) {
			l.fail(s.Pos, s.ID, "unknown server {%s} in %s: %s", name[1], what, didYouMean(string(name[1]), Servers))
		}
	}
}

// bothInScenarios complains about queries that one scenario judges under RFC 9309 and
// another classifies, after the same responses. A choice may give the judged verdict: a
// scenario that classifies has steps before the one that tells the choices apart.
func (l *linter) bothInScenarios() {
	type judgement struct {
		id      string
		verdict Verdict
	}
	judged := map[string]judgement{}
	each := func(classifies bool, f func(*Scenario, string, *Expectation)) {
		for i := range l.Scenarios {
			s := &l.Scenarios[i]
			if s.Classifies() != classifies {
				continue
			}
			served := sha256.New()
			for j := range s.Steps {
				step := &s.Steps[j]
				text, err := json.Marshal(Step{After: step.After, Serve: step.Serve})
				if err != nil {
					panic(err) // cannot happen: every field has a JSON form
				}
				served.Write(text)
				for k := range step.Expect {
					f(s, string(served.Sum(nil))+ProbeID(step.Expect[k].Probe), &step.Expect[k])
				}
			}
		}
	}
	each(false, func(s *Scenario, query string, e *Expectation) {
		if e.Verdict != "" {
			judged[query] = judgement{s.ID, e.Verdict}
		}
	})
	each(true, func(s *Scenario, query string, e *Expectation) {
		j, ok := judged[query]
		differs := func(v Verdict) bool { return v != j.verdict }
		if ok && slices.ContainsFunc(slices.Collect(maps.Values(e.Choices)), differs) {
			l.fail(s.Pos, s.ID, "%s: %s judges this query: if the document leaves it open, delete it there, otherwise here", e.ID(), j.id)
		}
	})
}
