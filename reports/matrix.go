package reports

import (
	"cmp"
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

// text returns the text of the cell. A trailing ! marks an unexpected failure.
func (c cell) text() doc.Text {
	switch {
	case c.total == 0:
		return tone(doc.Faint, "·")
	case c.failed == 0:
		return tone(doc.Good, "✓")
	case c.status == conformance.Broken:
		return doc.In(doc.Bad, "! %d/%d", c.failed, c.total)
	case c.status == conformance.Fail:
		return doc.In(doc.Bad, "✗ %d/%d!", c.failed, c.total)
	}
	return doc.In(doc.Warn, "✗ %d/%d", c.failed, c.total)
}

// legend explains the texts of cells.
func legend() doc.Para {
	return doc.Para{Text: cell{0, 7, conformance.Pass}.text().And(doc.T(" passes  "),
		cell{2, 7, conformance.Known}.text(), doc.T(" fails 2 of 7 expectations, all known  "),
		cell{2, 7, conformance.Fail}.text(), doc.T(" not all known  "),
		cell{1, 7, conformance.Broken}.text(), doc.T(" no answer  "),
		cell{}.text(), doc.T(" not scored"))}
}

// A matrixRow is one requirement with a cell for each subject.
type matrixRow struct {
	section, requirement string
	// level is that of the requirement or, if it is unknown, the highest of the cases
	// that test it.
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
func newMatrix(d *digest) []matrixRow {
	var rows []matrixRow
	of := map[string]int{}
	for i := range d.Cases {
		c := &d.Cases[i]
		if c.Point != "" {
			continue
		}
		for _, id := range c.Requirements {
			k, ok := of[id]
			if !ok {
				k = len(rows)
				of[id] = k
				rows = append(rows, matrixRow{section: sectionOf(id), requirement: id, cells: make([]cell, len(d.Subjects))})
			}
			if c.Level.Weight() > rows[k].level.Weight() {
				rows[k].level = c.Level
			}
			for _, o := range c.Outcomes {
				if subject, ok := d.at[o.Subject]; ok {
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
		status := checks[i].Status
		if status != conformance.Pass && status < conformance.Known {
			continue
		}
		c.total++
		c.status = max(c.status, status)
		if status != conformance.Pass {
			c.failed++
		}
	}
}

// matrix shows the requirements that a subject fails, or all of them.
func (d *digest) matrix(data *spec.Data, o Options) doc.Document {
	rows := newMatrix(d)
	if len(rows) == 0 {
		return nil
	}
	var shown []matrixRow
	passed, rest, further := 0, 0, ""
	for _, r := range rows {
		switch {
		case o.Verbose || r.failed():
			shown, further = append(shown, r), "further "
		case r.passed():
			passed++
		default:
			rest++
		}
	}
	report := doc.Document{section("Requirements")}
	if len(shown) > 0 && len(d.Subjects) > 0 {
		report = append(report, matrixTable(d.Result, data, shown), legend())
	}
	if passed > 0 {
		report = append(report, doc.P("%s: every parser passes.", count(passed, further+"requirement")))
	}
	if rest > 0 {
		report = append(report, doc.P("%s: no parser fails, but some are not scored for every parser.", count(rest, further+"requirement")))
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
		if q := requirementIn(d, rows[i].requirement); q != nil {
			if level, ok := q.Level.CaseLevel(); ok {
				rows[i].level = level
			}
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
	if q := requirementIn(d, id); q != nil {
		return doc.OneLine(q.Text)
	}
	return ""
}

// requirementIn returns the requirement, nil if it is unknown.
func requirementIn(d *spec.Data, id string) *spec.Requirement {
	if d == nil {
		return nil
	}
	return d.Requirement(id)
}
