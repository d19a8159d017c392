package generate

import (
	"maps"
	"math"
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
	made := corpus.Rates{}
	for n := range uint64(10_000) {
		g.pcg.Seed(1, scatter(n))
		g.begin()
		robots, _ := g.fromNatural()
		made.Add(robots)
	}
	real := corpus.RealRates()
	for _, question := range real.Questions() {
		borne := closely
		if r, ok := roughly[question]; ok {
			borne = r.distance
		}
		apart := distance(real, made, question)
		t.Logf("%-20s %.4f", question, apart)
		if apart > borne {
			t.Errorf("%s: the distance between real and natural files is %.4f, more than %.2f", question, apart, borne)
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

// distance returns how much two collections differ in a property: the share of values
// in one that would have to change to match the other, from 0 to 1.
func distance(a, b corpus.Rates, question string) (sum float64) {
	answers := maps.Clone(a[question])
	if answers == nil {
		answers = map[string]int64{}
	}
	maps.Copy(answers, b[question])
	for answer := range answers {
		sum += max(0, a.Share(question, answer)-b.Share(question, answer))
	}
	return sum
}

func TestDistance(t *testing.T) {
	t.Parallel()
	r := corpus.Rates{"q": {"a": 1, "b": 3, "c": 1}}
	for _, tt := range []struct {
		s    corpus.Rates
		want float64
	}{{r, 0}, {corpus.Rates{"q": {"d": 2}}, 1}, {corpus.Rates{"q": {"a": 1, "b": 1}}, 0.3}} {
		if got, back := distance(r, tt.s, "q"), distance(tt.s, r, "q"); math.Abs(got-tt.want) > 1e-9 || math.Abs(got-back) > 1e-9 {
			t.Errorf("distance %v and %v, want %v", got, back, tt.want)
		}
	}
}
