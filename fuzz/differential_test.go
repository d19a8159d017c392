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
)

// fuzzFindings is where FuzzDifferential keeps findings, seen from this package.
const fuzzFindings = "findings"

// FuzzDifferential asks all subjects in this process and keeps what they answer
// otherwise than the reference. It never fails because of a disagreement. No
// fingerprint is known here, so that each answer has the first explanation there
// is. Where the engine has made something of the URL that no crawler asks for,
// the URL is fixed: parsers disagree on such URLs in a thousand ways that tell nothing.
//
// Under go test -fuzz the findings go to fuzzFindings, as several processes do
// the work; the seeds alone go to a temporary directory.
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
		f.Fatal(err) // now, and not as if the fault were an input's
	}
	subjects, err := subjects.Open(nil, "rfc9309", 2*time.Second)
	if err != nil {
		f.Fatal(err)
	}
	recorder := newRecorder(newWorkers(subjects, 1), slices.Repeat([]reference.Interpretation{reference.RFC9309}, len(subjects)), store)
	recorder.minimizeCalls = asks
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
	eachSeed(func(robots []byte, p spec.Probe) { f.Add(robots, p.Agent, p.URL, []byte{}) })
	g := NewGenerator(1)
	for range 200 {
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

// nothingKnown explains the answers of n subjects of which nothing is known.
func nothingKnown(n int) *Explainer {
	return NewExplainer(slices.Repeat([]reference.Interpretation{reference.RFC9309}, n))
}

// isFuzzing reports whether this is go test -fuzz or one of its workers.
func isFuzzing() bool {
	f := flag.Lookup("test.fuzz")
	return f != nil && f.Value.String() != ""
}
