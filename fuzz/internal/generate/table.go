package generate

import (
	"fmt"

	"github.com/repcheck/repcheck/spec"
)

// A table holds the options of one choice of the generator.
type table[T any] struct {
	entries []entry[T]
	// upTo is the sum of the weights up to each entry.
	upTo []uint32
	// first is the number of the first entry among all productions.
	first int
}

// An entry is an option and its weight in the table.
type entry[T any] struct {
	weight uint32
	name   string
	make   T
}

// A production is an entry for tests: its name, "line-end/␍", and its share of
// the table's weights.
type production struct {
	name  string
	share float64
}

// productions are the entries of all tables, in the order in which the tables
// are initialized.
var productions []production

// tableOf makes a table. The names of its entries must be unique in it.
func tableOf[T any](name string, entries ...entry[T]) *table[T] {
	t := &table[T]{entries: entries, first: len(productions)}
	sum := uint32(0)
	for _, e := range entries {
		sum += e.weight
		t.upTo = append(t.upTo, sum)
	}
	for _, e := range entries {
		productions = append(productions, production{name + "/" + e.name, float64(e.weight) / float64(sum)})
	}
	return t
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

// oddsOf makes a table of yes and no: yes that many times out of outOf.
func oddsOf(name string, yes, outOf uint32) *table[bool] {
	return tableOf(name, entry[bool]{outOf - yes, "no", false}, entry[bool]{yes, "yes", true})
}

// choose chooses an entry of the table by its weight.
func choose[T any](g *Generator, t *table[T]) T {
	n := g.rng.Uint32N(t.upTo[len(t.upTo)-1])
	i := 0
	for t.upTo[i] <= n {
		i++
	}
	if g.chosen != nil {
		g.chosen(t.first + i)
	}
	return t.entries[i].make
}
