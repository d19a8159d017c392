package conformance

import (
	"fmt"
	"strings"
)

// A CoverageProblem is a gap in the cases.
type CoverageProblem struct {
	// Kind is "survivor" (no case fails the mutant), "vacuous" (the case fails no
	// mutant, and a null model passes it), "untested" (no case tests the
	// requirement) or "one-sided" (none of its cases expects one of the two
	// verdicts).
	Kind string `json:"kind"`
	// ID is the ID of the mutant, case or requirement.
	ID      string `json:"id"`
	Message string `json:"message"`
}

// String returns "<ID>: <message>".
func (p CoverageProblem) String() string { return p.ID + ": " + p.Message }

// Problems lists the gaps: mutants first, then cases, then requirements.
func (r *CoverageResult) Problems() []CoverageProblem {
	var all []CoverageProblem
	add := func(kind, id, format string, args ...any) {
		all = append(all, CoverageProblem{Kind: kind, ID: id, Message: fmt.Sprintf(format, args...)})
	}
	for i := range r.Mutants {
		if m := &r.Mutants[i]; m.Kills == 0 {
			add("survivor", m.ID, "no case fails this mutant, which breaks %s%s", m.Breaks, m.Witness.proposal())
		}
	}
	for i := range r.Cases {
		if c := &r.Cases[i]; c.vacuous() {
			add("vacuous", c.ID, "no mutant fails the case, and %s: which parser, wrong in one way only, would?", nullsPass(c.Passed))
		}
	}
	for i := range r.Requirements {
		q := &r.Requirements[i]
		switch {
		case q.Untested != "" || q.Tested():
		case len(q.Judging)+len(q.Classifying) == 0:
			add("untested", q.ID, "no case rests on the requirement, and it does not say why none can")
		case q.Allows > 0:
			add("one-sided", q.ID, "its cases ask for allow only")
		case q.Disallows > 0:
			add("one-sided", q.ID, "its cases ask for disallow only")
		default:
			add("one-sided", q.ID, "its cases ask for nothing under an interpretation that its document speaks for")
		}
	}
	return all
}

// shortFile is the largest file, in bytes, that a message shows.
const shortFile = 200

func (w *CoverageWitness) proposal() string {
	if w == nil || len(w.Robots) > shortFile {
		return ""
	}
	return fmt.Sprintf(": with %q it answers %s to %s for %s, where %s is right", w.Robots, w.Got, w.Agent, w.URL, w.Want)
}

func nullsPass(nulls []string) string {
	if len(nulls) == 1 {
		return "the null model " + nulls[0] + " passes it"
	}
	return "the null models " + strings.Join(nulls, ", ") + " pass it"
}
