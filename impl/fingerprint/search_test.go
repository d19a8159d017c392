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

// told returns the files of a sample, written by hand, that tell how a parser
// breaks ties: one case of the point, one other case, and generated ones.
func told() []fingerprint.File {
	// The second query shows that the longest rule decides otherwise.
	probes := []spec.Probe{{Agent: "FooBot", URL: "http://x.test/a"}, {Agent: "FooBot", URL: "http://x.test/b"}}
	var files []fingerprint.File
	for n := range 6 {
		f := fingerprint.File{Source: fingerprint.Generated, Robots: fmt.Appendf(nil, "User-agent: *\nAllow: /a\nDisallow: /a\nAllow: /b\nDisallow: /\n# %d\n", n), Probes: probes}
		switch n {
		case 0:
			f.Source, f.Point = fingerprint.Case, reference.Tie.String()
		case 1:
			f.Source = fingerprint.Case
		}
		files = append(files, f)
	}
	return files
}

// TestRefuted: a choice is not asserted if the answers from one source, or those
// about the cases of its point, are against it, even if it predicts most answers.
func TestRefuted(t *testing.T) {
	t.Parallel()
	disallow := reference.Change{Point: reference.Tie, Choice: reference.TieDisallow}
	first := reference.Change{Point: reference.Tie, Choice: reference.TieFirst}
	s := fingerprint.NewSample(told())
	const y, n = spec.Allow, spec.Disallow
	for _, tt := range []struct {
		name    string
		answers []spec.Verdict
		want    reference.Interpretation
		refuted bool
	}{
		{"all for it", []spec.Verdict{n, n, n, n, n, n}, reference.With(disallow), false},
		{"its own case against it", []spec.Verdict{y, n, n, n, n, n}, reference.RFC9309(), true},
		{"generated files against it", []spec.Verdict{n, n, y, y, y, n}, reference.RFC9309(), true},
		{"too few for it", []spec.Verdict{y, y, n, y, y, y}, reference.RFC9309(), false},
	} {
		var verdicts [][]spec.Verdict
		for _, v := range tt.answers {
			verdicts = append(verdicts, []spec.Verdict{v, y})
		}
		answers := s.Outcomes(verdicts)
		found := s.Find(t.Context(), answers)
		if found.In != tt.want || slices.Contains(found.Refuted, disallow) != tt.refuted {
			t.Errorf("%s: found %s, refuted %s", tt.name, found.In.Deviations(), found.Refuted)
		}
		if again := s.Adapt(t.Context(), answers, fingerprint.Found{In: reference.With(first)}); again.In != tt.want {
			t.Errorf("%s: near tie=first, found %s", tt.name, again.In.Deviations())
		}
	}
}

// TestCandidates: the candidates are sorted by how many answers they would predict
// in addition, and those that the cases of their point contradict are apart.
func TestCandidates(t *testing.T) {
	t.Parallel()
	s := fingerprint.NewSample(told())
	const y, n = spec.Allow, spec.Disallow
	answers := s.Outcomes([][]spec.Verdict{{y, y}, {n, y}, {n, y}, {y, y}, {y, y}, {y, y}})
	v := s.View(reference.RFC9309(), answers)
	open, contradicted := v.Candidates()
	disallow := reference.Change{Point: reference.Tie, Choice: reference.TieDisallow}
	if slices.Contains(open, disallow) || !slices.Contains(contradicted, disallow) {
		t.Errorf("open are %s, contradicted %s", open, contradicted)
	}
	for i, c := range open {
		if i > 0 && len(v.Change(c, v.Wrong).For) > len(v.Change(open[i-1], v.Wrong).For) {
			t.Errorf("%s comes after %s, and predicts more", c, open[i-1])
		}
	}
	e := v.Change(disallow, s.About(disallow.Point))
	by, own := s.Counts(e, disallow.Point)
	if want := (fingerprint.Count{Against: 1}); own != want {
		t.Errorf("own cases: %+v, want %+v", own, want)
	}
	want := []fingerprint.Count{{For: 1, Against: 1}, {}, {For: 1, Against: 3}}
	if diff := cmp.Diff(want, by[:]); diff != "" {
		t.Error(diff)
	}
}
