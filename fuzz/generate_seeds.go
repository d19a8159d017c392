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
	// point is the point that the case classifies, "" if none.
	point string
}

// smallSeed bounds, in octets, the seeds that are edited and spliced: edits to
// a larger one rarely hit what matters in it.
const smallSeed = 4 << 10

// seeds are the cases and the seeds of the corpus, the small ones first.
var seeds = sync.OnceValue(func() (all struct{ small, large []seed }) {
	add := func(s seed) {
		if len(s.robots) <= smallSeed && !slices.ContainsFunc(s.probes, func(p spec.Probe) bool { return len(p.URL) > smallSeed }) {
			all.small = append(all.small, s)
		} else {
			all.large = append(all.large, s)
		}
	}
	for _, c := range spec.Default().Cases {
		s := seed{robots: c.Robots, point: c.Point}
		for _, e := range c.Expect {
			s.probes = append(s.probes, e.Probe)
		}
		add(s)
	}
	for _, f := range corpus.Seeds() {
		add(seed{robots: f.Robots, probes: []spec.Probe{{Agent: Stranger, URL: spec.Origin + "/"}}})
	}
	return all
})

// seedsOf are, for each point, the seeds that touch it: the small ones or, where
// none does, the large. It takes the reference some 100 readings of each seed,
// once in a process, and only if a point is starved.
var seedsOf = sync.OnceValue(func() (of [points][]seed) {
	all := seeds()
	for _, s := range all.small {
		touched := touches(s.robots, s.probes, nil)
		for p := range of {
			if touched[p] != 0 {
				of[p] = append(of[p], s)
			}
		}
	}
	for p, found := range of {
		if len(found) > 0 {
			continue
		}
		for _, s := range all.large {
			if touched := touches(s.robots, s.probes, []reference.Point{reference.Point(p)}); touched[p] != 0 {
				of[p] = append(of[p], s)
			}
		}
	}
	return of
})

// fromSeed is a seed with a few edits.
func (g *Generator) fromSeed() ([]byte, []spec.Probe) {
	s := g.seedOf(seeds().small)
	return g.edited(s.robots, choose(g, editCounts)), g.own(s)
}

func (g *Generator) seedOf(from []seed) *seed { return &from[g.rng.IntN(len(from))] }

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
	if n == 0 {
		return slices.Clone(robots)
	}
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
	s := g.seedOf(seeds().small)
	return s.robots, g.own(s)
}

var spliceParts = textsOf("splice-part", text{2, "seed"}, text{1, "grammar"}, text{1, "natural"})

// targets are the starved points and how often each is aimed at.
type targets struct {
	points []reference.Point
	upTo   []uint32
}

// targetWeight is what a starved point gets among the sources at the first
// step: about every 64th input. The points that only large files touch get what
// they cost less.
func targetWeight(p reference.Point) uint32 {
	switch p {
	case reference.SizeLimit:
		return 1
	case reference.LineLimit:
		return 16
	}
	return 64
}

// set takes over the points of the weights and returns the sum.
func (t *targets) set(w Weights) (sum uint32) {
	t.points, t.upTo = t.points[:0], t.upTo[:0]
	for _, p := range reference.Points() {
		if raise := w.Points[p]; raise > 0 && len(seedsOf()[p]) > 0 {
			sum += targetWeight(p) << (min(raise, maxRaise) - 1)
			t.points, t.upTo = append(t.points, p), append(t.upTo, sum)
		}
	}
	return sum
}

// fromTarget is a seed that touches a starved point, with so few edits that it
// may still do so.
func (g *Generator) fromTarget() ([]byte, []spec.Probe) {
	n := g.rng.Uint32N(g.targets.upTo[len(g.targets.upTo)-1])
	i := 0
	for g.targets.upTo[i] <= n {
		i++
	}
	s := g.seedOf(seedsOf()[g.targets.points[i]])
	return g.edited(s.robots, choose(g, targetEdits)), g.own(s)
}

var targetEdits = countsOf("target-edits", count{2, 0}, count{3, 1}, count{2, 2}, count{1, 3})

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
