package conformance_test

import (
	"context"
	"testing"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// TestReference tests the reference on every case under every interpretation,
// including the deciding line.
func TestReference(t *testing.T) {
	t.Parallel()
	data := spec.Default()
	for _, name := range reference.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			subject, err := impl.Reference(name, impl.InProcessOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer subject.Close()
			r := conformance.Run(context.Background(), data, data.Cases, []impl.Subject{subject}, conformance.Options{Interpretation: name})
			scored := 0
			for _, c := range r.Cases {
				for _, check := range c.Outcomes[0].Checks {
					if check.Status != conformance.NotScored && check.Status != conformance.Classified {
						scored++
					}
					if check.Status >= conformance.Skipped {
						t.Errorf("%s: %s: %s: want %s, got %+v", c.Pos, c.ID, spec.ProbeID(check.Probe), check.Want, check.Got)
					}
					if name == "rfc9309" && c.Point == "" && check.WantLine != 0 && check.WantLine != check.Got.Line {
						t.Errorf("%s: %s: %s: line %d decides, want %d", c.Pos, c.ID, spec.ProbeID(check.Probe), check.Got.Line, check.WantLine)
					}
				}
			}
			t.Logf("%d checks scored", scored)
			if scored == 0 {
				t.Error("no case is scored")
			}
		})
	}
}

// TestChoices tests every choice against the verdicts that the cases assign to
// it: the reference with only that choice changed gives these verdicts.
func TestChoices(t *testing.T) {
	t.Parallel()
	data := spec.Default()
	points := map[string]reference.Point{}
	for _, p := range reference.Points() {
		points[p.String()] = p
	}
	for _, c := range data.Cases {
		if !c.Classifies() {
			continue
		}
		point, ok := points[c.Point]
		if !ok {
			continue // outside the reference
		}
		for choice, id := range point.Choices() {
			in := reference.RFC9309()
			in[point] = reference.Choice(choice)
			file := reference.New(in).Parse(c.Robots)
			for _, e := range c.Expect {
				want, ok := e.Choices[id]
				if !ok {
					continue
				}
				if got := reading.Verdict(file, e.Probe); got != want {
					t.Errorf("%s: %s: %s: with %s the reference says %s, the case %s", c.Pos, c.ID, e.ID(), id, got, want)
				}
			}
		}
	}
}
