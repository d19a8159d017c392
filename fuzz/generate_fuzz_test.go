package fuzz

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// FuzzGenerate: for every seed, number and weights the input is within its
// bounds and the same again.
func FuzzGenerate(f *testing.F) {
	f.Add(uint64(1), uint64(0), []byte{})
	f.Add(uint64(1), uint64(1515), []byte{3, 0, 1, 2})
	f.Add(^uint64(0), ^uint64(0), []byte{0xFF})
	f.Fuzz(func(t *testing.T, seed, n uint64, raise []byte) {
		var w Weights
		for i, r := range raise {
			if i < len(grammar.names) {
				w.Productions[i] = r % (maxRaise + 1)
			} else {
				w.Points[i%points] = r % (maxRaise + 1)
			}
		}
		g := NewGenerator(seed)
		g.SetWeights(w)
		in := g.Input(n)
		if len(in.Robots) > reference.ParsingLimit+64<<10 || len(in.Probes) > maxProbes || len(in.Probes) < 3 {
			t.Errorf("%d octets and %d probes", len(in.Robots), len(in.Probes))
		}
		if len(in.Made.Names()) == 0 {
			t.Error("made of nothing")
		}
		again := NewGenerator(seed)
		again.SetWeights(w)
		again.Input(n + 1)
		if diff := cmp.Diff(in, again.Input(n)); diff != "" {
			t.Error(diff)
		}
		data, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		var read Weights
		if err := json.Unmarshal(data, &read); err != nil || read != w {
			t.Errorf("%s: %v", data, err)
		}
	})
}

// FuzzWeights: what is read as weights or as coverage is what is written, and
// what is not is refused and changes nothing.
func FuzzWeights(f *testing.F) {
	for _, w := range []Weights{{}, someWeights()} {
		data, err := json.Marshal(w)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	var c Coverage
	c.Add(NewGenerator(1).Input(7))
	data, err := json.Marshal(&c)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"points":{"nul":4}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		w := someWeights()
		if err := json.Unmarshal(data, &w); err != nil && w != someWeights() {
			t.Errorf("refused (%v), and changed", err)
		} else if err == nil {
			NewGenerator(1).SetWeights(w)
			written, err := json.Marshal(w)
			var again Weights
			if err != nil || json.Unmarshal(written, &again) != nil || again != w {
				t.Errorf("%s became %s, %v", data, written, err)
			}
		}
		c := &Coverage{inputs: 9}
		if err := json.Unmarshal(data, c); err != nil {
			if !c.Equal(&Coverage{inputs: 9}) {
				t.Errorf("refused (%v), and changed", err)
			}
			return
		}
		written, err := json.Marshal(c)
		var again Coverage
		if err != nil || json.Unmarshal(written, &again) != nil || !again.Equal(c) {
			t.Errorf("%s became %s, %v", data, written, err)
		}
		if len(c.Last(MaxRecent).Points) != points {
			t.Error("a point is missing")
		}
		Weights{}.Adapt(c)
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
