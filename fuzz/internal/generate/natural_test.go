package generate

import (
	"maps"
	"testing"

	"github.com/repcheck/repcheck/corpus"
)

// roughly are the properties for which the rates of natural files may be less
// exact, with the tolerance and the reason.
var roughly = map[string]struct {
	distance float64
	why      string
}{
	"octets-per-file": {0.22, "names and comments have a few lengths only"},
	"lines-per-file":  {0.18, "in real files many rules come with few groups"},
	"line-length":     {0.15, "comments and sitemaps have a few lengths only"},
	"line":            {0.05, "a group that would not fit is cut short"},
}

// closely is the tolerance for all other properties.
const closely = 0.03

// TestNaturalRates measures natural files in the same way as the real ones.
func TestNaturalRates(t *testing.T) {
	t.Parallel()
	g := New(1)
	var tally corpus.Tally
	for n := range uint64(10_000) {
		g.pcg.Seed(1, scatter(n))
		g.begin()
		robots, _ := g.fromNatural()
		tally.Add(robots)
	}
	real, made := corpus.RealRates(), tally.Rates()
	for _, question := range real.Questions() {
		borne := closely
		if r, ok := roughly[question]; ok {
			borne = r.distance
		}
		distance := real.Distance(made, question)
		t.Logf("%-20s %.4f", question, distance)
		if distance > borne {
			t.Errorf("%s: the distance between real and natural files is %.4f, more than %.2f", question, distance, borne)
			for _, answer := range real.Answers(question) {
				t.Logf("  %-20s real %7.3f%%, natural %7.3f%%", answer, 100*real.Share(question, answer), 100*made.Share(question, answer))
			}
		}
	}
	for question := range maps.Keys(made) {
		if real.All(question) == 0 {
			t.Errorf("%s: natural files answer what real ones are not asked", question)
		}
	}
}
