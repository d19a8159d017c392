package conformance_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// reads returns the reference with changes to RFC 9309 as a subject.
func reads(changes ...reference.Change) impl.Subject {
	return impl.InProcess(spec.SubjectInfo{Name: "mine"}, impl.ParseReference(reference.New(reference.With(changes...))), impl.InProcessOptions{})
}

// suite runs the cases that keep selects on a subject.
func suite(t *testing.T, s impl.Subject, o conformance.Options, keep func(*spec.Case) bool) *conformance.Result {
	data := spec.Default()
	var cases []spec.Case
	for i := range data.Cases {
		if keep(&data.Cases[i]) {
			cases = append(cases, data.Cases[i])
		}
	}
	return conformance.Run(context.WithoutCancel(t.Context()), data, cases, []impl.Subject{s}, o)
}

func every(*spec.Case) bool { return true }

// causesOf counts the failed checks by their causes, "" for none.
func causesOf(r *conformance.Result) map[string]int {
	all := map[string]int{}
	for _, c := range r.Cases {
		for _, check := range c.Outcomes[0].Checks {
			switch {
			case check.Status == conformance.Fail && len(check.Causes) > 0:
				for _, cause := range check.Causes {
					all[cause]++
				}
			case check.Status == conformance.Fail:
				all[""]++
			}
		}
	}
	return all
}

// TestCauses: a run names the choices in which a parser differs, and counts the
// failures of each.
func TestCauses(t *testing.T) {
	t.Parallel()
	first := reference.Change{Point: reference.Precedence, Choice: reference.PrecedenceFirst}
	fold := reference.Change{Point: reference.PathCase, Choice: reference.PathCaseInsensitive}
	r := suite(t, reads(first, fold), conformance.Options{}, every)
	s := r.Subjects[0]
	if len(s.Causes) != 2 || s.Explained != s.Checks[conformance.Fail] || s.Explained == 0 {
		t.Fatalf("%d of %d failures explained by %v", s.Explained, s.Checks[conformance.Fail], s.Causes)
	}
	counted := map[string]int{}
	for _, c := range s.Causes {
		if c.Or != nil || c.Known > 0 {
			t.Errorf("cause %+v", c)
		}
		counted[c.Choice] = c.Failures
	}
	if diff := cmp.Diff(causesOf(r), counted); diff != "" || counted[first.String()] == 0 || counted[fold.String()] == 0 {
		t.Errorf("the counts differ from the checks (-checks +counts):\n%s", diff)
	}
}

// TestKnownCauses: failures that the baseline lists have causes, and count as known.
func TestKnownCauses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "known.yaml")
	first := reference.Change{Point: reference.Precedence, Choice: reference.PrecedenceFirst}
	if _, err := conformance.UpdateBaseline(path, "takes the first", suite(t, reads(first), conformance.Options{}, every)); err != nil {
		t.Fatal(err)
	}
	known, err := conformance.LoadBaseline(path)
	if err != nil {
		t.Fatal(err)
	}
	s := suite(t, reads(first), conformance.Options{Baseline: known}, every).Subjects[0]
	if n := s.Checks[conformance.Known]; n == 0 || len(s.Causes) != 1 || s.Causes[0].Failures != n || s.Causes[0].Known != n {
		t.Errorf("%d known failures, causes %+v", n, s.Causes)
	}
}

// TestOtherChoices: a choice that fails no case is named too, if answers to cases on
// its question show it.
func TestOtherChoices(t *testing.T) {
	t.Parallel()
	covered := reference.Change{Point: reference.Specificity, Choice: reference.SpecificityCoveredOctets}
	fold := reference.Change{Point: reference.PathCase, Choice: reference.PathCaseInsensitive}
	s := suite(t, reads(covered, fold), conformance.Options{}, every).Subjects[0]
	if diff := cmp.Diff([]string{covered.String()}, s.OtherChoices); diff != "" || len(s.Causes) != 1 {
		t.Errorf("causes %v, other choices (-want +got):\n%s", s.Causes, diff)
	}
}

// TestCausesUnder: the choices are deviations from the interpretation by which the run
// judges.
func TestCausesUnder(t *testing.T) {
	t.Parallel()
	r := suite(t, reads(), conformance.Options{Interpretation: "google"}, every)
	google, rfc9309 := reference.Google(), reference.RFC9309()
	for _, c := range r.Subjects[0].Causes {
		var change reference.Change
		if err := change.UnmarshalText([]byte(c.Choice)); err != nil || rfc9309[change.Point] != change.Choice || google[change.Point] == change.Choice {
			t.Errorf("cause %s of the reference under rfc9309, judged by google: %v", c.Choice, err)
		}
	}
	if r.Subjects[0].Explained == 0 || causesOf(r)[""] > 0 {
		t.Errorf("explained %d, %d are not", r.Subjects[0].Explained, causesOf(r)[""])
	}

	// What no selected case shows is not named.
	cr := reference.Change{Point: reference.LineEnds, Choice: reference.LineEndsLFOnly}
	r = suite(t, reads(append(google.Deviations(), cr)...), conformance.Options{Interpretation: "google"}, func(c *spec.Case) bool { return c.ID == "lines/cr" })
	if s := r.Subjects[0]; len(s.Causes) != 1 || s.OtherChoices != nil {
		t.Errorf("causes %+v, other choices %v", s.Causes, s.OtherChoices)
	}
}

// TestCausesOfWrongCase: no choice is the cause of a failure that the reference shares.
func TestCausesOfWrongCase(t *testing.T) {
	t.Parallel()
	first := reference.Change{Point: reference.Precedence, Choice: reference.PrecedenceFirst}
	const wrong = "paths/prefix"
	data := *spec.Default()
	data.Cases = slices.Clone(data.Cases)
	for i := range data.Cases {
		c := &data.Cases[i]
		if c.Expect = slices.Clone(c.Expect); c.ID == wrong {
			for k := range c.Expect {
				c.Expect[k].Verdict = map[spec.Verdict]spec.Verdict{spec.Allow: spec.Disallow, spec.Disallow: spec.Allow}[c.Expect[k].Verdict]
			}
		}
	}
	r := conformance.Run(t.Context(), &data, data.Cases, []impl.Subject{reads(first)}, conformance.Options{})
	failed := 0
	for _, c := range r.Cases {
		for _, check := range c.Outcomes[0].Checks {
			if c.ID == wrong && check.Status == conformance.Fail {
				if failed++; check.Causes != nil {
					t.Errorf("%s: %v", c.ID, check.Causes)
				}
			}
		}
	}
	if s := r.Subjects[0]; failed == 0 || s.Explained != s.Checks[conformance.Fail]-failed {
		t.Errorf("%d failures of the wrong case; %d of all %d are explained", failed, s.Explained, s.Checks[conformance.Fail])
	}
}

// TestCausesRefuted: a choice that explains one failure is not named if other answers
// are against it, and an answer that no choice gives has no cause.
func TestCausesRefuted(t *testing.T) {
	t.Parallel()
	const broken = "precedence/longer-allow-wins"
	parse := impl.ParseReference(reference.New(reference.RFC9309()))
	wrong := string(spec.Default().Case(broken).Robots)
	subject := impl.InProcess(spec.SubjectInfo{Name: "mine"}, func(robots []byte) (func(agent, url string) spec.Answer, error) {
		match, err := parse(robots)
		if string(robots) != wrong || err != nil {
			return match, err
		}
		return func(agent, url string) spec.Answer {
			return spec.Allowed(match(agent, url).Verdict != spec.Allow)
		}, nil
	}, impl.InProcessOptions{})
	r := suite(t, subject, conformance.Options{}, every)
	if failed := r.Subjects[0].Checks[conformance.Fail]; failed == 0 || causesOf(r)[""] != failed || r.Subjects[0].Causes != nil {
		t.Errorf("%d failures, causes %v", failed, r.Subjects[0].Causes)
	}
}

// TestCausesAlternatives: if few cases run, several choices may explain a failure.
func TestCausesAlternatives(t *testing.T) {
	t.Parallel()
	first := reference.Change{Point: reference.Precedence, Choice: reference.PrecedenceFirst}
	all := suite(t, reads(first), conformance.Options{}, every)
	i := slices.IndexFunc(all.Cases, func(c conformance.CaseResult) bool { return c.Outcomes[0].Status == conformance.Fail })
	r := suite(t, reads(first), conformance.Options{}, func(c *spec.Case) bool { return c.ID == all.Cases[i].ID })
	if s := r.Subjects[0]; len(s.Causes) == 0 || len(s.Causes[0].Or) == 0 {
		t.Errorf("one case, %s, shows the choices %+v", all.Cases[i].ID, s.Causes)
	}
}
