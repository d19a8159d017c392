package reports

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// A test is a case of one subject, or a wrong entry of the baseline, as JUnit and
// CTRF show it. All texts are printable.
type test struct {
	// suite is the name of the subject and the section of the case, or "baseline".
	suite  []string
	name   string
	status conformance.Status
	// result is the name of the status, or the kind of the wrong entry. kind is the
	// verdict of the subject if the test failed.
	result, kind  string
	message, body string
	pos           string
	requirements  []string
	took          time.Duration
}

// testsOf returns the tests of each subject, in the order of the result, and then
// those of the baseline. Wrong entries are failures because they count against the
// run too.
func testsOf(r *conformance.Result) [][]test {
	d := newDigest(r)
	tests := make([][]test, len(r.Subjects)+1)
	for i := range r.Cases {
		c := &r.Cases[i]
		for k := range c.Outcomes {
			if at, ok := d.at[c.Outcomes[k].Subject]; ok {
				tests[at] = append(tests[at], testOf(r, c, &c.Outcomes[k]))
			}
		}
	}
	for _, p := range r.Baseline {
		name := slices.DeleteFunc([]string{p.Subject, p.Case, p.Expectation, p.Kind}, func(s string) bool { return s == "" })
		tests[len(r.Subjects)] = append(tests[len(r.Subjects)], test{
			suite: []string{"baseline"}, name: doc.OneLine(strings.Join(name, " ")), status: conformance.Fail, result: p.Kind,
			kind: doc.Printable(p.Kind), message: doc.OneLine(p.Message), body: doc.Printable(p.String()), pos: p.Pos,
		})
	}
	return tests
}

func testOf(r *conformance.Result, c *conformance.CaseResult, o *conformance.Outcome) test {
	t := test{
		suite: []string{o.Subject, c.Section}, name: doc.OneLine(c.ID), status: o.Status, result: o.Status.String(),
		pos: c.Pos, requirements: c.Requirements, took: o.Elapsed,
	}
	switch {
	case o.Status >= conformance.Fail:
		f := failure{subject: o.Subject, c: c, status: o.Status, excused: excused(c, r.FailOn)}
		f.checks = slices.DeleteFunc(slices.Clone(o.Checks), func(c conformance.Check) bool { return c.Status < conformance.Fail })
		t.kind, t.message = "failed", doc.OneLine(f.message())
		if len(f.checks) > 0 {
			t.kind = doc.Printable(string(f.checks[0].Got.Verdict))
		}
		var body strings.Builder // never fails
		_ = doc.Document{doc.List{Items: []doc.Item{f.item(nil, true)}}}.Text(&body, doc.TextOptions{})
		t.body = body.String()
	case o.Status != conformance.Pass:
		t.message = doc.OneLine(whySkipped(r, c, o))
	}
	return t
}

// message returns the first failed check of a failure, and the number of further
// ones.
func (f *failure) message() string {
	message := "the case failed"
	if len(f.checks) > 0 {
		first := &f.checks[0]
		message = fmt.Sprintf("%s: %s", doc.Cut(spec.ProbeID(first.Probe), longestText), said(f.c.Level, first))
		if why := explainedBy(first, nil); why != "" {
			message += ", " + why
		}
	}
	if more := len(f.checks) - 1; more > 0 {
		message += fmt.Sprintf(", and %s more", count(more, "check"))
	}
	if f.excused != "" {
		message += " (" + f.excused + ")"
	}
	return message
}

// whySkipped returns the reason why a case neither failed nor passed.
func whySkipped(r *conformance.Result, c *conformance.CaseResult, o *conformance.Outcome) string {
	why := map[conformance.Status]string{
		conformance.Known:      "fails as the baseline knows",
		conformance.Skipped:    "the subject cannot be asked this",
		conformance.Classified: "classifies " + c.Point,
		conformance.NotScored:  "not scored under " + r.Interpretation,
	}[o.Status]
	var reasons []string
	for i := range o.Checks {
		check, reason := &o.Checks[i], ""
		switch {
		case check.Status != o.Status:
		case o.Status == conformance.Known:
			reason = check.Reason
		case o.Status == conformance.Skipped:
			reason = doc.Cut(check.Got.Detail, longestText)
		case o.Status == conformance.Classified && len(check.Choices) == 0:
			reason = doc.Cut(spec.ProbeID(check.Probe), longestText) + " fits none of the choices"
		case o.Status == conformance.Classified:
			reason = doc.Cut(spec.ProbeID(check.Probe), longestText) + " fits " + strings.Join(check.Choices, " or ")
		}
		if reason != "" && !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	if reasons != nil {
		why += ": " + strings.Join(reasons, "; ")
	}
	return why
}
