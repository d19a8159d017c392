package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// A failure is one case that a subject fails, or failed in an earlier result,
// with the checks to show.
type failure struct {
	subject string
	c       *conformance.CaseResult
	status  conformance.Status
	checks  []conformance.Check
	// excused is the reason why the failure does not count against the run; empty
	// if it counts.
	excused string
	// before holds the checks of the old result, in a comparison.
	before []conformance.Check
}

// unexpected returns, for every subject, the failures that no baseline lists, in
// the order of the result.
func unexpected(r *conformance.Result) [][]failure {
	return failuresWith(r, func(c *conformance.Check) bool { return c.Status >= conformance.Fail })
}

// knownFailures returns, for every subject, the failures that the baseline lists.
func knownFailures(r *conformance.Result) [][]failure {
	return failuresWith(r, func(c *conformance.Check) bool { return c.Status == conformance.Known })
}

// fixedFailures returns, for every subject, the checks that pass although the
// baseline expects them to fail.
func fixedFailures(r *conformance.Result) [][]failure {
	return failuresWith(r, func(c *conformance.Check) bool { return c.Status == conformance.Pass && c.Baseline != "" })
}

// failuresWith returns, for every subject, the cases that have matching checks.
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

// excused returns the reason why a failure of the case would not count, by the
// rules of Result.Failed; empty if it would count.
func excused(c *conformance.CaseResult, failOn spec.Level) string {
	switch {
	case c.Level.Weight() >= failOn.Weight():
		return ""
	case c.Point != "":
		return "a case of an open point does not count against the run"
	}
	return fmt.Sprintf("%s is below %s: this does not count against the run", c.Level, failOn)
}

// title returns the first line of a failure.
func (f *failure) title() string {
	what := append([]string{string(f.c.Level)}, f.c.Requirements...)
	if f.c.Point != "" {
		what = []string{"classifies " + f.c.Point}
	}
	return fmt.Sprintf("%s: %s (%s)", f.subject, f.c.ID, strings.Join(what, ", "))
}

// mark returns the sign in front of the title.
func (f *failure) mark() string {
	switch f.status {
	case conformance.Broken:
		return "!"
	case conformance.Pass:
		return "✓"
	}
	return "✗"
}

// tone returns the tone of the mark and the answers.
func (f *failure) tone() doc.Tone {
	switch {
	case f.status == conformance.Pass:
		return doc.Good
	case f.excused != "" || f.status == conformance.Known:
		return doc.Warn
	}
	return doc.Bad
}

// deciding returns the lines that decide the checks, if they are defined.
func (f *failure) deciding() []int {
	var lines []int
	for _, check := range f.checks {
		if check.WantLine > 0 && !slices.Contains(lines, check.WantLine) {
			lines = append(lines, check.WantLine)
		}
	}
	return lines
}

// empty reports whether the file of the case is known to be empty. A result
// contains the file of every case that a subject failed or was expected to fail,
// and no other files.
func (f *failure) empty() bool {
	return f.c.Robots == "" && slices.ContainsFunc(f.c.Outcomes, func(o conformance.Outcome) bool {
		return slices.ContainsFunc(o.Checks, func(c conformance.Check) bool {
			return c.Status == conformance.Fail || c.Status == conformance.Known || c.Baseline != ""
		})
	})
}

// explainCommand returns the command that explains the case.
func (f *failure) explainCommand() string { return "repcheck explain " + f.c.Original() }

// verdictSaid returns the verdict of a subject as a verb phrase.
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

// wasSaid describes what the subject answered in the old result.
func wasSaid(check *conformance.Check) string {
	return "in the old result: " + verdictSaid(check.Got.Verdict)
}

// demanded returns the verdict that a case of the level expects, as a verb
// phrase.
func demanded(level spec.Level, want spec.Verdict) string {
	switch level {
	case spec.Must:
		return "must be " + string(want)
	case spec.Should:
		return "should be " + string(want)
	}
	return "expected " + string(want)
}

// said describes the subject's answer and the expected one.
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

// listedAs describes the baseline's entry for the check: the listed verdict if
// the answer differs from it, otherwise that the failure is listed. It is empty
// if there is no entry.
func listedAs(check *conformance.Check) string {
	switch {
	case check.Status == conformance.Known:
		return "the baseline lists this failure: " + doc.Cut(doc.OneLine(check.Reason), longestText)
	case check.Baseline == "":
		return ""
	}
	return fmt.Sprintf("the baseline lists %s: %s", check.Baseline, doc.Cut(doc.OneLine(check.Reason), longestText))
}

// longestText bounds quoted text in reports without a width, because a rule may
// be half a megabyte long.
const longestText = 1000

// because returns the reason for the expected verdict; empty if the result
// contains none.
func because(check *conformance.Check) string {
	if check.Why == "" {
		return ""
	}
	return "because " + doc.Cut(check.Why, longestText)
}
