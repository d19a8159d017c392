package fuzz

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// asking returns a parser that answers under an interpretation.
func asking(in reference.Interpretation) func(Witness) spec.Verdict {
	return func(w Witness) spec.Verdict { return reading.New(w.Robots).Verdict(in, w.Probe) }
}

// A right cause is confirmed by queries that tell it from every rival; a wrong one,
// which explains the witness as well, is refuted.
func TestHypothesis(t *testing.T) {
	t.Parallel()
	w := Witness{Robots: []byte("User-agent: *\nDisallow: /\nAllow: /a\n"), Probe: fooBot("/a")}
	tests := []struct{ name, parser, own, cause, other string }{
		{"nothing else is known", "precedence=first", "", "precedence=first", "precedence=any-disallow"},
		{"in the fingerprint", "precedence=first keys=google", "precedence=first keys=google", "precedence=first", "allow-lines=unknown"},
		{"instead of the fingerprint", "precedence=first", "precedence=any-disallow", "precedence=first", "allow-lines=unknown"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ask := asking(interpreting(t, tt.parser))
			right := newHypothesis(cause(t, tt.own), cause(t, tt.cause), []Cause{cause(t, tt.other)})
			done, refuted := right.test(t.Context(), w, 8, ask)
			if refuted || len(done) != 8 {
				t.Errorf("%d experiments, refuted: %t", len(done), refuted)
			}
			told := map[string]int{}
			for i, e := range done {
				if e.Got != e.Predicted || e.Got != ask(e.Witness) || len(e.Rivals) == 0 {
					t.Errorf("experiment %d: %+v", i, e)
				}
				if slices.ContainsFunc(done[:i], func(o Experiment) bool { return o.Witness.Compare(e.Witness) == 0 }) {
					t.Errorf("experiment %d was made before", i)
				}
				for _, name := range e.Rivals {
					told[name]++
				}
			}
			for _, rival := range right.rivals {
				if told[rival.name] == 0 {
					t.Errorf("nothing tells %s from %s: %v", tt.cause, rival.name, told)
				}
			}
			wrong := newHypothesis(cause(t, tt.own), cause(t, tt.other), []Cause{cause(t, tt.cause)})
			done, refuted = wrong.test(t.Context(), w, 8, ask)
			if last := len(done) - 1; !refuted || done[last].Got == done[last].Predicted {
				t.Errorf("%s is not refuted by %+v", tt.other, done)
			}
			again, _ := wrong.test(t.Context(), w, 8, ask)
			if diff := cmp.Diff(done, again); diff != "" {
				t.Errorf("the experiments of the same witness differ:\n%s", diff)
			}
		})
	}
}

// Answers without a verdict neither confirm nor refute, and a long witness has no
// neighbours.
func TestHypothesisWithoutAnswers(t *testing.T) {
	t.Parallel()
	h := newHypothesis(nil, cause(t, "precedence=first"), nil)
	w := Witness{Robots: []byte("User-agent: *\nDisallow: /\nAllow: /a\n"), Probe: fooBot("/a")}
	asked := 0
	done, refuted := h.test(t.Context(), w, 8, func(Witness) spec.Verdict { asked++; return spec.Crash })
	if len(done) > 0 || refuted || asked != maxSilent {
		t.Errorf("%d experiments of %d queries, refuted: %t", len(done), asked, refuted)
	}
	w.Robots = append(w.Robots, hay(maxNear/10)...)
	if done, refuted = h.test(t.Context(), w, 8, asking(reference.RFC9309())); len(done) > 0 || refuted {
		t.Errorf("a witness of %d bytes has %d experiments", len(w.Robots), len(done))
	}
}

// A finding whose causes are all refuted is unexplained and keeps the experiments.
// It survives JSON.
func TestRecorderRefuted(t *testing.T) {
	t.Parallel()
	// The first rule decides, but only for one crawler.
	first := impl.ParseReference(reading.Parser(flip(reference.Precedence, reference.PrecedenceFirst)))
	plain := impl.ParseReference(reading.Parser(reference.RFC9309()))
	r := recorderOf(t, []impl.Subject{parserOfLineage(t, "short", "", func(robots []byte) (func(agent, url string) spec.Answer, error) {
		one, _ := first(robots)
		other, err := plain(robots)
		return func(agent, url string) spec.Answer {
			if agent == "FooBot" {
				return one(agent, url)
			}
			return other(agent, url)
		}, err
	})})
	robots := "User-agent: *\nDisallow: /\nAllow: /a\n"
	tally, found := try(t, r, robots, fooBot("/a"))
	if len(found) != 1 || found[0].Kind != UnexplainedAnswer || len(found[0].Refuted) == 0 || found[0].Hits["short"] != 1 {
		t.Fatalf("%+v", found)
	}
	f := found[0]
	for _, refuted := range f.Refuted {
		if e := refuted.Experiment; e.Got == e.Predicted || reading.New(e.Witness.Robots).Verdict(reference.With(refuted.Cause...), e.Witness.Probe) != e.Predicted {
			t.Errorf("%s is refuted by %+v", refuted.Cause, e)
		}
	}
	if want := "short: disallow instead of allow, unexplained"; f.Title() != want {
		t.Errorf("the title is %q, want %q", f.Title(), want)
	}
	sameTally(t, Tally{Inputs: 1, Queries: 1, Answers: 1, Deviations: 1, Refuted: 1, New: ids(found)}, tally)
	tally, again := try(t, r, robots, fooBot("/a"))
	if len(again) != 1 || again[0].ID() != f.ID() {
		t.Errorf("%+v", again)
	}
	sameTally(t, Tally{Inputs: 1, Queries: 1, Answers: 1, Deviations: 1, Refuted: 1, Known: 1}, tally)

	// If the fingerprint's sample contradicts a change, the finding names it.
	r.explainer.Propose(0, nil, cause(t, "precedence=first"))
	if _, more := try(t, r, robots, fooBot("/a")); len(more) != 2 || more[0].Title() != "short: resembles precedence=first (refuted)" && more[1].Title() != "short: resembles precedence=first (refuted)" {
		t.Errorf("%+v", titles(more))
	}
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var back Finding
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f, back); diff != "" {
		t.Error(diff)
	}
}

// An answer that the parser does not repeat, or that comes with others about the
// same file that nothing predicts, refutes nothing.
func TestHypothesisSpoiled(t *testing.T) {
	t.Parallel()
	w := Witness{Robots: []byte("User-agent: *\nDisallow: /\nAllow: /a\n"), Probe: fooBot("/a")}
	h, first := newHypothesis(nil, cause(t, "precedence=first"), nil), asking(flip(reference.Precedence, reference.PrecedenceFirst))
	for name, ask := range map[string]func(Witness) spec.Verdict{
		"allows all in files with several groups": func(w Witness) spec.Verdict {
			if strings.Count(string(w.Robots), "User-agent") > 1 {
				return spec.Allow
			}
			return first(w)
		},
		"every third answer is another": func() func(Witness) spec.Verdict {
			n := 0
			return func(w Witness) spec.Verdict {
				if n++; n%3 == 0 {
					return map[spec.Verdict]spec.Verdict{spec.Allow: spec.Disallow, spec.Disallow: spec.Allow}[first(w)]
				}
				return first(w)
			}
		}(),
	} {
		if done, refuted := h.test(t.Context(), w, 8, ask); refuted {
			t.Errorf("%s: refuted by %+v", name, done[len(done)-1])
		}
	}
}
