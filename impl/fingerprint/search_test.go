package fingerprint_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// shortCases are the cases except those with long files, which take much of the
// time.
func shortCases() *fingerprint.Sample {
	var files []fingerprint.File
	for _, c := range spec.Default().Cases {
		f := fingerprint.File{Robots: c.Robots}
		for _, e := range c.Expect {
			f.Probes = append(f.Probes, e.Probe)
		}
		if len(f.Robots) <= 16_000 {
			files = append(files, f)
		}
	}
	return fingerprint.NewSample(files)
}

// differences lists the choices in which got is not want.
func differences(got, want reference.Interpretation) []string {
	var all []string
	for _, p := range reference.Points() {
		if got[p] != want[p] {
			all = append(all, fmt.Sprintf("%s=%s for %s", p, got.Choice(p), want.Choice(p)))
		}
	}
	return all
}

// TestFindFlip checks every single deviation from rfc9309 at every point: the
// search finds it, unless no case distinguishes it from rfc9309.
func TestFindFlip(t *testing.T) {
	t.Parallel()
	s := shortCases()
	for n, point := range reference.Points() {
		want := reference.RFC9309()
		want[point] = reference.Choice(1 + n%(len(point.Choices())-1))
		got := s.Find(t.Context(), s.Predict(want)).In
		if got != want && !slices.Equal(s.Predict(got), s.Predict(want)) {
			t.Errorf("%s=%s: found %s, which answers otherwise", point, want.Choice(point), differences(got, want))
		}
	}
}

// TestFindFar checks interpretations that no parser has: a named one with up to
// twenty other choices. The interpretation found predicts almost all answers.
func TestFindFar(t *testing.T) {
	t.Parallel()
	s := shortCases()
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
		got := s.Find(t.Context(), s.Predict(want)).In
		if v := s.View(got, s.Predict(want)); len(v.Missed) > 0 {
			t.Logf("%d answers missed: %s", len(v.Missed), differences(got, want))
			missed += len(v.Missed)
		}
		asked += s.Queries()
	}
	if missed*1000 > asked {
		t.Errorf("%d of %d answers are not predicted, more than one in a thousand", missed, asked)
	}
}

// TestView checks that a view compares the subject's answers, including refusals,
// and ignores queries without an answer.
func TestView(t *testing.T) {
	t.Parallel()
	probe := spec.Probe{Agent: "FooBot", URL: "http://x.test/a"}
	s := fingerprint.NewSample([]fingerprint.File{
		{Robots: []byte("User-agent: *\nDisallow: /a\n"), Probes: []spec.Probe{probe, probe, probe}},
		{},
		{Robots: []byte("Disallow: /a\n"), Probes: []spec.Probe{probe, probe}},
		{},
		{Robots: []byte("User-agent: *\nDisallow: /\n"), Probes: []spec.Probe{probe}},
		{},
	})
	answers := s.Outcomes([][]spec.Verdict{{spec.Disallow, spec.Allow, spec.Crash}, nil, {spec.Reject, spec.Timeout}, nil, {spec.Unsupported}, nil})
	refuse := reference.Change{Point: reference.OrphanRules, Choice: reference.OrphanRulesRejectFile}
	for _, tt := range []struct {
		in     reference.Interpretation
		missed []int
		answer fingerprint.Outcome
	}{{reference.RFC9309(), []int{1, 3}, fingerprint.Allows}, {reference.With(refuse), []int{1}, fingerprint.Rejects}} {
		v := s.View(tt.in, answers)
		if diff := cmp.Diff(tt.missed, v.Missed); diff != "" {
			t.Errorf("missed differ (-want +got):\n%s", diff)
		}
		want := []fingerprint.Outcome{fingerprint.Disallows, fingerprint.Disallows, fingerprint.Disallows, tt.answer, tt.answer, fingerprint.Disallows}
		if diff := cmp.Diff(want, v.Predicted); diff != "" {
			t.Errorf("predictions differ (-want +got):\n%s", diff)
		}
		if n := fingerprint.Agreement(v.Predicted, answers); n != 3-len(tt.missed) {
			t.Errorf("%d of 3 predicted, missed %v", n, tt.missed)
		}
	}
	e := s.View(reference.RFC9309(), answers).Change(refuse, s.About(refuse.Point))
	if diff := cmp.Diff(fingerprint.Evidence{For: []int{3}}, e, cmpopts.IgnoreUnexported(e)); diff != "" {
		t.Errorf("evidence differs (-want +got):\n%s", diff)
	}
	var places [][2]int
	for i := range s.Queries() {
		file, probe := s.Place(i)
		places = append(places, [2]int{file, probe})
	}
	if diff := cmp.Diff([][2]int{{0, 0}, {0, 1}, {0, 2}, {2, 0}, {2, 1}, {4, 0}}, places); diff != "" {
		t.Errorf("places differ (-want +got):\n%s", diff)
	}
	if got := s.Find(t.Context(), answers).In; got != reference.With(refuse) {
		t.Errorf("found %s", got.Deviations())
	}
}
