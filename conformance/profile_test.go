package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/subjects"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/longtest"
)

// notTold lists the points at which the answers do not show the choice of a named
// interpretation, by interpretation and point, with the reason. No case can show
// it there, because the choices behave alike given the choices at the other
// points. The test fails if a listed point is determined, or an unlisted one is
// not.
var notTold = map[string]map[string]string{
	"google": {
		"unusable-agent-line": "control octets are kept and an empty value names the empty agent, so that every such line can be used",
		"url-part":            "its own way to cut a URL always ends at the fragment",
		"first-octet":         "it takes mailto:a@foo.test for a URL without a path, so that every path begins with a slash",
	},
	"koster-1996": {
		"stacked-agents":    "a blank line ends a group, and the cases have one between groups",
		"plus-sign":         "it drops the query, and only queries of the cases have plus signs",
		"reserved-octets":   "only %2F is not decoded, and slashes delimit wherever it looks, as it drops the query",
		"literal-specials":  "nothing is special, and escapes of stars and dollar signs are decoded",
		"escaped-specials":  "nothing is special",
		"malformed-escapes": "where all escapes are decoded a lone percent sign is what %25 is decoded to",
		"leading-star":      "a star is not special and begins no path",
		"agent-groups":      "no name is a part of another, so that the first group that fits is the first of the best",
		"index-html":        "it adds a rule that ends in a dollar sign, which is not special",
		"wildcard-search":   "nothing is special",
		"specificity":       "the first match decides",
		"tie":               "the first match decides",
	},
	"standard-1994": {
		"stacked-agents":  "a blank line ends a group, and the cases have one between groups",
		"no-match":        "there are no allow lines",
		"url-part":        "with the fragment no other rules match, as each is the beginning of a path",
		"leading-star":    "a star is not special and begins no path",
		"index-html":      "it adds a rule that ends in a dollar sign, which is not special",
		"wildcard-search": "nothing is special",
		"precedence":      "there are no allow lines: the longest rule and any rule forbid alike",
		"specificity":     "there are no allow lines: all rules forbid",
		"tie":             "there are no allow lines: all rules forbid",
	},
}

// TestProfileNamed profiles the reference under each named interpretation. The
// profile must have exactly the choices of the interpretation, without
// contradictions.
func TestProfileNamed(t *testing.T) {
	t.Parallel()
	for _, name := range reference.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "koster-1996" || name == "standard-1994" {
				longtest.Skip(t, "its many deviations take most of the time, and the others take the same steps")
			}
			subject, err := impl.Reference(name, impl.InProcessOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer subject.Close()
			all := Profile(context.Background(), spec.Default(), []impl.Subject{subject}, ProfileOptions{})
			p := &all.Subjects[0]
			in := mustNamed(name)
			for i, point := range reference.Points() {
				of, choice := &p.Points[i], in.Choice(point)
				reason, known := notTold[name][point.String()]
				switch {
				case of.Status == Clear && of.Takes(choice):
					if known {
						t.Errorf("%s is told by now, though %q: take it out of notTold", point, reason)
					}
				case !known || of.Status != Masked && (of.Status != Undistinguished || !of.Takes(choice)):
					t.Errorf("%s: got %v, %s, %d of %d, want %s", point, of.Choices, of.Status, of.Agree, of.Total, choice)
				}
			}
			if p.Predicted != p.Asked || p.Asked != all.Sources[0].SeenQueries || len(p.Unexplained) > 0 {
				t.Errorf("%d of %d answers predicted, %d asked, unexplained: %v", p.Predicted, p.Asked, all.Sources[0].SeenQueries, p.Unexplained)
			}
			if got := p.Distances[0]; got.Interpretation != name || got.Same != p.Asked || len(got.Points) > 0 {
				t.Errorf("nearest is %+v", got)
			}
		})
	}
}

// shortOnly returns the specification without the cases with long files, which
// take much of the time.
func shortOnly() *spec.Data {
	data := *spec.Default()
	data.Cases = slices.DeleteFunc(slices.Clone(data.Cases), func(c spec.Case) bool { return len(c.Robots) > 4<<10 })
	return &data
}

// asIf returns a subject that answers under an interpretation chosen for each
// file.
func asIf(choose func(robots []byte) reference.Interpretation) impl.Subject {
	parse := func(robots []byte) (func(agent, url string) spec.Answer, error) {
		return impl.ParseReference(reference.New(choose(robots)))(robots)
	}
	return impl.InProcess(spec.SubjectInfo{Name: "fake"}, parse, impl.InProcessOptions{})
}

func profile(t *testing.T, s impl.Subject) *SubjectProfile {
	t.Helper()
	defer s.Close()
	return &Profile(context.Background(), shortOnly(), []impl.Subject{s}, ProfileOptions{}).Subjects[0]
}

func profileAt(t *testing.T, p *SubjectProfile, point reference.Point) *PointProfile {
	t.Helper()
	if got := p.Points[point].Point; got != point.String() {
		t.Fatalf("point %s stands in the place of %s", got, point)
	}
	return &p.Points[point]
}

// TestProfileContradiction profiles a subject for which a blank line ends a
// group in every other file.
func TestProfileContradiction(t *testing.T) {
	t.Parallel()
	changed := reference.RFC9309()
	changed[reference.BlankLine] = reference.BlankLineEndsRecord
	choose := func(robots []byte) reference.Interpretation {
		if len(robots)%2 == 0 {
			return changed
		}
		return reference.RFC9309()
	}
	p := profile(t, asIf(choose))
	of := profileAt(t, p, reference.BlankLine)
	if of.Status != Inconsistent || of.Agree >= of.Total || of.Agree*2 < of.Total || len(of.Against) != of.Total-of.Agree {
		t.Errorf("got %+v, want an inconsistent point", of)
	}
	one, other, ok := of.Contradiction()
	if !ok {
		t.Fatalf("no contradiction in %+v", of)
	}
	for _, w := range []Witness{one, other} {
		c := spec.Default().Case(w.Case)
		// Several choices may give the answer, but only one of these two.
		fits := [2]bool{slices.Contains(w.Fits, "no-effect"), slices.Contains(w.Fits, "ends-record")}
		ends := choose(c.Robots) == changed
		if fits != [2]bool{!ends, ends} {
			t.Errorf("%s fits %v, where the record ends: %t", w.Case, w.Fits, ends)
		}
	}
	for i := range p.Points {
		if o := &p.Points[i]; o.Status == Inconsistent && o.Point != of.Point {
			t.Errorf("%s is inconsistent too: %+v", o.Point, o)
		}
	}
}

// TestProfileMasked profiles subjects whose choice at one point masks another
// point.
func TestProfileMasked(t *testing.T) {
	t.Parallel()
	tests := []struct {
		point  reference.Point
		choice reference.Choice
		masks  []reference.Point
	}{
		{reference.AllowLines, reference.AllowLinesUnknown, []reference.Point{reference.Tie, reference.Specificity}},
		{reference.Precedence, reference.PrecedenceAnyDisallow, []reference.Point{reference.Tie, reference.Specificity}},
	}
	for _, tt := range tests {
		in := reference.RFC9309()
		in[tt.point] = tt.choice
		p := profile(t, asIf(func([]byte) reference.Interpretation { return in }))
		for _, masked := range tt.masks {
			want := &PointProfile{Point: masked.String(), Status: Masked, MaskedBy: tt.point.String()}
			if diff := cmp.Diff(want, profileAt(t, p, masked)); diff != "" {
				t.Errorf("%s differs (-want +got):\n%s", masked, diff)
			}
		}
	}
}

// TestProfileUnanswered profiles a subject that crashes on bytes beyond ASCII and
// one that supports no query.
func TestProfileUnanswered(t *testing.T) {
	t.Parallel()
	dies := asIf(func(robots []byte) reference.Interpretation {
		if !bytes.ContainsFunc(robots, func(r rune) bool { return r > 0x7F }) {
			return reference.RFC9309()
		}
		panic("not ASCII")
	})
	p := profile(t, dies)
	of := profileAt(t, p, reference.InvalidUTF8)
	if of.Status != Unanswered || of.Silent == 0 || of.Choices != nil {
		t.Errorf("got %+v, want no answer", of)
	}
	if p.Verdicts[spec.Crash] == 0 || p.Predicted != p.Asked-p.Verdicts[spec.Crash] {
		t.Errorf("%d of %d predicted, %v", p.Predicted, p.Asked, p.Verdicts)
	}
	mute := impl.InProcess(spec.SubjectInfo{Name: "mute"}, func([]byte) (func(agent, url string) spec.Answer, error) {
		return func(string, string) spec.Answer { return spec.Answer{Verdict: spec.Unsupported} }, nil
	}, impl.InProcessOptions{})
	p = profile(t, mute)
	for i := range p.Points {
		if of := &p.Points[i]; of.Total > 0 || of.Silent > 0 && of.Status != Unanswered {
			t.Errorf("%+v: want no answer", of)
		}
	}
	if p.Asked != 0 || p.Predicted != 0 {
		t.Errorf("%d of %d predicted of a subject that can be asked nothing", p.Predicted, p.Asked)
	}
}

// TestProfileReference: a profile determines most points, and JSON keeps all of it.
func TestProfileReference(t *testing.T) {
	t.Parallel()
	subjects, err := subjects.Open([]string{"reference"}, "rfc9309", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer subjects[0].Close()
	all := Profile(context.Background(), spec.Default(), subjects, ProfileOptions{})
	told := 0
	for _, p := range all.Subjects[0].Points {
		if len(p.Choices) > 0 && p.Total > 0 {
			told++
		}
	}
	if told < 50 {
		t.Errorf("a choice for %d points only", told)
	}
	octets, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var back Profiles
	if err := json.Unmarshal(octets, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all, &back); diff != "" {
		t.Errorf("JSON differs (-written +read):\n%s", diff)
	}
}

func TestProfileInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := asIf(func([]byte) reference.Interpretation { return reference.RFC9309() })
	defer s.Close()
	if got := Profile(ctx, spec.Default(), []impl.Subject{s}, ProfileOptions{}); len(got.Subjects) > 0 {
		t.Errorf("a subject that was not asked has the profile %+v", got.Subjects[0])
	}
}

// BenchmarkProfile measures a profile, including the queries.
func BenchmarkProfile(b *testing.B) {
	for _, name := range subjects.Names() {
		b.Run(name, func(b *testing.B) {
			subjects, err := subjects.Open([]string{name}, "rfc9309", 0)
			if err != nil {
				b.Fatal(err)
			}
			defer subjects[0].Close()
			for b.Loop() {
				Profile(context.Background(), spec.Default(), subjects, ProfileOptions{})
			}
		})
	}
}
