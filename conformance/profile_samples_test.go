package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// sampleOf returns, for each case, copies that differ only in a comment, so
// that both halves show every choice.
func sampleOf(data *spec.Data, copies int) []fingerprint.File {
	var all []fingerprint.File
	for _, f := range fingerprint.CaseFiles(data.Cases) {
		robots, name := f.Robots, f.Name
		for n := range copies {
			f.Source, f.Section, f.Point = []fingerprint.Source{fingerprint.Generated, fingerprint.Real}[n%2], "", ""
			f.Name, f.Robots = fmt.Sprintf("%s, copy %d", name, n), append([]byte(strings.Repeat("#\n", n+1)), robots...)
			all = append(all, f)
		}
	}
	return all
}

func profilesWith(t *testing.T, data *spec.Data, files []fingerprint.File, subjects ...impl.Subject) *Profiles {
	t.Helper()
	for _, s := range subjects {
		defer s.Close()
	}
	return Profile(context.Background(), data, subjects, ProfileOptions{Files: files, Seed: 1})
}

// TestPredictionOfReference profiles the reference under an interpretation that no
// parser has. It is found exactly, and predicts every held-out answer.
func TestPredictionOfReference(t *testing.T) {
	t.Parallel()
	want := reference.Google()
	want[reference.StarScope] = reference.StarScopeNoMatch
	want[reference.AgentValue] = reference.AgentValueHTTPToken
	want[reference.BlankLine] = reference.BlankLineEmptyEndsRecord
	want[reference.OrphanRules] = reference.OrphanRulesEverybodyAtTop
	want[reference.Precedence] = reference.PrecedenceFirst
	sample := sampleOf(shortOnly(), 4)
	all := profilesWith(t, shortOnly(), sample, asIf(func([]byte) reference.Interpretation { return want }))
	s := &all.Subjects[0]
	p := s.Prediction
	if p.Held.Predicted != p.Held.Answered || p.Held.Answered == 0 || len(p.Missed) > 0 || len(p.Gaps) > 0 {
		t.Errorf("%d of %d held-out answers predicted, gaps %+v", p.Held.Predicted, p.Held.Answered, p.Gaps)
	}
	n := 0
	for i, k := range all.Sources {
		if p.Sources[i] != (Predicted{k.HeldQueries, k.HeldQueries}) {
			t.Errorf("%s: got %+v of %+v", k.Source, p.Sources[i], k)
		}
		n += k.HeldQueries
	}
	if n != p.Held.Answered {
		t.Errorf("%d queries were held out, %d answered", n, p.Held.Answered)
	}
	for _, p := range reference.Points() {
		got := s.Interpretation[p.String()]
		if got != want.Choice(p) && shows(sample, want, p, got) {
			t.Errorf("%s: found %s, want %s", p, got, want.Choice(p))
		}
	}
	for _, d := range s.Deviations {
		e := fingerprint.Count{}
		for _, of := range d.Evidence {
			e.For, e.Against = e.For+of.For, e.Against+of.Against
		}
		if d.Refuted || e.For == 0 || e.Against > 0 || d.Witness == nil || d.Witness.Probe == "" {
			t.Errorf("the evidence is %+v", d)
		}
	}
	// Copies of every case are in the search, so that the cases of a section can
	// be left out without a loss.
	if sum := p.TopicsPredicted(); sum.Answered != s.Asked || sum.Predicted != s.Asked {
		t.Errorf("of the answers about topics %+v are predicted, want all %d", sum, s.Asked)
	}
}

// TestRefuted profiles a subject that breaks ties by disallow, except in the cases
// about ties. The choice predicts most answers and is refuted all the same.
func TestRefuted(t *testing.T) {
	t.Parallel()
	other := reference.With(reference.Change{Point: reference.Tie, Choice: reference.TieDisallow})
	own := map[string]bool{}
	for _, c := range spec.Default().Cases {
		if c.Point == reference.Tie.String() {
			own[string(c.Robots)] = true
		}
	}
	data := shortOnly()
	data.Cases = slices.DeleteFunc(data.Cases, func(c spec.Case) bool { return c.Section != "2.2.2" })
	all := profilesWith(t, data, sampleOf(data, 2), asIf(func(robots []byte) reference.Interpretation {
		if own[string(robots)] {
			return reference.RFC9309()
		}
		return other
	}))
	s := &all.Subjects[0]
	if s.Interpretation["tie"] != "allow" || len(s.Deviations) == 0 {
		t.Fatalf("the tie is %s, and the deviations are %+v", s.Interpretation["tie"], s.Deviations)
	}
	for _, d := range s.Deviations {
		if d.Point != "tie" || !d.Refuted || d.Own.For > 0 || d.Own.Against == 0 || d.Evidence[0].For == 0 || d.Evidence[2].Against > 0 {
			t.Errorf("got %+v", d)
		}
	}
}

// shows reports whether any answer distinguishes the choice at the point from the
// choice of in.
func shows(sample []fingerprint.File, in reference.Interpretation, p reference.Point, choice string) bool {
	other := in
	for c, id := range p.Choices() {
		if id == choice {
			other[p] = reference.Choice(c)
		}
	}
	of, than := reference.New(in), reference.New(other)
	for _, f := range sample {
		a, b := of.Parse(f.Robots), than.Parse(f.Robots)
		for _, q := range f.Probes {
			if a.Test(q.Agent, q.URL).Allow != b.Test(q.Agent, q.URL).Allow || (a.Refused() == "") != (b.Refused() == "") {
				return true
			}
		}
	}
	return false
}

// TestGaps profiles a subject that makes another
// choice in a few files, and does not answer in others. The former answers are
// missed and attributed to the choice; the latter count in no share.
func TestGaps(t *testing.T) {
	t.Parallel()
	other := reference.RFC9309()
	other[reference.Tie] = reference.TieDisallow
	odd := "User-agent: *\nDisallow: /\nAllow: /b\nAllow: /a\nDisallow: /a\n# odd\n"
	lost := "User-agent: *\n# lost\n"
	subject := impl.InProcess(spec.SubjectInfo{Name: "fake"}, func(robots []byte) (func(agent, url string) spec.Answer, error) {
		if strings.Contains(string(robots), "# lost") {
			panic("lost")
		}
		in := reference.RFC9309()
		if strings.Contains(string(robots), "# odd") {
			in = other
		}
		return impl.ParseReference(reference.New(in))(robots)
	}, impl.InProcessOptions{})
	sample := sampleOf(shortOnly(), 1)
	probes := []spec.Probe{{Agent: "FooBot", URL: "http://foo.test/a"}, {Agent: "FooBot", URL: "http://foo.test/b"}}
	// One held-out file of each kind.
	for _, robots := range []string{odd, lost} {
		for !isHeld(1, []byte(robots)) {
			robots += "#\n"
		}
		sample = append(sample, fingerprint.File{Source: fingerprint.Generated, Name: robots[len(robots)-4:], Robots: []byte(robots), Probes: probes})
	}
	all := profilesWith(t, shortOnly(), sample, subject)
	s := &all.Subjects[0]
	p := s.Prediction
	if len(s.Deviations) > 0 || p.Held.Answered-p.Held.Predicted != 1 || s.Verdicts[spec.Crash] != len(probes) {
		t.Errorf("got %+v, %+v, %+v", s.Deviations, p.Held, s.Verdicts)
	}
	if held := all.Sources[1].HeldQueries; held != p.Held.Answered+len(probes) {
		t.Errorf("%d queries were held out and %d answered, want %d less", held, p.Held.Answered, len(probes))
	}
	// The choice that was made for this file would give it too, but the answers about
	// all other files with a tie are against that one.
	want := []Gap{{Point: "tie", Choice: "last", Answers: 1, Witnesses: []Missed{{
		SampleQuery: SampleQuery{Source: fingerprint.Generated, Probe: "FooBot /a"}, Got: spec.Disallow, Predicted: spec.Allow,
	}}}}
	opts := cmp.Options{cmpopts.IgnoreFields(SampleQuery{}, "Robots", "File")}
	if diff := cmp.Diff(want, p.Gaps, opts); diff != "" {
		t.Errorf("gaps differ (-want +got):\n%s", diff)
	}
}

// TestHalves checks that the split depends only on bytes and seed: equal files
// are in the same half even if their names differ, cases are never held out, and
// about half of all other files are.
func TestHalves(t *testing.T) {
	t.Parallel()
	var files []fingerprint.File
	probes := []spec.Probe{{Agent: "FooBot", URL: "http://foo.test/"}}
	for n := range 1000 {
		files = append(files, fingerprint.File{Source: fingerprint.Real, Robots: fmt.Appendf(nil, "# %d\n", n/2), Probes: probes})
		if n%2 == 1 {
			files[n].Source = fingerprint.Generated
		}
	}
	cases := []spec.Case{{ID: "a/b", Robots: []byte("# known\n"), Expect: []spec.Expectation{{Probe: probes[0]}}}}
	held := func(seed uint64) map[string]bool {
		s := newSamples(cases, files, seed)
		of := map[string]bool{}
		for _, f := range s.files[s.knownFiles:] {
			of[string(f.Robots)] = true
		}
		for _, f := range s.files[:s.knownFiles] {
			if of[string(f.Robots)] {
				t.Errorf("seed %d: %q is on both sides", seed, f.Robots)
			}
		}
		if s.files[0].Name != "a/b" || len(s.files) != len(files)+1 {
			t.Errorf("seed %d: %d files, the first is %s", seed, len(s.files), s.files[0].Name)
		}
		if n := len(of); n < 200 || n > 300 {
			t.Errorf("seed %d: %d of 500 files are held out", seed, n)
		}
		if k := s.sources[0]; k != (ProfileSource{Source: fingerprint.Case, SeenFiles: 1, SeenQueries: 1}) || s.sources[1].HeldFiles != s.sources[2].HeldFiles {
			t.Errorf("seed %d: got %+v", seed, s.sources)
		}
		return of
	}
	one, again, other := held(1), held(1), held(2)
	if diff := cmp.Diff(one, again); diff != "" {
		t.Errorf("the halves of one seed differ:\n%s", diff)
	}
	if cmp.Equal(one, other) {
		t.Error("two seeds have the same halves")
	}
}
