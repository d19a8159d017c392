package spec

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Interpretations are the named interpretations, the default first.
var Interpretations = []string{"rfc9309", "google", "koster-rep-00", "koster-1996", "standard-1994"}

// Lint returns the problems in data that could be read: IDs that are repeated or
// that do not exist, levels that none of the requirements has, expectations that do
// not fit the kind of their case, and queries that are judged and classified.
func Lint(d *Data) []Problem {
	l := &linter{Data: d}
	l.requirements()
	l.points()
	l.cases()
	l.scenarios()
	l.sets()
	return l.problems
}

type linter struct {
	*Data
	problems []Problem
}

func (l *linter) fail(pos, subject, format string, args ...any) {
	switch {
	case len(l.problems) > maxProblems:
	case len(l.problems) == maxProblems:
		l.problems = append(l.problems, Problem{Pos: pos, Message: fmt.Sprintf("more than %d problems: fix these first", maxProblems)})
	default:
		l.problems = append(l.problems, Problem{Pos: pos, Subject: subject, Message: fmt.Sprintf(format, args...)})
	}
}

// unique complains about an empty or repeated ID.
func (l *linter) unique(seen map[string]string, what, id, pos string) {
	if id == "" {
		l.fail(pos, "", "the %s has no id", what)
		return
	}
	if first, twice := seen[id]; twice {
		l.fail(pos, id, "the id is used in %s already: ids are permanent and unique, choose another", first)
		return
	}
	seen[id] = pos
}

func (l *linter) requirements() {
	seen := map[string]string{}
	for _, q := range l.Requirements {
		l.unique(seen, "requirement", q.ID, q.Pos)
		for _, f := range []struct{ key, value string }{
			{"section", q.Section}, {"level", string(q.Level)}, {"layer", q.Layer}, {"text", q.Text},
		} {
			if f.value == "" {
				l.fail(q.Pos, q.ID, "the requirement has no %s", f.key)
			}
		}
		if documents[q.Document] == nil {
			l.fail(q.Pos, q.ID, "unknown document %q: use one of %s", q.Document, strings.Join(keys(documents), ", "))
		}
		if q.Untested != "" && !strings.HasPrefix(q.Untested, "access: ") && !strings.HasPrefix(q.Untested, "document-only: ") {
			l.fail(q.Pos, q.ID, "untested must begin with \"access: \" or \"document-only: \" and give the reason")
		}
	}
}

func (l *linter) points() {
	seen := map[string]string{}
	for i := range l.Points {
		p := &l.Points[i]
		l.unique(seen, "point", p.ID, p.Pos)
		for _, f := range []struct{ key, value string }{{"stage", p.Stage}, {"question", p.Question}} {
			if f.value == "" {
				l.fail(p.Pos, p.ID, "the point has no %s", f.key)
			}
		}
		if !pointID.MatchString(p.ID) {
			l.fail(p.Pos, p.ID, "%s", pointIDRule)
		}
		l.choices(p)
		for _, name := range Interpretations {
			if chosen := p.Interpretations[name]; p.Choice(chosen.Choice) == nil || chosen.Because == "" {
				l.fail(p.Pos, p.ID, "interpretation %s needs one of the choices and a because", name)
			}
		}
		l.known(p.Pos, p.ID, p.Requirements)
	}
}

// pointID matches the IDs of points and choices, which become the names of Go
// constants. pointIDRule states it in words.
var pointID = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

const pointIDRule = "the id must begin with a letter and have only lower-case letters, digits and single hyphens"

func (l *linter) choices(p *Point) {
	ids := map[string]bool{}
	for i := range p.Choices {
		c := &p.Choices[i]
		if ids[c.ID] || c.ID == "" || c.Means == "" {
			l.fail(p.Pos, p.ID, "choice %q needs an id of its own and a meaning", c.ID)
		} else if !pointID.MatchString(c.ID) {
			l.fail(p.Pos, p.ID, "choice %q: %s", c.ID, pointIDRule)
		}
		ids[c.ID] = true
		l.forbidden(p, c)
	}
	if len(ids) < 2 {
		l.fail(p.Pos, p.ID, "a point needs at least two choices")
	} else if own := p.Interpretations["rfc9309"].Choice; ids[own] && p.Choices[0].ID != own {
		l.fail(p.Pos, p.ID, "choice %q is that of rfc9309: put it first", own)
	}
}

// forbidden checks the fields of a choice about breaking RFC 9309.
func (l *linter) forbidden(p *Point, c *Choice) {
	if c.Forbidden == "" && c.Witness == nil {
		return
	}
	fail := func(format string, args ...any) {
		l.fail(p.Pos, p.ID, "choice %q: %s", c.ID, fmt.Sprintf(format, args...))
	}
	if p.Outside != "" || c.ID == p.Interpretations["rfc9309"].Choice {
		fail("neither the choice of rfc9309 nor one that is outside the reference can be forbidden")
	}
	if w := c.Witness; c.Forbidden == "" || w == nil || w.Robots == nil || w.URL == "" || w.Want == "" || w.Got == "" || w.Want == w.Got {
		fail("a forbidden choice needs the requirement that forbids it, and a witness with robots, url and different verdicts under want and got")
	}
	if c.Forbidden == "" {
		return
	}
	l.known(p.Pos, p.ID, []string{c.Forbidden})
	q := l.Requirement(c.Forbidden)
	if q == nil {
		return
	}
	if level, _ := q.Level.CaseLevel(); q.Document != "RFC 9309" || q.Untested != "" || q.Level == LevelAdvice || level.Weight() < Should.Weight() {
		fail("%s cannot forbid it: name a testable MUST, SHOULD or text of RFC 9309", q.ID)
	}
}

// known complains about requirements that do not exist.
func (l *linter) known(pos, subject string, ids []string) {
	for _, id := range ids {
		if l.Requirement(id) == nil {
			l.fail(pos, subject, "unknown requirement %q: %s", id, didYouMeanID(id, keys(l.requirement)))
		}
	}
}

func didYouMeanID(id string, candidates []string) string {
	if near := Nearest(id, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "see repcheck list --what requirements"
}

func (l *linter) cases() {
	seen := map[string]string{}
	l.both()
	for i := range l.Cases {
		c := &l.Cases[i]
		l.unique(seen, "case", c.ID, c.Pos)
		file, _, _ := strings.Cut(c.Pos, ":")
		topic := strings.TrimSuffix(path.Base(file), ".yaml")
		if !strings.HasPrefix(c.ID, topic+"/") || !validID(c.ID) {
			l.fail(c.Pos, c.ID, "the id must be %s/<name> in lower-case letters, digits and hyphens, after the file's name", topic)
		}
		if folder := path.Base(path.Dir(file)); c.Section != folder {
			l.fail(c.Pos, c.ID, "section %q is in the folder %q: move the file or change the section", c.Section, folder)
		}
		l.claims("case", c)
		if len(c.Expect) == 0 {
			l.fail(c.Pos, c.ID, "the case expects nothing")
		}
		l.expectations(c)
	}
}

// claims checks what a case or a scenario (what) says about its verdicts.
func (l *linter) claims(what string, c *Case) {
	if c.Rationale == "" {
		l.fail(c.Pos, c.ID, "the %s has no rationale: say in one sentence why its verdicts follow", what)
	}
	l.known(c.Pos, c.ID, c.Requirements)
	if c.Classifies() {
		l.classifying(what, c)
	} else {
		l.judging(what, c)
	}
}

func (l *linter) judging(what string, c *Case) {
	if len(c.Requirements) == 0 || c.Level == "" {
		l.fail(c.Pos, c.ID, "a %s names its requirements and a level (or, where RFC 9309 is open, a point)", what)
		return
	}
	bears := func(id string) bool {
		q := l.Requirement(id)
		if q == nil {
			return true // reported by known
		}
		level, ok := q.Level.CaseLevel()
		return ok && level == c.Level
	}
	if c.Level != May && !slices.ContainsFunc(c.Requirements, bears) {
		l.fail(c.Pos, c.ID, "level %s is not that of any of its requirements: give the level of the sentence that a wrong answer breaks", c.Level)
	}
	for _, e := range c.Expect {
		if e.Verdict == "" && len(e.Under) == 0 {
			l.fail(c.Pos, c.ID, "%s: the expectation has no verdict, and none under an interpretation", e.ID())
		}
		if e.Choices != nil {
			l.fail(c.Pos, c.ID, "%s: choices belong to a %s that names a point", e.ID(), what)
		}
	}
}

func (l *linter) classifying(what string, c *Case) {
	if c.Level != "" {
		l.fail(c.Pos, c.ID, "a %s that classifies (point: %s) has no level", what, c.Point)
	}
	p := l.Point(c.Point)
	if p == nil {
		l.fail(c.Pos, c.ID, "unknown point %q: %s", c.Point, didYouMean(c.Point, keys(l.point)))
		return
	}
	var ids []string
	for _, choice := range p.Choices {
		ids = append(ids, choice.ID)
	}
	differs := false
	for _, e := range c.Expect {
		verdicts := map[Verdict]bool{}
		for choice, v := range e.Choices {
			verdicts[v] = true
			if !slices.Contains(ids, choice) {
				l.fail(c.Pos, c.ID, "%s: point %s has no choice %q: %s", e.ID(), c.Point, choice, didYouMean(choice, ids))
			}
		}
		if len(verdicts) > 1 {
			differs = true
		}
		if e.Verdict != "" || e.Under != nil {
			l.fail(c.Pos, c.ID, "%s: a %s that classifies gives choices, no verdict and no under", e.ID(), what)
		}
		if len(e.Choices) == 0 {
			l.fail(c.Pos, c.ID, "%s: the expectation gives no verdict for any choice", e.ID())
		}
	}
	if !differs {
		l.fail(c.Pos, c.ID, "no expectation tells the choices of %s apart", c.Point)
	}
}

// both complains about queries that one case judges and another classifies. A
// result would call the same answer wrong and open.
func (l *linter) both() {
	type query struct{ robots, agent, url string }
	judged := map[query]string{}
	each := func(classifies bool, f func(*Case, query, *Expectation)) {
		for i := range l.Cases {
			if c := &l.Cases[i]; c.Classifies() == classifies {
				robots := string(c.Robots)
				for k := range c.Expect {
					f(c, query{robots, c.Expect[k].Agent, c.Expect[k].URL}, &c.Expect[k])
				}
			}
		}
	}
	each(false, func(c *Case, q query, e *Expectation) {
		if e.Verdict != "" {
			judged[q] = c.ID
		}
	})
	each(true, func(c *Case, q query, e *Expectation) {
		if id := judged[q]; id != "" {
			l.fail(c.Pos, c.ID, "%s: %s judges this query: if the document leaves it open, delete it there, otherwise here", e.ID(), id)
		}
	})
}

func (l *linter) expectations(c *Case) {
	lines := 1 + bytes.Count(c.Robots, []byte{'\n'}) + bytes.Count(c.Robots, []byte{'\r'})
	seen := make(map[Probe]bool, len(c.Expect))
	for _, e := range c.Expect {
		if seen[e.Probe] {
			l.fail(c.Pos, c.ID, "%s is asked twice", e.ID())
		}
		seen[e.Probe] = true
		if e.Line > lines {
			l.fail(c.Pos, c.ID, "%s: the file has no line %d", e.ID(), e.Line)
		}
	}
}

func validID(id string) bool {
	for _, r := range id {
		if !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '/') {
			return false
		}
	}
	return strings.Count(id, "/") == 1
}
