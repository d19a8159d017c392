package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/spec"
)

// An explainText writes explanations for a terminal.
type explainText struct {
	w io.Writer
	style
	// of is the case that is explained, if one is, and interpretation the one by
	// which the deciding line of its file is marked.
	of             *spec.Case
	interpretation string
}

// aCase shows a case: the file, and for each expectation what is expected, why,
// and what every parser answers.
func (t explainText) aCase(x *reports.CaseExplanation) {
	kind := x.Level
	if x.Point != "" {
		kind = "classifies the point " + x.Point
	}
	fmt.Fprintf(t.w, "%s (section %s, %s)\n%s\n", t.bold(x.ID), x.Section, kind, x.Rationale)
	for i := range x.Requirements {
		q := &x.Requirements[i]
		fmt.Fprintf(t.w, "  %s, %s: %s\n    %s\n", q.ID, q.Level, q.Text, t.dim(q.URL))
	}
	fmt.Fprintf(t.w, "%s\n\n", t.dim(x.Source))
	for i := range x.Expect {
		e := &x.Expect[i]
		one := explanation{robots: t.of.Robots, probe: t.of.Expect[i].Probe, style: t.style}
		if i == 0 {
			one.file(t.w, one.trace(t.interpretation))
			fmt.Fprintln(t.w)
		}
		fmt.Fprintf(t.w, "%s: %s\n", t.bold(e.Agent+" asks for "+e.URL), e.Expected)
		fmt.Fprintf(t.w, "  the reference: %s, as %s\n", e.Reference, e.Why)
		one.answers(t.w, e.Answers)
		fmt.Fprintln(t.w)
	}
}

// requirement shows a requirement and the cases that test it.
func (t explainText) requirement(x *reports.RequirementExplanation) {
	fmt.Fprintf(t.w, "%s (%s section %s, %s, %s)\n%s\n%s\n", t.bold(x.ID), x.Document, x.Section, x.Level, x.Layer, x.Text, t.dim(x.URL))
	for _, note := range x.Notes {
		fmt.Fprintf(t.w, "  note: %s\n", note)
	}
	if x.Untested != "" {
		fmt.Fprintf(t.w, "  no case tests it (%s)\n", x.Untested)
	}
	fmt.Fprintf(t.w, "%s\n\n", t.dim(x.Source))
	for _, c := range x.Cases {
		fmt.Fprintf(t.w, "  %-44s %s\n", c.ID, c.Rationale)
	}
}

// point shows a point: its choices, what each interpretation chooses and why, and
// which choice every subject takes.
func (t explainText) point(x *reports.PointExplanation) {
	fmt.Fprintf(t.w, "%s (%s)\n%s\n\n%s\n\n", t.bold(x.ID), strings.Join(append([]string{"stage " + x.Stage}, x.Ambiguities...), ", "),
		x.Question, wrap(x.Text, 96))
	for _, c := range x.Choices {
		fmt.Fprintf(t.w, "  %-22s %s\n", c.ID, c.Means)
	}
	fmt.Fprintln(t.w)
	for _, in := range x.Interpretations {
		fmt.Fprintf(t.w, "  %-14s %-22s %s\n", in.Interpretation, in.Choice, t.dim(in.Because))
	}
	fmt.Fprintln(t.w)
	if x.Outside != "" {
		fmt.Fprintf(t.w, "No parser's choice can be told: %s\n", x.Outside)
	}
	for _, s := range x.Subjects {
		if s.Fit == "" {
			fmt.Fprintf(t.w, "  %-14s %s\n", s.Subject, t.dim(s.Choice))
			continue
		}
		fmt.Fprintf(t.w, "  %-14s %-22s %s\n", s.Subject, s.Choice, t.dim("("+s.Fit+")"))
	}
	fmt.Fprintln(t.w)
	for _, c := range x.Cases {
		fmt.Fprintf(t.w, "  %-44s %s\n", c.ID, t.dim(c.Rationale))
	}
	if x.Outside == "" {
		fmt.Fprintln(t.w)
	}
	for _, link := range x.Links {
		fmt.Fprintf(t.w, "  %s\n", link)
	}
	fmt.Fprintf(t.w, "%s\n", t.dim(x.Source))
}

// wrap breaks text into lines of at most so many columns.
func wrap(text string, columns int) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case at+1+len(word) > columns:
			b.WriteByte('\n')
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	return b.String()
}
