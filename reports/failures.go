package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

const (
	// mostFailures is the number of failures shown in full for each subject:
	// enough to see a pattern, few enough to fit every subject on a screen.
	mostFailures = 5
	// shortDetail bounds the lines of a subject's own message, which may be a
	// stack trace.
	shortDetail = 8
	// widestAgent and widestURL are the widths at which agents and URLs are cut
	// within a sentence.
	widestAgent = 32
	widestURL   = 60
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
	if c.Counts(failOn) {
		return ""
	}
	return fmt.Sprintf("%s is below %s: this does not count against the run", c.Level, failOn)
}

// failuresReport shows the failures of one subject in full, or the first few of
// them, under a title that begins with the subject.
func failuresReport(title string, failures []failure, d *spec.Data, o Options) doc.Document {
	if len(failures) == 0 {
		return nil
	}
	shown, more := first(failures, mostFailures, o)
	var all []doc.Item
	for i := range shown {
		all = append(all, shown[i].item(d, o.Verbose))
	}
	return append(titled(failures[0].subject+": "+title, all), paras(doc.Plain, more...)...)
}

// title returns the first line of a failure.
func (f *failure) title() string {
	what := append([]string{string(f.c.Level)}, f.c.Requirements...)
	if f.c.Point != "" {
		what = []string{"classifies " + f.c.Point}
	}
	return fmt.Sprintf("%s: %s (%s)", f.subject, f.c.ID, strings.Join(what, ", "))
}

// style returns the sign in front of the title, and its tone.
func (f *failure) style() (mark string, t doc.Tone) {
	mark, t = "✗", doc.Bad
	if f.status == conformance.Broken {
		mark = "!"
	}
	if f.excused != "" || f.status == conformance.Known {
		t = doc.Warn
	}
	if f.status == conformance.Pass {
		mark, t = "✓", doc.Good
	}
	return mark, t
}

// deciding returns the lines that decide the checks, 0 if none is defined.
func (f *failure) deciding() (lines []int) {
	for i := range f.checks {
		lines = append(lines, f.checks[i].WantLine)
	}
	return lines
}

// hasFile reports whether the file of the case is known. A result contains the
// file of every case that a subject failed or was expected to fail; such a file
// may be empty.
func (f *failure) hasFile() bool {
	return f.c.Robots != "" || slices.ContainsFunc(f.c.Outcomes, func(o conformance.Outcome) bool {
		return slices.ContainsFunc(o.Checks, func(c conformance.Check) bool {
			return c.Status == conformance.Fail || c.Status == conformance.Known || c.Baseline != ""
		})
	})
}

// explainCommand returns the command that explains the case.
func (f *failure) explainCommand() string {
	if f.c.Scenario {
		return "repcheck access --verbose --run " + f.c.ID
	}
	return "repcheck explain " + f.c.Original()
}

// item shows the failure: the case with its file, and each query with the answer
// and the reason.
func (f *failure) item(d *spec.Data, verbose bool) doc.Item {
	mark, t := f.style()
	body := paras(doc.Plain, f.c.Rationale)
	if verbose {
		for _, id := range f.c.Requirements {
			if text := requirementText(d, id); text != "" {
				body = append(body, note("%s: %s", id, text))
			}
		}
	}
	if f.status >= conformance.Fail {
		body = append(body, paras(doc.Warn, f.excused)...)
	}
	if f.hasFile() {
		body = append(body, doc.NewListing(f.c.Robots, f.deciding()...))
	}
	var checks []doc.Item
	for i := range f.checks {
		checks = append(checks, f.checkItem(i, t, d, verbose))
	}
	body = append(body, list(checks)...)
	body = append(body, f.visit()...)
	place := doc.C(f.c.Pos).And(doc.T(" · "), doc.C(f.explainCommand()))
	return doc.Item{Mark: mark, Text: tone(t, f.title()), Body: append(body, doc.Para{Text: place})}
}

// mostRequests is the number of requests that are shown of a visit.
const mostRequests = 12

// outcome returns the outcome of the subject.
func (f *failure) outcome() *conformance.Outcome {
	at := slices.IndexFunc(f.c.Outcomes, func(o conformance.Outcome) bool { return o.Subject == f.subject })
	if at < 0 {
		return &conformance.Outcome{}
	}
	return &f.c.Outcomes[at]
}

// visit shows what the servers of a scenario saw.
func (f *failure) visit() doc.Document {
	o := f.outcome()
	if o.Requests == nil {
		return nil
	}
	shown := o.Requests[:min(len(o.Requests), mostRequests)]
	body := doc.Document{doc.P("The servers saw:"), doc.Code{Text: strings.Join(shown, "\n")}}
	if more := len(o.Requests) - len(shown); more > 0 {
		body = append(body, doc.P("… and %d more requests", more))
	}
	for _, finding := range o.Findings {
		body = append(body, doc.P("%s", finding))
	}
	return body
}

// checkItem shows one check: the query, the answer and the reason.
func (f *failure) checkItem(i int, t doc.Tone, d *spec.Data, verbose bool) doc.Item {
	check := &f.checks[i]
	most := shortDetail
	if verbose {
		most = 0
	}
	first, body := shownLines(check.Got.Detail, doc.Plain, most)
	if first != nil {
		body = append(doc.Document{doc.Para{Text: first}}, body...)
	}
	if check.Why != "" {
		body = append(body, doc.P("because %s", doc.Cut(check.Why, longestText)))
	}
	body = append(body, paras(doc.Plain, explainedBy(check, d), listedAs(check))...)
	if f.before != nil {
		body = append(body, doc.P("in the old result: %s", verdictSaid(f.before[i].Got.Verdict)))
	}
	query := doc.C(doc.Cut(spec.EncodeInline(check.Agent), widestAgent)).And(doc.T(", "), doc.C(doc.CutMiddle(spec.EncodeInline(check.URL), widestURL)))
	return doc.Item{Text: query.And(doc.T(": "), tone(t, said(f.c.Level, check))), Body: body}
}

// checkLine shows one check in a list of checks of several cases.
func checkLine(c *conformance.CaseResult, check *conformance.Check, text string) doc.Item {
	return doc.Item{Text: doc.T("%s, %s: %s", c.ID, doc.CutMiddle(spec.ProbeID(check.Probe), widestURL), text)}
}

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
	switch want := string(check.Want); {
	case check.Status == conformance.Pass:
		return s + " as expected"
	case want == "":
		return s
	case level == spec.Text:
		return s + ", the text says " + want
	case level == spec.Must:
		return s + ", must be " + want
	case level == spec.Should:
		return s + ", should be " + want
	default:
		return s + ", expected " + want
	}
}

// listedAs describes the baseline's entry for the check: the listed verdict if
// the answer differs from it, otherwise that the failure is listed. It is empty
// if there is no entry.
func listedAs(check *conformance.Check) string {
	what := string(check.Baseline)
	if check.Status == conformance.Known {
		what = "this failure"
	}
	if what == "" {
		return ""
	}
	return fmt.Sprintf("the baseline lists %s: %s", what, doc.Cut(doc.OneLine(check.Reason), longestText))
}
