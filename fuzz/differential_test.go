package fuzz

import (
	"flag"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/repcheck/repcheck/fuzz/internal/generate"
	"github.com/repcheck/repcheck/fuzz/internal/urls"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/subjects"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/longtest"
)

// fuzzFindings is where FuzzDifferential stores findings, relative to this
// package.
const fuzzFindings = "findings"

// FuzzDifferential queries all subjects in this process and records the answers
// that differ from those of the reference. It never fails because of a
// disagreement. No fingerprint is known here, so each answer gets the first
// explanation that fits. If the engine has produced a URL that no crawler
// requests, the URL is fixed: parsers disagree on such URLs in a thousand ways
// that show nothing of interest.
//
// Under go test -fuzz the findings go to fuzzFindings, as several processes do
// the work; the seeds alone go to a temporary directory, a fiftieth of them without
// -long.
func FuzzDifferential(f *testing.F) {
	dir, asks := filepath.Join(f.TempDir(), "findings"), 40
	if isFuzzing() {
		dir, asks = fuzzFindings, 300
	}
	store, err := OpenStore(dir)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := store.List(); err != nil {
		f.Fatal(err) // here, so that the failure is not blamed on an input
	}
	subjects, err := subjects.Open(nil, "rfc9309", 2*time.Second)
	if err != nil {
		f.Fatal(err)
	}
	recorder := newRecorder(newWorkers(subjects, 1), slices.Repeat([]reference.Interpretation{reference.RFC9309()}, len(subjects)), store,
		CampaignOptions{minimizeCalls: asks})
	var flushed time.Time
	f.Cleanup(func() {
		found, err := store.List()
		if err != nil {
			f.Error(err)
		}
		if !isFuzzing() {
			f.Logf("the seeds show %d findings", len(found))
		}
		for _, s := range subjects {
			s.Close()
		}
	})
	n, step := 0, 50
	if isFuzzing() || *longtest.Long {
		step = 1
	}
	eachSeed(func(robots []byte, p spec.Probe) {
		if n++; n%step == 0 {
			f.Add(robots, p.Agent, p.URL, []byte{})
		}
	})
	g := NewGenerator(1)
	for range 200 / step {
		in := g.Next()
		f.Add(in.Robots, in.Probes[0].Agent, in.Probes[0].URL, []byte{})
	}
	for kind := range uint8(10) { // of the edits
		for piece := range uint8(3) {
			f.Add([]byte(shapeSeed), "FooBot", "http://foo.test/a/b.html", []byte{kind, 2, 3, piece})
		}
	}
	f.Fuzz(func(t *testing.T, robots []byte, agent, url string, shape []byte) {
		robots = generate.Edit(robots, shape)
		if len(robots) > maxRobots || len(agent)+len(url) > maxURL {
			t.Skip("too large")
		}
		if !urls.Plain(url) {
			_, target := urls.Cut(url)
			url = spec.Origin + urls.Legal("/"+target)
		}
		probes := append([]spec.Probe{{Agent: agent, URL: url}}, Derive(robots, inputRand(robots), Derivation{Agents: 2, URLs: 3})...)
		if _, err := tryInput(t.Context(), recorder, Input{Robots: robots, Probes: probes}); err != nil {
			t.Error(err)
		}
		if time.Since(flushed) > time.Second { // the engine kills its workers
			if err := store.Flush(); err != nil {
				t.Error(err)
			}
			flushed = time.Now()
		}
	})
}

// nothingKnown returns an Explainer for n subjects without known fingerprints.
func nothingKnown(n int) *Explainer {
	return NewExplainer(slices.Repeat([]reference.Interpretation{reference.RFC9309()}, n))
}

// isFuzzing reports whether this process is go test -fuzz or one of its workers.
func isFuzzing() bool {
	f := flag.Lookup("test.fuzz")
	return f != nil && f.Value.String() != ""
}
