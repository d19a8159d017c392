package mutant

import (
	"errors"
	"strings"

	"github.com/repcheck/repcheck/spec"
)

// A model is a robots.txt parser that takes RFC 9309 step by step, with its
// open points decided as reference.RFC9309 does. Every step that a mutant gets
// wrong is a field, so that a fault is another function in its place.
type model struct {
	// From octets to records.
	body    func(octets string) string
	lines   func(body string) []string
	blanks  string // the octets that are trimmed
	comment func(line string) string
	split   func(line string) (key, value string, ok bool)
	value   func(value string) string // the value of a rule
	kind    func(key string) kind
	control func(c rune) bool // whether a value with this character is void
	refuse  func(body string, records []record) bool

	// From records to the rules for a crawler.
	records func([]record) []record
	name    func(value string) string // of a user-agent line
	groups  func([]group) []group
	same    func(name, agent string) bool
	choose  func(m *model, groups []group, agent, path string) (rules []*rule, found bool)

	// From a URL and a rule to the decision.
	target    func(url string) string
	spellURL  func(target string) string
	spellRule func(value string) string
	data      func(path string) string
	compile   func(value string) (p pattern, ok bool) // of the normalised value
	matches   func(p *pattern, path string) bool
	stars     func(parts []string, end bool, path string) bool
	octets    func(r *rule) int
	exempt    func(path string) bool
	decide    func(rules, matching []*rule) (allow bool)
	nobody    bool // whether a crawler without a group may fetch
}

// newModel returns a model without a fault.
func newModel() *model {
	m := &model{
		body:      firstLines,
		lines:     splitLines,
		blanks:    " \t",
		comment:   func(line string) string { before, _, _ := strings.Cut(line, "#"); return before },
		value:     func(value string) string { return value },
		kind:      kindOf,
		control:   func(c rune) bool { return c < ' ' && c != '\t' },
		refuse:    func(string, []record) bool { return false },
		records:   func(records []record) []record { return records },
		name:      leadingToken,
		groups:    func(groups []group) []group { return groups },
		same:      func(name, agent string) bool { return lower(name) == lower(agent) },
		choose:    combined,
		target:    pathAndQuery,
		spellURL:  func(target string) string { return spell(target, "*$") },
		spellRule: func(value string) string { return spell(value, "") },
		data:      encodeData,
		compile:   compile,
		stars:     inOrder,
		octets:    func(r *rule) int { return len(r.text) },
		exempt:    func(path string) bool { return path == "/robots.txt" },
		nobody:    true,
	}
	m.split = func(line string) (string, string, bool) { return cutAt(line, strings.IndexByte(line, ':')) }
	m.matches = func(p *pattern, path string) bool { return prefixOrStars(m, p, path) }
	m.decide = func(_, matching []*rule) bool { return longest(m, matching) }
	return m
}

// A kind says what a record is.
type kind uint8

const (
	isBlank   kind = iota // nothing but blanks
	isComment             // a comment on a line of its own
	isGarbage             // no record
	isOther               // a record that the protocol does not define
	isAgent
	isAllow
	isDisallow
	// endsHeader and endsGroup stand in no file: faults put them there.
	endsHeader
	endsGroup
)

// A record is a line as it was read.
type record struct {
	kind  kind
	key   string // in lower case
	value string
	// void says that the grammar does not derive the value.
	void bool
}

func (r record) isRule() bool { return r.kind == isAllow || r.kind == isDisallow }

// A group is a header of names and the rules under it. A rule that repeats the
// one before it may be the same one.
type group struct {
	names []string
	rules []*rule
}

// A rule is an allow or disallow line whose value can be a path.
type rule struct {
	allow bool
	value string // as written
	text  string // as compared, with the final "$"
	plain pattern
	// data is the same with its reserved octets encoded, hasData that it has any.
	data    pattern
	hasData bool
}

// A pattern is a path with the "$" of its end taken off. Parts are what stands
// between its stars.
type pattern struct {
	parts []string
	end   bool
}

// parse has the form of Mutant.Parse.
func (m *model) parse(robots []byte) (func(agent, url string) spec.Answer, error) {
	body := m.body(string(robots))
	lines := m.lines(body)
	records := make([]record, len(lines))
	for i, line := range lines {
		if i > 0 && line == lines[i-1] {
			records[i] = records[i-1]
		} else {
			records[i] = m.record(line)
		}
	}
	if m.refuse(body, records) {
		return nil, errors.New("the file is refused")
	}
	groups := m.groups(m.gather(m.records(records)))
	return func(agent, url string) spec.Answer { return spec.Allowed(m.allowed(groups, agent, url)) }, nil
}

func (m *model) record(line string) record {
	line = strings.Trim(line, m.blanks)
	if line == "" {
		return record{kind: isBlank}
	}
	if line = strings.Trim(m.comment(line), m.blanks); line == "" {
		return record{kind: isComment}
	}
	key, value, ok := m.split(line)
	key, value = strings.Trim(key, m.blanks), strings.Trim(value, m.blanks)
	if !ok || key == "" {
		return record{kind: isGarbage, value: line}
	}
	r := record{kind: m.kind(key), key: lower(key), value: value}
	if r.isRule() {
		r.value = m.value(value)
		r.void = strings.ContainsAny(r.value, m.blanks)
	}
	if r.kind >= isAgent {
		r.void = r.void || strings.ContainsFunc(r.value, m.control)
	}
	return r
}

// gather makes groups of records.
func (m *model) gather(records []record) []group {
	var groups []group
	inside, header := false, false
	var last *rule
	for i, r := range records {
		switch {
		case r.kind == isAgent:
			if !inside || !header {
				groups = append(groups, group{})
				inside, header = true, true
			}
			g := &groups[len(groups)-1]
			name := ""
			if !r.void {
				name = m.name(r.value)
			}
			g.names = append(g.names, name)
		case r.isRule() && inside:
			header = false
			if i == 0 || last == nil || r != records[i-1] {
				last = m.rule(r)
			}
			if last != nil {
				g := &groups[len(groups)-1]
				g.rules = append(g.rules, last)
			}
		case r.kind == endsHeader:
			header = false
		case r.kind == endsGroup:
			inside, header = false, false
		}
	}
	return groups
}

// rule makes a rule of a record; nil if its value is no path.
func (m *model) rule(rec record) *rule {
	if rec.void || !strings.HasPrefix(rec.value, "/") && !strings.HasPrefix(rec.value, "*") {
		return nil
	}
	r := &rule{allow: rec.kind == isAllow, value: rec.value, text: m.spellRule(rec.value)}
	var ok bool
	if r.plain, ok = m.compile(r.text); !ok {
		return nil
	}
	path := strings.Join(r.plain.parts, "*")
	if data := m.data(path); data != path {
		r.data, r.hasData = pattern{parts: strings.Split(data, "*"), end: r.plain.end}, true
	} else {
		r.data = r.plain
	}
	return r
}

// allowed is the answer to a question.
func (m *model) allowed(groups []group, agent, url string) bool {
	path := m.spellURL(m.target(url))
	if m.exempt(path) {
		return true
	}
	rules, found := m.choose(m, groups, agent, path)
	if !found {
		return m.nobody
	}
	return m.decide(rules, m.matching(rules, path))
}

// matching returns the rules that match a spelled path.
func (m *model) matching(rules []*rule, path string) []*rule {
	data := m.data(path)
	var matching []*rule
	for _, r := range rules {
		if m.matches(&r.plain, path) || (r.hasData || data != path) && m.matches(&r.data, data) {
			matching = append(matching, r)
		}
	}
	return matching
}
