package fuzz

import (
	"flag"
	"testing"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
)

var choiceInputs = flag.Int("choices.inputs", 20_000, "generated `files` among which each choice must show")

// hidden are the choices that generated files cannot show, each with the reason.
// None of them goes untested: the cases have a file for each.
var hidden = map[string]string{
	"size-limit=keep-cut-line": tooSmall,
	"size-limit=none":          tooSmall,
	"size-limit=reject":        tooSmall,
	"line-limit=cut":           tooShort,
	"line-limit=drop":          tooShort,
	"line-limit=ends-file":     tooShort,
}

const (
	tooSmall = "it needs a file of more than 500 KiB"
	tooShort = "it needs a line of more than 16,663 octets, on which the oracle would spend its time"
)

// TestChoicesShow checks that the generator serves its purpose. Every choice of
// the reference except that of RFC 9309 is a mistake that a parser could make;
// among the files on which TestOracle compares, at least one must show it.
func TestChoicesShow(t *testing.T) {
	t.Parallel()
	unseen := reference.AllDeviations()
	shownAt := map[Change]int{}
	g := NewGenerator(1)
	expected := reference.New(reference.RFC9309())
	for n := 1; n <= *choiceInputs && len(unseen) > len(hidden); n++ {
		in := g.Next()
		file := expected.Parse(in.Robots)
		want := make([]bool, len(in.Probes))
		for i, p := range in.Probes {
			want[i] = file.Test(p.Agent, p.URL).Allow
		}
		var left []Change
		for _, f := range unseen {
			if file := reading.Parser(reference.With(f)).Parse(in.Robots); file.Refused() == "" && alike(file, in, want) {
				left = append(left, f)
			} else {
				shownAt[f] = n
			}
		}
		unseen = left
	}
	for _, f := range reference.AllDeviations() {
		flip := f
		why, isHidden := hidden[flip.String()]
		switch n := shownAt[flip]; {
		case n > 0 && isHidden:
			t.Errorf("%s shows in file %d: take it off the list of the hidden", flip, n)
		case n > 0:
			t.Logf("%-40s shows in file %d", flip, n)
		case isHidden:
			t.Logf("%-40s is hidden: %s", flip, why)
		default:
			t.Errorf("%s shows in none of %d generated files", flip, *choiceInputs)
		}
	}
}

// alike reports whether the file answers every probe as expected.
func alike(file *reference.File, in Input, want []bool) bool {
	for i, p := range in.Probes {
		if file.Test(p.Agent, p.URL).Allow != want[i] {
			return false
		}
	}
	return true
}

// TestLargePointsShow checks that the points that TestChoicesShow leaves out show
// in inputs as campaigns generate them, of which a few are large.
func TestLargePointsShow(t *testing.T) {
	t.Parallel()
	unseen := map[reference.Point]bool{}
	var of []reference.Change
	for _, c := range reference.AllDeviations() {
		if hidden[c.String()] != "" {
			unseen[c.Point] = true
			of = append(of, c)
		}
	}
	g := NewGenerator(1)
	n := uint64(0)
	for ; n < 30_000 && len(unseen) > 0; n++ {
		in := g.Input(n)
		if len(in.Robots) < 16_000 {
			continue
		}
		shows := reading.Shows(in.Robots, in.Probes)
		for _, c := range of {
			if shows(c) {
				delete(unseen, c.Point)
			}
		}
	}
	for p := range unseen {
		t.Errorf("%s: no choice shows in %d inputs", p, n)
	}
}
