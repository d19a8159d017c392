package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// A failure is one case that a subject failed, with the checks that no
// baseline explains.
type failure struct {
	subject string
	c       *conformance.CaseResult
	status  conformance.Status
	checks  []conformance.Check
	// excused says why the failure does not count against the run; empty if
	// it does.
	excused string
}

// unexpected returns the failures of every subject, in the order of the
// result.
func unexpected(r *conformance.Result) [][]failure {
	at := subjectIndex(r)
	of := make([][]failure, len(r.Subjects))
	for i := range r.Cases {
		for _, o := range r.Cases[i].Outcomes {
			k, ok := at[o.Subject]
			if !ok || o.Status < conformance.Fail {
				continue
			}
			of[k] = append(of[k], newFailure(r, &r.Cases[i], &o))
		}
	}
	return of
}

func newFailure(r *conformance.Result, c *conformance.CaseResult, o *conformance.Outcome) failure {
	f := failure{subject: o.Subject, c: c, status: o.Status, excused: excused(r, c)}
	for _, check := range o.Checks {
		if check.Status >= conformance.Fail {
			f.checks = append(f.checks, check)
		}
	}
	return f
}

// excused says why a failure of the case would not count, as Result.Failed
// decides; empty if it would.
func excused(r *conformance.Result, c *conformance.CaseResult) string {
	switch {
	case c.Level.Weight() >= r.FailOn.Weight():
		return ""
	case c.Point != "":
		return "a case that classifies does not count against the run"
	}
	return fmt.Sprintf("%s is below %s: this does not count against the run", c.Level, r.FailOn)
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
	if f.status == conformance.Broken {
		return "!"
	}
	return "✗"
}

// deciding are the lines that decide the failed checks, where defined.
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
// result holds the file of every case that a subject failed, and of no other.
func (f *failure) empty() bool {
	return f.c.Robots == "" && slices.ContainsFunc(f.c.Outcomes, func(o conformance.Outcome) bool {
		return slices.ContainsFunc(o.Checks, func(c conformance.Check) bool {
			return c.Status == conformance.Fail || c.Status == conformance.Known
		})
	})
}

// explainCommand is what a reader runs to learn more of the case.
func (f *failure) explainCommand() string { return "repcheck explain " + f.c.Original() }

// said tells what the subject answered and what it had to.
func said(level spec.Level, check *conformance.Check) string {
	var s string
	switch got := check.Got; got.Verdict {
	case spec.Crash, spec.Timeout, spec.ProtocolError:
		s = "ended in " + string(got.Verdict)
	default:
		s = "said " + string(got.Verdict)
	}
	switch {
	case check.Got.Line > 0:
		s += fmt.Sprintf(" (by line %d)", check.Got.Line)
	case check.Got.Pattern != "":
		s += fmt.Sprintf(" (by %s)", cut(spec.EncodeInline(check.Got.Pattern), widestName))
	}
	if check.Fresh != "" {
		s += fmt.Sprintf(" (order-dependent: %s in a fresh process)", check.Fresh)
	}
	switch {
	case check.Want == "":
		return s
	case level == spec.Must:
		return s + ", must " + string(check.Want)
	case level == spec.Should:
		return s + ", should " + string(check.Want)
	}
	return s + ", expected " + string(check.Want)
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
	return "because " + cut(check.Why, longestText)
}

// detailLines are the lines of what a subject or the harness said beside the
// verdict.
func detailLines(check *conformance.Check) []string { return textLines(check.Got.Detail) }

// textLines are the lines of a text that is shown as it is, such as a stack
// trace: printable, of bounded length, none for an empty text.
func textLines(s string) []string {
	s = strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
	if s == "" {
		return nil
	}
	lines := strings.Split(printable(strings.ReplaceAll(s, "\t", "    ")), "\n")
	for i := range lines {
		lines[i] = cut(lines[i], longestText)
	}
	return lines
}
