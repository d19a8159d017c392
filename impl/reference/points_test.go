package reference_test

import (
	"slices"
	"testing"

	"github.com/repcheck/repcheck/impl/reference"
)

// TestSharedChoices: a function that serves two points uses the constants of the
// first one for both, so the choices of the two must begin alike.
func TestSharedChoices(t *testing.T) {
	t.Parallel()
	for first, second := range map[reference.Point]reference.Point{
		reference.RuleEscapes: reference.URLEscapes,
		reference.RuleOctets:  reference.URLOctets,
		reference.StarGroups:  reference.AgentGroups,
	} {
		if shared := first.Choices(); !slices.Equal(shared, second.Choices()[:len(shared)]) {
			t.Errorf("%s has the choices %v, %s begins with others: %v", first, shared, second, second.Choices())
		}
	}
}
