package reports

import (
	"fmt"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// mostChoice is the width of a choice in the table of several parsers. Two of the
// longest are cut.
const mostChoice = 24

// Profile reports which choice each parser makes at every point, and, if files
// besides the cases were used, how much these predict of other answers. Several
// parsers are shown side by side at the points where they deviate from rfc9309. A
// single parser, and with Verbose each of several, is shown point by point.
func Profile(r *conformance.Profiles, o Options) doc.Document {
	d := doc.Document{title(profileTitle(r))}
	predicts := len(r.Sources) > 1
	if len(r.Subjects) > 1 {
		d = append(d, profilesTables(r)...)
		if predicts {
			d = append(d, predictions(r, o)...)
		}
	}
	for i := range r.Subjects {
		switch s := &r.Subjects[i]; {
		case len(r.Subjects) == 1 || o.Verbose:
			d = append(d, profileOf(r, s, o)...)
		case predicts && !reached(s.Prediction.Held):
			d = append(d, section(strings.TrimSpace(s.Name+" "+s.Version)))
			d = append(d, paras(doc.Warn, withoutVerdict(s.Verdicts, s.Lost)...)...)
			d = append(d, missed(s.Prediction, false)...)
		default:
			for _, line := range withoutVerdict(s.Verdicts, s.Lost) {
				d = append(d, paras(doc.Warn, s.Name+": "+line)...)
			}
		}
	}
	return d
}

// profileTitle says what was asked.
func profileTitle(r *conformance.Profiles) string {
	var files []string
	queries := 0
	for _, s := range r.Sources {
		queries += s.SeenQueries + s.HeldQueries
		files = append(files, countOf(int64(s.SeenFiles+s.HeldFiles), s.Source.String(), s.Source.String()+"s"))
	}
	for i := 1; i < len(files); i++ {
		files[i] = strings.TrimSuffix(files[i], "s") + " files"
	}
	text := fmt.Sprintf("Profile: %s about %s", countOf(int64(queries), "query", "queries"), strings.Join(files, ", "))
	if len(files) > 1 {
		text += fmt.Sprintf(" (%s, seed %d)", r.Corpus, r.Seed)
	}
	if len(r.Subjects) != 1 {
		text += " to each of " + count(len(r.Subjects), "parser")
	}
	return text + fmt.Sprintf(" in %s, case set %s", duration(r.Elapsed), r.CaseSet)
}

// profilesTables compares several parsers with rfc9309 and with every named
// interpretation.
func profilesTables(r *conformance.Profiles) doc.Document {
	points := doc.Table{Columns: columns(1+len(r.Subjects), parserHeads("point", r)...), Keys: 1}
	var others []string
	for i := range r.Points {
		p := &r.Points[i]
		any := false
		cells := row(p.ID)
		for k := range r.Subjects {
			of := &r.Subjects[k].Points[i]
			any = any || deviates(p, of)
			cells = append(cells, choiceCell(p, of))
		}
		if any {
			points.Rows = append(points.Rows, cells)
		} else {
			others = append(others, p.ID)
		}
	}
	d := doc.Document{section("Deviations from rfc9309")}
	if len(points.Rows) > 0 {
		d = append(d, points)
		d = append(d, paras(doc.Faint, "· as rfc9309, or no case distinguishes them. | either. ! no choice gives all answers. – masked by what the parser does at another point. ? no answer.")...)
	}
	if len(others) > 0 {
		d = append(d, paras(doc.Plain, "No parser deviates from rfc9309 at "+strings.Join(others, ", ")+".")...)
	}
	return append(d, section("Distance to the named interpretations"), distancesTable(r), paras(doc.Faint,
		"Percent of the answers that the reference gives too under the interpretation, and the number of points at which the parser takes another choice.")[0])
}

// parserHeads returns the headings of a table with a column for each parser.
func parserHeads(first string, r *conformance.Profiles) []string {
	heads := []string{first}
	for i := range r.Subjects {
		heads = append(heads, doc.CutMiddle(doc.Printable(r.Subjects[i].Name), widestName))
	}
	return heads
}

// choiceCell returns the cell for a parser's choice at a point, in a table of
// several parsers.
func choiceCell(p *conformance.ProfiledPoint, of *conformance.PointProfile) doc.Text {
	switch {
	case of.Status == conformance.Masked:
		return tone(doc.Faint, "–")
	case of.Status == conformance.Unanswered:
		return tone(doc.Faint, "?")
	}
	cell, t := "·", doc.Faint
	if deviates(p, of) {
		cell, t = doc.CutMiddle(strings.Join(of.Choices, "|"), mostChoice), doc.Warn
	}
	if of.Status == conformance.Inconsistent {
		cell, t = cell+" !", doc.Bad
	}
	return tone(t, cell)
}

// distancesTable returns a table with a row for each named interpretation and a
// column for each parser.
func distancesTable(r *conformance.Profiles) doc.Table {
	t := doc.Table{Columns: columns(1, parserHeads("interpretation", r)...), Keys: 1}
	own := row("its own choices")
	for i := range r.Subjects {
		s := &r.Subjects[i]
		own = append(own, tone(doc.Plain, percent(int64(s.Predicted), int64(s.Asked))+"  0"))
	}
	t.Rows = append(t.Rows, own)
	for _, name := range spec.Interpretations {
		cells := row(name)
		for i := range r.Subjects {
			s := &r.Subjects[i]
			cell := ""
			for _, d := range s.Distances {
				if d.Interpretation == name {
					cell = fmt.Sprintf("%s %2d", percent(int64(d.Same), int64(s.Asked)), len(d.Points))
				}
			}
			cells = append(cells, tone(doc.Plain, cell))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// deviates reports whether the choice of rfc9309 is not among those that fit.
func deviates(p *conformance.ProfiledPoint, of *conformance.PointProfile) bool {
	return len(of.Choices) > 0 && !of.Takes(p.Named[spec.Interpretations[0]])
}

// withoutVerdict says how often a parser gave no verdict, and why it was lost.
func withoutVerdict(verdicts map[spec.Verdict]int, lost string) (lines []string) {
	var parts []string
	for _, v := range []spec.Verdict{spec.Crash, spec.Timeout, spec.ProtocolError, spec.Reject, spec.Unsupported} {
		if n := verdicts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", v, thousands(int64(n))))
		}
	}
	if parts != nil {
		lines = append(lines, "Queries without allow or disallow: "+strings.Join(parts, ", ")+".")
	}
	if lost != "" {
		lines = append(lines, "Lost: "+lost)
	}
	return lines
}
