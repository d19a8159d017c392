package reports

import (
	"slices"
	"strings"

	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// Explain renders an explanation.
func Explain(x *Explanation) (report doc.Document) {
	switch {
	case x.Case != nil:
		report = x.Case.report()
	case x.Requirement != nil:
		report = x.Requirement.report()
	}
	for i := range x.Points {
		report = append(report, x.Points[i].report()...)
	}
	return report
}

// report shows the case: its file and, for each query, the expected verdict, the
// reason for it, and the answer of every parser.
func (c *CaseExplanation) report() doc.Document {
	kind := string(c.Level)
	if c.Point != "" {
		kind = "classifies the point " + c.Point
	}
	var requirements []doc.Item
	for i := range c.Requirements {
		q := &c.Requirements[i]
		requirements = append(requirements, doc.Item{Text: doc.T("%s, %s: %s ", q.ID, q.Level, q.Text).And(place(q.URL).Text)})
	}
	var deciding []int
	for _, e := range c.Expect {
		deciding = append(deciding, e.Line)
	}
	report := slices.Concat(doc.Document{title(c.ID + " (section " + c.Section + ", " + kind + ")")}, paras(doc.Plain, c.Rationale),
		list(requirements), doc.Document{source(c.Source), doc.NewListing(c.Text, deciding...)})
	for i := range c.Expect {
		e := &c.Expect[i]
		asked := doc.C(e.Agent).And(doc.T(" asks for "), doc.C(e.URL), doc.T(": %s", e.Expected))
		report = append(report, doc.Heading{Level: 2, Text: asked}, doc.P("the reference: %s, as %s", e.Reference, e.Why))
		report = append(report, Answers(e.Answers)...)
	}
	return report
}

// Answers shows the parsers' answers to one query. If a text has several lines,
// such as a stack trace, all lines except the first follow the table.
func Answers(answers []SubjectAnswer) doc.Document {
	t := doc.Table{Columns: wide(columns(2, "parser", "verdict", "line", "detail"))}
	var traces []doc.Item
	for _, a := range answers {
		first, rest := shownLines(a.Answer.Detail, doc.Plain, 0)
		t.Rows = append(t.Rows, row(a.Name, verdictText(a.Answer.Verdict), number(a.Answer.Line), first))
		if rest != nil {
			traces = append(traces, doc.Item{Text: tone(doc.Plain, a.Name+": "+first.String()), Body: rest})
		}
	}
	return append(doc.Document{t}, list(traces)...)
}

// verdictText is the verdict with its tone.
func verdictText(v spec.Verdict) doc.Text {
	switch v {
	case spec.Allow:
		return tone(doc.Good, string(v))
	case spec.Disallow:
		return tone(doc.Bad, string(v))
	}
	return tone(doc.Warn, string(v))
}

// report shows the requirement and the cases that test it.
func (q *RequirementExplanation) report() doc.Document {
	report := doc.Document{
		title(q.ID + " (" + q.Document + " section " + q.Section + ", " + string(q.Level) + ", " + q.Layer + ")"),
		doc.P("%s", q.Text), place(q.URL),
	}
	for _, text := range q.Notes {
		report = append(report, doc.P("note: %s", text))
	}
	if q.Untested != "" {
		report = append(report, doc.P("no case tests it (%s)", q.Untested))
	}
	return append(append(report, source(q.Source)), caseTable(q.Cases)...)
}

// report shows the point: its choices, the choice of each interpretation with the
// reason, and the choice of every parser.
func (p *PointExplanation) report() doc.Document {
	report := doc.Document{
		title(p.ID + " (" + strings.Join(append([]string{"stage " + p.Stage}, p.Ambiguities...), ", ") + ")"),
		doc.Para{Text: tone(doc.Strong, p.Question)}, doc.P("%s", p.Text),
		doc.Table{Columns: words("choice", "means"), Rows: rowsOf(p.Choices, func(c spec.Choice) doc.Row { return row(c.ID, c.Means) })},
		doc.Table{Columns: words("interpretation", "choice", "because"), Rows: rowsOf(p.Interpretations, func(in InterpretedChoice) doc.Row {
			return row(in.Interpretation, in.Choice, in.Because)
		})},
	}
	if p.Outside != "" {
		report = append(report, doc.P("No parser's choice can be told: %s", p.Outside))
	}
	if len(p.Subjects) > 0 {
		report = append(report, doc.Table{Columns: words("parser", "choice", "fit"), Rows: rowsOf(p.Subjects, func(s SubjectChoice) doc.Row {
			return row(s.Subject, s.Choice, s.Fit)
		})})
	}
	report = append(report, caseTable(p.Cases)...)
	for _, link := range p.Links {
		report = append(report, place(link))
	}
	return append(report, source(p.Source))
}

// caseTable lists cases with their purpose. It returns nothing if there are no
// cases.
func caseTable(cases []CaseLine) doc.Document {
	if len(cases) == 0 {
		return nil
	}
	return doc.Document{doc.Table{Columns: words("case", "rationale"), Rows: rowsOf(cases, func(c CaseLine) doc.Row { return row(c.ID, c.Rationale) })}}
}

// words returns columns of words. The last column fills the remaining width.
func words(heads ...string) []doc.Column { return wide(columns(len(heads), heads...)) }

// place returns a paragraph with a URL as a link.
func place(url string) doc.Para {
	return doc.Para{Text: doc.Text{{S: url, URL: url, Tone: doc.Faint}}}
}

// source returns a paragraph with the position of a definition.
func source(pos string) doc.Para {
	return doc.Para{Text: doc.Text{{S: pos, Code: true, Tone: doc.Faint}}}
}
