// Package plain is a second implementation of RFC 9309, written for clarity
// without regard to speed. It follows the RFC step by step and shares no code with
// package reference, so that a mistake would have to be made twice to stay hidden.
// Where the RFC is open, it makes the same choices as reference.RFC9309.
//
// It has two uses. The fuzz targets compare the reference with it. And every step
// is a field of [Model], so most mutants of the test suite are this parser with one
// step replaced by a wrong one.
//
// The package is for repcheck's own tests and not for users.
package plain

import (
	"errors"
	"strings"
)

// A Model is a robots.txt parser. Its fields are its steps, in order.
type Model struct {
	// From octets to records.
	Body    func(octets string) string
	Lines   func(body string) []string
	Blanks  string // the octets to trim
	Comment func(line string) string
	Split   func(line string) (key, value string, ok bool)
	Value   func(value string) string // the value of a rule
	Kind    func(key string) Kind
	Control func(c rune) bool // whether a value with this character is void
	Refuse  func(body string, records []Record) bool

	// From records to the rules for a crawler.
	Records func([]Record) []Record
	Name    func(value string) string // the name in a user-agent line
	Groups  func([]Group) []Group
	Same    func(name, agent string) bool
	Choose  func(m *Model, groups []Group, agent, path string) (rules []*Rule, found bool)

	// From a URL and a rule to the decision.
	Target    func(url string) string
	SpellURL  func(target string) string
	SpellRule func(value string) string
	Data      func(path string) string
	Compile   func(text string) (p Pattern, ok bool) // text is the normalised value
	Matches   func(p *Pattern, path string) bool
	Stars     func(parts []string, end bool, path string) bool
	Octets    func(r *Rule) int
	Exempt    func(path string) bool
	Decide    func(rules, matching []*Rule) (allow bool)
	NoGroup   bool // whether a crawler without a group may fetch
}

// New returns a model in which every step is correct.
func New() *Model {
	m := &Model{
		Body:      func(octets string) string { return FirstLines(octets, limit) },
		Lines:     SplitLines,
		Blanks:    " \t",
		Comment:   func(line string) string { before, _, _ := strings.Cut(line, "#"); return before },
		Split:     func(line string) (string, string, bool) { return strings.Cut(line, ":") },
		Value:     func(value string) string { return value },
		Kind:      KindOf,
		Control:   func(c rune) bool { return c < ' ' && c != '\t' },
		Refuse:    func(string, []Record) bool { return false },
		Records:   func(records []Record) []Record { return records },
		Name:      LeadingToken,
		Groups:    func(groups []Group) []Group { return groups },
		Same:      func(name, agent string) bool { return Lower(name) == Lower(agent) },
		Choose:    Combined,
		Target:    PathAndQuery,
		SpellURL:  func(target string) string { return Spell(target, "*$") },
		SpellRule: func(value string) string { return Spell(value, "") },
		Data:      EncodeData,
		Compile:   Compile,
		Stars:     InOrder,
		Octets:    func(r *Rule) int { return len(r.Text) },
		Exempt:    func(path string) bool { return path == "/robots.txt" },
		NoGroup:   true,
	}
	m.Matches = m.PrefixOrStars
	m.Decide = func(_, matching []*Rule) bool { return m.Longest(matching) }
	return m
}

// A Kind classifies a line.
type Kind uint8

// The kinds of lines. EndsHeader and EndsGroup are not lines of a file; a
// replacement of Model.Records may insert them.
const (
	Blank   Kind = iota // only blanks
	Comment             // only a comment
	Garbage             // not a record
	Other               // a record that the protocol does not define
	UserAgent
	Allow
	Disallow
	EndsHeader
	EndsGroup
)

// A Record is a line as key and value.
type Record struct {
	Kind  Kind
	Key   string // in lower case
	Value string
	// Void reports whether the grammar does not derive the value.
	Void bool
}

// IsRule reports whether the record is an allow or disallow line.
func (r Record) IsRule() bool { return r.Kind == Allow || r.Kind == Disallow }

// A Group is a header of names and the rules under it. Consecutive equal rules may
// be the same pointer.
type Group struct {
	Names []string
	Rules []*Rule
}

// Has reports whether a name of the group fits.
func (g *Group) Has(fits func(name string) bool) bool {
	for _, name := range g.Names {
		if fits(name) {
			return true
		}
	}
	return false
}

// A Rule is an allow or disallow line whose value can be a path.
type Rule struct {
	Allow bool
	Value string // as written
	Text  string // as compared, with the final "$"
	Plain Pattern
	// Data is Plain in which the reserved octets that are data are encoded, and
	// HasData reports whether there are any.
	Data    Pattern
	HasData bool
}

// A Pattern is a path without its end mark, split at the stars.
type Pattern struct {
	Parts []string
	End   bool
}

// Parse reads a file and returns a function that reports whether an agent may
// fetch a URL. It returns an error if the file is refused.
func (m *Model) Parse(robots []byte) (func(agent, url string) bool, error) {
	body := m.Body(string(robots))
	lines := m.Lines(body)
	records := make([]Record, len(lines))
	for i, line := range lines {
		if i > 0 && line == lines[i-1] {
			records[i] = records[i-1]
		} else {
			records[i] = m.record(line)
		}
	}
	if m.Refuse(body, records) {
		return nil, errors.New("the file is refused")
	}
	groups := m.Groups(m.gather(m.Records(records)))
	return func(agent, url string) bool { return m.allowed(groups, agent, url) }, nil
}

func (m *Model) record(line string) Record {
	line = strings.Trim(line, m.Blanks)
	if line == "" {
		return Record{Kind: Blank}
	}
	if line = strings.Trim(m.Comment(line), m.Blanks); line == "" {
		return Record{Kind: Comment}
	}
	key, value, ok := m.Split(line)
	key, value = strings.Trim(key, m.Blanks), strings.Trim(value, m.Blanks)
	if !ok || key == "" {
		return Record{Kind: Garbage, Value: line}
	}
	r := Record{Kind: m.Kind(key), Key: Lower(key), Value: value}
	if r.IsRule() {
		r.Value = m.Value(value)
		r.Void = strings.ContainsAny(r.Value, m.Blanks)
	}
	if r.Kind >= UserAgent {
		r.Void = r.Void || strings.ContainsFunc(r.Value, m.Control)
	}
	return r
}

// gather collects records into groups (section 2.1).
func (m *Model) gather(records []Record) []Group {
	var groups []Group
	inside, header := false, false
	var last *Rule
	for i, r := range records {
		switch {
		case r.Kind == UserAgent:
			if !inside || !header {
				groups = append(groups, Group{})
				inside, header = true, true
			}
			g := &groups[len(groups)-1]
			name := ""
			if !r.Void {
				name = m.Name(r.Value)
			}
			g.Names = append(g.Names, name)
		case r.IsRule() && inside:
			header = false
			if i == 0 || last == nil || r != records[i-1] {
				last = m.rule(r)
			}
			if last != nil {
				g := &groups[len(groups)-1]
				g.Rules = append(g.Rules, last)
			}
		case r.Kind == EndsHeader:
			header = false
		case r.Kind == EndsGroup:
			inside, header = false, false
		}
	}
	return groups
}

// rule returns the rule of a record, or nil if its value is not a path.
func (m *Model) rule(rec Record) *Rule {
	if rec.Void || !strings.HasPrefix(rec.Value, "/") && !strings.HasPrefix(rec.Value, "*") {
		return nil
	}
	r := &Rule{Allow: rec.Kind == Allow, Value: rec.Value, Text: m.SpellRule(rec.Value)}
	var ok bool
	if r.Plain, ok = m.Compile(r.Text); !ok {
		return nil
	}
	path := strings.Join(r.Plain.Parts, "*")
	if data := m.Data(path); data != path {
		r.Data, r.HasData = Pattern{Parts: strings.Split(data, "*"), End: r.Plain.End}, true
	} else {
		r.Data = r.Plain
	}
	return r
}

// allowed decides about one query.
func (m *Model) allowed(groups []Group, agent, url string) bool {
	path := m.SpellURL(m.Target(url))
	if m.Exempt(path) {
		return true
	}
	rules, found := m.Choose(m, groups, agent, path)
	if !found {
		return m.NoGroup
	}
	return m.Decide(rules, m.Matching(rules, path))
}

// Matching returns the rules that match a path that SpellURL returned.
func (m *Model) Matching(rules []*Rule, path string) []*Rule {
	data := m.Data(path)
	var matching []*Rule
	for _, r := range rules {
		if m.Matches(&r.Plain, path) || (r.HasData || data != path) && m.Matches(&r.Data, data) {
			matching = append(matching, r)
		}
	}
	return matching
}
