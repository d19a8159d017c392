// Package fuzz finds inputs on which parsers disagree: it makes robots.txt
// files and URLs from the grammar of what real files hold, asks every subject,
// and keeps, reduces and shows what they answer differently.
//
// A disagreement needs no expected verdict. What the answers should be is the
// business of the cases in package spec.
package fuzz

import (
	"math/rand/v2"
	"strings"

	"github.com/repcheck/repcheck/spec"
)

// An Input is a file with the questions about it.
type Input struct {
	Robots []byte
	Probes []spec.Probe
}

// A Generator makes inputs. Equal seeds make equal inputs.
type Generator struct {
	rng *rand.Rand
	// agents are the names of one input, and rules the paths of its rules, so
	// that its groups and probes meet.
	agents  []string
	rules   []string
	lineEnd string
}

// NewGenerator returns the generator of a seed.
func NewGenerator(seed uint64) *Generator {
	return &Generator{rng: rand.New(rand.NewPCG(seed, 0x9309))}
}

// A weighted is a thing that the generator makes, and how often it does.
//
// The weights start from what 10,000 real files hold, line by line (45 percent
// disallow, 33 blank, 9 user-agent, 4 allow, 4 comments, 3 sitemaps, 2 without
// a colon), then raise what is rare: a file with one lone CR among a thousand
// is where parsers part.
type weighted[T any] struct {
	weight int
	make   T
}

func pick[T any](rng *rand.Rand, choices []weighted[T]) T {
	total := 0
	for _, c := range choices {
		total += c.weight
	}
	n := rng.IntN(total)
	for _, c := range choices {
		if n -= c.weight; n < 0 {
			return c.make
		}
	}
	panic("the weights changed while summing")
}

// Next returns the next input: a file of up to some twenty lines and up to
// eight probes.
func (g *Generator) Next() Input {
	g.agents, g.rules = g.agents[:0], g.rules[:0]
	for range 1 + g.rng.IntN(3) {
		g.agents = append(g.agents, tokens[g.rng.IntN(len(tokens))])
	}
	g.lineEnd = pick(g.rng, lineEnds)
	var b strings.Builder
	b.WriteString(pick(g.rng, starts))
	for range 1 + g.rng.IntN(4) {
		g.group(&b)
	}
	robots := []byte(b.String())
	if g.rng.IntN(6) == 0 {
		robots = []byte(strings.TrimRight(b.String(), "\r\n"))
	}
	if g.rng.IntN(12) == 0 {
		robots = g.damage(robots)
	}
	in := Input{Robots: robots, Probes: Derive(robots, g.rng, Derivation{Agents: 3, URLs: 4})}
	for range 2 {
		in.Probes = append(in.Probes, spec.Probe{Agent: g.asker(), URL: g.url()})
	}
	return in
}

func (g *Generator) agent() string { return g.agents[g.rng.IntN(len(g.agents))] }

// asker returns what a crawler calls itself: now and then not by its token.
func (g *Generator) asker() string {
	if g.rng.IntN(12) == 0 {
		return pick(g.rng, oddAskers)
	}
	return g.agent()
}

// url returns a URL that no rule was turned into, or one that Derive would have
// brought into a better form.
func (g *Generator) url() string {
	path := g.path(false)
	if len(g.rules) > 0 && g.rng.IntN(4) == 0 {
		path = g.rules[g.rng.IntN(len(g.rules))]
	}
	switch g.rng.IntN(10) {
	case 0:
		return pick(g.rng, oddURLs)(path)
	case 1:
		return spec.Origin + "/robots.txt" + []string{"", "?", "?x=1"}[g.rng.IntN(3)]
	}
	return spec.Origin + fill(path, "")
}

// group writes a header and its rules, with what real files put between.
func (g *Generator) group(b *strings.Builder) {
	for range 1 + g.rng.IntN(2) {
		g.line(b, pick(g.rng, agentKeys), g.agentValue())
		if g.rng.IntN(5) == 0 {
			pick(g.rng, between)(g, b)
		}
	}
	for range g.rng.IntN(5) {
		if g.rng.IntN(4) == 0 {
			pick(g.rng, between)(g, b)
			continue
		}
		key := pick(g.rng, ruleKeys)
		value := g.path(true)
		if g.rng.IntN(12) == 0 {
			value = ""
		}
		g.rules = append(g.rules, value)
		g.line(b, key, value)
	}
	if g.rng.IntN(2) == 0 {
		b.WriteString(g.lineEnd)
	}
}

// line writes one record with the white space and comment that people leave.
func (g *Generator) line(b *strings.Builder, key, value string) {
	b.WriteString(pick(g.rng, leads))
	b.WriteString(key)
	b.WriteString(pick(g.rng, colons))
	b.WriteString(value)
	b.WriteString(pick(g.rng, trails))
	b.WriteString(g.lineEnd)
}

func (g *Generator) agentValue() string {
	switch g.rng.IntN(8) {
	case 0, 1, 2:
		return "*"
	case 3:
		return pick(g.rng, oddAgents)
	case 4:
		return strings.ToUpper(g.agent())
	}
	return g.agent()
}

// path returns a path of a few segments; for a rule it may hold wildcards.
func (g *Generator) path(rule bool) string {
	var b strings.Builder
	if !rule || g.rng.IntN(12) > 0 {
		b.WriteByte('/')
	}
	for range g.rng.IntN(5) {
		if rule && g.rng.IntN(4) == 0 {
			b.WriteByte('*')
		}
		b.WriteString(pick(g.rng, pieces))
	}
	if rule && g.rng.IntN(6) == 0 {
		b.WriteByte('$')
	}
	return b.String()
}

// damage changes one octet, or doubles or drops a stretch.
func (g *Generator) damage(robots []byte) []byte {
	if len(robots) < 4 {
		return robots
	}
	i := g.rng.IntN(len(robots) - 1)
	n := 1 + g.rng.IntN(min(8, len(robots)-i))
	switch g.rng.IntN(4) {
	case 0:
		robots[i] = byte(g.rng.IntN(256))
	case 1:
		robots[i] = "\x00\r\n\t:#*$% "[g.rng.IntN(10)]
	case 2:
		robots = append(robots[:i+n:i+n], robots[i:]...)
	default:
		robots = append(robots[:i:i], robots[i+n:]...)
	}
	return robots
}

var tokens = []string{"FooBot", "BarBot", "foo", "FooBot-News", "Foo_Bot", "a", "Kooky"}

var oddAskers = []weighted[string]{
	{2, "FooBot/1.0"}, {1, "Mozilla/5.0 (compatible; FooBot/0.1)"}, {1, ""}, {1, "\u212Aooky"}, {1, "foo bar"},
}

var oddURLs = []weighted[func(path string) string]{
	{4, func(path string) string { return path }},
	{1, func(path string) string { return strings.TrimPrefix(path, "/") }},
	{1, func(path string) string { return "//foo.test" + path }},
	{1, func(path string) string { return "foo.test" + path }},
	{1, func(path string) string { return "mailto:" + path }},
	{1, func(path string) string { return "HTTPS://foo.test:443" + path }},
	{1, func(path string) string { return spec.Origin + "?" + path }},
	{1, func(path string) string { return spec.Origin + ";" + path }},
	{4, func(path string) string { return spec.Origin + path + "#f" }},
}

var lineEnds = []weighted[string]{{12, "\n"}, {6, "\r\n"}, {1, "\r"}}

var starts = []weighted[string]{
	{40, ""}, {2, "\uFEFF"}, {2, "# robots\n"}, {1, "\xEF\xBB"}, {1, "\uFEFF\uFEFF"}, {1, "\n\n"},
	{1, "<!DOCTYPE html>\n"}, {1, "<pre>"}, {2, "Disallow: /orphan\n"}, {1, "\x00"},
}

var agentKeys = []weighted[string]{
	{30, "User-agent"}, {8, "User-Agent"}, {3, "user-agent"}, {2, "USER-AGENT"}, {1, "Useragent"}, {1, "User agent"}, {1, "User-agents"},
}

var ruleKeys = []weighted[string]{
	{24, "Disallow"}, {12, "Allow"}, {2, "disallow"}, {2, "ALLOW"}, {1, "Dissallow"}, {1, "Disallowed"}, {1, "Alow"}, {1, "Disallow /x"},
}

var leads = []weighted[string]{{40, ""}, {2, " "}, {1, "\t"}, {1, "\u00A0"}, {1, "\uFEFF"}}

var colons = []weighted[string]{{40, ": "}, {8, ":"}, {2, " : "}, {1, ":\t"}, {1, " "}, {1, "::"}, {1, "="}}

var trails = []weighted[string]{{40, ""}, {3, " "}, {2, " # c"}, {2, "#c"}, {1, "\t"}, {1, " x"}, {1, "\x00y"}, {1, "\v"}, {1, "\u2028z"}}

var oddAgents = []weighted[string]{
	{4, "FooBot/1.0"}, {3, "Foo"}, {2, "FooBot Images"}, {2, "FooBot, BarBot"}, {2, ""}, {1, "123"}, {2, "MJ12bot"},
	{1, "*Bot"}, {1, "* foo"}, {1, "**"}, {1, "FooBot*"}, {1, "Foo.Bot"}, {1, "\u212Aooky"}, {1, "Mozilla/5.0 (compatible; FooBot/0.1)"},
}

var between = []weighted[func(*Generator, *strings.Builder)]{
	{6, func(g *Generator, b *strings.Builder) { b.WriteString(g.lineEnd) }},
	{3, func(g *Generator, b *strings.Builder) { b.WriteString("# comment" + g.lineEnd) }},
	{2, func(g *Generator, b *strings.Builder) { g.line(b, "Sitemap", "http://foo.test/s.xml") }},
	{2, func(g *Generator, b *strings.Builder) { g.line(b, "Crawl-delay", "5") }},
	{1, func(g *Generator, b *strings.Builder) { g.line(b, "Noindex", "/a") }},
	{1, func(g *Generator, b *strings.Builder) { g.line(b, "Host", "foo.test") }},
	{1, func(g *Generator, b *strings.Builder) { b.WriteString("garbage" + g.lineEnd) }},
	{1, func(g *Generator, b *strings.Builder) { b.WriteString(" \t " + g.lineEnd) }},
	{1, func(g *Generator, b *strings.Builder) { b.WriteString(": /a" + g.lineEnd) }},
}

var pieces = []weighted[string]{
	{8, "a"}, {6, "b"}, {4, "ab"}, {6, "/"}, {3, "?"}, {2, "x=1"}, {2, "&"}, {2, "="}, {3, ".html"}, {1, "index.html"}, {1, "robots.txt"},
	{2, "%61"}, {2, "%2F"}, {1, "%2f"}, {1, "%2A"}, {1, "%24"}, {1, "%3D"}, {1, "%3F"}, {1, "%"}, {1, "%zz"}, {1, "%25"}, {1, "%2561"}, {1, "%E3%83%84"}, {1, "%e3%83%84"},
	{1, "ツ"}, {1, "é"}, {1, "\xFF"}, {1, ":"}, {1, ";"}, {1, "//"}, {1, "http://c"}, {1, "|"}, {1, "~"}, {1, "$"}, {1, "**"}, {1, "A"}, {1, "../"},
}
