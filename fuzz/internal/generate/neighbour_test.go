package generate

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/repcheck/repcheck/spec"
)

// Neighbours are made of any witness, do not change it, and are the same for the
// same state of the generator. Keys stay as they are.
func TestNeighbour(t *testing.T) {
	t.Parallel()
	for _, w := range []spec.Query{
		{},
		{Robots: []byte("User-agent: a\nDisallow: /a\n"), Probe: spec.Probe{Agent: "a", URL: spec.Origin + "/a"}},
		{Robots: []byte("\x00\xFF"), Probe: spec.Probe{Agent: "\x00", URL: "//"}},
	} {
		before := bytes.Clone(w.Robots)
		one, other := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
		files := map[string]bool{}
		for range 200 {
			robots, probes := Neighbour(w.Robots, w.Probe, one)
			again, same := Neighbour(w.Robots, w.Probe, other)
			if !bytes.Equal(robots, again) || len(probes) != len(same) || probes[0] != same[0] {
				t.Fatalf("%q and %q of the same state", robots, again)
			}
			files[string(robots)] = true
			if strings.Contains(string(robots), "Diszebrallow") {
				t.Errorf("a key was renamed in %q", robots)
			}
		}
		if !bytes.Equal(w.Robots, before) {
			t.Errorf("%q has become %q", before, w.Robots)
		}
		if len(files) < 20 {
			t.Errorf("%d neighbours of %q", len(files), w.Robots)
		}
	}
}
