package fuzz

import (
	"cmp"
	"flag"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/longtest"
)

var oracleInputs = flag.Int("oracle.inputs", 0, "generated `files` on which the reference is compared with the oracle; 0 means 5,000, with -long 20,000")

// generated returns how many inputs to generate for a test that uses n with -long:
// a quarter without it. The race detector makes each ten times slower, and needs
// only a few.
func generated(n int) int {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return n / 20
	}
	if !*longtest.Long {
		return n / 4
	}
	return n
}

// TestOracle checks the reference against the oracle on generated files, about a
// dozen queries each.
func TestOracle(t *testing.T) {
	t.Parallel()
	parser := reference.New(reference.RFC9309())
	workers := runtime.GOMAXPROCS(0)
	inputs := cmp.Or(*oracleInputs, generated(20_000))
	var wg sync.WaitGroup
	var mu sync.Mutex
	queries, disallowed := 0, 0
	for w := range workers {
		wg.Go(func() {
			g := NewGenerator(uint64(w))
			asked, no := 0, 0
			for range inputs / workers {
				in := g.Next()
				file := parser.Parse(in.Robots)
				for _, p := range in.Probes {
					got, want := file.Test(p.Agent, p.URL), oracle(in.Robots, p.Agent, p.URL)
					asked++
					if !want {
						no++
					}
					if got.Allow != want {
						t.Errorf("the reference says %v, the oracle %v of %s in\n%s", got.Allow, want, spec.ProbeID(p), spec.EncodeOctets(in.Robots))
						return
					}
				}
			}
			mu.Lock()
			queries, disallowed = queries+asked, disallowed+no
			mu.Unlock()
		})
	}
	wg.Wait()
	t.Logf("%d queries, %d disallowed", queries, disallowed)
	if !t.Failed() && (disallowed < queries/10 || disallowed > queries*9/10) {
		t.Errorf("%d of %d queries are disallowed: the inputs do not test both answers", disallowed, queries)
	}
}

// TestLaws checks the reference against the laws on generated inputs. Every law
// must apply to some inputs, or it checks nothing.
func TestLaws(t *testing.T) {
	t.Parallel()
	parsers := namedParsers()
	held := map[string]int{}
	rng := rand.New(rand.NewPCG(1, 0))
	g := NewGenerator(9309)
	inputs := generated(2000)
	for range inputs {
		in := g.Next()
		w := Witness{Robots: in.Robots, Probe: in.Probes[rng.IntN(len(in.Probes))]}
		for _, name := range reference.Names() {
			obeys(t, name, parsers[name], w)
		}
		for _, l := range laws {
			if changed, ok := l.change(w, parsers["rfc9309"], rng); ok && changed.Compare(w) != 0 {
				held[l.name]++
			}
		}
	}
	for _, l := range laws {
		t.Logf("%-30s %5d", l.name, held[l.name])
		if held[l.name] < inputs/200 {
			t.Errorf("%s: says something of %d in %d generated inputs", l.name, held[l.name], inputs)
		}
	}
}
