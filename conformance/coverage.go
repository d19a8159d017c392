package conformance

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/repcheck/repcheck/conformance/internal/mutant"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/spec"
)

// CoverageOptions select the wrong parsers that measure the cases. The zero value
// works.
type CoverageOptions struct {
	// Mutants are wrong parsers; at least one case should fail each of them.
	// Nulls are parsers that do not read the file. nil means those of package
	// mutant.
	Mutants, Nulls []mutant.Mutant
	// Progress, unless nil, is called after every mutant with the number of
	// finished mutants and of all mutants. Calls come from several goroutines,
	// one at a time.
	Progress func(done, total int)
}

// A CoverageResult measures the cases: which wrong parsers they fail, and which
// requirements they test.
type CoverageResult struct {
	// Format is the version of this format, 1.
	Format int `json:"format"`
	// Version is the version of repcheck.
	Version string `json:"version,omitempty"`
	// CaseSet is the hash of the cases.
	CaseSet string `json:"case_set"`
	// Elapsed is the time of the measurement in nanoseconds.
	Elapsed time.Duration    `json:"elapsed_ns"`
	Mutants []MutantCoverage `json:"mutants"`
	Nulls   []MutantCoverage `json:"nulls"`
	// Cases are the cases that judge under RFC 9309.
	Cases        []CaseCoverage        `json:"cases"`
	Requirements []RequirementCoverage `json:"requirements"`
}

// A MutantCoverage is one mutant, or null model, with the cases that fail it.
type MutantCoverage struct {
	ID     string `json:"id"`
	Breaks string `json:"breaks,omitempty"`
	Means  string `json:"means"`
	// Witness is a query that the mutant answers wrongly.
	Witness *CoverageWitness `json:"witness,omitempty"`
	// Kills counts the cases that fail it, Aimed those of them that test the
	// requirement it breaks.
	Kills int      `json:"kills"`
	Aimed int      `json:"aimed"`
	Cases []string `json:"cases,omitempty"`
}

// A CoverageWitness is a mutant's witness in octet notation.
type CoverageWitness struct {
	Robots string       `json:"robots"`
	Agent  string       `json:"agent"`
	URL    string       `json:"url"`
	Want   spec.Verdict `json:"want"`
	Got    spec.Verdict `json:"got"`
}

// A CaseCoverage is one case and the number of mutants that it fails.
type CaseCoverage struct {
	ID string `json:"id"`
	// Pos is the position of the case, "<file>:<line>".
	Pos string `json:"pos"`
	// Kills counts the mutants that the case fails.
	Kills int `json:"kills"`
	// Passed are the null models that pass the case.
	Passed []string `json:"passed,omitempty"`
}

// vacuous reports whether the case tests nothing: it fails no mutant, and a parser
// that does not read the file passes it. It is not enough that the case fails a null
// model, because every case fails the one that always gives the opposite verdict.
func (c *CaseCoverage) vacuous() bool { return c.Kills == 0 && len(c.Passed) > 0 }

// Coverage runs every case that judges under RFC 9309 on every mutant and null
// model, and counts the cases of each requirement. If ctx ends early, the result is
// incomplete and must not be used.
func Coverage(ctx context.Context, data *spec.Data, o CoverageOptions) *CoverageResult {
	started := time.Now()
	if o.Mutants == nil {
		o.Mutants = mutant.All()
	}
	if o.Nulls == nil {
		o.Nulls = mutant.Nulls()
	}
	cases := judgedCases(data)
	r := &CoverageResult{Format: 1, CaseSet: data.Hash, Cases: make([]CaseCoverage, len(cases))}
	for i, c := range cases {
		r.Cases[i] = CaseCoverage{ID: c.ID, Pos: c.Pos}
	}
	failed := failedBy(ctx, cases, slices.Concat(o.Mutants, o.Nulls), o.Progress)
	for i := range o.Mutants {
		r.Mutants = append(r.Mutants, mutantCoverage(&o.Mutants[i], cases, failed[i]))
		for at := range failed[i] {
			r.Cases[at].Kills++
		}
	}
	for i := range o.Nulls {
		fails := failed[len(o.Mutants)+i]
		r.Nulls = append(r.Nulls, mutantCoverage(&o.Nulls[i], cases, fails))
		for at := range r.Cases {
			if !fails[at] {
				r.Cases[at].Passed = append(r.Cases[at].Passed, o.Nulls[i].ID)
			}
		}
	}
	r.Requirements = requirementCoverage(data, r.Mutants)
	r.Elapsed = time.Since(started)
	return r
}

// judgedUnder is the interpretation that mutants deviate from.
const judgedUnder = "rfc9309"

// judgedCases returns the cases that expect a verdict under RFC 9309.
func judgedCases(data *spec.Data) []*spec.Case {
	var cases []*spec.Case
	for i := range data.Cases {
		c := &data.Cases[i]
		if !c.Classifies() && slices.ContainsFunc(c.Expect, isScored) {
			cases = append(cases, c)
		}
	}
	return cases
}

func isScored(e spec.Expectation) bool {
	_, scored := e.Want(judgedUnder)
	return scored
}

// failedBy returns, for each mutant, the indices of the cases that fail it.
func failedBy(ctx context.Context, cases []*spec.Case, mutants []mutant.Mutant, tell func(done, total int)) []map[int]bool {
	failed := make([]map[int]bool, len(mutants))
	done := newProgress(tell, len(mutants))
	impl.Each(len(mutants), runtime.GOMAXPROCS(0), func(i int) {
		failed[i] = casesFailing(ctx, cases, &mutants[i])
		done()
	})
	return failed
}

func casesFailing(ctx context.Context, cases []*spec.Case, m *mutant.Mutant) map[int]bool {
	ask := askMutant
	if m.Breaks == "" {
		// A null model may panic or hang, so it needs the harness, which costs
		// one or two copies of the file per query.
		subject := impl.InProcess(spec.SubjectInfo{Name: m.ID}, m.Parse, impl.InProcessOptions{Timeout: m.Timeout})
		defer subject.Close()
		ask = func(_ *mutant.Mutant, robots []byte, probes []spec.Probe) []spec.Answer {
			return subject.Ask(ctx, robots, probes)
		}
	}
	failed := map[int]bool{}
	var probes []spec.Probe
	for at, c := range cases {
		if ctx.Err() != nil {
			return failed
		}
		probes = probes[:0]
		for i := range c.Expect {
			probes = append(probes, c.Expect[i].Probe)
		}
		for i, answer := range ask(m, c.Robots, probes) {
			if _, status := judgeOne(&c.Expect[i], answer.Verdict, judgedUnder); status == Fail {
				failed[at] = true
			}
		}
	}
	return failed
}

// askMutant sends the probes to a mutant. Mutants do not panic, hang or change
// the file.
func askMutant(m *mutant.Mutant, robots []byte, probes []spec.Probe) []spec.Answer {
	answers := make([]spec.Answer, len(probes))
	match, err := m.Parse(robots)
	for i, p := range probes {
		if err != nil {
			answers[i] = spec.Answer{Verdict: spec.Reject, Detail: err.Error()}
		} else {
			answers[i] = match(p.Agent, p.URL)
		}
	}
	return answers
}

func mutantCoverage(m *mutant.Mutant, cases []*spec.Case, failed map[int]bool) MutantCoverage {
	r := MutantCoverage{ID: m.ID, Breaks: m.Breaks, Means: m.Means, Kills: len(failed)}
	if w := m.Witness; w.Want != "" {
		r.Witness = &CoverageWitness{
			Robots: excerpt(w.Robots), Agent: spec.EncodeInline(w.Agent), URL: spec.EncodeInline(spec.ShortURL(w.URL)),
			Want: w.Want, Got: w.Got,
		}
	}
	for at, c := range cases {
		if !failed[at] {
			continue
		}
		r.Cases = append(r.Cases, c.ID)
		if slices.Contains(c.Requirements, m.Breaks) {
			r.Aimed++
		}
	}
	return r
}
