package fuzz

// This file is shared by the native fuzz targets. The compiler that
// .clusterfuzzlite uses sees no test files except a target's own, laws_test.go
// and this one, and does not know testing.TB.

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/repcheck/repcheck/corpus"
	"github.com/repcheck/repcheck/fuzz/internal/generate"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/plain"
	"github.com/repcheck/repcheck/spec"
)

// maxRobots bounds the files of the fuzz targets, in bytes. Behaviour at the
// parsing limit is covered by the cases.
const maxRobots = 64 << 10

// maxURL bounds the URLs of the fuzz targets.
const maxURL = 4 << 10

// maxSeed bounds the seeds: the engine changes single bytes, and in a large file
// rarely one that matters.
const maxSeed = 4 << 10

const shapeSeed = "User-agent: FooBot\nUser-agent: BarBot\nAllow: /a*.html$\nDisallow: /a/%62\n\nUser-agent: *\nDisallow: /\n"

// eachSeed calls add for the queries of the cases and for the seeds of the
// corpus.
func eachSeed(add func(robots []byte, p spec.Probe)) {
	for _, c := range spec.Default().Cases {
		for _, e := range c.Expect {
			if len(c.Robots) <= maxSeed && len(e.URL) <= maxSeed {
				add(c.Robots, e.Probe)
			}
		}
	}
	for _, file := range corpus.Seeds() {
		if len(file.Robots) <= maxSeed {
			add(file.Robots, spec.Probe{Agent: generate.Stranger, URL: spec.Origin + "/"})
		}
	}
}

// inputRand returns a random generator that is the same for the same file, so
// that an input the engine has kept gives the same queries again.
func inputRand(robots []byte) *rand.Rand {
	h := fnv.New64a()
	h.Write(robots)
	return rand.New(rand.NewPCG(h.Sum64(), 0))
}

// A reporter is a test, or a substitute for one.
type reporter interface {
	Errorf(format string, args ...any)
}

// namedParsers are the named interpretations.
func namedParsers() map[string]*reference.Parser {
	parsers := map[string]*reference.Parser{}
	for _, name := range reference.Names() {
		in, err := reference.Named(name)
		if err != nil {
			panic(err) // the names are our own
		}
		parsers[name] = reference.New(in)
	}
	return parsers
}

// obeys reports every law that a query violates under one interpretation.
func obeys(t reporter, name string, p *reference.Parser, w Witness) {
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

// oracle reports whether the agent may fetch the URL according to the second
// implementation of RFC 9309, which is slow and obvious.
func oracle(robots []byte, agent, url string) bool {
	allowed, err := plain.New().Parse(robots)
	if err != nil {
		panic(err) // it refuses no file
	}
	return allowed(agent, url)
}

// oracleCan reports whether the input is small enough for the oracle, which
// tries every place for every part of every rule.
func oracleCan(w Witness) bool { return len(w.Robots)*len(w.URL) < 1<<18 }
