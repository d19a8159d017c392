package reference

import (
	"bytes"
	"unicode/utf8"
)

// A Parser parses files under one interpretation. It is safe for concurrent
// use.
type Parser struct {
	interpretation Interpretation

	octets   octetsStage
	lines    linesStage
	records  recordsStage
	groups   groupsStage
	agents   agentsStage
	urls     urlsStage
	paths    pathsStage
	patterns patternsStage
	decision decisionStage
}

// New returns the parser for an interpretation.
func New(in Interpretation) *Parser {
	return &Parser{
		interpretation: in,
		octets:         octetsStage(in),
		lines:          linesStage(in),
		records:        recordsStage(in),
		groups:         groupsStage(in),
		agents:         agentsStage(in),
		urls:           urlsStage(in),
		paths:          resolvePaths(in),
		patterns:       patternsStage(in),
		decision:       decisionStage(in),
	}
}

// Interpretation returns the interpretation that p parses under.
func (p *Parser) Interpretation() Interpretation { return p.interpretation }

// A File is a parsed robots.txt file. It is safe for concurrent use.
type File struct {
	parser  *Parser
	refused string
	// The groups in file order. The names and rules of a group are consecutive
	// elements of names and rules.
	groups   []group
	names    []name
	rules    []rule
	patterns []pattern
	// text is the body followed by the values that differ from the body.
	text, body []byte

	// Space for the groups of most files, which saves an allocation.
	groupSpace [4]group
	nameSpace  [4]name
}

// maxBody is the largest number of octets that are parsed, so that offsets in a
// body fit into 32 bits.
const maxBody = 1 << 30

// Parse reads the octets of a robots.txt file. It never fails: it tries every
// line and keeps the rules that can be parsed (RFC 9309 section 2.3.1.5). The File
// refers to the slice, which must not change while the File is in use.
func (p *Parser) Parse(octets []byte) *File {
	body, refused := p.octets.body(octets)
	if refused != "" {
		return &File{parser: p, refused: refused}
	}
	switch choice := p.records[InvalidUTF8]; {
	case choice == InvalidUTF8RejectFile && !utf8.Valid(body):
		return &File{parser: p, refused: "it is not UTF-8"}
	case choice == InvalidUTF8EmptyFile && !utf8.Valid(body):
		return &File{parser: p}
	}
	body = body[:min(len(body), maxBody):min(len(body), maxBody)]
	f := &File{parser: p, text: body, body: body}
	f.groups, f.names = f.groupSpace[:0], f.nameSpace[:0]
	// Nearly every colon belongs to a rule, and a rule has at least seven octets.
	f.rules = make([]rule, 0, min(bytes.Count(body, []byte{':'}), 1+len(body)/len("Allow:\n")))
	g := grouper{in: &p.groups, file: f}
	lines := p.lines.scan(body)
	for {
		line, ok := lines.next()
		if !ok || g.void {
			return f
		}
		if refused := p.take(&g, line, lines.number); refused != "" {
			return &File{parser: p, refused: refused}
		}
	}
}

// take adds one line to the file. refused is the reason why the whole file is
// refused, or "".
func (p *Parser) take(g *grouper, line []byte, number int) (refused string) {
	kind, value := p.records.read(line)
	var class class
	valid := true
	if kind >= kindAgent {
		class = classOf(&p.paths.rule, value)
		if class&classUnlisted != 0 {
			kind, value, valid = p.records.check(kind, value)
		}
	}
	switch {
	case kind == kindRefused:
		return "it holds a control octet"
	case kind == kindAgent && !valid:
		g.agent(nameNone, nil, number)
	case kind == kindAgent:
		for _, part := range p.agents.split(value) {
			kind, text := p.agents.name(part)
			g.agent(kind, text, number)
		}
	case kind == kindAllow, kind == kindDisallow:
		return g.rule(kind == kindAllow, value, class, valid, number)
	default:
		g.otherLine(kind)
	}
	return ""
}

// Refused returns the reason why the interpretation refuses the whole file, or ""
// if it does not. RFC9309 refuses no file. A refused file allows everything.
func (f *File) Refused() string { return f.refused }

// Test decides whether one crawler may fetch one URL. It is equivalent to Rules
// followed by Rules.Test.
func (f *File) Test(agent, url string) Decision { return f.Rules(agent).Test(url) }

// Rules are the rules that apply to one crawler. The rules of several groups are
// combined (RFC 9309 section 2.2.1). They are safe for concurrent use.
type Rules struct {
	file   *File
	agent  string
	source Source
	groups []int
	rules  []rule
	// later are the rules of other groups that apply in turn while none matches
	// (StarScopeNoMatch, AgentGroupsNextFit).
	later [][]rule

	// Space for the groups of most crawlers, which saves an allocation.
	groupSpace [2][2]int
}

// Rules returns the rules that apply to the crawler with the product token agent.
func (f *File) Rules(agent string) *Rules {
	r := &Rules{file: f, agent: agent}
	var later [][]int
	r.groups, later, r.source = f.parser.agents.choose(f, agent, &r.groupSpace)
	r.rules = f.combine(r.groups)
	for _, groups := range later {
		r.later = append(r.later, f.combine(groups))
	}
	return r
}

// combine returns the rules of the groups. The rules of a single group are not
// copied.
func (f *File) combine(groups []int) []rule {
	if len(groups) == 1 {
		return f.rulesOf(groups[0])
	}
	var rules []rule
	for _, g := range groups {
		rules = append(rules, f.rulesOf(g)...)
	}
	return rules
}

func (f *File) rulesOf(g int) []rule { return f.rules[f.groups[g].firstRule:f.groups[g].endRule] }

// shares reports whether the names of a group begin with those of the group above it.
func (f *File) shares(g int) bool { return g > 0 && f.groups[g].firstName == f.groups[g-1].firstName }

// ownNames returns the names of a group without those that it shares.
func (f *File) ownNames(g int) []name {
	first := f.groups[g].firstName
	if f.shares(g) {
		first = f.groups[g-1].endName
	}
	return f.names[first:f.groups[g].endName]
}

// Source returns the reason why these rules apply to the crawler.
func (r *Rules) Source() Source { return r.source }

// HeaderLines returns the line numbers of the user-agent lines above the rules.
func (r *Rules) HeaderLines() []int {
	var lines []int
	end := int32(0) // of the names that lines has
	for _, g := range r.groups {
		group := &r.file.groups[g]
		for _, n := range r.file.names[max(group.firstName, end):group.endName] {
			lines = append(lines, int(n.line))
		}
		end = group.endName
	}
	return lines
}

// Test decides whether the crawler may fetch a URL. The URL may also be only a path
// with its query. The caller must check that a URL belongs to the host of the file.
func (r *Rules) Test(url string) Decision {
	var space targetSpace
	return r.decide(r.file.parser.target(url, &space), nil)
}

// decide makes every decision. If trace is not nil, decide appends every rule
// that it compares.
func (r *Rules) decide(t target, trace *[]Considered) Decision {
	p := r.file.parser
	switch {
	case t.malformed && p.urls[MalformedURL] == MalformedURLRefuse:
		return Decision{Allow: true, Reason: ReasonRefusedURL}
	case t.malformed:
		return Decision{Allow: p.urls[MalformedURL] == MalformedURLAllow, Reason: ReasonMalformedURL}
	case p.decision.isRobotsTxt(t.path):
		return Decision{Allow: true, Reason: ReasonRobotsTxt}
	case r.source == SourceNone:
		return Decision{Allow: true, Reason: ReasonNoGroup}
	}
	rule := p.decision.choose(r.file, r.rules, &t, trace)
	for i := 0; rule == nil && i < len(r.later); i++ {
		rule = p.decision.choose(r.file, r.later[i], &t, trace)
	}
	if rule == nil {
		return Decision{Allow: !p.decision.closes(r.rules), Reason: ReasonNoMatch}
	}
	return Decision{Allow: rule.allow, Reason: ReasonRule, Rule: &Rule{r.file, *rule}}
}
