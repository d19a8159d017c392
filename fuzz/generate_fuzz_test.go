package fuzz

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// FuzzGenerate: for every seed and number the input is within its bounds and
// the same again.
func FuzzGenerate(f *testing.F) {
	f.Add(uint64(1), uint64(0))
	f.Add(uint64(1), uint64(1515))
	f.Add(^uint64(0), ^uint64(0))
	f.Fuzz(func(t *testing.T, seed, n uint64) {
		in := NewGenerator(seed).Input(n)
		if len(in.Robots) > reference.ParsingLimit+64<<10 || len(in.Probes) > maxProbes || len(in.Probes) < 3 {
			t.Errorf("%d octets and %d probes", len(in.Robots), len(in.Probes))
		}
		again := NewGenerator(seed)
		again.Input(n + 1)
		if diff := cmp.Diff(in, again.Input(n)); diff != "" {
			t.Error(diff)
		}
	})
}

// FuzzDerive: the probes of any file are within the bounds asked for, differ,
// and are URLs of the origin.
func FuzzDerive(f *testing.F) {
	eachSeed(func(robots []byte, _ spec.Probe) { f.Add(robots, uint8(3), uint8(16)) })
	f.Add([]byte("Disallow: *$\nAllow: %\xFF%4\nUser-agent: a/\xFF\n"), uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, robots []byte, agents, urls uint8) {
		before := bytes.Clone(robots)
		d := Derivation{Agents: int(agents), URLs: int(urls)}
		probes := Derive(robots, inputRand(robots), d)
		if !bytes.Equal(before, robots) {
			t.Error("the file is changed")
		}
		if diff := cmp.Diff(probes, Derive(robots, inputRand(robots), d)); diff != "" {
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

// FuzzEdit: any octets are edits, which leave the file they are given alone, give
// the same again, and end.
func FuzzEdit(f *testing.F) {
	for kind := range edits {
		f.Add([]byte(shapeSeed), []byte{uint8(kind), 2, 3, 1})
	}
	f.Add([]byte{}, []byte{1, 1, 1, 1, 9, 9, 9, 9})
	f.Fuzz(func(t *testing.T, robots, shape []byte) {
		before := bytes.Clone(robots)
		changed := reshape(robots, shape)
		if !bytes.Equal(before, robots) {
			t.Error("the file is changed")
		}
		if !bytes.Equal(changed, reshape(robots, shape)) {
			t.Error("the same edits give another file")
		}
		// An edit doubles a file at most and adds a line.
		if len(changed) > (len(robots)+64)<<16 {
			t.Errorf("%d octets became %d", len(robots), len(changed))
		}
		if joined := joinLines(fileLines(changed)); !bytes.Equal(joined, changed) {
			t.Errorf("%q is cut into lines that are %q", changed, joined)
		}
	})
}
