package conformance

import (
	"slices"

	"github.com/repcheck/repcheck/spec"
)

// A RequirementCoverage is one requirement and the cases and scenarios that test it.
type RequirementCoverage struct {
	ID       string                `json:"id"`
	Document string                `json:"document"`
	Level    spec.RequirementLevel `json:"level"`
	// Untested is the reason why no case can test it; empty if a case can.
	Untested string `json:"untested,omitempty"`
	// Judging and Classifying are the cases and scenarios that test it.
	Judging     []string `json:"judging,omitempty"`
	Classifying []string `json:"classifying,omitempty"`
	// Allows and Disallows count the verdicts that its cases expect under the
	// interpretations that its document describes. A classifying case expects the
	// verdict of the interpretation's choice.
	Allows    int `json:"allows"`
	Disallows int `json:"disallows"`
	// Mutants are the mutants that its judging cases fail.
	Mutants []string `json:"mutants,omitempty"`
}

// Tested reports whether its cases expect both verdicts.
func (q *RequirementCoverage) Tested() bool { return q.Allows > 0 && q.Disallows > 0 }

// requirementCoverage counts for each requirement the verdicts that its cases expect.
func requirementCoverage(data *spec.Data, mutants []MutantCoverage) []RequirementCoverage {
	killed := map[string][]string{} // by case
	for i := range mutants {
		for _, id := range mutants[i].Cases {
			killed[id] = append(killed[id], mutants[i].ID)
		}
	}
	resting := map[string][]*spec.Case{}
	for i := range data.Cases {
		for _, id := range data.Cases[i].Requirements {
			resting[id] = append(resting[id], &data.Cases[i])
		}
	}
	for i := range data.Scenarios { // each counts as a case with the expectations of all its steps
		c := data.Scenarios[i].Case()
		for _, id := range c.Requirements {
			resting[id] = append(resting[id], &c)
		}
	}
	all := make([]RequirementCoverage, len(data.Requirements))
	for i := range data.Requirements {
		q := &data.Requirements[i]
		r := RequirementCoverage{ID: q.ID, Document: q.Document, Level: q.Level, Untested: q.Untested}
		speaksFor := slices.DeleteFunc(slices.Clone(spec.Interpretations), func(name string) bool { return !q.AppliesUnder(name) })
		fails := map[string]bool{}
		for _, c := range resting[q.ID] {
			if c.Classifies() {
				r.Classifying = append(r.Classifying, c.ID)
			} else {
				r.Judging = append(r.Judging, c.ID)
			}
			for _, id := range killed[c.ID] {
				fails[id] = true
			}
			r.count(data, c, speaksFor)
		}
		for j := range mutants {
			if fails[mutants[j].ID] {
				r.Mutants = append(r.Mutants, mutants[j].ID)
			}
		}
		all[i] = r
	}
	return all
}

// count adds the verdicts of a case. A verdict counts once even if several
// interpretations give it.
func (q *RequirementCoverage) count(data *spec.Data, c *spec.Case, interpretations []string) {
	for i := range c.Expect {
		given := map[spec.Verdict]bool{}
		for _, name := range interpretations {
			if v, ok := verdictUnder(data, c, &c.Expect[i], name); ok {
				given[v] = true
			}
		}
		if given[spec.Allow] {
			q.Allows++
		}
		if given[spec.Disallow] {
			q.Disallows++
		}
	}
}

// verdictUnder returns the verdict of an expectation under an interpretation. In a
// classifying case this is the verdict of the interpretation's choice.
func verdictUnder(data *spec.Data, c *spec.Case, e *spec.Expectation, interpretation string) (spec.Verdict, bool) {
	if !c.Classifies() {
		return e.Want(interpretation)
	}
	p := data.Point(c.Point)
	if p == nil {
		return "", false
	}
	v, ok := e.Choices[p.Interpretations[interpretation].Choice]
	return v, ok
}
