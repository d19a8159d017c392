package reports

import (
	"fmt"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// heading says in one line what ran.
func heading(r *conformance.Result) string {
	name := "repcheck"
	if r.Version != "" {
		name += " " + r.Version
	}
	return fmt.Sprintf("%s: %s of set %s under %s, %s, %.2f s", name,
		cases(r), r.CaseSet, r.Interpretation, count(len(r.Subjects), "subject"), r.Elapsed.Seconds())
}

// cases says how many cases were asked, and of how many if the others are of
// other interpretations or of a later set.
func cases(r *conformance.Result) string {
	asked := 0
	for i := range r.Cases {
		for _, o := range r.Cases[i].Outcomes {
			if len(o.Checks) > 0 {
				asked++
				break
			}
		}
	}
	if asked == len(r.Cases) {
		return count(asked, "case")
	}
	return fmt.Sprintf("%d of %s", asked, count(len(r.Cases), "case"))
}

// classifying counts the cases that judge nobody.
func classifying(r *conformance.Result) int {
	n := 0
	for i := range r.Cases {
		if r.Cases[i].Point != "" {
			n++
		}
	}
	return n
}

// verdict says in one line whether the run is fine. It agrees with
// Result.Failed and Result.Lost, from which the exit code follows.
func verdict(r *conformance.Result) string {
	n := countFailures(r)
	if r.Failed() || r.Lost() {
		var against []string
		if n.counted > 0 {
			against = append(against, count(n.counted, "unexpected failure")+orAbove(r.FailOn))
		}
		if len(r.Baseline) > 0 {
			against = append(against, count(len(r.Baseline), "baseline problem"))
		}
		if n.lost > 0 {
			against = append(against, count(n.lost, "subject")+" lost")
		}
		return "FAILED: " + strings.Join(against, ", ")
	}
	line := "ok: no unexpected failure"
	if n.excused > 0 {
		line += orAbove(r.FailOn)
	}
	if n.known > 0 {
		line += "; " + n.knownOnes()
	}
	return line
}

// asides are what a reader of the verdict should know beside it.
func asides(r *conformance.Result) []string {
	var lines []string
	if cases := classifying(r); cases > 0 {
		lines = append(lines, agree(cases, "case", " classifies an open point and judges nobody", " classify open points and judge nobody"))
	}
	if answered, queries := answers(r); answered > 0 {
		lines = append(lines, fmt.Sprintf("%s of %s answered", thousands(int64(answered)), countOf(int64(queries), "query", "queries")))
	}
	n := countFailures(r)
	if n.excused > 0 {
		lines = append(lines, agree(n.excused, "unexpected failure", " does not count", " do not count")+
			fmt.Sprintf(": the run fails on %s%s", r.FailOn, orMore(r.FailOn)))
	}
	if n.known > 0 && (r.Failed() || r.Lost()) {
		lines = append(lines, n.knownOnes())
	}
	return lines
}

// answers counts the queries of all subjects and those that were answered.
func answers(r *conformance.Result) (answered, queries int) {
	for i := range r.Subjects {
		answered += r.Subjects[i].Answered
		queries += r.Subjects[i].Queries
	}
	return answered, queries
}

// failureCounts are the checks that failed: those that count against the run,
// those below its level, those that the baseline explains; and the subjects
// that were lost.
type failureCounts struct{ counted, excused, known, lost int }

func countFailures(r *conformance.Result) failureCounts {
	var n failureCounts
	for i := range r.Cases {
		counts := excused(r, &r.Cases[i]) == ""
		for _, o := range r.Cases[i].Outcomes {
			for _, check := range o.Checks {
				switch {
				case check.Status == conformance.Known:
					n.known++
				case check.Status < conformance.Fail:
				case counts:
					n.counted++
				default:
					n.excused++
				}
			}
		}
	}
	for i := range r.Subjects {
		if r.Subjects[i].Lost != "" {
			n.lost++
		}
	}
	return n
}

func (n failureCounts) knownOnes() string {
	return agree(n.known, "failure", " is", " are") + " known and explained by the baseline"
}

// agree is count with the verb in the noun's number.
func agree(n int, noun, one, many string) string {
	if n == 1 {
		return count(n, noun) + one
	}
	return count(n, noun) + many
}

// orAbove bounds a sentence about failures to those that count.
func orAbove(level spec.Level) string {
	if level == "" {
		return ""
	}
	return fmt.Sprintf(" at %s%s", level, orMore(level))
}

// orMore follows the least level that counts; there is none above MUST.
func orMore(level spec.Level) string {
	if level == spec.Must {
		return ""
	}
	return " or above"
}
