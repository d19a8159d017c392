package reports

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// covered returns a result without gaps, gappy one with a gap of every kind.
func covered() *conformance.CoverageResult {
	return &conformance.CoverageResult{
		Format: 1, Version: "v0.1.0", CaseSet: "1a2b3c4d5e6f", Elapsed: 1234 * time.Millisecond,
		Mutants: []conformance.MutantCoverage{
			{
				ID: "tie/disallow", Breaks: "RFC9309-2.2.2-8", Means: "The disallow rule.", Kills: 4, Aimed: 4,
				Cases: []string{"precedence/tie-allow-first", "precedence/tie-at-root", "precedence/tie-disallow-first", "precedence/tie-not-counted"},
			},
			{
				ID: "first-rule-only", Breaks: "RFC9309-2.1-3", Means: "Only the first rule of a group counts.",
				Kills: 1, Aimed: 1, Cases: []string{"groups/several-rules"},
			},
		},
		Nulls: []conformance.MutantCoverage{{ID: "always-allow", Means: "Everything is allowed.", Kills: 4, Cases: []string{"groups/several-rules"}}},
		Cases: []conformance.CaseCoverage{{ID: "groups/several-rules", Kills: 1}, {ID: "precedence/tie-at-root", Kills: 1}},
		Requirements: []conformance.RequirementCoverage{
			{
				ID: "RFC9309-2.1-3", Document: "RFC 9309", Level: spec.LevelText,
				Judging: []string{"groups/several-rules"}, Classifying: []string{"groups/open"}, Allows: 2, Disallows: 1, Mutants: []string{"first-rule-only"},
			},
			{ID: "RFC9309-2.3.1.2-1", Document: "RFC 9309", Level: spec.LevelShould, Untested: "access: it needs a server that redirects, which takes more words than a line of this table has room for."},
			{ID: "GCC-IX-1", Document: "Google's parser", Level: spec.LevelText, Judging: []string{"google/index-html"}, Allows: 1, Disallows: 1},
		},
	}
}

func gappy() *conformance.CoverageResult {
	r := covered()
	r.Mutants = append(r.Mutants, conformance.MutantCoverage{
		ID: "star-no-slash", Breaks: "RFC9309-2.2.3-3", Means: "An asterisk | stands for any octets but slashes.",
		Witness: &conformance.CoverageWitness{Robots: "User-agent: FooBot\nDisallow: /a*b\n", Agent: "FooBot", URL: "/a/b", Want: spec.Disallow, Got: spec.Allow},
	}, conformance.MutantCoverage{
		ID: "first-4-kib", Breaks: "RFC9309-2.5-2", Means: "Only the first 4 KiB are read.",
		Witness: &conformance.CoverageWitness{Robots: strings.Repeat("-", 4096), Agent: "FooBot", URL: "/a", Want: spec.Disallow, Got: spec.Allow},
	})
	r.Cases = append(r.Cases,
		conformance.CaseCoverage{ID: "paths/nothing", Passed: []string{"always-allow"}},
		conformance.CaseCoverage{ID: "paths/hardly", Passed: []string{"always-allow", "random"}},
		conformance.CaseCoverage{ID: "paths/blunt"})
	r.Requirements = append(r.Requirements,
		conformance.RequirementCoverage{ID: "RFC9309-ABNF-path-pattern", Document: "RFC 9309", Level: spec.LevelText},
		conformance.RequirementCoverage{ID: "RFC9309-2.2.2-9", Document: "RFC 9309", Level: spec.LevelMust, Judging: []string{"paths/nothing"}, Allows: 3},
		conformance.RequirementCoverage{ID: "GCC-KEY-1", Document: "Google's parser", Level: spec.LevelText, Classifying: []string{"google/agent-keys"}, Disallows: 3},
		conformance.RequirementCoverage{ID: "D96-1\x1b", Document: "Koster 1996 draft", Level: spec.LevelText, Judging: []string{"lines/lf"}})
	return r
}

func TestCoverageReports(t *testing.T) {
	t.Parallel()
	for _, result := range []struct {
		name string
		of   func() *conformance.CoverageResult
	}{{"coverage", covered}, {"coverage-gaps", gappy}, {"coverage-nothing", func() *conformance.CoverageResult { return &conformance.CoverageResult{} }}} {
		goldenStyles(t, result.name, true, Options{}, func(o Options) doc.Document { return Coverage(result.of(), o) })
		t.Run(result.name+"-json", func(t *testing.T) {
			t.Parallel()
			want := result.of()
			var out bytes.Buffer
			if err := WriteJSON(&out, CoverageData(want)); err != nil {
				t.Fatal(err)
			}
			var got struct {
				conformance.CoverageResult
				Problems []conformance.CoverageProblem
			}
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, &got.CoverageResult, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the result does not survive JSON (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want.Problems(), got.Problems, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the problems do not survive JSON (-want +got):\n%s", diff)
			}
		})
	}
}
