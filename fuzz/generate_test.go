package fuzz

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl/reference"
)

// TestInputIsAFunction: an input depends on the seed, its number and the
// weights, not on what was made before or by whom.
func TestInputIsAFunction(t *testing.T) {
	t.Parallel()
	for _, w := range []Weights{{}, someWeights()} {
		forwards := NewGenerator(7)
		forwards.SetWeights(w)
		numbers := []uint64{0, 1, Epoch, 1 << 40, 1<<64 - 1}
		for n := range uint64(300) {
			numbers = append(numbers, n*977)
		}
		made := map[uint64]Input{}
		for _, n := range numbers {
			made[n] = forwards.Input(n)
		}
		other := NewGenerator(7)
		other.Input(12345)
		other.SetWeights(someWeights())
		other.Input(5)
		other.SetWeights(w)
		rng := rand.New(rand.NewPCG(1, 0))
		rng.Shuffle(len(numbers), func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
		for _, n := range numbers {
			if in := other.Input(n); !cmp.Equal(made[n], in) {
				t.Fatalf("input %d differs:\n%s", n, cmp.Diff(made[n], in))
			}
		}
		if other.Weights() != w {
			t.Error("the weights are not those that were set")
		}
	}
}

// TestInputsDiffer: seed, number and weights each matter.
func TestInputsDiffer(t *testing.T) {
	t.Parallel()
	a, b, c := NewGenerator(1), NewGenerator(2), NewGenerator(1)
	c.SetWeights(someWeights())
	const inputs = 2000
	files := map[string]bool{}
	bySeed, byWeights := 0, 0
	for n := range uint64(inputs) {
		in := a.Input(n)
		files[string(in.Robots)] = true
		if bytes.Equal(in.Robots, b.Input(n).Robots) {
			bySeed++
		}
		if bytes.Equal(in.Robots, c.Input(n).Robots) {
			byWeights++
		}
	}
	if len(files) < inputs*9/10 || bySeed > inputs/20 || byWeights > inputs/10 {
		t.Errorf("of %d inputs %d files are different, %d are those of another seed and %d of other weights", inputs, len(files), bySeed, byWeights)
	}
}

// TestInputsAreBounded holds inputs to what Next, Input and maxProbes promise.
func TestInputsAreBounded(t *testing.T) {
	t.Parallel()
	g := NewGenerator(3)
	var lines []int
	large, long := 0, 0
	inputs := generated(20_000)
	for n := range uint64(inputs) {
		in := g.Input(n)
		if in.Number != n {
			t.Fatalf("input %d has number %d", n, in.Number)
		}
		if len(in.Probes) < 3 || len(in.Probes) > maxProbes {
			t.Errorf("input %d has %d probes", n, len(in.Probes))
		}
		for _, p := range in.Probes {
			if len(p.URL) > 3*lineLimit+smallSeed || len(p.Agent) > smallSeed {
				t.Errorf("input %d: a probe of %d and %d octets", n, len(p.Agent), len(p.URL))
			}
		}
		switch size := len(in.Robots); {
		case size > reference.ParsingLimit+64<<10:
			t.Errorf("input %d has %d octets", n, size)
		case size > reference.ParsingLimit-64<<10:
			large++
		case size > lineLimit-64:
			long++
		}
		lines = append(lines, bytes.Count(in.Robots, []byte{'\n'}))
	}
	slices.Sort(lines)
	t.Logf("lines: median %d, 90 %% %d, 99 %% %d; large %d, with a long line %d", lines[inputs/2], lines[inputs*9/10], lines[inputs*99/100], large, long)
	if median := lines[inputs/2]; median < 3 || median > 30 {
		t.Errorf("the median file has %d lines", median)
	}
	if large > inputs/500 || long > inputs/50 {
		t.Errorf("%d large files and %d with a long line among %d", large, long, inputs)
	}
	for range inputs {
		if in := g.Next(); len(in.Robots) > maxRobots {
			t.Errorf("Next made a file of %d octets", len(in.Robots))
		}
	}
}

// TestGrammarIsUsed: each production is made, or is one that only a starved
// point brings.
func TestGrammarIsUsed(t *testing.T) {
	t.Parallel()
	var made Productions
	add := func(in Input) { in.Made.each(made.add) }
	g := NewGenerator(1)
	for n := range uint64(30_000) {
		add(g.Input(n))
	}
	g.SetWeights(someWeights())
	for n := range uint64(2000) {
		add(g.Input(n))
	}
	names := made.Names()
	for i, name := range grammar.names {
		// What real files have less than once in 2,000 times is left to chance.
		if !slices.Contains(names, name) && !(strings.HasPrefix(name, "real-") && grammar.rare(production(i))) {
			t.Errorf("%s is never made", name)
		}
	}
}

// rare reports whether the tables have a production less than once in 2,000.
func (s grammarTables) rare(p production) bool {
	for _, t := range s.tables {
		if p < t.first || p >= t.end {
			continue
		}
		sum := uint64(0)
		for i := t.first; i < t.end; i++ {
			sum += uint64(s.weights[i])
		}
		return uint64(s.weights[p])*2000 < sum
	}
	return false
}

func TestProductionNamesAreUnique(t *testing.T) {
	t.Parallel()
	names := slices.Sorted(slices.Values(grammar.names))
	if len(names) != len(slices.Compact(slices.Clone(names))) {
		t.Error("two productions have one name: weights are stored by it")
	}
}

func TestWeightsJSON(t *testing.T) {
	t.Parallel()
	for _, want := range []Weights{{}, someWeights()} {
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got := someWeights() // what was there before goes
		if err := json.Unmarshal(data, &got); err != nil || got != want {
			t.Errorf("%s became %v, %v", data, got, err)
		}
	}
	for in, want := range map[string]string{
		`{"productions":{"line-end/x":1}}`: `weights: this generator has no production "line-end/x"`,
		`{"points":{"nul":4}}`:             `weights: point "nul" has 4, the most is 3`,
	} {
		w := someWeights()
		if err := json.Unmarshal([]byte(in), &w); err == nil || err.Error() != want || w != someWeights() {
			t.Errorf("%s: %v", in, err)
		}
	}
}
