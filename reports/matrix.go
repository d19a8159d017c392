package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// A cell holds the results of one subject for the checks of one requirement.
type cell struct {
	failed, total int
	// status is the highest status of the scored checks.
	status conformance.Status
}

// mark returns the text of the cell. A trailing ! marks an unexpected failure.
func (c cell) mark() string {
	switch {
	case c.total == 0:
		return "·"
	case c.failed == 0:
		return "✓"
	case c.status == conformance.Broken:
		return fmt.Sprintf("! %d/%d", c.failed, c.total)
	case c.status == conformance.Fail:
		return fmt.Sprintf("✗ %d/%d!", c.failed, c.total)
	}
	return fmt.Sprintf("✗ %d/%d", c.failed, c.total)
}

// legend explains the marks.
var legend = []struct {
	cell  cell
	means string
}{
	{cell{0, 7, conformance.Pass}, "passes"},
	{cell{2, 7, conformance.Known}, "fails 2 of 7 expectations, all known"},
	{cell{2, 7, conformance.Fail}, "not all known"},
	{cell{1, 7, conformance.Broken}, "no answer"},
	{cell{}, "not scored"},
}

// text returns the mark with its tone.
func (c cell) text() doc.Text {
	switch {
	case c.total == 0:
		return tone(doc.Faint, c.mark())
	case c.failed == 0:
		return tone(doc.Good, c.mark())
	case c.status == conformance.Known:
		return tone(doc.Warn, c.mark())
	}
	return tone(doc.Bad, c.mark())
}

// A matrixRow is one requirement with a cell for each subject.
type matrixRow struct {
	section, requirement string
	// level is the highest level of the cases that test the requirement.
	level spec.Level
	cells []cell
}

// failed reports whether any subject failed a check of the requirement.
func (r *matrixRow) failed() bool {
	return slices.ContainsFunc(r.cells, func(c cell) bool { return c.failed > 0 })
}

// passed reports whether every subject passed every check of it.
func (r *matrixRow) passed() bool {
	return !slices.ContainsFunc(r.cells, func(c cell) bool { return c.failed > 0 || c.total == 0 })
}

// newMatrix counts the scored checks of judging cases by requirement and subject.
// Rows are sorted by requirement, with numbers in numeric order.
func newMatrix(r *conformance.Result) []matrixRow {
	at := subjectIndex(r)
	var rows []matrixRow
	of := map[string]int{}
	for i := range r.Cases {
		c := &r.Cases[i]
		if c.Point != "" {
			continue
		}
		for _, id := range c.Requirements {
			k, ok := of[id]
			if !ok {
				k = len(rows)
				of[id] = k
				rows = append(rows, matrixRow{section: sectionOf(id), requirement: id, cells: make([]cell, len(r.Subjects))})
			}
			if c.Level.Weight() > rows[k].level.Weight() {
				rows[k].level = c.Level
			}
			for _, o := range c.Outcomes {
				if subject, ok := at[o.Subject]; ok {
					rows[k].cells[subject].count(o.Checks)
				}
			}
		}
	}
	slices.SortFunc(rows, func(a, b matrixRow) int {
		return cmp.Or(compareNatural(a.section, b.section), compareNatural(a.requirement, b.requirement))
	})
	return rows
}

func (c *cell) count(checks []conformance.Check) {
	for i := range checks {
		switch status := checks[i].Status; status {
		case conformance.Known, conformance.Fail, conformance.Broken:
			c.failed++
			c.total++
			c.status = max(c.status, status)
		case conformance.Pass:
			c.total++
			c.status = max(c.status, status)
		}
	}
}

// subjectIndex returns the index of each subject by name.
func subjectIndex(r *conformance.Result) map[string]int {
	at := make(map[string]int, len(r.Subjects))
	for i := range r.Subjects {
		at[r.Subjects[i].Name] = i
	}
	return at
}

// remaining describes the rows that are not shown, in full sentences.
func remaining(rows []matrixRow) []string {
	shown, passed, rest := 0, 0, 0
	for i := range rows {
		switch {
		case rows[i].failed():
			shown++
		case rows[i].passed():
			passed++
		default:
			rest++
		}
	}
	further := ""
	if shown > 0 {
		further = "further "
	}
	var lines []string
	if passed > 0 {
		lines = append(lines, count(passed, further+"requirement")+": every parser passes.")
	}
	if rest > 0 {
		lines = append(lines, count(rest, further+"requirement")+": no parser fails, but some are not scored for every parser.")
	}
	return lines
}

// widestName is the width at which a parser's name is cut in a column heading.
// Most names of adapters consist of a language and a library, and fit.
const widestName = 20

// matrixReport shows the requirements that a subject fails, or all of them.
func matrixReport(r *conformance.Result, d *spec.Data, o Options) doc.Document {
	rows := newMatrix(r)
	shown := rows
	if !o.Verbose {
		shown = slices.DeleteFunc(slices.Clone(rows), func(r matrixRow) bool { return !r.failed() })
	}
	if len(rows) == 0 {
		return nil
	}
	report := doc.Document{section("Requirements")}
	if len(shown) > 0 && len(r.Subjects) > 0 {
		var legendText doc.Text
		for i, entry := range legend {
			if i > 0 {
				legendText = legendText.And(doc.T("  "))
			}
			legendText = legendText.And(entry.cell.text(), doc.T(" "+entry.means))
		}
		report = append(report, matrixTable(r, d, shown), doc.Para{Text: legendText})
	}
	if !o.Verbose {
		report = append(report, paras(doc.Plain, remaining(rows)...)...)
	}
	return report
}

func matrixTable(r *conformance.Result, d *spec.Data, rows []matrixRow) doc.Table {
	document, head := commonDocument(rows), "requirement"
	if document != "" {
		head = document + "…"
	}
	t := doc.Table{Keys: 2, Columns: []doc.Column{{Head: head, Most: 2 * widestName}, {Head: "level"}}}
	for i := range r.Subjects {
		t.Columns = append(t.Columns, doc.Column{Head: r.Subjects[i].Name, Most: widestName})
	}
	if d != nil {
		t.Columns = append(t.Columns, doc.Column{Head: "text", Rest: true})
	}
	for i := range rows {
		if i == 0 || rows[i].section != rows[i-1].section {
			t.Rows = append(t.Rows, row(sectionHeading(rows[i].section)))
		}
		cells := doc.Row{doc.T("%s", strings.TrimPrefix(rows[i].requirement, document)), doc.In(doc.Faint, "%s", rows[i].level)}
		for _, c := range rows[i].cells {
			cells = append(cells, c.text())
		}
		if d != nil {
			cells = append(cells, tone(doc.Faint, requirementText(d, rows[i].requirement)))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// commonDocument returns the document prefix of all IDs, such as "RFC9309-", or
// "" if they differ.
func commonDocument(rows []matrixRow) string {
	document, _, _ := strings.Cut(rows[0].requirement, "-")
	for _, row := range rows {
		if !strings.HasPrefix(row.requirement, document+"-") {
			return ""
		}
	}
	return document + "-"
}

// requirementText returns the sentence of a requirement, "" if it is unknown.
func requirementText(d *spec.Data, id string) string {
	if d == nil {
		return ""
	}
	q := d.Requirement(id)
	if q == nil {
		return ""
	}
	return doc.OneLine(q.Text)
}

// count returns n with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
