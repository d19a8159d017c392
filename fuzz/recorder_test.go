package fuzz

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

func TestRecorder(t *testing.T) {
	t.Parallel()
	calls := 0
	r := &Recorder{
		Differ: NewDiffer([]impl.Subject{
			subject(t, "reference", reference.RFC9309),
			subject(t, "first", flip(reference.Precedence, reference.PrecedenceFirst)),
			answering(t, "moody", func(_, url string) spec.Answer {
				if calls++; strings.HasSuffix(url, "/moody") && calls == 3 {
					return spec.Answer{Verdict: spec.Reject, Detail: "not today"}
				}
				return spec.Answer{Verdict: spec.Unsupported}
			}),
		}),
		Store: openStore(t, t.TempDir()),
		Seed:  7,
	}
	robots := []byte(hay(2) + "User-agent: *\nDisallow: /\nAllow: /public\n")
	probes := []spec.Probe{
		{Agent: "FooBot", URL: "http://foo.test/"}, {Agent: "HayBot", URL: "http://foo.test/public"}, {Agent: "FooBot", URL: "http://foo.test/moody"},
		{Agent: "FooBot", URL: "http://foo.test/public/1"}, {Agent: "FooBot", URL: "http://foo.test/public/2"},
	}
	tally, err := r.Try(t.Context(), robots, probes)
	if err != nil {
		t.Fatal(err)
	}
	found, err := r.Store.List()
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	f := found[0]
	want := Finding{
		Signature: Signature{Classes: []Class{
			{Verdict: spec.Allow, Subjects: []string{"reference"}, Voices: 1}, {Verdict: spec.Disallow, Subjects: []string{"first"}, Voices: 1},
		}},
		Witness: Witness{Robots: []byte("User-agent: *\nDisallow: /\nAllow: /\n"), Probe: spec.Probe{Agent: "FooBot", URL: "http://foo.test/"}},
		Answers: []SubjectAnswer{
			{Subject: "reference", Version: "v1", Answer: spec.Answer{Verdict: spec.Allow, Line: 3, Pattern: "/"}},
			{Subject: "first", Version: "v1", Answer: spec.Answer{Verdict: spec.Disallow, Line: 2, Pattern: "/"}},
			{Subject: "moody", Answer: spec.Answer{Verdict: spec.Unsupported}},
		},
		Causes: map[string][]Cause{"first": Explain(f.Witness, spec.Disallow)},
		Hits:   2, First: f.First, Last: f.Last, Seed: 7,
	}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Tally{Probes: 5, Disagreements: 3, New: []string{f.ID()}, Unsteady: 1}, tally); diff != "" {
		t.Error(diff)
	}
}
