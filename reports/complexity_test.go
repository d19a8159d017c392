package reports

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/fuzz/complexity"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// grown returns the curve of a family with these times for n = 512, 1024 and so
// on.
func grown(t *testing.T, family string, exponent float64, times ...time.Duration) complexity.Curve {
	t.Helper()
	f, err := complexity.FindFamily(family)
	if err != nil {
		t.Fatal(err)
	}
	g := complexity.Curve{Subject: "any", Family: family, Exponent: exponent, InLibrary: true, Ended: complexity.EndedLargest}
	if exponent > 0 {
		g.Fitted = min(len(times), 4)
	}
	for i, d := range times {
		n := 512 << i
		g.Witness, g.WitnessN = f.Query(n), n
		g.Timings = append(g.Timings, complexity.Timing{N: n, Octets: g.Witness.Octets(), Time: d})
	}
	return g
}

// stoppedAt returns the curve of a family that was stopped after queries that
// took these times.
func stoppedAt(t *testing.T, family string, n int, times ...time.Duration) complexity.Curve {
	t.Helper()
	g := grown(t, family, 0, times...)
	f, err := complexity.FindFamily(family)
	if err != nil {
		t.Fatal(err)
	}
	g.Stopped, g.StoppedAt, g.Ended = true, n, complexity.EndedStopped
	g.Witness, g.WitnessN = f.Query(n), n
	g.StoppedOctets = g.Witness.Octets()
	return g
}

const (
	ms = time.Millisecond
	s1 = time.Second
)

// growthOf returns a result with these subjects and families.
func growthOf(families []string, subjects ...complexity.Subject) *complexity.Result {
	r := &complexity.Result{Format: 1, Version: "v1.2.3", Command: []string{"repcheck", "complexity"},
		Stop: 2 * s1, Budget: 60 * s1, Elapsed: 83400 * ms, Subjects: subjects}
	for _, f := range complexity.Families() {
		for _, name := range families {
			if f.Name == name {
				r.Families = append(r.Families, complexity.FamilyInfo{Name: f.Name, About: f.About})
			}
		}
	}
	return r
}

func growthFine(t *testing.T) *complexity.Result {
	return growthOf([]string{"rules", "comments", "long-line", "long-url"}, complexity.Subject{
		SubjectInfo: spec.SubjectInfo{Name: "reference", Version: "rfc9309", Language: "go"},
		Curves: []complexity.Curve{
			grown(t, "rules", 1.02, 2*ms, 4*ms, 8*ms, 16*ms), grown(t, "comments", 0, 20*time.Microsecond),
			grown(t, "long-line", 0.97, 3*ms, 6*ms, 12*ms), grown(t, "long-url", 1.71, ms, 3*ms, 9*ms),
		},
	})
}

// growthEvery returns a result with every kind of outcome.
func growthEvery(t *testing.T) *complexity.Result {
	crashed := grown(t, "long-line", 0, ms)
	crashed.Ended = "crash: maximum recursion depth exceeded\n\x1b[31m in |`x`| " + strings.Repeat("at line 7 ", 20)
	atOnce := grown(t, "boms", 0)
	atOnce.Ended = "unsupported: not UTF-8"
	late, later := grown(t, "comments", 0), grown(t, "long-url", 0, ms)
	late.Ended, later.Ended = complexity.EndedBudget, complexity.EndedBudget
	abandoned := stoppedAt(t, "agents-rules", 2048)
	abandoned.Abandoned = 1
	r := growthOf([]string{"five-stars", "stars", "rules", "comments", "long-line", "boms", "long-url", "agents-rules"},
		growthFine(t).Subjects[0],
		complexity.Subject{
			SubjectInfo: spec.SubjectInfo{Name: "js-robots-parser", Version: "3.0.1", Language: "javascript"},
			Curves: []complexity.Curve{
				stoppedAt(t, "five-stars", 1024, 5*ms), stoppedAt(t, "stars", 8), grown(t, "rules", 1.98, 2*ms, 8*ms, 32*ms, 128*ms, 510*ms, 12*s1),
				crashed, atOnce, late, later,
			},
		},
		complexity.Subject{
			SubjectInfo: spec.SubjectInfo{Name: "python-robotexclusionrulesparser", Version: "1.7.1", Language: "python"},
			Curves:      []complexity.Curve{abandoned},
			Lost:        "python-robotexclusionrulesparser was lost: 4 earlier calls never returned",
		},
		complexity.Subject{SubjectInfo: spec.SubjectInfo{Name: "own"}, Lost: "own does not answer a trivial question: crash\n\x1b[2J"},
	)
	r.Interrupted = true
	return r
}

var growths = []struct {
	name   string
	result func(t *testing.T) *complexity.Result
}{
	{"every", growthEvery},
	{"fine", growthFine},
	{"nothing", func(*testing.T) *complexity.Result { return &complexity.Result{} }},
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
		var got complexity.Result
		d := json.NewDecoder(&out)
		d.DisallowUnknownFields()
		if err := d.Decode(&got); err != nil {
			t.Fatal(err)
		}
		// By default cmp compares the files, which are large, byte by byte.
		files := cmp.Comparer(func(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) })
		if diff := cmp.Diff(want, &got, files); diff != "" {
			t.Errorf("%s differs after a round trip (-want +got):\n%s", result.name, diff)
		}
	}
}
