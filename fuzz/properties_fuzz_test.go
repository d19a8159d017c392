package fuzz

import (
	"testing"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// FuzzProperties checks the reference against the oracle and, under every named
// interpretation, against the laws: it must not panic, must give the same answer
// with and without a trace, and no change that a requirement calls void may
// change a verdict.
func FuzzProperties(f *testing.F) {
	eachSeed(func(robots []byte, p spec.Probe) { f.Add(robots, p.Agent, p.URL) })
	parsers := namedParsers()
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
