package fuzz

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

var oracleInputs = flag.Int("oracle.inputs", 20_000, "generated `files` on which the reference is held against the oracle")

// generated returns how many inputs to generate for a test that wants n. The
// race detector makes each ten times slower, and needs only a few.
func generated(n int) int {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return n / 20
	}
	return n
}

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
			for range generated(*oracleInputs) / workers {
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

// FuzzProperties holds the reference against the oracle and, under every named
// interpretation, against the laws: it must not panic, must answer alike with
// and without a trace, and no change that a requirement calls void may change a
// verdict.
func FuzzProperties(f *testing.F) {
	eachSeed(func(robots []byte, p spec.Probe) { f.Add(robots, p.Agent, p.URL) })
	parsers := namedParsers(f)
	f.Fuzz(func(t *testing.T, robots []byte, agent, url string) {
		if len(robots) > maxRobots || len(agent)+len(url) > maxURL {
			t.Skip("too large")
		}
		w := Witness{Robots: robots, Probe: spec.Probe{Agent: agent, URL: url}}
		for _, name := range reference.Names() {
			obeys(t, name, parsers[name], w)
		}
		if oracleCan(w) {
			allowed := parsers["rfc9309"].Parse(robots).Test(agent, url).Allow
			if want := oracle(robots, agent, url); allowed != want {
				t.Errorf("the reference says %v, the oracle %v of %s in\n%s", allowed, want, spec.ProbeID(w.Probe), spec.EncodeOctets(robots))
			}
		}
	})
}

func namedParsers(t testing.TB) map[string]*reference.Parser {
	parsers := map[string]*reference.Parser{}
	for _, name := range reference.Names() {
		in, err := reference.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		parsers[name] = reference.New(in)
	}
	return parsers
}

// obeys reports every law that one question breaks under one interpretation.
func obeys(t *testing.T, name string, p *reference.Parser, w Witness) {
	file := p.Parse(w.Robots)
	want := file.Test(w.Agent, w.URL).Allow
	if trace := file.Rules(w.Agent).Explain(w.URL); trace.Decision.Allow != want {
		t.Errorf("%s: the explanation says %v, the test %v of %s in\n%s", name, trace.Decision.Allow, want, spec.ProbeID(w.Probe), spec.EncodeOctets(w.Robots))
	}
	// RFC9309-2.2.2-11: the file itself is allowed.
	if (name == "rfc9309" || name == "koster-rep-00") && !file.Test(w.Agent, spec.Origin+"/robots.txt").Allow {
		t.Errorf("%s: /robots.txt is forbidden by\n%s", name, spec.EncodeOctets(w.Robots))
	}
	for _, l := range laws {
		if l.under != nil && !slices.Contains(l.under, name) {
			continue
		}
		changed, ok := l.change(w, p, inputRand(w.Robots))
		if !ok {
			continue
		}
		if got := p.Parse(changed.Robots).Test(changed.Agent, changed.URL).Allow; got != want {
			t.Errorf("%s: %s (%s): %v turns to %v of %s in\n%s\nchanged to %s in\n%s", name, l.name, l.requirement, want, got,
				spec.ProbeID(w.Probe), spec.EncodeOctets(w.Robots), spec.ProbeID(changed.Probe), spec.EncodeOctets(changed.Robots))
		}
	}
}

// oracleCan reports whether the oracle can be asked: it takes a table of rule by
// path for every rule.
func oracleCan(w Witness) bool { return len(w.Robots)*len(w.URL) < 1<<18 }

// TestLaws holds the reference against the laws on generated inputs. Every law
// must say something of some, or it guards nothing.
func TestLaws(t *testing.T) {
	t.Parallel()
	parsers := namedParsers(t)
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
