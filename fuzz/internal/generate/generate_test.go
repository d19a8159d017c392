package generate

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl/reference"
)

// TestInputIsAFunction checks that an input depends only on the seed and its
// number, not on earlier calls or on the generator.
func TestInputIsAFunction(t *testing.T) {
	t.Parallel()
	forwards := New(7)
	numbers := []uint64{0, 1, 1 << 40, 1<<64 - 1}
	for n := range uint64(300) {
		numbers = append(numbers, n*977)
	}
	made := map[uint64]Input{}
	for _, n := range numbers {
		made[n] = forwards.Input(n)
	}
	other := New(7)
	other.Input(12345)
	other.Next()
	rng := rand.New(rand.NewPCG(1, 0))
	rng.Shuffle(len(numbers), func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
	for _, n := range numbers {
		if in := other.Input(n); !cmp.Equal(made[n], in, cmp.Comparer(bytes.Equal)) {
			t.Fatalf("input %d differs:\n%s", n, cmp.Diff(made[n], in))
		}
	}
}

// TestInputsDiffer checks that seed and number each change the input.
func TestInputsDiffer(t *testing.T) {
	t.Parallel()
	a, b := New(1), New(2)
	const inputs = 2000
	files := map[string]bool{}
	bySeed := 0
	for n := range uint64(inputs) {
		in := a.Input(n)
		files[string(in.Robots)] = true
		if bytes.Equal(in.Robots, b.Input(n).Robots) {
			bySeed++
		}
	}
	if len(files) < inputs*9/10 || bySeed > inputs/20 {
		t.Errorf("of %d inputs %d files are different and %d are those of another seed", inputs, len(files), bySeed)
	}
}

// TestInputsAreBounded checks the bounds documented at Next, Input and MaxProbes.
func TestInputsAreBounded(t *testing.T) {
	t.Parallel()
	g := New(3)
	var lines []int
	large, long := 0, 0
	inputs := 10_000
	for n := range uint64(inputs) {
		in := g.Input(n)
		if in.Number != n {
			t.Fatalf("input %d has number %d", n, in.Number)
		}
		if len(in.Probes) < 3 || len(in.Probes) > MaxProbes {
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
		if in := g.Next(); len(in.Robots) > 64<<10 {
			t.Errorf("Next made a file of %d octets", len(in.Robots))
		}
	}
}

// TestGrammarIsUsed checks that each production occurs.
func TestGrammarIsUsed(t *testing.T) {
	t.Parallel()
	made := make([]bool, len(productions))
	g := New(1)
	g.chosen = func(production int) { made[production] = true }
	for n := range uint64(30_000) {
		g.Input(n)
	}
	for i, p := range productions {
		// Features with a rate below once in 2,000 real files may be missing by
		// chance.
		if !made[i] && !(strings.HasPrefix(p.name, "real-") && p.share < 1.0/2000) {
			t.Errorf("%s is never made", p.name)
		}
	}
}

func TestProductionNamesAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range productions {
		if seen[p.name] {
			t.Errorf("two productions are named %s", p.name)
		}
		seen[p.name] = true
	}
}
