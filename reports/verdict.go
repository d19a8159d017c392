package reports

import (
	"fmt"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// heading returns one line that says what ran.
func heading(r *conformance.Result) string {
	_, expectations := size(r)
	return fmt.Sprintf("%s: %s, %s, %s under %s, set %s, %.1f s", tool(r.Version),
		cases(r), count(expectations, "expectation"), count(len(r.Subjects), "parser"), r.Interpretation, r.CaseSet, r.Elapsed.Seconds())
}

// tool returns "repcheck" with its version, if known.
func tool(version string) string { return strings.TrimSpace("repcheck " + version) }

// cases says how many cases ran, and out of how many.
func cases(r *conformance.Result) string {
	asked, _ := size(r)
	if asked == len(r.Cases) {
		return count(asked, "case")
	}
	return fmt.Sprintf("%d of %s", asked, count(len(r.Cases), "case"))
}

// size counts the cases that ran, and their expectations. The others belong to
// other interpretations or to a later set, or were not reached.
func size(r *conformance.Result) (cases, expectations int) {
	for i := range r.Cases {
		most := 0
		for _, o := range r.Cases[i].Outcomes {
			most = max(most, len(o.Checks))
		}
		expectations += most
		if most > 0 {
			cases++
		}
	}
	return cases, expectations
}

// classifying counts the classifying cases, which neither pass nor fail.
func classifying(r *conformance.Result) int {
	n := 0
	for i := range r.Cases {
		if r.Cases[i].Point != "" {
			n++
		}
	}
	return n
}

// verdict returns one line that says whether the run succeeded. It agrees with
// Result.Failed and Result.Lost, which determine the exit code.
func verdict(r *conformance.Result) string {
	n := countFailures(r)
	if r.Failed() || r.Lost() {
		var against []string
		if n.counted > 0 {
			against = append(against, count(n.counted, "unexpected failure")+orAbove(r.FailOn))
		}
		if n.unanswered > 0 {
			against = append(against, countOf(int64(n.unanswered), "query", "queries")+" without an answer")
		}
		if n.fixed > 0 {
			against = append(against, count(n.fixed, "fixed failure")+" still in the baseline")
		}
		if n.problems > 0 {
			against = append(against, countOf(int64(n.problems), "wrong baseline entry", "wrong baseline entries"))
		}
		if n.lost > 0 {
			against = append(against, count(n.lost, "parser")+" lost")
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

// asides returns notes for readers of the verdict.
func asides(r *conformance.Result) []string {
	var lines []string
	if cases := classifying(r); cases > 0 {
		lines = append(lines, agree(cases, "case", " classifies an open point and neither passes nor fails", " classify open points and neither pass nor fail"))
	}
	if asked, _ := size(r); asked < len(r.Cases) {
		where := "under " + r.Interpretation
		if r.Set != "" {
			where = "in set " + r.Set + " " + where
		}
		lines = append(lines, agree(len(r.Cases)-asked, "case", " was not asked: nothing in it is scored ", " were not asked: nothing in them is scored ")+where)
	}
	if answered, queries := answers(r); answered > 0 {
		lines = append(lines, fmt.Sprintf("%s of %s answered", thousands(int64(answered)), countOf(int64(queries), "query", "queries")))
	}
	if slow := countSlow(r); slow > 0 {
		lines = append(lines, agree(slow, "answer", " was", " were")+" slow: no answer in time at first, but one when the parser was asked again, alone")
	}
	n := countFailures(r)
	if n.excused > 0 {
		lines = append(lines, agree(n.excused, "unexpected failure", " does not count", " do not count")+
			fmt.Sprintf(": the run fails on %s%s", r.FailOn, orMore(r.FailOn)))
	}
	switch failed := r.Failed() || r.Lost(); {
	case failed && n.known > 0:
		lines = append(lines, n.knownOnes())
	case !failed && n.unanswered > 0:
		lines = append(lines, countOf(int64(n.unanswered), "query", "queries")+" without an answer, about open points or below that level")
	}
	return lines
}

// countSlow counts the answers that came only at the second attempt.
func countSlow(r *conformance.Result) (slow int) {
	for i := range r.Cases {
		for _, o := range r.Cases[i].Outcomes {
			for k := range o.Checks {
				if o.Checks[k].Got.Slow {
					slow++
				}
			}
		}
	}
	return slow
}

// answers counts the queries of all subjects and those that were answered.
func answers(r *conformance.Result) (answered, queries int) {
	for i := range r.Subjects {
		answered += r.Subjects[i].Answered
		queries += r.Subjects[i].Queries
	}
	return answered, queries
}

// failureCounts counts the failed checks: those that count against the run, those
// below its level, and those that the baseline lists. It also counts the queries
// without an answer, the fixed failures, the other problems of the baseline, and
// the lost subjects.
type failureCounts struct{ counted, excused, known, unanswered, fixed, problems, lost int }

func countFailures(r *conformance.Result) failureCounts {
	var n failureCounts
	for i := range r.Cases {
		counts := excused(&r.Cases[i], r.FailOn) == ""
		for _, o := range r.Cases[i].Outcomes {
			for _, check := range o.Checks {
				switch {
				case check.Status == conformance.Known:
					n.known++
				case check.Status < conformance.Fail:
				case check.Status == conformance.Broken:
					n.unanswered++
				case !counts:
					n.excused++
				default:
					n.counted++
				}
			}
		}
	}
	news := newNews(r)
	n.problems, n.lost = len(news.problems), len(news.lost)
	for i := range news.subjects {
		n.fixed += len(news.subjects[i].entries)
	}
	return n
}

func (n failureCounts) knownOnes() string {
	return agree(n.known, "failure", " is", " are") + " known and explained by the baseline"
}

// agree is like count, followed by the verb in singular or plural.
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
