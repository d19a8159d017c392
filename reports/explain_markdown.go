package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/repcheck/repcheck/spec"
)

// ExplanationMarkdown writes an explanation for an issue or a web page.
func ExplanationMarkdown(w io.Writer, x *Explanation) error {
	var b strings.Builder
	switch {
	case x.Case != nil:
		caseMarkdown(&b, x.Case)
	case x.Requirement != nil:
		requirementMarkdown(&b, x.Requirement)
	}
	for i := range x.Points {
		pointMarkdown(&b, &x.Points[i])
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

func caseMarkdown(w io.Writer, c *CaseExplanation) {
	kind := c.Level
	if c.Point != "" {
		kind = "classifies the point " + mdCode(c.Point)
	}
	fmt.Fprintf(w, "## %s\n\nSection %s, %s. %s\n\n", md(c.ID), md(c.Section), kind, mdSentence(c.Rationale))
	for i := range c.Requirements {
		q := &c.Requirements[i]
		fmt.Fprintf(w, "- %s, %s: %s\n", mdLink(Place{q.ID, q.URL}), q.Level, md(q.Text))
	}
	fmt.Fprint(w, "\n")
	mdBlock(w, "", strings.TrimSuffix(c.Robots, "\n")+"\n")
	for i := range c.Expect {
		e := &c.Expect[i]
		fmt.Fprintf(w, "\n%s asks for %s: %s. The reference: %s, as %s.\n\n", mdCode(e.Agent), mdCode(e.URL), e.Expected, e.Reference, md(e.Why))
		var rows [][]string
		for _, a := range e.Answers {
			line := ""
			if a.Answer.Line > 0 {
				line = fmt.Sprint(a.Answer.Line)
			}
			detail, _, _ := strings.Cut(a.Answer.Detail, "\n")
			rows = append(rows, []string{a.Name, string(a.Answer.Verdict), line, detail})
		}
		mdTable(w, []string{"parser", "verdict", "line", "detail"}, 4, mdCells(rows))
	}
}

func requirementMarkdown(w io.Writer, q *RequirementExplanation) {
	fmt.Fprintf(w, "## %s\n\n%s, %s, %s: %s\n\n", md(q.ID), mdLink(Place{q.Document + " section " + q.Section, q.URL}), q.Level, q.Layer, mdSentence(q.Text))
	for _, note := range q.Notes {
		fmt.Fprintf(w, "- Note: %s\n", md(note))
	}
	if q.Untested != "" {
		fmt.Fprintf(w, "- No case tests it (%s).\n", md(q.Untested))
	}
	caseLines(w, q.Cases)
}

func pointMarkdown(w io.Writer, p *PointExplanation) {
	fmt.Fprintf(w, "## %s\n\n%s\n\n", md(strings.Join(append([]string{p.ID}, p.Ambiguities...), ", ")), mdSentence(p.Question))
	fmt.Fprintf(w, "%s\n\n", md(p.Text))
	var rows [][]string
	for _, c := range p.Choices {
		var takenBy []string
		for _, in := range p.Interpretations {
			if in.Choice == c.ID {
				takenBy = append(takenBy, in.Interpretation)
			}
		}
		rows = append(rows, []string{c.ID, c.Means, strings.Join(takenBy, ", ")})
	}
	mdTable(w, []string{"choice", "means", "chosen by"}, 3, mdCells(rows))
	if p.Outside != "" {
		fmt.Fprintf(w, "No parser's choice can be told: %s.\n\n", md(p.Outside))
	} else {
		rows = nil
		for _, s := range p.Subjects {
			rows = append(rows, []string{s.Subject, s.Choice, s.Fit})
		}
		mdTable(w, []string{"parser", "choice", "fit"}, 3, mdCells(rows))
	}
	caseLines(w, p.Cases)
	for _, link := range p.Links {
		fmt.Fprintf(w, "- <%s>\n", link)
	}
	fmt.Fprint(w, "\n")
}

func caseLines(w io.Writer, cases []CaseLine) {
	for _, c := range cases {
		fmt.Fprintf(w, "- %s: %s\n", mdCode(c.ID), md(c.Rationale))
	}
	fmt.Fprint(w, "\n")
}

// NewRequirementExplanation explains a requirement, without cases.
func NewRequirementExplanation(q *spec.Requirement) RequirementExplanation {
	return RequirementExplanation{ID: q.ID, Document: q.Document, Section: q.Section, URL: q.URL(), Level: q.Level,
		Layer: q.Layer, Text: q.Text, Notes: q.Notes, Untested: q.Untested, Source: q.Pos}
}
