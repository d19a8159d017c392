package reports

import (
	"slices"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

const (
	// widestName is where a column's heading is cut: the names of adapters
	// are a language and a library and mostly fit.
	widestName = 20
	// leastText is the room below which a requirement's text says too little
	// to be worth showing.
	leastText = 28
)

// matrixText writes the requirements that a subject fails, or all of them,
// in as many blocks of columns as the page needs.
func matrixText(p *page, r *conformance.Result, d *spec.Data, all bool) {
	rows := newMatrix(r)
	shown := rows
	if !all {
		shown = slices.DeleteFunc(slices.Clone(rows), func(r matrixRow) bool { return !r.failed() })
	}
	if len(shown) > 0 && len(r.Subjects) > 0 {
		m := layout(p, r, shown, "")
		if short := layout(p, r, shown, commonDocument(shown)); short.blocks() < m.blocks() {
			m = short
		}
		for at := 0; at < len(r.Subjects); {
			to := m.fit(at)
			m.block(shown, at, to, d)
			p.line()
			at = to
		}
		legendText(p)
	}
	if !all {
		for _, line := range remaining(rows) {
			p.text("", "  ", plain, line)
		}
	}
	p.line()
}

// A matrixLayout is the matrix as it is laid out on a page.
type matrixLayout struct {
	p *page
	// document is what all IDs begin with where the heading says it once for
	// all; else it is empty.
	document string
	// names head the columns, widths are theirs without the gap.
	names     []string
	widths    []int
	id, level int
}

// gap stands between two columns.
const gap = "  "

func layout(p *page, r *conformance.Result, rows []matrixRow, document string) *matrixLayout {
	m := &matrixLayout{p: p, document: document, level: width("SHOULD")}
	m.id = width(m.heading()) - len(gap)
	for _, row := range rows {
		m.id = max(m.id, width(row.requirement)-width(document))
	}
	m.id = min(m.id, p.width/2-m.level)
	room := min(widestName, p.width-m.label()-len(gap))
	for at := range r.Subjects {
		name := cutMiddle(printable(r.Subjects[at].Name), room)
		n := width(name)
		for _, row := range rows {
			n = max(n, width(row.cells[at].span(0, p.color).text))
		}
		m.names = append(m.names, name)
		m.widths = append(m.widths, min(n, room))
	}
	return m
}

// heading heads the column of IDs.
func (m *matrixLayout) heading() string {
	if m.document != "" {
		return m.document + "…"
	}
	return "requirement"
}

// commonDocument is what all IDs of the rows begin with, "RFC9309-", or "".
func commonDocument(rows []matrixRow) string {
	document, _, _ := strings.Cut(rows[0].requirement, "-")
	for _, row := range rows {
		if !strings.HasPrefix(row.requirement, document+"-") {
			return ""
		}
	}
	return document + "-"
}

// blocks counts the blocks of columns that the matrix takes.
func (m *matrixLayout) blocks() int {
	n := 0
	for at := 0; at < len(m.widths); n++ {
		at = m.fit(at)
	}
	return n
}

// label is the width of what stands left of the cells.
func (m *matrixLayout) label() int { return len(gap) + m.id + len(gap) + m.level }

// fit returns the end of the block of columns that begins with from.
func (m *matrixLayout) fit(from int) int {
	used := m.label() + len(gap) + m.widths[from]
	to := from + 1
	for to < len(m.widths) && used+len(gap)+m.widths[to] <= m.p.width {
		used += len(gap) + m.widths[to]
		to++
	}
	return to
}

func (m *matrixLayout) block(rows []matrixRow, from, to int, d *spec.Data) {
	used := m.label()
	heading := pad(m.heading(), len(gap)+m.id) + gap + pad("level", m.level)
	for at := from; at < to; at++ {
		heading += gap + pad(m.names[at], m.widths[at])
		used += len(gap) + m.widths[at]
	}
	m.p.line(bold.of(heading))
	// The texts stand beside a matrix that is not split; beside one block of
	// several they would seem to belong to its subjects.
	room := m.p.width - used - len(gap)
	if d == nil || to-from < len(m.widths) || room < leastText {
		room = 0
	}
	section := ""
	for i := range rows {
		row := &rows[i]
		if row.section != section {
			section = row.section
			m.p.line(bold.of(sectionHeading(section)))
		}
		line := []span{
			plain.of(gap + pad(cutMiddle(strings.TrimPrefix(row.requirement, m.document), m.id), m.id)),
			dim.of(gap + pad(string(row.level), m.level)),
		}
		for at := from; at < to; at++ {
			line = append(line, plain.of(gap), row.cells[at].span(m.widths[at], m.p.color))
		}
		if text := requirementText(d, row.requirement); room > 0 && text != "" {
			line = append(line, dim.of(gap+cut(text, room)))
		}
		m.p.line(line...)
	}
}

// requirementText is the sentence of a requirement, "" if it is not known.
func requirementText(d *spec.Data, id string) string {
	if d == nil {
		return ""
	}
	q := d.Requirement(id)
	if q == nil {
		return ""
	}
	return oneLine(q.Text)
}

// legendText explains the marks in their colours, as many in a line as fit.
func legendText(p *page) {
	var line []span
	used := 0
	for _, entry := range legend {
		mark := entry.cell.span(0, p.color)
		means := " " + entry.means + gap
		need := width(mark.text) + width(means)
		if used+need > p.width+len(gap) {
			p.line(line...)
			line, used = nil, 0
		}
		line = append(line, mark, plain.of(means))
		used += need
	}
	p.line(line...)
}
