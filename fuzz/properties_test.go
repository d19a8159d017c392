package fuzz

import (
	"flag"
	"runtime"
	"sync"
	"testing"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

var oracleInputs = flag.Int("oracle.inputs", 20_000, "generated `files` on which the reference is held against the oracle")

// TestOracle holds the reference against the oracle on generated files, about
// a dozen queries each.
func TestOracle(t *testing.T) {
	t.Parallel()
	parser := reference.New(reference.RFC9309)
	workers := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	var mu sync.Mutex
	queries, disallowed := 0, 0
	for w := range workers {
		wg.Go(func() {
			g := NewGenerator(uint64(w))
			asked, no := 0, 0
			for range *oracleInputs / workers {
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
