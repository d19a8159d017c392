package mutant

import (
	"strings"

	"github.com/repcheck/repcheck/impl/reference/plain"
	"github.com/repcheck/repcheck/spec"
)

// The types that a fault works on.
type (
	model   = plain.Model
	kind    = plain.Kind
	record  = plain.Record
	group   = plain.Group
	rule    = plain.Rule
	pattern = plain.Pattern

	chooser     = func(m *model, groups []group, agent, path string) ([]*rule, bool)
	starMatcher = func(parts []string, end bool, path string) bool
)

// A fault is a mistake in a model.
type fault struct {
	id, breaks, means string
	change            change
	witness           Witness
}

// A change replaces steps of a model, usually one. Each of the functions below
// returns the change that replaces the step of its name.
type change func(m *model)

// steps makes several changes.
func steps(changes ...change) change {
	return func(m *model) {
		for _, change := range changes {
			change(m)
		}
	}
}

func body(with func(octets string) string) change      { return func(m *model) { m.Body = with } }
func lines(with func(body string) []string) change     { return func(m *model) { m.Lines = with } }
func comment(with func(line string) string) change     { return func(m *model) { m.Comment = with } }
func value(with func(value string) string) change      { return func(m *model) { m.Value = with } }
func key(with func(key string) kind) change            { return func(m *model) { m.Kind = with } }
func records(with func([]record) []record) change      { return func(m *model) { m.Records = with } }
func name(with func(value string) string) change       { return func(m *model) { m.Name = with } }
func groups(with func([]group) []group) change         { return func(m *model) { m.Groups = with } }
func same(with func(name, agent string) bool) change   { return func(m *model) { m.Same = with } }
func choose(with chooser) change                       { return func(m *model) { m.Choose = with } }
func wholeURL(with func(url string) string) change     { return func(m *model) { m.Target = with } }
func spellURL(with func(target string) string) change  { return func(m *model) { m.SpellURL = with } }
func spellRule(with func(value string) string) change  { return func(m *model) { m.SpellRule = with } }
func data(with func(path string) string) change        { return func(m *model) { m.Data = with } }
func compile(with func(string) (pattern, bool)) change { return func(m *model) { m.Compile = with } }
func stars(with starMatcher) change                    { return func(m *model) { m.Stars = with } }
func octets(with func(r *rule) int) change             { return func(m *model) { m.Octets = with } }
func exempt(with func(path string) bool) change        { return func(m *model) { m.Exempt = with } }
func noGroup(m *model)                                 { m.NoGroup = false }

func split(with func(line string) (key, value string, ok bool)) change {
	return func(m *model) { m.Split = with }
}

func refuse(with func(body string, records []record) bool) change {
	return func(m *model) { m.Refuse = with }
}

func matches(with func(m *model, p *pattern, path string) bool) change {
	return func(m *model) { m.Matches = func(p *pattern, path string) bool { return with(m, p, path) } }
}

func decide(with func(m *model, rules, matching []*rule) bool) change {
	return func(m *model) { m.Decide = func(rules, matching []*rule) bool { return with(m, rules, matching) } }
}

// eachLine replaces each line of the body.
func eachLine(with func(line string) string) change {
	return lines(func(body string) []string {
		lines := plain.SplitLines(body)
		for i := range lines {
			lines[i] = with(lines[i])
		}
		return lines
	})
}

// eachGroup changes each group.
func eachGroup(with func(*group)) change {
	return groups(func(groups []group) []group {
		for i := range groups {
			with(&groups[i])
		}
		return groups
	})
}

// target replaces the path and query of a URL.
func target(with func(pathAndQuery string) string) change {
	return wholeURL(func(url string) string { return with(plain.PathAndQuery(url)) })
}

// ruleAndURL replaces the value of a rule and the path and query of a URL.
func ruleAndURL(with func(string) string) change { return steps(value(with), target(with)) }

// before cuts a text at a separator.
func before(separator string) func(string) string {
	return func(s string) string { s, _, _ = strings.Cut(s, separator); return s }
}

// replace makes replacements, given as pairs of old and new.
func replace(pairs ...string) func(string) string { return strings.NewReplacer(pairs...).Replace }

// faults are all faults, in the order of the steps of a parser.
var faults = [][]fault{octetFaults, recordFaults, groupFaults, agentFaults, pathFaults, escapeFaults, patternFaults, decisionFaults}

func (f fault) mutant() Mutant {
	m := plain.New()
	f.change(m)
	return Mutant{ID: f.id, Breaks: f.breaks, Means: f.means, Witness: f.witness, Parse: answers(m)}
}

// answers returns a model in the form of Mutant.Parse.
func answers(m *model) func(robots []byte) (func(agent, url string) spec.Answer, error) {
	return func(robots []byte) (func(agent, url string) spec.Answer, error) {
		allowed, err := m.Parse(robots)
		if err != nil {
			return nil, err
		}
		return func(agent, url string) spec.Answer { return spec.Allowed(allowed(agent, url)) }, nil
	}
}
