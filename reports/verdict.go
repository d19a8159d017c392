package reports

import (
	"fmt"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// heading returns one line that says what ran.
func (d *digest) heading() string {
	return fmt.Sprintf("%s: %s, %s, %s under %s, set %s, %.1f s", tool(d.Version),
		cases(d.Result), count(d.expectations, "expectation"), count(len(d.Subjects), "parser"), d.Interpretation, d.CaseSet, d.Elapsed.Seconds())
}

// tool returns "repcheck" with its version, if known.
func tool(version string) string { return strings.TrimSpace("repcheck " + version) }

// cases says how many cases ran, and out of how many.
func cases(r *conformance.Result) string {
	d := newDigest(r)
	if d.asked == len(r.Cases) {
		return count(d.asked, "case")
	}
	return fmt.Sprintf("%d of %s", d.asked, count(len(r.Cases), "case"))
}

// A tally joins counts of things to a sentence, without those that are zero.
type tally []string

func (t *tally) add(n int, one, many string) {
	if n > 0 {
		*t = append(*t, countOf(n, one, many))
	}
}

// verdict returns one line that says whether the run succeeded. It agrees with
// Result.Failed and Result.Lost, which determine the exit code.
func (d *digest) verdict() string {
	if d.bad() {
		var against tally
		against.add(d.counted, "unexpected failure"+orAbove(d.FailOn), "unexpected failures"+orAbove(d.FailOn))
		against.add(d.unanswered, "query without an answer", "queries without an answer")
		against.add(d.fixed, "fixed failure still in the baseline", "fixed failures still in the baseline")
		against.add(len(d.problems), "wrong baseline entry", "wrong baseline entries")
		against.add(d.lost, "parser lost", "parsers lost")
		return "FAILED: " + strings.Join(against, ", ")
	}
	line := "ok: no unexpected failure"
	if d.excused > 0 {
		line += orAbove(d.FailOn)
	}
	if d.known > 0 {
		line += "; " + d.knownOnes()
	}
	return line
}

func (d *digest) knownOnes() string {
	return countOf(d.known, "failure is", "failures are") + " known and explained by the baseline"
}

// asides returns notes for readers of the verdict.
func (d *digest) asides() []string {
	var lines tally
	lines.add(d.classifying, "case classifies an open point: no answer to it is wrong", "cases classify open points: no answer to them is wrong")
	where := "under " + d.Interpretation
	if d.Set != "" {
		where = "in set " + d.Set + " " + where
	}
	lines.add(len(d.Cases)-d.asked, "case was not asked: nothing in it is scored "+where, "cases were not asked: nothing in them is scored "+where)
	answered, queries := 0, 0
	for i := range d.Subjects {
		answered, queries = answered+d.Subjects[i].Answered, queries+d.Subjects[i].Queries
	}
	if answered > 0 {
		lines = append(lines, fmt.Sprintf("%s of %s answered", thousands(answered), count(queries, "query")))
	}
	const again = " slow: no answer in time at first, but one when the parser was asked again, alone"
	lines.add(d.slow, "answer was"+again, "answers were"+again)
	only := ": only failures" + orAbove(d.FailOn) + " do"
	lines.add(d.excused, "unexpected failure does not count"+only, "unexpected failures do not count"+only)
	switch {
	case d.bad() && d.known > 0:
		lines = append(lines, d.knownOnes())
	case !d.bad() && d.unanswered > 0:
		lines = append(lines, count(d.unanswered, "query")+" without an answer, below that level")
	}
	return lines
}

// orAbove bounds a sentence about failures to those that count.
func orAbove(level spec.Level) string {
	switch level {
	case "":
		return ""
	case spec.Must: // there is no level above it
		return " at MUST"
	}
	return fmt.Sprintf(" at %s or above", level)
}
