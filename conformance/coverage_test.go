package conformance_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/conformance/internal/mutant"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/longtest"
)

// TestCoverage: the cases fail every mutant, no case is vacuous, and every
// requirement is tested both ways.
func TestCoverage(t *testing.T) {
	t.Parallel()
	longtest.Skip(t, "the script coverage.txtar runs the same measurement")
	r := conformance.Coverage(t.Context(), spec.Default(), conformance.CoverageOptions{})
	for _, p := range r.Problems() {
		t.Errorf("%s: %s", p.Kind, p)
	}
	t.Logf("%d mutants, %d cases, %v", len(r.Mutants), len(r.Cases), r.Elapsed)
}

// TestOpenReadings: RFC 9309 leaves a choice open if it does not forbid it, so no
// judging case may fail a parser that makes this choice.
func TestOpenReadings(t *testing.T) {
	t.Parallel()
	data := spec.Default()
	for _, point := range reference.Points() {
		for choice, id := range point.Choices() {
			if data.Point(point.String()).Choices[choice].Forbidden != "" {
				continue
			}
			in := reference.RFC9309()
			in[point] = reference.Choice(choice)
			parser := reference.New(in)
			whole := point.Stage() == "octets" || point.Stage() == "lines"
			for _, c := range data.Cases {
				if c.Classifies() || len(c.Robots) > 64<<10 && !whole {
					continue // large files are about these two stages
				}
				file := parser.Parse(c.Robots)
				for _, e := range c.Expect {
					want, scored := e.Want("rfc9309")
					if !scored || file.Refused() == "" && spec.Allowed(file.Test(e.Agent, e.URL).Allow).Verdict == want {
						continue
					}
					t.Errorf("%s/%s is open, but %s fails it: %s", point, id, c.ID, e.ID())
				}
			}
		}
	}
}

// smallSet has requirements whose cases expect both verdicts, expect only one, do
// not exist, and cannot exist, and a requirement of another document. It also has
// a case that no mutant fails, and a point with a case.
var smallSet = fstest.MapFS{
	"requirements/rfc.yaml": {Data: []byte(`document: RFC 9309
requirements:
  - {id: R-1, section: "2", level: MUST, layer: path-match, text: Both.}
  - {id: R-2, section: "2", level: MUST, layer: path-match, text: One.}
  - {id: R-3, section: "2", level: MUST, layer: path-match, text: None.}
  - {id: R-4, section: "2", level: MUST, layer: access, text: Never., untested: "access: it needs a server."}
  - {id: R-5, section: "2", level: MUST, layer: path-match, text: Open.}
`)},
	"requirements/google.yaml": {Data: []byte(`document: Google's parser
requirements:
  - {id: G-1, section: "2", level: text, layer: path-match, text: Another verdict.}
`)},
	"points/p.yaml": {Data: []byte(`points:
  - id: tie
    stage: decision
    question: Which?
    text: Either.
    choices: [{id: allow, means: This.}, {id: disallow, means: That.}]
    interpretations:
      rfc9309: {choice: allow, because: Yes.}
      google: {choice: disallow, because: Yes.}
      koster-rep-00: {choice: disallow, because: Yes.}
      koster-1996: {choice: disallow, because: Yes.}
      standard-1994: {choice: disallow, because: Yes.}
`)},
	"cases/2.2.2/topic.yaml": {Data: []byte(`section: "2.2.2"
cases:
  - id: topic/both
    requirements: [R-1]
    level: MUST
    rationale: It follows.
    robots: |
      User-agent: FooBot
      Disallow: /b
      Disallow: /a
    expect: [{url: /a, verdict: disallow}, {url: /c, verdict: allow}]
  - id: topic/vacuous
    requirements: [R-2]
    level: MUST
    rationale: It follows.
    robots: ""
    expect: [{url: /a, verdict: allow}]
  - id: topic/google
    requirements: [G-1]
    level: text
    rationale: It follows.
    robots: |
      User-agent: FooBot
      Allow: /a
      Disallow: /a
    expect: [{url: /a, verdict: allow, under: {google: disallow}}, {url: /c, verdict: allow}]
  - id: topic/elsewhere
    requirements: [R-1]
    level: MUST
    rationale: It is scored under another interpretation alone.
    robots: ""
    expect: [{url: /a, under: {koster-1996: allow}}]
  - id: topic/open
    point: tie
    requirements: [R-5]
    rationale: It is open.
    robots: ""
    expect: [{url: /o, choices: {allow: allow, disallow: disallow}}]
`)},
}

// TestCoverageOfSmallSet compares the whole result for a set with one gap of
// each kind.
func TestCoverageOfSmallSet(t *testing.T) {
	t.Parallel()
	data, err := spec.Load(smallSet, "small")
	if err != nil {
		t.Fatal(err)
	}
	progress := 0
	got := conformance.Coverage(t.Context(), data, conformance.CoverageOptions{
		Mutants:  pick(mutant.All(), "tie/disallow", "first-rule-only", "star-unknown"),
		Nulls:    pick(mutant.Nulls(), "always-allow", "always-disallow", "crash", "garbage", "sleep"),
		Progress: func(done, total int) { progress = 100 * done / total },
	})
	every := []string{"topic/both", "topic/vacuous", "topic/google"}
	want := &conformance.CoverageResult{
		Format: 1, CaseSet: data.Hash,
		Mutants: []conformance.MutantCoverage{
			{ID: "tie/disallow", Breaks: "RFC9309-2.2.2-8", Kills: 1, Cases: []string{"topic/google"}},
			{ID: "first-rule-only", Breaks: "RFC9309-2.1-3", Kills: 1, Cases: []string{"topic/both"}},
			{ID: "star-unknown", Breaks: "RFC9309-2.2.1-9"},
		},
		Nulls: []conformance.MutantCoverage{
			{ID: "always-allow", Kills: 1, Cases: every[:1]},
			{ID: "always-disallow", Kills: 3, Cases: every},
			{ID: "crash", Kills: 3, Cases: every},
			{ID: "garbage", Kills: 3, Cases: every},
			{ID: "sleep", Kills: 3, Cases: every},
		},
		Cases: []conformance.CaseCoverage{
			{ID: "topic/both", Kills: 1},
			{ID: "topic/vacuous", Passed: []string{"always-allow"}},
			{ID: "topic/google", Kills: 1, Passed: []string{"always-allow"}},
		},
		Requirements: []conformance.RequirementCoverage{
			{ID: "G-1", Document: "Google's parser", Level: spec.LevelText, Judging: []string{"topic/google"}, Allows: 1, Disallows: 1, Mutants: []string{"tie/disallow"}},
			{ID: "R-1", Document: "RFC 9309", Level: spec.LevelMust, Judging: []string{"topic/both", "topic/elsewhere"}, Allows: 1, Disallows: 1, Mutants: []string{"first-rule-only"}},
			{ID: "R-2", Document: "RFC 9309", Level: spec.LevelMust, Judging: []string{"topic/vacuous"}, Allows: 1},
			{ID: "R-3", Document: "RFC 9309", Level: spec.LevelMust},
			{ID: "R-4", Document: "RFC 9309", Level: spec.LevelMust, Untested: "access: it needs a server."},
			{ID: "R-5", Document: "RFC 9309", Level: spec.LevelMust, Classifying: []string{"topic/open"}, Allows: 1, Disallows: 1},
		},
	}
	ignore := cmp.Options{
		cmpopts.IgnoreFields(conformance.CoverageResult{}, "Elapsed"),
		cmpopts.IgnoreFields(conformance.MutantCoverage{}, "Means", "Witness"),
		cmpopts.IgnoreFields(conformance.CaseCoverage{}, "Pos"),
	}
	if diff := cmp.Diff(want, got, ignore); diff != "" {
		t.Errorf("the result differs (-want +got):\n%s", diff)
	}
	var problems []string
	for _, p := range got.Problems() {
		problems = append(problems, p.Kind+" "+p.ID)
	}
	if diff := cmp.Diff([]string{"survivor star-unknown", "vacuous topic/vacuous", "one-sided R-2", "untested R-3"}, problems); diff != "" {
		t.Errorf("the problems differ (-want +got):\n%s", diff)
	}
	if progress != 100 {
		t.Errorf("progress ends at %d%%", progress)
	}
	octets, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var read conformance.CoverageResult
	if err := json.Unmarshal(octets, &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, &read); diff != "" {
		t.Errorf("JSON changes the result (-want +got):\n%s", diff)
	}
}

// pick returns the mutants with these IDs.
func pick(all []mutant.Mutant, ids ...string) []mutant.Mutant {
	return slices.DeleteFunc(all, func(m mutant.Mutant) bool { return !slices.Contains(ids, m.ID) })
}

// TestCoverageInterrupted: an interrupted measurement returns at once.
func TestCoverageInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := conformance.Coverage(ctx, spec.Default(), conformance.CoverageOptions{})
	for _, m := range r.Mutants {
		if m.Kills > 0 {
			t.Errorf("%s is asked although the context has ended", m.ID)
		}
	}
}
