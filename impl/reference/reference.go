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
		octets:         resolveOctets(in),
		lines:          resolveLines(in),
		records:        resolveRecords(in),
		groups:         resolveGroups(in),
		agents:         resolveAgents(in),
		urls:           resolveURLs(in),
		paths:          resolvePaths(in),
		patterns:       resolvePatterns(in),
		decision:       resolveDecision(in),
	}
}

// Interpretation returns the interpretation that p parses under.
func (p *Parser) Interpretation() Interpretation { return p.interpretation }

// A File is a parsed robots.txt file. It is safe for concurrent use.
type File struct {
	parser  *Parser
	refused string
	names   []name
	rules   []rawRule
	groups  []group

	// Most files have a few groups: they need no memory of their own.
	nameSpace  [4]name
	groupSpace [4]group
}

// Parse reads the octets of a robots.txt file. It never fails: whatever the
// octets are, every line is tried and the parseable rules are kept (RFC 9309
// section 2.3.1.5). The File refers to the slice, which must not change while
// the File is in use.
func (p *Parser) Parse(octets []byte) *File {
	f := &File{parser: p}
	f.names, f.groups = f.nameSpace[:0], f.groupSpace[:0]
	body, refused := p.octets.body(octets)
	if refused != "" {
		f.refused = refused
		return f
	}
	// Nearly every line with a colon is a rule.
	f.rules = make([]rawRule, 0, min(count(body, ':'), 1+count(body, '\n')+count(body, '\r')))
	g := grouper{groupsStage: p.groups, file: f}
	lines := scanner{linesStage: &p.lines, text: body}
	for {
		line, found, ok := lines.next()
		if !ok {
			return f
		}
		rec, refused := p.records.read(line, found)
		if refused == "" {
			switch rec.kind {
			case kindAgent:
				g.agent(p.nameOf(rec, int32(lines.number)))
			case kindAllow, kindDisallow:
				raw := rawRule{value: rec.value, line: int32(lines.number), allow: rec.kind == kindAllow}
				refused = g.rule(raw, rec.void)
			default:
				g.otherLine(rec.kind)
			}
		}
		if refused != "" {
			return &File{parser: p, refused: refused}
		}
	}
}

func (p *Parser) nameOf(rec record, line int32) name {
	if rec.void {
		return name{line: line}
	}
	return p.agents.name(rec.value, line)
}

func count(body []byte, octet byte) int { return bytes.Count(body, []byte{octet}) }

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

	groupSpace [4]int32
}

// Rules returns the rules that hold for the crawler of that product token.
func (f *File) Rules(agent string) *Rules {
	p := f.parser
	r := &Rules{file: f, agent: agent}
	r.groups, r.source = p.agents.choose(f, agent, r.groupSpace[:0])
	n := 0
	for _, g := range r.groups {
		n += len(f.rulesOf(g))
	}
	r.rules = make([]Rule, n)
	n = 0
	for _, g := range r.groups {
		rules := f.rulesOf(g)
		for i := range rules {
			if p.rule(&r.rules[n], &rules[i]) {
				n++
			} else {
				r.rules[n] = Rule{}
			}
		}
	}
	r.rules = r.rules[:n]
	return r
}

func (f *File) rulesOf(g int32) []rawRule {
	return f.rules[f.groups[g].firstRule:f.groups[g].endRule]
}

// Source says why these rules hold for the crawler.
func (r *Rules) Source() Source { return r.source }

// All returns the rules in the order of the file.
func (r *Rules) All() []Rule { return slices.Clone(r.rules) }

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
	return r.test(url, nil)
}

// test is Test and the one way to a decision; see decide for trace.
func (r *Rules) test(url string, trace *Trace) Decision {
	p := r.file.parser
	// Most paths fit: then nothing of a test is allocated.
	var plainSpace, dataSpace [256]byte
	path := plainSpace[:0]
	rest, slash := p.urls.target(url)
	if slash {
		path = append(path, '/')
	}
	class := classOf(&p.paths.url, rest)
	path = appendSpelled(&p.paths.url, path, rest, class)
	t := target{path: path}
	if p.paths.either && class&(classData|classChanged) != 0 && hasData(path) {
		t.data = appendData(dataSpace[:0], path)
	}
	var considered *[]Considered
	if trace != nil {
		trace.Path = string(path)
		considered = &trace.Considered
	}
	if p.decision.isRobotsTxt(path) {
		return Decision{Allow: true, Reason: ReasonRobotsTxt}
	}
	if r.source == SourceNone {
		return Decision{Allow: true, Reason: ReasonNoGroup}
	}
	rule := p.decision.decide(r.rules, t, considered)
	if rule == nil {
		return Decision{Allow: true, Reason: ReasonNoMatch}
	}
	return Decision{Allow: rule.allow, Reason: ReasonRule, Rule: rule}
}

// Test decides for one crawler and one URL. For several of either, keep the
// Rules.
func (f *File) Test(agent, url string) Decision { return f.Rules(agent).Test(url) }
