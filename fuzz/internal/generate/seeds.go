package generate

import (
	"slices"
	"sync"

	"github.com/repcheck/repcheck/corpus"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/lines"
)

// smallSeed is the largest size, in bytes, of a seed that is edited and spliced:
// edits to a larger one rarely change anything that matters.
const smallSeed = 4 << 10

// Seeds returns the material of the edited and spliced files: the small files
// among the cases and the seeds of the corpus, each with its own probes. They
// have no numbers, and must not be changed.
var Seeds = sync.OnceValue(func() (small []Input) {
	add := func(robots []byte, probes ...spec.Probe) {
		if len(robots) <= smallSeed && !slices.ContainsFunc(probes, func(p spec.Probe) bool { return len(p.URL) > smallSeed }) {
			small = append(small, Input{Robots: robots, Probes: probes})
		}
	}
	for _, c := range spec.Default().Cases {
		var probes []spec.Probe
		for _, e := range c.Expect {
			probes = append(probes, e.Probe)
		}
		add(c.Robots, probes...)
	}
	for _, f := range corpus.Seeds() {
		add(f.Robots, spec.Probe{Agent: Stranger, URL: spec.Origin + "/"})
	}
	return small
})

// fromSeed makes a seed with a few edits.
func (g *Generator) fromSeed() ([]byte, []spec.Probe) {
	s := g.seedFile()
	return g.edited(s.Robots, choose(g, editCounts)), g.own(s)
}

// seedFile chooses a seed.
func (g *Generator) seedFile() *Input { return &Seeds()[g.rng.IntN(len(Seeds()))] }

// own returns some consecutive probes of the seed's own.
func (g *Generator) own(s *Input) []spec.Probe {
	from := 0
	if len(s.Probes) > maxOwn {
		from = g.rng.IntN(len(s.Probes) - maxOwn + 1)
	}
	own := s.Probes[from:min(len(s.Probes), from+maxOwn)]
	for _, p := range own {
		if token := lines.Token(p.Agent); token != "" {
			g.agents = append(g.agents, token)
		}
	}
	return slices.Clone(own)
}

var editCounts = countsOf("edits", count{6, 1}, count{5, 2}, count{3, 3}, count{2, 5}, count{1, 8})

// edited returns the file after n edits.
func (g *Generator) edited(robots []byte, n int) []byte {
	file := editable(robots)
	for range n {
		bits := g.rng.Uint32()
		e := edit{Line: uint8(bits >> 8), At: uint8(bits >> 16), Piece: uint8(bits >> 24)}
		file = e.apply(choose(g, editKinds), file)
		if len(file) == 0 {
			file = []lines.Line{{}}
		}
	}
	return lines.Join(file)
}

// fromSplice joins the first lines of one file and the last of another, each of
// them a seed or generated.
func (g *Generator) fromSplice() ([]byte, []spec.Probe) {
	first, own := g.part()
	last, more := g.part()
	own = append(own[:min(len(own), maxOwn/2)], more[:min(len(more), maxOwn/2)]...)
	a, b := lines.Split(first), lines.Split(last)
	if !choose(g, spliceWhole) {
		a = a[:g.rng.IntN(len(a)+1)]
		b = b[g.rng.IntN(len(b)+1):]
	}
	if len(a) > 0 && a[len(a)-1].End == "" {
		a[len(a)-1].End = g.lineEnd
	}
	return lines.Join(append(a, b...)), own
}

// spliceWhole decides whether a whole file is followed by another whole file, as
// a tool produces that joins the files of several sources.
var spliceWhole = oddsOf("splice-whole", 1, 4)

func (g *Generator) part() ([]byte, []spec.Probe) {
	switch choose(g, spliceParts) {
	case "grammar":
		return g.fromGrammar()
	case "natural":
		return g.fromNatural()
	}
	s := g.seedFile()
	return s.Robots, g.own(s)
}

var spliceParts = textsOf("splice-part", text{2, "seed"}, text{1, "grammar"}, text{1, "natural"})
