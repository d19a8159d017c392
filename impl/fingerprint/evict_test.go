package fingerprint

import (
	"testing"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// A search finds the same whether predictions are kept or not.
func TestFindWithoutKept(t *testing.T) {
	t.Parallel()
	files := CaseFiles(spec.Default().Cases[:150])
	s, forgetful := NewSample(files), NewSample(files)
	forgetful.most = 1
	want := reference.With(reference.Change{Point: reference.Precedence, Choice: reference.PrecedenceFirst}, reference.Change{Point: reference.PathCase, Choice: reference.PathCaseInsensitive})
	answers := s.Predict(want)
	if kept, found := s.Find(t.Context(), answers), forgetful.Find(t.Context(), answers); kept.In != found.In || len(kept.Refuted) != len(found.Refuted) {
		t.Errorf("found %s, and %s without predictions that are kept", kept.In.Deviations(), found.In.Deviations())
	}
}
