package mutant

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/plain"
	"github.com/repcheck/repcheck/spec"
)

// TestModel: without a fault, the model answers every query of every case like the
// reference. So its fault is the only mistake of a mutant.
func TestModel(t *testing.T) {
	t.Parallel()
	right, model := ask(reference.New(reference.RFC9309())), answers(plain.New())
	for _, c := range spec.Default().Cases {
		want, err := right(c.Robots)
		if err != nil {
			t.Fatal(err)
		}
		got, err := model(c.Robots)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		for _, e := range c.Expect {
			if diff := cmp.Diff(want(e.Agent, e.URL), got(e.Agent, e.URL)); diff != "" {
				t.Errorf("%s: %s (-reference +model):\n%s", c.ID, e.ID(), diff)
			}
		}
	}
}

// TestWitnesses: every mutant gives the wrong answer of its witness, and the
// reference and a model without a fault give the correct one.
func TestWitnesses(t *testing.T) {
	t.Parallel()
	right, model := ask(reference.New(reference.RFC9309())), answers(plain.New())
	for _, m := range All() {
		t.Run(m.ID, func(t *testing.T) {
			t.Parallel()
			w := m.Witness
			if w.Want == w.Got || !w.Want.Decided() {
				t.Fatalf("no witness: wants %s, gets %s", w.Want, w.Got)
			}
			for _, asked := range []struct {
				name  string
				parse func([]byte) (func(agent, url string) spec.Answer, error)
				want  spec.Verdict
			}{{"reference", right, w.Want}, {"model", model, w.Want}, {"mutant", m.Parse, w.Got}} {
				got := spec.Reject
				if answer, err := asked.parse(w.Robots); err == nil {
					got = answer(w.Agent, w.URL).Verdict
				}
				if got != asked.want {
					t.Errorf("the %s answers %s, want %s", asked.name, got, asked.want)
				}
			}
		})
	}
}

// TestIDs: IDs are unique, and cases can test the requirements that mutants break.
func TestIDs(t *testing.T) {
	t.Parallel()
	data := spec.Default()
	valid := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*(/[a-z0-9]+(-[a-z0-9]+)*)?$`)
	seen := map[string]bool{}
	for _, m := range append(All(), Nulls()...) {
		if !valid.MatchString(m.ID) || seen[m.ID] {
			t.Errorf("%s: the ID is no unique one in small letters, digits and hyphens", m.ID)
		}
		seen[m.ID] = true
		if m.Means == "" || m.Parse == nil {
			t.Errorf("%s means or parses nothing", m.ID)
		}
		if m.Witness.Want == "" {
			continue // a null model
		}
		q := data.Requirement(m.Breaks)
		if q == nil || q.Document != "RFC 9309" || q.Untested != "" {
			t.Errorf("%s breaks %q, which is no requirement of RFC 9309 that can be tested", m.ID, m.Breaks)
		}
	}
}

// TestNulls: the null models answer as described, and the random one gives the same
// answer twice.
func TestNulls(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"always-allow": "allow", "always-disallow": "disallow", "by-length": "disallow",
		"random": "allow", "garbage": "perhaps", "crash": "panic", "sleep": "late",
	}
	got := map[string]string{}
	for _, n := range Nulls() {
		func() {
			defer func() {
				if recover() != nil {
					got[n.ID] = "panic"
				}
			}()
			for range 2 {
				answer, err := n.Parse([]byte("User-agent: *\n"))
				if err != nil {
					t.Fatal(err)
				}
				verdict := string(answer("FooBot", "http://foo.test/a").Verdict)
				if before := got[n.ID]; before != "" && before != verdict {
					t.Errorf("%s says %s, then %s", n.ID, before, verdict)
				}
				got[n.ID] = verdict
			}
		}()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the answers differ (-want +got):\n%s", diff)
	}
}
