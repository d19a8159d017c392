package fingerprint

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// caseFiles are the cases but those with long files, which take much of the
// time.
func caseFiles() []File {
	var files []File
	for _, c := range spec.Default().Cases {
		f := File{Robots: c.Robots}
		for _, e := range c.Expect {
			f.Probes = append(f.Probes, e.Probe)
		}
		if len(f.Robots) <= longest[short] {
			files = append(files, f)
		}
	}
	return files
}

// verdictsUnder returns what the reference says under in.
func verdictsUnder(s *Search, in reference.Interpretation) [][]spec.Verdict {
	return verdictsOf(s, s.Answers(in))
}

func verdictsOf(s *Search, outcomes []Outcome) [][]spec.Verdict {
	var all [][]spec.Verdict
	for f := range s.files {
		var of []spec.Verdict
		for i := s.first[f]; i < s.first[f+1]; i++ {
			of = append(of, outcomes[i].Verdict())
		}
		all = append(all, of)
	}
	return all
}

// differences names where got is not want.
func differences(got, want reference.Interpretation) []string {
	var all []string
	for _, p := range reference.Points() {
		if got[p] != want[p] {
			all = append(all, fmt.Sprintf("%s=%s for %s", p, got.Choice(p), want.Choice(p)))
		}
	}
	return all
}

// TestFindFlip holds the search to a flip of rfc9309 at every point: it is
// found, unless no case tells it from rfc9309.
func TestFindFlip(t *testing.T) {
	t.Parallel()
	s := NewSearch(caseFiles())
	for n, point := range reference.Points() {
		want := reference.RFC9309
		want[point] = reference.Choice(1 + n%(len(point.Choices())-1))
		got := s.Find(t.Context(), verdictsUnder(s, want))
		if got != want && !slices.Equal(s.Answers(got), s.Answers(want)) {
			t.Errorf("%s=%s: found %s, which answers otherwise", point, want.Choice(point), differences(got, want))
		}
	}
}

// TestFindFar holds the search to interpretations that nobody has: a named one
// with up to twenty other choices. What is found predicts all answers but a few.
func TestFindFar(t *testing.T) {
	t.Parallel()
	s := NewSearch(caseFiles())
	random := rand.New(rand.NewPCG(1, 2))
	missed, asked := 0, 0
	for i := range 10 {
		names := reference.Names()
		want, err := reference.Named(names[i%len(names)])
		if err != nil {
			t.Fatal(err)
		}
		for _, point := range reference.Points() {
			if random.IntN(100) < 5+4*i {
				want[point] = reference.Choice(random.IntN(len(point.Choices())))
			}
		}
		got := s.Find(t.Context(), verdictsUnder(s, want))
		n, of := s.Predicted(got, verdictsUnder(s, want))
		if n < of {
			t.Logf("%d answers missed: %s", of-n, differences(got, want))
			missed += of - n
		}
		asked += of
	}
	if missed*1000 > asked {
		t.Errorf("%d of %d answers are not predicted, more than one in a thousand", missed, asked)
	}
}

// TestPredicted counts what a subject says, refusals included, and not what it
// does not say.
func TestPredicted(t *testing.T) {
	t.Parallel()
	probe := spec.Probe{Agent: "FooBot", URL: "http://x.test/a"}
	s := NewSearch([]File{
		{Robots: []byte("User-agent: *\nDisallow: /a\n"), Probes: []spec.Probe{probe, probe, probe}},
		{Robots: []byte("Disallow: /a\n"), Probes: []spec.Probe{probe, probe}},
		{},
		{Robots: []byte("User-agent: *\nDisallow: /\n"), Probes: []spec.Probe{probe}},
	})
	verdicts := [][]spec.Verdict{{spec.Disallow, spec.Allow, spec.Crash}, {spec.Reject, spec.Timeout}, nil, {spec.Unsupported}}
	refuses := reference.RFC9309
	refuses[reference.OrphanRules] = reference.OrphanRulesRejectFile
	for _, tt := range []struct {
		in     reference.Interpretation
		n      int
		answer Outcome
	}{{reference.RFC9309, 1, Allows}, {refuses, 2, Rejects}} {
		if n, of := s.Predicted(tt.in, verdicts); n != tt.n || of != 3 {
			t.Errorf("%d of %d predicted, want %d of 3", n, of, tt.n)
		}
		want := []Outcome{Disallows, Disallows, Disallows, tt.answer, tt.answer, Disallows}
		if diff := cmp.Diff(want, s.Answers(tt.in)); diff != "" {
			t.Errorf("answers differ (-want +got):\n%s", diff)
		}
	}
	want := []Evidence{{Point: reference.OrphanRules, Choice: reference.OrphanRulesRejectFile, For: 1, Witness: Place{1, 0}}}
	if diff := cmp.Diff(want, s.Evidence(refuses, verdicts)); diff != "" {
		t.Errorf("evidence differs (-want +got):\n%s", diff)
	}
	if got := s.Find(t.Context(), verdicts); got != refuses {
		t.Errorf("found %s", differences(got, refuses))
	}
}
