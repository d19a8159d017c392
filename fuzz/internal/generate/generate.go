// Package generate makes robots.txt files with queries about them: files of a
// grammar with every feature that parsers are known to read differently, files
// like real ones, seeds with a few edits, and splices of them.
//
// Every input is a function of the seed and the number of the input. The
// frequencies of all features are in tables of weights, which are constants.
package generate

import (
	"bytes"
	"math/rand/v2"

	"github.com/repcheck/repcheck/spec"
)

// An Input is a file with the probes about it.
type Input struct {
	// Number is the number with which the generator makes the same input again.
	Number uint64
	Robots []byte
	Probes []spec.Probe
}

// A Generator makes inputs: files like real ones, files with far more traps,
// seeds with a few edits, and splices of two such files. Equal seeds make equal
// inputs. A Generator is not safe for concurrent use; several ones with the same
// seed share the work by sharing the numbers.
type Generator struct {
	seed uint64
	next uint64

	pcg rand.PCG
	rng *rand.Rand
	// chosen is called with the number of every production chosen; nil except in
	// tests.
	chosen func(production int)

	// The fields below belong to the input that is being made. agents are the
	// names of one input, and rules the paths of its rules, so that its groups
	// and probes match.
	agents  []string
	rules   []string
	lineEnd string
	file    bytes.Buffer
	// lines counts the lines of a natural file.
	lines int
}

// New returns the generator with a seed.
func New(seed uint64) *Generator {
	g := &Generator{seed: seed}
	g.rng = rand.New(&g.pcg)
	return g
}

// Next returns the inputs one after the other: mostly a file of some ten lines,
// rarely of a few hundred, and 3 to MaxProbes probes. It makes no large files, on
// which a test of many inputs would spend its time.
func (g *Generator) Next() Input {
	n := g.next
	g.next++
	return g.input(n, false)
}

// Input returns the input with that number. It is the same for the same seed and
// number, independent of earlier calls. Most files have some ten lines; a few
// have one line of 17 KiB, and about one in 2,000 is just over 500 KiB, where a
// parser may stop.
func (g *Generator) Input(n uint64) Input { return g.input(n, true) }

// MaxProbes is the largest number of probes of an input.
const MaxProbes = 16

func (g *Generator) input(n uint64, large bool) Input {
	g.pcg.Seed(g.seed, scatter(n))
	g.begin()
	source := choose(g, sources)
	for source.large && !large {
		source = choose(g, sources)
	}
	robots, own := source.make(g)
	in := Input{Number: n, Robots: robots, Probes: own}
	in.Probes = g.probes(in)
	return in
}

// scatter spreads numbers that are next to each other over all 64 bits, by the
// finalizer of splitmix64.
func scatter(n uint64) uint64 {
	n += 0x9E3779B97F4A7C15
	n = (n ^ n>>30) * 0xBF58476D1CE4E5B9
	n = (n ^ n>>27) * 0x94D049BB133111EB
	return n ^ n>>31
}

// begin makes the choices that apply to the whole input.
func (g *Generator) begin() {
	g.agents, g.rules = g.agents[:0], g.rules[:0]
	for range choose(g, agentCounts) {
		g.agents = append(g.agents, choose(g, tokens))
	}
	g.lineEnd = choose(g, lineEnds)
}

// probes appends to the input's own probes those derived from its file and two
// from the grammar.
func (g *Generator) probes(in Input) []spec.Probe {
	room := MaxProbes - 2 - len(in.Probes)
	d := Derivation{Agents: 3, URLs: 4}
	if room < d.Agents*d.URLs {
		d.Agents = 2
		d.URLs = max(2, room/2)
	}
	probes := append(in.Probes, Derive(in.Robots, g.rng, d)...)
	for range 2 {
		probes = append(probes, spec.Probe{Agent: g.asker(), URL: g.url()})
	}
	return probes
}

// A source makes a file and some probes from the material of the file: at most
// maxOwn.
type source struct {
	make func(*Generator) ([]byte, []spec.Probe)
	// large is set if the file or its lines may be large.
	large bool
}

const maxOwn = 6

var sources = tableOf("source",
	entry[source]{4096 * 6 / 16, "grammar", source{make: (*Generator).fromGrammar}},
	entry[source]{4096 * 4 / 16, "natural", source{make: (*Generator).fromNatural}},
	entry[source]{4096 * 4 / 16, "seed", source{make: (*Generator).fromSeed}},
	entry[source]{4096 * 2 / 16, "splice", source{make: (*Generator).fromSplice}},
	entry[source]{16, "long-line", source{(*Generator).longLine, true}},
	entry[source]{2, "large", source{(*Generator).largeFile, true}},
)
