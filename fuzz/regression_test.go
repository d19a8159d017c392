package fuzz

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

func TestReduceOneAsk(t *testing.T) {
	d := NewDiffer([]impl.Subject{subject(t, "reference", reference.RFC9309), subject(t, "other", flip(reference.Tie, reference.TieDisallow))})
	w := Witness{Robots: []byte(hay(5) + "User-agent: *\nDisallow: /a\nAllow: /a\n"), Probe: fooBot("/a")}
	if r := d.Reduce(t.Context(), w, ReduceOptions{Asks: 1}); r.Asks > 1 {
		t.Errorf("%d questions for 1", r.Asks)
	}
}

func TestStoreBrokenHidesNoOther(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	whole, f := finding("whole", "", 1), finding("x", "a\n", 1)
	record(t, s, whole, true)
	os.WriteFile(filepath.Join(dir, f.ID()+".json"), []byte("{"), 0o666)
	s.Hit(&f, "x", false)
	found, err := s.List()
	if err == nil || len(found) != 1 {
		t.Errorf("%d findings, want the whole one; %v", len(found), err)
	}
	if _, err := s.Get(whole.ID()); err != nil {
		t.Error(err)
	}
}

func TestRecorderInterruptedIsSteady(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := recorderOf(t, []impl.Subject{&cancelling{Subject: parserOfLineage(t, "odd", "", odd), cancel: cancel}})
	in := Input{Robots: []byte("odd\n"), Probes: []spec.Probe{fooBot("/odd")}}
	tally, _ := r.Take(ctx, in, [][]spec.Answer{{{Verdict: spec.Disallow}}})
	if tally.Unsteady != 0 {
		t.Errorf("%+v", tally)
	}
}

func TestWhyPartsOfLearned(t *testing.T) {
	e := nothingKnown(1)
	e.Learn(0, cause(t, "precedence=first path-case=insensitive"))
	r := newReading([]byte("User-agent: *\nDisallow: /A\n"))
	c, _ := e.why(r, 0, fooBot("/a"), spec.Disallow)
	if c.String() != "path-case=insensitive" {
		t.Errorf("the cause is %s, and path-case=insensitive is enough", c)
	}
}

func TestRecorderSlowIsNew(t *testing.T) {
	r := recorderOf(t, []impl.Subject{subject(t, "a", reference.RFC9309)})
	in := Input{Robots: []byte(hay(1)), Probes: []spec.Probe{fooBot("/")}}
	taken := r.take(t.Context(), in, r.Differ.Ask(t.Context(), in.Robots, in.Probes))
	taken.tooSlow(0)
	if len(taken.total().New) != 1 {
		t.Errorf("of all %v, of the subject %v", taken.total().New, taken.each[0].New)
	}
}

func TestFindingContradicts(t *testing.T) {
	f := finding("x", "a\n", 1)
	text, _ := json.Marshal(f)
	for _, change := range [][2]string{
		{`"subjects":["x"]`, `"subjects":["y"]`}, {`"expected":"allow"`, `"expected":"perhaps"`}, {`"url":"http://foo.test/"`, `"url":"http://foo.test/","nonsense":1`},
		{`"hits":{"x":1}`, `"hits":{"x":-1}`},
	} {
		changed := strings.Replace(string(text), change[0], change[1], 1)
		var g Finding
		if err := json.Unmarshal([]byte(changed), &g); changed == string(text) || err == nil {
			t.Errorf("%s is read: %v %s", change[1], err, text)
		}
	}
}

func TestStoreFailedWriteKeepsWitness(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	s := openStore(t, dir)
	os.WriteFile(dir, nil, 0o666) // a file where the directory should be
	small, large := finding("x", "a\n", 1), finding("x", "a\nb\n", 1)
	if _, err := s.Record(small); err == nil {
		t.Fatal("kept in a file")
	}
	os.Remove(dir)
	if _, err := s.Record(large); err != nil {
		t.Fatal(err)
	}
	found, err := s.List()
	if err != nil || len(found) != 1 || string(found[0].Witness.Robots) != "a\n" {
		t.Errorf("%q is kept, %v", found[0].Witness.Robots, err)
	}
	if small.Hits["x"] != 1 {
		t.Error("the caller's map was changed:", small.Hits)
	}
}

func TestStoreFailedWriteLeavesCallersMap(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	s := openStore(t, dir)
	os.WriteFile(dir, nil, 0o666)
	f := finding("x", "a\n", 1)
	s.Record(f)
	s.Hit(&f, "x", false)
	if f.Hits["x"] != 1 {
		t.Error("the caller's map was changed:", f.Hits)
	}
}

// Another goroutine learns the pair while this one has found no explanation.
func TestRecorderLearnedMeanwhile(t *testing.T) {
	pair := "separator=two-words keys=google"
	r := recorderOf(t, []impl.Subject{subject(t, "sloppy", interpreting(t, pair))})
	in := Input{Robots: []byte("User-agent: *\nDissallow /\n"), Probes: []spec.Probe{fooBot("/")}}
	taken := &taking{Recorder: r, ctx: t.Context(), in: in, reading: newReading(in.Robots), each: make([]Tally, 1)}
	tally := &taken.each[0]
	tally.Departures++
	o := observation{taking: taken, tally: tally, probe: in.Probes[0], answer: spec.Answer{Verdict: spec.Disallow}, expected: spec.Allow}
	r.Explainer.Learn(0, cause(t, pair))
	o.lookInto()
	if tally.Unsteady != 0 || tally.Departures != 1 || tally.ByOthers != 1 {
		t.Errorf("%+v", tally)
	}
}
