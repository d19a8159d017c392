package generate

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/lines"
)

// FuzzGenerate checks that for every seed and number the input is within its
// bounds and is the same each time.
func FuzzGenerate(f *testing.F) {
	f.Add(uint64(1), uint64(0))
	f.Add(uint64(1), uint64(1515))
	f.Add(^uint64(0), ^uint64(0))
	f.Fuzz(func(t *testing.T, seed, n uint64) {
		in := New(seed).Input(n)
		if len(in.Robots) > reference.ParsingLimit+64<<10 || len(in.Probes) > MaxProbes || len(in.Probes) < 3 {
			t.Errorf("%d octets and %d probes", len(in.Robots), len(in.Probes))
		}
		again := New(seed)
		again.Input(n + 1)
		if diff := cmp.Diff(in, again.Input(n)); diff != "" {
			t.Error(diff)
		}
	})
}

// FuzzDerive checks that the probes of any file are within the given bounds,
// differ, and are URLs of the origin.
func FuzzDerive(f *testing.F) {
	for _, s := range Seeds() {
		f.Add(s.Robots, uint8(3), uint8(16))
	}
	f.Add([]byte("Disallow: *$\nAllow: %\xFF%4\nUser-agent: a/\xFF\n"), uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, robots []byte, agents, urls uint8) {
		before := bytes.Clone(robots)
		d := Derivation{Agents: int(agents), URLs: int(urls)}
		derive := func() []spec.Probe { return Derive(robots, rand.New(rand.NewPCG(uint64(len(robots)), 0)), d) }
		probes := derive()
		if !bytes.Equal(before, robots) {
			t.Error("the file is changed")
		}
		if diff := cmp.Diff(probes, derive()); diff != "" {
			t.Error(diff)
		}
		most := 3
		if agents > 0 {
			most = int(agents)
		}
		if urls > 0 {
			most *= int(urls)
		} else {
			most *= 16
		}
		seen := map[spec.Probe]bool{}
		for _, p := range probes {
			if seen[p] || !strings.HasPrefix(p.URL, spec.Origin+"/") || p.Agent == "" || len(p.URL) > 8<<10 {
				t.Errorf("%q", p)
			}
			seen[p] = true
		}
		if len(probes) == 0 || len(probes) > most {
			t.Errorf("%d probes, at most %d are asked for", len(probes), most)
		}
	})
}

// FuzzEdit checks that any bytes are valid edits, which do not modify the file
// they are given, give the same result each time, and terminate.
func FuzzEdit(f *testing.F) {
	const file = "User-agent: FooBot\nUser-agent: BarBot\nAllow: /a*.html$\nDisallow: /a/%62\n\nUser-agent: *\nDisallow: /\n"
	for kind := range editKinds.entries {
		f.Add([]byte(file), []byte{uint8(kind), 2, 3, 1})
	}
	f.Add([]byte{}, []byte{1, 1, 1, 1, 9, 9, 9, 9})
	f.Fuzz(func(t *testing.T, robots, shape []byte) {
		before := bytes.Clone(robots)
		changed := Edit(robots, shape)
		if !bytes.Equal(before, robots) {
			t.Error("the file is changed")
		}
		if !bytes.Equal(changed, Edit(robots, shape)) {
			t.Error("the same edits give another file")
		}
		// An edit at most doubles a file and adds a line.
		if len(changed) > (len(robots)+64)<<maxEdits {
			t.Errorf("%d bytes became %d", len(robots), len(changed))
		}
		if joined := lines.Join(lines.Split(changed)); !bytes.Equal(joined, changed) {
			t.Errorf("%q is divided into lines that are %q", changed, joined)
		}
	})
}
