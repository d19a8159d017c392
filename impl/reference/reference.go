package reference

import (
	"bytes"
	"slices"
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

// New returns the parser of an interpretation.
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
	// text is the body, and behind it values that a stage has changed.
	text   []byte
	names  []name
	rules  []rawRule
	groups []group

	// Most files have a few groups: they need no memory of their own.
	nameSpace  [4]name
	groupSpace [4]group
}

// maxBody bounds the octets that are read at all, so that places in a body fit
// into 32 bits.
const maxBody = 1 << 30

// Parse reads the octets of a robots.txt file. It never fails: whatever the
// octets are, every line is tried and the parseable rules are kept (RFC 9309
// section 2.3.1.5). The File refers to the slice, which must not change while
// the File is in use.
func (p *Parser) Parse(octets []byte) *File {
	f := &File{parser: p}
	body, refused := p.octets.body(octets)
	if refused != "" {
		f.refused = refused
		return f
	}
	body = body[:min(len(body), maxBody):min(len(body), maxBody)]
	f.text, f.names, f.groups = body, f.nameSpace[:0], f.groupSpace[:0]
	// Nearly every colon is that of a rule, which has seven octets at least.
	f.rules = make([]rawRule, 0, min(bytes.Count(body, []byte{':'}), 1+len(body)/len("Allow:\n")))
	g := grouper{in: &p.groups, file: f, comments: bytes.IndexByte(body, '#') >= 0}
	lines := p.lines.scan(body)
	for {
		line, ok := lines.next()
		if !ok {
			return f
		}
		g.joined = lines.joined
		if refused := p.take(&g, body, line, int32(lines.number)); refused != "" {
			return &File{parser: p, refused: refused}
		}
	}
}

// take reads one line of the body into the file. refused says why the whole
// file is refused, if it is.
func (p *Parser) take(g *grouper, body, line []byte, number int32) (refused string) {
	var rec record
	switch {
	case p.records.read(&rec, line, g.comments):
		return "it holds a control octet"
	case rec.kind == kindAgent && !rec.void && p.agents[AgentValue] == AgentValueList:
		for _, part := range p.agents.listed(rec.value) {
			g.agent(p.agents.name(part, number))
		}
	case rec.kind == kindAgent:
		g.agent(p.nameOf(&rec, number))
	case rec.kind == kindAllow || rec.kind == kindDisallow:
		raw := rawRule{line: number, allow: rec.kind == kindAllow}
		raw.from, raw.to = g.file.place(body, rec.value, rec.changed || g.joined)
		return g.rule(raw, rec.void)
	default:
		g.otherLine(rec.kind)
	}
	return ""
}

func (p *Parser) nameOf(rec *record, line int32) name {
	if rec.void {
		return name{line: line}
	}
	return p.agents.name(rec.value, line)
}

// place returns where the value of a record stands in the file's text. A part
// of the body reaches, by its capacity, to the body's end, which tells where it
// begins; a changed value is kept behind the body.
func (f *File) place(body, value []byte, changed bool) (from, to int32) {
	if changed {
		f.text = append(f.text, value...)
		return int32(len(f.text) - len(value)), int32(len(f.text))
	}
	at := len(body) - cap(value)
	return int32(at), int32(at + len(value))
}

// value returns the value of a rule.
func (f *File) value(raw *rawRule) []byte { return f.text[raw.from:raw.to] }

// Refused returns why the interpretation refuses the whole file, or "" if it
// does not. RFC9309 refuses no file. A refused file allows everything.
func (f *File) Refused() string { return f.refused }

// Rules are the rules that hold for one crawler, those of several groups
// combined (RFC 9309 section 2.2.1). They are safe for concurrent use.
type Rules struct {
	file   *File
	agent  string
	source Source
	groups []int32
	rules  []Rule
	// later are the rules for "*" that hold where none of rules matches
	// (StarScopeNoMatch).
	later []Rule

	groupSpace [4]int32
}

// Rules returns the rules that hold for the crawler of that product token.
func (f *File) Rules(agent string) *Rules {
	r := &Rules{file: f, agent: agent}
	var later []int32
	r.groups, later, r.source = f.parser.agents.choose(f, agent, r.groupSpace[:0])
	n := 0
	for _, g := range r.groups {
		n += len(f.rulesOf(g))
	}
	r.rules = f.compile(make([]Rule, 0, n), r.groups, nil)
	r.later = f.compile(nil, later, nil)
	return r
}

// compile appends the rules of the groups to rules; where path is not nil, only
// those that might match it.
func (f *File) compile(rules []Rule, groups []int32, path []byte) []Rule {
	p := f.parser
	for _, g := range groups {
		raws := f.rulesOf(g)
		for i := range raws {
			raw, value := &raws[i], f.value(&raws[i])
			if path != nil && !p.mayMatch(value, path) {
				continue
			}
			if rules == nil {
				rules = make([]Rule, 0, 2) // seldom does a path leave more than that
			}
			rules = append(rules, Rule{value: value, line: raw.line, allow: raw.allow})
			if !p.rule(&rules[len(rules)-1]) {
				rules = rules[:len(rules)-1]
			}
		}
	}
	return rules
}

// mayMatch compares the octets of a rule, up to the first that needs a closer
// look, with the path; that tells most rules from most paths before the rule is
// read at all.
func (p *Parser) mayMatch(value, path []byte) bool {
	if len(value) == 0 || value[0] != '/' || len(path) == 0 || p.patterns[IndexHTML] != IndexHTMLNone {
		return true
	}
	class := &p.paths.rule.class
	for i, c := range value {
		if class[c] != 0 {
			return true
		}
		if i == len(path) || c != path[i] {
			return false
		}
	}
	return true
}

func (f *File) rulesOf(g int32) []rawRule {
	return f.rules[f.groups[g].firstRule:f.groups[g].endRule]
}

// Source says why these rules hold for the crawler.
func (r *Rules) Source() Source { return r.source }

// All returns the rules in the order of the file; behind them those that only
// hold where none of them matches.
func (r *Rules) All() []Rule { return slices.Concat(r.rules, r.later) }

// HeaderLines returns the lines of the user-agent lines above the rules.
func (r *Rules) HeaderLines() []int {
	var lines []int
	for _, g := range r.groups {
		for _, n := range r.file.names[r.file.groups[g].firstName:r.file.groups[g].endName] {
			lines = append(lines, int(n.line))
		}
	}
	return lines
}

// Test decides about a URL. A path with its query does as well as a whole URL;
// which host it belongs to is for the caller to know.
func (r *Rules) Test(url string) Decision {
	var space targetSpace
	return r.decide(r.file.parser.target(url, &space), nil)
}

// decide is decide of the parser, for the rules and those that hold later.
func (r *Rules) decide(t target, trace *[]Considered) Decision {
	p := r.file.parser
	d := p.decide(r.source, r.rules, t, trace)
	if d.Reason == ReasonNoMatch && len(r.later) > 0 {
		return p.decide(SourceStar, r.later, t, trace)
	}
	return d
}

// Test decides for one crawler and one URL. For several URLs keep the Rules.
func (f *File) Test(agent, url string) Decision {
	var space targetSpace
	var groupSpace [4]int32
	t := f.parser.target(url, &space)
	groups, later, source := f.parser.agents.choose(f, agent, groupSpace[:0])
	d := f.parser.decide(source, f.compile(nil, groups, t.path), t, nil)
	if d.Reason == ReasonNoMatch && len(later) > 0 {
		return f.parser.decide(SourceStar, f.compile(nil, later, t.path), t, nil)
	}
	return d
}

// A targetSpace is room for a target. Most paths fit: then nothing of a test
// is allocated.
type targetSpace struct{ plain, data [256]byte }

// target brings the URL into the form that is compared.
func (p *Parser) target(url string, space *targetSpace) target {
	path := space.plain[:0]
	rest, slash := p.urls.target(url)
	if slash {
		path = append(path, '/')
	}
	if p.interpretation[EscapePasses] == EscapePassesUntilStable {
		rest = decodePasses(rest)
	}
	class := classOf(&p.paths.url, rest)
	t := target{path: appendSpelled(&p.paths.url, path, rest, class)}
	t.malformed = p.urls[MalformedURL] != MalformedURLCompare && isMalformed(url)
	if p.interpretation[ReservedOctets] == ReservedOctetsEitherSpelling && class&(classData|classChanged) != 0 && hasData(t.path) {
		t.data = appendData(space.data[:0], t.path)
	}
	return t
}

// decide is the one way to a decision; see decisionStage.choose for trace.
func (p *Parser) decide(source Source, rules []Rule, t target, trace *[]Considered) Decision {
	switch {
	case t.malformed:
		return Decision{Allow: p.urls[MalformedURL] == MalformedURLAllow, Reason: ReasonMalformedURL}
	case p.decision.isRobotsTxt(t.path):
		return Decision{Allow: true, Reason: ReasonRobotsTxt}
	case source == SourceNone:
		return Decision{Allow: true, Reason: ReasonNoGroup}
	}
	rule := p.decision.choose(rules, t, trace)
	if rule == nil {
		return Decision{Allow: true, Reason: ReasonNoMatch}
	}
	return Decision{Allow: rule.allow, Reason: ReasonRule, Rule: rule}
}
