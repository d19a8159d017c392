package reports

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// grown is a growth of a family with times for n = 512, 1024 and so on.
func grown(t *testing.T, family string, exponent float64, times ...time.Duration) fuzz.Growth {
	t.Helper()
	f, err := fuzz.FindFamily(family)
	if err != nil {
		t.Fatal(err)
	}
	g := fuzz.Growth{Subject: "any", Family: family, Exponent: exponent, InLibrary: true, Ended: fuzz.EndedLargest}
	if exponent > 0 {
		g.Fitted = min(len(times), 4)
	}
	for i, d := range times {
		n := 512 << i
		g.Witness, g.WitnessN = f.Question(n), n
		g.Points = append(g.Points, fuzz.GrowthPoint{N: n, Octets: g.Witness.Octets(), Time: d})
	}
	return g
}

// stoppedAt is a growth of a family that was stopped after questions that
// took those times.
func stoppedAt(t *testing.T, family string, n int, times ...time.Duration) fuzz.Growth {
	t.Helper()
	g := grown(t, family, 0, times...)
	f, err := fuzz.FindFamily(family)
	if err != nil {
		t.Fatal(err)
	}
	g.Stopped, g.StoppedAt, g.Ended = true, n, fuzz.EndedStopped
	g.Witness, g.WitnessN = f.Question(n), n
	g.StoppedOctets = g.Witness.Octets()
	return g
}

const (
	ms = time.Millisecond
	s1 = time.Second
)

// growthOf is what was measured of these subjects in these families.
func growthOf(families []string, subjects ...fuzz.GrowthSubject) *fuzz.GrowthResult {
	r := &fuzz.GrowthResult{Format: 1, Version: "v1.2.3", Command: []string{"repcheck", "complexity"},
		Stop: 2 * s1, Budget: 60 * s1, Elapsed: 83400 * ms, Subjects: subjects}
	for _, f := range fuzz.Families() {
		for _, name := range families {
			if f.Name == name {
				r.Families = append(r.Families, fuzz.GrowthFamily{Name: f.Name, About: f.About})
			}
		}
	}
	return r
}

func growthFine(t *testing.T) *fuzz.GrowthResult {
	return growthOf([]string{"rules", "comments", "long-line", "long-url"}, fuzz.GrowthSubject{
		SubjectInfo: spec.SubjectInfo{Name: "reference", Version: "rfc9309", Language: "go"},
		Growths: []fuzz.Growth{
			grown(t, "rules", 1.02, 2*ms, 4*ms, 8*ms, 16*ms), grown(t, "comments", 0, 20*time.Microsecond),
			grown(t, "long-line", 0.97, 3*ms, 6*ms, 12*ms), grown(t, "long-url", 1.71, ms, 3*ms, 9*ms),
		},
	})
}

// growthEvery is a result in which everything happens.
func growthEvery(t *testing.T) *fuzz.GrowthResult {
	crashed := grown(t, "long-line", 0, ms)
	crashed.Ended = "crash: maximum recursion depth exceeded\n\x1b[31m in |`x`| " + strings.Repeat("at line 7 ", 20)
	atOnce := grown(t, "boms", 0)
	atOnce.Ended = "unsupported: not UTF-8"
	late, later := grown(t, "comments", 0), grown(t, "long-url", 0, ms)
	late.Ended, later.Ended = fuzz.EndedBudget, fuzz.EndedBudget
	abandoned := stoppedAt(t, "agents-rules", 2048)
	abandoned.Abandoned = 1
	r := growthOf([]string{"five-stars", "stars", "rules", "comments", "long-line", "boms", "long-url", "agents-rules"},
		growthFine(t).Subjects[0],
		fuzz.GrowthSubject{
			SubjectInfo: spec.SubjectInfo{Name: "js-robots-parser", Version: "3.0.1", Language: "javascript"},
			Growths: []fuzz.Growth{
				stoppedAt(t, "five-stars", 1024, 5*ms), stoppedAt(t, "stars", 8), grown(t, "rules", 1.98, 2*ms, 8*ms, 32*ms, 128*ms, 510*ms, 12*s1),
				crashed, atOnce, late, later,
			},
		},
		fuzz.GrowthSubject{
			SubjectInfo: spec.SubjectInfo{Name: "python-robotexclusionrulesparser", Version: "1.7.1", Language: "python"},
			Growths:     []fuzz.Growth{abandoned},
			Lost:        "python-robotexclusionrulesparser was lost: 4 earlier calls never returned",
		},
		fuzz.GrowthSubject{SubjectInfo: spec.SubjectInfo{Name: "own"}, Lost: "own does not answer a trivial question: crash\n\x1b[2J"},
	)
	r.Interrupted = true
	return r
}

var growths = []struct {
	name   string
	result func(t *testing.T) *fuzz.GrowthResult
}{
	{"every", growthEvery},
	{"fine", growthFine},
	{"nothing", func(*testing.T) *fuzz.GrowthResult { return &fuzz.GrowthResult{} }},
}

func TestComplexity(t *testing.T) {
	t.Parallel()
	for _, result := range growths {
		t.Run(result.name, func(t *testing.T) {
			t.Parallel()
			goldenDocument(t, "complexity-"+result.name, result.name == "every", func(o Options) doc.Document { return Complexity(result.result(t), o) })
		})
	}
}

func TestComplexityJSON(t *testing.T) {
	t.Parallel()
	for _, result := range growths {
		var out bytes.Buffer
		want := result.result(t)
		if err := WriteJSON(&out, want); err != nil {
			t.Fatal(err)
		}
		if result.name == "fine" {
			golden(t, "complexity-fine.json", out.Bytes())
		}
		var got fuzz.GrowthResult
		d := json.NewDecoder(&out)
		d.DisallowUnknownFields()
		if err := d.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, &got); diff != "" {
			t.Errorf("%s differs after a round trip (-want +got):\n%s", result.name, diff)
		}
	}
}
