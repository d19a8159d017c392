package conformance

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// sampleOf makes a sample of the short cases and, for each, of copies that differ
// only in a comment, so that both halves show every choice.
func sampleOf(copies int) []SampleFile {
	var all []SampleFile
	for _, c := range shortOnly().Cases {
		f := fingerprint.File{}
		for _, e := range c.Expect {
			f.Probes = append(f.Probes, e.Probe)
		}
		for n := range copies {
			f.Robots = append([]byte(strings.Repeat("#\n", n)), c.Robots...)
			all = append(all, SampleFile{File: f, Kind: []string{"generated", "real"}[n%2], Name: fmt.Sprintf("%s, copy %d", c.ID, n)})
		}
	}
	return all
}

func mustTake(t *testing.T, sample []SampleFile, subjects ...impl.Subject) *Fingerprints {
	t.Helper()
	for _, s := range subjects {
		defer s.Close()
	}
	return TakeFingerprints(context.Background(), sample, subjects, FingerprintOptions{Seed: 1})
}

// TestFingerprintOfReference takes the fingerprint of the reference under an
// interpretation that no parser has. It is found exactly, and predicts every
// held-out answer.
func TestFingerprintOfReference(t *testing.T) {
	t.Parallel()
	want := reference.Google()
	want[reference.StarScope] = reference.StarScopeNoMatch
	want[reference.AgentValue] = reference.AgentValueHTTPToken
	want[reference.BlankLine] = reference.BlankLineEmptyEndsRecord
	want[reference.OrphanRules] = reference.OrphanRulesEverybodyAtTop
	want[reference.Precedence] = reference.PrecedenceFirst
	sample := sampleOf(4)
	all := mustTake(t, sample, asIf(func([]byte) reference.Interpretation { return want }))
	f := &all.Subjects[0]
	if f.Held.Predicted != f.Held.Answered || f.Held.Answered == 0 || len(f.Missed) > 0 || len(f.Gaps) > 0 {
		t.Errorf("%d of %d held-out answers predicted, gaps %+v", f.Held.Predicted, f.Held.Answered, f.Gaps)
	}
	n := 0
	for i, k := range all.Sample {
		if f.Kinds[i] != (Predicted{k.HeldQuestions, k.HeldQuestions}) {
			t.Errorf("%s: got %+v of %+v", k.Kind, f.Kinds[i], k)
		}
		n += k.HeldQuestions
	}
	if n != f.Held.Answered {
		t.Errorf("%d questions were held out, %d answered", n, f.Held.Answered)
	}
	for _, p := range reference.Points() {
		got := f.Interpretation[p.String()]
		if got != want.Choice(p) && shows(sample, want, p, got) {
			t.Errorf("%s: found %s, want %s", p, got, want.Choice(p))
		}
	}
	for _, d := range f.Deviations {
		if d.For == 0 || d.Against > 0 || d.Witness == nil || d.Witness.Probe == "" {
			t.Errorf("the evidence is %+v", d)
		}
	}
}

// shows reports whether any answer distinguishes the choice at the point from the
// choice of in.
func shows(sample []SampleFile, in reference.Interpretation, p reference.Point, choice string) bool {
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

// TestFingerprintGaps takes the fingerprint of a subject that makes another
// choice in a few files, and does not answer in others. The former answers are
// missed and attributed to the choice; the latter count in no share.
func TestFingerprintGaps(t *testing.T) {
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
	sample := sampleOf(1)
	probes := []spec.Probe{{Agent: "FooBot", URL: "http://foo.test/a"}, {Agent: "FooBot", URL: "http://foo.test/b"}}
	// One held-out file of each kind.
	for _, robots := range []string{odd, lost} {
		for !isHeld(1, []byte(robots)) {
			robots += "#\n"
		}
		sample = append(sample, SampleFile{Kind: "generated", Name: robots[len(robots)-4:], File: fingerprint.File{Robots: []byte(robots), Probes: probes}})
	}
	all := mustTake(t, sample, subject)
	f := &all.Subjects[0]
	if len(f.Deviations) > 0 || f.Held.Answered-f.Held.Predicted != 1 || f.Verdicts[spec.Crash] != len(probes) {
		t.Errorf("got %+v, %+v, %+v", f.Deviations, f.Held, f.Verdicts)
	}
	if all.Sample[0].HeldQuestions != f.Held.Answered+len(probes) {
		t.Errorf("%d questions were held out and %d answered, want %d less", all.Sample[0].HeldQuestions, f.Held.Answered, len(probes))
	}
	want := []Gap{{Point: "tie", Choice: "disallow", Answers: 1, Witnesses: []Missed{{
		SampleQuestion: SampleQuestion{Kind: "generated", Probe: "FooBot /a"}, Got: spec.Disallow, Predicted: spec.Allow,
	}}}}
	opts := cmp.Options{cmpopts.IgnoreFields(SampleQuestion{}, "Robots", "File")}
	if diff := cmp.Diff(want, f.Gaps, opts); diff != "" {
		t.Errorf("gaps differ (-want +got):\n%s", diff)
	}
}

// TestHalves checks that the split depends only on bytes and seed: equal files
// are in the same half even if their names differ, known files are never held
// out, and about half of all other files are.
func TestHalves(t *testing.T) {
	t.Parallel()
	var sample []SampleFile
	probes := []spec.Probe{{Agent: "FooBot", URL: "http://foo.test/"}}
	for n := range 1000 {
		f := SampleFile{Kind: "real", File: fingerprint.File{Robots: fmt.Appendf(nil, "# %d\n", n/2), Probes: probes}}
		if n%2 == 1 {
			f.Kind = "generated"
		}
		sample = append(sample, f)
	}
	known := SampleFile{Kind: "case", Known: true, File: fingerprint.File{Robots: []byte("# known\n"), Probes: probes}}
	sample = append(sample, known)
	held := func(seed uint64) map[string]bool {
		s := splitSample(sample, seed)
		of := map[string]bool{}
		for _, f := range s.held.files {
			of[string(f.Robots)] = true
		}
		for _, f := range s.seen.files {
			if of[string(f.Robots)] {
				t.Errorf("seed %d: %q is on both sides", seed, f.Robots)
			}
		}
		if of[string(known.Robots)] || len(s.held.files)+len(s.seen.files) != len(sample) {
			t.Errorf("seed %d: %d and %d of %d, the known one held out: %t", seed, len(s.held.files), len(s.seen.files), len(sample), of[string(known.Robots)])
		}
		if n := len(of); n < 200 || n > 300 {
			t.Errorf("seed %d: %d of 500 files are held out", seed, n)
		}
		if k := s.kinds[2]; k != (SampleKind{Kind: "case", SeenFiles: 1, SeenQuestions: 1}) || s.kinds[0].HeldFiles != s.kinds[1].HeldFiles {
			t.Errorf("seed %d: got %+v", seed, s.kinds)
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
