package reference_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl/reference"
)

// TestDeviations applies the deviations of each interpretation to RFC 9309, which
// must give the interpretation back, and writes and reads each deviation.
func TestDeviations(t *testing.T) {
	t.Parallel()
	for _, name := range reference.Names() {
		in, err := reference.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		deviations := in.Deviations()
		if got := reference.With(deviations...); got != in {
			t.Errorf("%s: got %v of %s", name, got, deviations)
		}
		for _, want := range deviations {
			var got reference.Change
			text, _ := want.MarshalText()
			if err := got.UnmarshalText(text); err != nil || got != want {
				t.Errorf("%s is read as %s, %v", want, got, err)
			}
		}
	}
	in := reference.With(reference.Change{Point: reference.Tie, Choice: reference.TieDisallow})
	if diff := cmp.Diff("tie=disallow", in.Deviations().String()); diff != "" {
		t.Error(diff)
	}
	for _, c := range in.Changes() {
		if to := c.Of(in); to == in || c.Point != reference.Tie && to[reference.Tie] != in[reference.Tie] {
			t.Errorf("%s changes %v to %v", c, in, to)
		}
	}
}
