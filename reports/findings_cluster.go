package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// details shows a finding in full.
func (c *Cluster) details(several map[string]bool) doc.Details {
	d := doc.Details{ID: "f-" + c.ID, Title: c.heading()}
	for i := range c.Choices {
		d.Body = append(d.Body, c.Choices[i].blocks()...)
	}
	d.Body = append(d.Body, c.witness()...)
	var votes []doc.Item
	for _, v := range c.Votes {
		side := string(v.Verdict)
		if v.Verdict == c.Expected {
			side += " (RFC 9309)"
		}
		votes = append(votes, doc.Item{Text: tone(doc.Strong, side).And(tone(doc.Plain, ": "+count(len(v.Lineages), "lineage")+": "+strings.Join(v.Lineages, ", ")))})
	}
	d.Body = append(d.Body, list(votes)...)
	if len(c.Said) > 0 {
		d.Body = append(d.Body, c.answersTable(several))
	}
	d.Body = append(d.Body, paras(doc.Faint, c.seenLine())...)
	d.Body = append(d.Body, doc.Code{Text: c.Command, Shell: true})
	return d
}

// heading returns the title of a finding with the number of times it occurred.
func (c *Cluster) heading() doc.Text {
	met := metLine(c.Answers, c.Beyond, c.Lineages)
	if c.Wild != nil {
		met += "; " + c.Wild.String()
	}
	return tone(doc.Strong, doc.CutMiddle(c.Title, mostPhrase)).And(tone(doc.Faint, "  "+c.ID+": "+met))
}

// witness shows the query and its file, with the line that decides for the
// reference.
func (c *Cluster) witness() doc.Document {
	file := "an empty file"
	if c.Octets > 0 {
		file = "a file of " + countOf(int64(c.Octets), "byte", "bytes")
	}
	var deciding []int
	for _, said := range c.Said {
		if said.Subject == "reference" && said.Line > 0 {
			deciding = append(deciding, said.Line)
		}
	}
	d := doc.Document{doc.Para{Text: doc.C(doc.CutMiddle(c.Agent, mostPhrase)).And(doc.T(" asks for "), doc.C(doc.CutMiddle(c.URL, mostPhrase)), tone(doc.Plain, ", in "+file))}}
	if c.Octets > 0 {
		d = append(d, doc.NewListing(c.Robots, deciding...))
	}
	return d
}

// seenLine counts the answers by parser, and says when and in which input the
// finding occurred.
func (c *Cluster) seenLine() string {
	var parts []string
	for _, h := range c.Hits {
		part := fmt.Sprintf("%s %s", h.Subject, thousands(int64(h.Answers)))
		if h.Beyond > 0 {
			part += fmt.Sprintf(" (%s beyond its fingerprint)", thousands(int64(h.Beyond)))
		}
		parts = append(parts, part)
	}
	s := "Seen from " + minute(c.First) + " to " + minute(c.Last)
	if len(parts) > 0 {
		s = "Answers: " + strings.Join(parts, ", ") + ". " + s
	}
	if c.Seed != 0 {
		s += fmt.Sprintf("; seed %d, input %d", c.Seed, c.Input)
	} else if c.Input != 0 {
		s += fmt.Sprintf("; input %d", c.Input)
	}
	return s + "."
}

// answersTable groups the parsers that gave the same answer for the same reason.
// Those that agree with the reference come first.
func (c *Cluster) answersTable(several map[string]bool) doc.Table {
	type group struct {
		verdict      spec.Verdict
		parsers, why string
	}
	var groups []group
	for i := range c.Said {
		said := &c.Said[i]
		parser, why := said.Subject, said.why(c.Expected)
		if several[said.Subject] {
			parser += " " + said.Version
		}
		if said.Line > 0 {
			parser += fmt.Sprintf(" (line %d)", said.Line)
		}
		at := slices.IndexFunc(groups, func(g group) bool { return g.verdict == said.Verdict && g.why == why })
		if at < 0 {
			groups = append(groups, group{said.Verdict, parser, why})
			continue
		}
		groups[at].parsers += ", " + parser
	}
	place := func(v spec.Verdict) int {
		if v == c.Expected {
			return -1
		}
		return slices.Index(spec.Verdicts, v)
	}
	slices.SortStableFunc(groups, func(a, b group) int { return place(a.verdict) - place(b.verdict) })
	t := doc.Table{Columns: columns(2, "answer"), Keys: 1}
	t.Columns = append(t.Columns, doc.Column{Head: "parsers, and why", Rest: true, Wrap: true})
	for _, g := range groups {
		text := tone(doc.Plain, g.parsers)
		if g.why != "" {
			text = text.And(tone(doc.Faint, ": "+g.why))
		}
		t.Rows = append(t.Rows, doc.Row{tone(doc.Plain, string(g.verdict)), text})
	}
	return t
}

// why explains an answer: by choices, as unexplained, or by the parser's own
// message.
func (s *ClusterSaid) why(expected spec.Verdict) string {
	var parts []string
	switch {
	case len(s.Causes) > 0:
		parts = append(parts, "as the reference with "+strings.Join(s.Causes, ", or with "))
	case s.Unexplained:
		parts = append(parts, fmt.Sprintf("no set of up to %d choices that was tried explains it", fuzz.MaxDeviations))
	case s.Verdict == expected:
		parts = append(parts, "as RFC 9309 is read")
	}
	if s.Detail != "" {
		parts = append(parts, doc.CutMiddle(doc.OneLine(s.Detail), mostPhrase))
	}
	return strings.Join(parts, "; ")
}

// blocks explains a choice: the point, the meaning of the choice, the choice of
// RFC 9309, the requirements and the cases.
func (c *ClusterChoice) blocks() doc.Document {
	lines := []doc.Item{
		{Text: tone(doc.Strong, c.Choice).And(tone(doc.Plain, ": "+c.Means))},
		{Text: doc.T("RFC 9309 is read as ").And(tone(doc.Strong, c.Reads), tone(doc.Plain, ": "+c.ReadsMeans))},
	}
	for _, q := range c.Requirements {
		lines = append(lines, doc.Item{Text: q.Place.link().And(doc.T(", "), Place{q.Section, q.URL}.link(), doc.T(", %s: %s", q.Level, q.Text))})
	}
	if len(c.Cases) > 0 {
		cases := doc.T("Cases: ")
		for i, of := range c.Cases {
			if i > 0 {
				cases = cases.And(doc.T(", "))
			}
			cases = cases.And(of.link())
		}
		if c.CasesMore > 0 {
			cases = cases.And(doc.T(", %d more", c.CasesMore))
		}
		lines = append(lines, doc.Item{Text: cases})
	}
	return doc.Document{doc.Para{Text: c.Place.link().And(tone(doc.Plain, ": "+c.Question))}, doc.List{Items: lines}}
}

// link returns a link to a place, or only its name if it has no link.
func (p Place) link() doc.Text { return doc.Text{{S: p.Name, URL: p.Link}} }
