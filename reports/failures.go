package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// A failure is one case that a subject failed, or failed before, with the
// checks that are shown of it.
type failure struct {
	subject string
	c       *conformance.CaseResult
	status  conformance.Status
	checks  []conformance.Check
	// excused says why the failure does not count against the run; empty if
	// it does.
	excused string
	// before holds, in a comparison, each check as it was in the old result.
	before []conformance.Check
}

// unexpected returns the failures that no baseline explains of every subject,
// in the order of the result.
func unexpected(r *conformance.Result) [][]failure {
	return failuresWith(r, func(c *conformance.Check) bool { return c.Status >= conformance.Fail })
}

// knownFailures returns the failures of every subject that the baseline
// explains.
func knownFailures(r *conformance.Result) [][]failure {
	return failuresWith(r, func(c *conformance.Check) bool { return c.Status == conformance.Known })
}

// fixedFailures returns what passes now of every subject although the baseline
// expects it to fail.
func fixedFailures(r *conformance.Result) [][]failure {
	return failuresWith(r, func(c *conformance.Check) bool { return c.Status == conformance.Pass && c.Baseline != "" })
}

// failuresWith returns, for every subject, the cases with checks that match.
func failuresWith(r *conformance.Result, match func(*conformance.Check) bool) [][]failure {
	at := subjectIndex(r)
	of := make([][]failure, len(r.Subjects))
	for i := range r.Cases {
		for k := range r.Cases[i].Outcomes {
			o := &r.Cases[i].Outcomes[k]
			if subject, ok := at[o.Subject]; ok {
				if f := failureWith(r, &r.Cases[i], o, match); len(f.checks) > 0 {
					of[subject] = append(of[subject], f)
				}
			}
		}
	}
	return of
}

func newFailure(r *conformance.Result, c *conformance.CaseResult, o *conformance.Outcome) failure {
	return failureWith(r, c, o, func(c *conformance.Check) bool { return c.Status >= conformance.Fail })
}

func failureWith(r *conformance.Result, c *conformance.CaseResult, o *conformance.Outcome, match func(*conformance.Check) bool) failure {
	f := failure{subject: o.Subject, c: c, excused: excused(c, r.FailOn)}
	for i := range o.Checks {
		if match(&o.Checks[i]) {
			f.checks = append(f.checks, o.Checks[i])
			f.status = max(f.status, o.Checks[i].Status)
		}
	}
	return f
}

// countChecks counts the checks of several failures.
func countChecks(failures []failure) int {
	n := 0
	for i := range failures {
		n += len(failures[i].checks)
	}
	return n
}

// excused says why a failure of the case would not count, as Result.Failed
// decides; empty if it would.
func excused(c *conformance.CaseResult, failOn spec.Level) string {
	switch {
	case c.Level.Weight() >= failOn.Weight():
		return ""
	case c.Point != "":
		return "a case of an open point does not count against the run"
	}
	return fmt.Sprintf("%s is below %s: this does not count against the run", c.Level, failOn)
}

// title is the first line of a failure.
func (f *failure) title() string {
	what := append([]string{string(f.c.Level)}, f.c.Requirements...)
	if f.c.Point != "" {
		what = []string{"classifies " + f.c.Point}
	}
	return fmt.Sprintf("%s: %s (%s)", f.subject, f.c.ID, strings.Join(what, ", "))
}

// mark is the sign in front of the title.
func (f *failure) mark() string {
	switch f.status {
	case conformance.Broken:
		return "!"
	case conformance.Pass:
		return "✓"
	}
	return "✗"
}

// tone is that of the mark and the answers.
func (f *failure) tone() doc.Tone {
	switch {
	case f.status == conformance.Pass:
		return doc.Good
	case f.excused != "" || f.status == conformance.Known:
		return doc.Warn
	}
	return doc.Bad
}

// deciding are the lines that decide the checks, where defined.
func (f *failure) deciding() []int {
	var lines []int
	for _, check := range f.checks {
		if check.WantLine > 0 && !slices.Contains(lines, check.WantLine) {
			lines = append(lines, check.WantLine)
		}
	}
	return lines
}

// empty reports whether the file of the case is known to hold nothing. A
// result holds the file of every case that a subject failed or was expected to
// fail, and of no other.
func (f *failure) empty() bool {
	return f.c.Robots == "" && slices.ContainsFunc(f.c.Outcomes, func(o conformance.Outcome) bool {
		return slices.ContainsFunc(o.Checks, func(c conformance.Check) bool {
			return c.Status == conformance.Fail || c.Status == conformance.Known || c.Baseline != ""
		})
	})
}

// explainCommand is what a reader runs to learn more of the case.
func (f *failure) explainCommand() string { return "repcheck explain " + f.c.Original() }

// verdictSaid is the verdict of a subject in a sentence.
func verdictSaid(v spec.Verdict) string {
	switch v {
	case spec.Crash:
		return "crashed"
	case spec.Timeout:
		return "timed out"
	case spec.ProtocolError:
		return "broke the adapter protocol"
	case spec.Reject:
		return "rejected the file or URL"
	}
	return "answered " + string(v)
}

// wasSaid says what the subject answered in an old result.
func wasSaid(check *conformance.Check) string {
	return "in the old result: " + verdictSaid(check.Got.Verdict)
}

// demanded is the verdict that a case of the level wants, in a sentence.
func demanded(level spec.Level, want spec.Verdict) string {
	switch level {
	case spec.Must:
		return "must be " + string(want)
	case spec.Should:
		return "should be " + string(want)
	}
	return "expected " + string(want)
}

// said says what the subject answered and what the case wants.
func said(level spec.Level, check *conformance.Check) string {
	s := verdictSaid(check.Got.Verdict)
	switch {
	case check.Got.Line > 0:
		s += fmt.Sprintf(" (by line %d)", check.Got.Line)
	case check.Got.Pattern != "":
		s += fmt.Sprintf(" (by %s)", doc.Cut(spec.EncodeInline(check.Got.Pattern), widestName))
	}
	if check.Fresh != "" {
		s += fmt.Sprintf(" (order-dependent: %s in a fresh process)", check.Fresh)
	}
	switch {
	case check.Status == conformance.Pass:
		s += " as expected"
	case check.Want != "":
		s += ", " + demanded(level, check.Want)
	}
	return s
}

// listedAs says what the baseline expects where the answer is another one, or
// that it lists the failure; empty if it does neither.
func listedAs(check *conformance.Check) string {
	switch {
	case check.Status == conformance.Known:
		return "the baseline lists this failure: " + doc.Cut(doc.OneLine(check.Reason), longestText)
	case check.Baseline == "":
		return ""
	}
	return fmt.Sprintf("the baseline lists %s: %s", check.Baseline, doc.Cut(doc.OneLine(check.Reason), longestText))
}

// longestText bounds what a report quotes where it has no width: a rule may be
// half a megabyte long.
const longestText = 1000

// because says why the wanted verdict follows; empty if the result does not
// tell.
func because(check *conformance.Check) string {
	if check.Why == "" {
		return ""
	}
	return "because " + doc.Cut(check.Why, longestText)
}
