package fuzz

import (
	"slices"
	"strings"
	"sync"

	"github.com/repcheck/repcheck/corpus"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// A seed is a file to start from, with its own questions.
type seed struct {
	robots []byte
	probes []spec.Probe
}

// smallSeed bounds, in octets, the seeds that are edited and spliced: edits to
// a larger one rarely hit what matters in it.
const smallSeed = 4 << 10

// seeds are the small cases and seeds of the corpus.
var seeds = sync.OnceValue(func() (small []seed) {
	add := func(s seed) {
		if len(s.robots) <= smallSeed && !slices.ContainsFunc(s.probes, func(p spec.Probe) bool { return len(p.URL) > smallSeed }) {
			small = append(small, s)
		}
	}
	for _, c := range spec.Default().Cases {
		s := seed{robots: c.Robots}
		for _, e := range c.Expect {
			s.probes = append(s.probes, e.Probe)
		}
		add(s)
	}
	for _, f := range corpus.Seeds() {
		add(seed{robots: f.Robots, probes: []spec.Probe{{Agent: Stranger, URL: spec.Origin + "/"}}})
	}
	return small
})

// fromSeed is a seed with a few edits.
func (g *Generator) fromSeed() ([]byte, []spec.Probe) {
	s := g.someSeed()
	return g.edited(s.robots, choose(g, editCounts)), g.own(s)
}

func (g *Generator) someSeed() *seed { return &seeds()[g.rng.IntN(len(seeds()))] }

// own returns some of the seed's own probes, next to each other.
func (g *Generator) own(s *seed) []spec.Probe {
	from := 0
	if len(s.probes) > maxOwn {
		from = g.rng.IntN(len(s.probes) - maxOwn + 1)
	}
	own := s.probes[from:min(len(s.probes), from+maxOwn)]
	for _, p := range own {
		if token := token(p.Agent); token != "" {
			g.agents = append(g.agents, token)
		}
	}
	return slices.Clone(own)
}

var editCounts = countsOf("edits", count{6, 1}, count{5, 2}, count{3, 3}, count{2, 5}, count{1, 8})

// edited returns the file after so many edits.
func (g *Generator) edited(robots []byte, n int) []byte {
	lines := editable(robots)
	for range n {
		bits := g.rng.Uint32()
		e := Edit{Line: uint8(bits >> 8), At: uint8(bits >> 16), Piece: uint8(bits >> 24)}
		lines = choose(g, editKinds)(e, lines, int(e.Line)%len(lines))
		if len(lines) == 0 {
			lines = []fileLine{{}}
		}
	}
	return joinLines(lines)
}

// fromSplice is the first lines of one file and the last of another, each a
// seed or made.
func (g *Generator) fromSplice() ([]byte, []spec.Probe) {
	first, own := g.part()
	last, more := g.part()
	own = append(own[:min(len(own), maxOwn/2)], more[:min(len(more), maxOwn/2)]...)
	a, b := fileLines(first), fileLines(last)
	if !choose(g, spliceWhole) {
		a = a[:g.rng.IntN(len(a)+1)]
		b = b[g.rng.IntN(len(b)+1):]
	}
	if len(a) > 0 && a[len(a)-1].end == "" {
		a[len(a)-1].end = g.lineEnd
	}
	return joinLines(append(a, b...)), own
}

// spliceWhole is whether a file is put behind another as a whole, as by a tool
// that joins the files of several sources.
var spliceWhole = oddsOf("splice-whole", 1, 4)

func (g *Generator) part() ([]byte, []spec.Probe) {
	switch choose(g, spliceParts) {
	case "grammar":
		return g.fromGrammar()
	case "natural":
		return g.fromNatural()
	}
	s := g.someSeed()
	return s.robots, g.own(s)
}

var spliceParts = textsOf("splice-part", text{2, "seed"}, text{1, "grammar"}, text{1, "natural"})

// longLine is a file of the grammar in which one line is longer than some
// parsers keep.
func (g *Generator) longLine() ([]byte, []spec.Probe) {
	robots, own := g.fromGrammar()
	lines := editable(robots)
	i := g.rng.IntN(len(lines))
	pad := strings.Repeat(choose(g, longPads), lineLimit+g.rng.IntN(64)-32)
	key, rest := lines[i].record()
	switch choose(g, longPlaces) {
	case "front":
		lines[i].text = pad + lines[i].text
	case "key":
		lines[i].text = key + pad + rest
	case "value":
		key, value, _ := strings.Cut(lines[i].text, ":")
		lines[i].text = key + ":" + pad + value
	case "end":
		lines[i].text += pad
	}
	robots = joinLines(lines)
	if len(g.rules) > 0 {
		path := g.rules[g.rng.IntN(len(g.rules))]
		own = append(own, spec.Probe{Agent: g.agent(), URL: spec.Origin + legal(fill(path, ""))})
	}
	return robots, own
}

// lineLimit is where Google's parser cuts a line, in octets; see
// reference.LineLimit.
const lineLimit = 2083*8 - 1

// longPads are what makes a line long: stars seldom, for each such file takes several
// parsers seconds. How they grow with stars is measured by MeasureGrowth.
var longPads = textsOf("long-pad", text{15, " "}, text{15, "a"}, text{1, "*"}, text{5, "#"}, text{5, "\t"}, text{5, "%"})

var longPlaces = textsOf("long-place", text{1, "front"}, text{1, "key"}, text{4, "value"}, text{2, "end"})

// largeFile is two files of the grammar with so much between them that the
// second lies about where a parser may stop, octets more or less.
func (g *Generator) largeFile() ([]byte, []spec.Probe) {
	first, own := g.fromGrammar()
	last, _ := g.fromGrammar()
	if len(first) > 0 && first[len(first)-1] != '\n' {
		first = append(first, '\n')
	}
	line := choose(g, largePads)
	// The limit falls into the second file or just beside it.
	room := reference.ParsingLimit - len(first) - g.rng.IntN(len(last)+3)
	padding := strings.Repeat(line, room/len(line)) + "#" + strings.Repeat("a", room%len(line)) + "\n"
	return slices.Concat(first, []byte(padding), last), own
}

var largePads = textsOf("large-pad",
	text{3, "# " + "a comment that makes the file as long as it has to be ......................." + "\n"},
	text{1, "User-agent: Nobody\nDisallow: /nothing/that/is/asked/for\n"},
	text{1, "Sitemap: http://foo.test/sitemap-of-a-part-of-the-site.xml\n"},
	text{1, "\n"},
)
