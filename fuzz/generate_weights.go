package fuzz

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// A production is one thing that the generator can make: one entry of one of
// its tables. Productions are numbered in the order in which the tables come
// into being and known outside by their names, "line-end/␍".
type production uint16

// maxProductions bounds the productions, so that sets of them are values.
const maxProductions = 512

// points is how many interpretation points there are.
const points = len(reference.Interpretation{})

// grammar is every production with its weight, and the tables they stand in.
var grammar grammarTables

type grammarTables struct {
	names   []string
	weights []uint32
	tables  []span
}

// A span is the productions of one table.
type span struct{ first, end production }

// A table is what the generator chooses among at one place.
type table[T any] struct {
	span
	entries []entry[T]
}

// An entry is a thing, and how often it is made among its table's.
type entry[T any] struct {
	weight uint32
	name   string
	make   T
}

// tableOf registers a table. The names of its entries must be unique in it.
func tableOf[T any](name string, entries ...entry[T]) *table[T] {
	first := production(len(grammar.names))
	for _, e := range entries {
		grammar.names = append(grammar.names, name+"/"+e.name)
		grammar.weights = append(grammar.weights, e.weight)
	}
	if len(grammar.names) > maxProductions {
		panic("fuzz: more productions than maxProductions")
	}
	s := span{first, production(len(grammar.names))}
	grammar.tables = append(grammar.tables, s)
	return &table[T]{s, entries}
}

// A text is an entry of a table of strings, named by the string itself.
type text struct {
	weight uint32
	text   string
}

func textsOf(name string, texts ...text) *table[string] {
	entries := make([]entry[string], len(texts))
	for i, t := range texts {
		entries[i] = entry[string]{t.weight, spec.EncodeInline(t.text), t.text}
	}
	return tableOf(name, entries...)
}

// A count is an entry of a table of numbers.
type count struct {
	weight uint32
	n      int
}

func countsOf(name string, counts ...count) *table[int] {
	entries := make([]entry[int], len(counts))
	for i, c := range counts {
		entries[i] = entry[int]{c.weight, fmt.Sprint(c.n), c.n}
	}
	return tableOf(name, entries...)
}

// oddsOf is a table of yes and no: yes so many times out of so many.
func oddsOf(name string, yes, outOf uint32) *table[bool] {
	return tableOf(name, entry[bool]{outOf - yes, "no", false}, entry[bool]{yes, "yes", true})
}

// Productions is a set of what the generator can make. The zero value is empty.
type Productions [maxProductions / 64]uint64

func (s *Productions) add(p production) { s[p/64] |= 1 << (p % 64) }

// each calls do for every production in the set, in their order.
func (s *Productions) each(do func(production)) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			do(production(i*64 + bits.TrailingZeros64(word)))
		}
	}
}

// Names returns the names of the productions in the set.
func (s Productions) Names() []string {
	var names []string
	s.each(func(p production) { names = append(names, grammar.names[p]) })
	return names
}

// Weights say by how much the generator makes some things more often than its
// tables have it. The zero value leaves the tables as they are. A value can be
// compared with ==, and stored as JSON.
type Weights struct {
	// Productions holds for each production the power of two by which it is
	// made more often, 0 to maxRaise.
	Productions [maxProductions]uint8
	// Points holds for each interpretation point how many inputs are made from
	// seeds known to touch it: none for 0, twice as many for each step up to
	// maxRaise.
	Points [points]uint8
}

// maxRaise is the largest number in Weights: eight times as often. More would
// starve the table's other entries.
const maxRaise = 3

// weightsJSON is the stored form: what is 0 is left out.
type weightsJSON struct {
	Productions map[string]uint8 `json:"productions,omitempty"`
	Points      map[string]uint8 `json:"points,omitempty"`
}

// MarshalJSON writes the numbers that are not 0, by name.
func (w Weights) MarshalJSON() ([]byte, error) {
	out := weightsJSON{Productions: map[string]uint8{}, Points: map[string]uint8{}}
	for i, name := range grammar.names {
		if w.Productions[i] > 0 {
			out.Productions[name] = w.Productions[i]
		}
	}
	for i, p := range reference.Points() {
		if w.Points[i] > 0 {
			out.Points[p.String()] = w.Points[i]
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote. A production or point that this
// generator does not have, and a number out of range, is an error.
func (w *Weights) UnmarshalJSON(data []byte) error {
	var in weightsJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	var read Weights
	if err := readRaises("production", grammar.names, in.Productions, read.Productions[:]); err != nil {
		return err
	}
	if err := readRaises("point", pointIDs(), in.Points, read.Points[:]); err != nil {
		return err
	}
	*w = read
	return nil
}

func readRaises(kind string, names []string, from map[string]uint8, to []uint8) error {
	for _, name := range slices.Sorted(maps.Keys(from)) {
		i := slices.Index(names, name)
		switch {
		case i < 0:
			return fmt.Errorf("weights: this generator has no %s %q", kind, name)
		case from[name] > maxRaise:
			return fmt.Errorf("weights: %s %q has %d, the most is %d", kind, name, from[name], maxRaise)
		}
		to[i] = from[name]
	}
	return nil
}

func pointIDs() []string {
	ids := make([]string, points)
	for i, p := range reference.Points() {
		ids[i] = p.String()
	}
	return ids
}

// SetWeights makes g choose by these weights from now on.
func (g *Generator) SetWeights(w Weights) {
	g.weights = w
	raised := func(p production) uint32 {
		weight := grammar.weights[p] << min(w.Productions[p], maxRaise)
		if p == targeted {
			weight = g.targets.set(w)
		}
		return weight
	}
	for _, t := range grammar.tables {
		sum := uint32(0)
		for p := t.first; p < t.end; p++ {
			sum += raised(p)
			g.upTo[p] = sum
		}
	}
}

// Weights returns the weights by which g chooses.
func (g *Generator) Weights() Weights { return g.weights }

// choose chooses an entry of the table and notes that it was made.
func choose[T any](g *Generator, t *table[T]) T {
	n := g.rng.Uint32N(g.upTo[t.end-1])
	p := t.first
	for g.upTo[p] <= n {
		p++
	}
	g.made.add(p)
	return t.entries[p-t.first].make
}
