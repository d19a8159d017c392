package reports

import (
	"cmp"
	"io"
	"strings"

	"github.com/repcheck/repcheck/fuzz/complexity"
)

// GrowthText writes how the time of each subject grows, as a person reads it in
// a terminal: the subjects side by side with the worst family of each, then for
// each its findings with the smallest slow question. Verbose shows every family;
// o.Failures has no meaning here.
func GrowthText(w io.Writer, r *complexity.Result, o TextOptions) error {
	p := newPage(w, max(cmp.Or(o.Width, defaultWidth), leastWidth), o.Color)
	p.text("", "  ", bold, growthHeading(r))
	for _, line := range growthAsides(r) {
		p.text("", "  ", dim, line)
	}
	if head, rows := growthSummary(r); rows != nil {
		p.line()
		scanTable(p, head, rows)
	}
	for i := range r.Subjects {
		p.line()
		growthText(p, r, &r.Subjects[i], o.Verbose)
	}
	if len(r.Subjects) > 0 {
		p.line()
		p.text("", "", dim, growthNote)
		p.text("", "", dim, growthCommandNote)
	}
	return p.close()
}

// growthText writes one subject.
func growthText(p *page, r *complexity.Result, s *complexity.Subject, all bool) {
	p.text("", "  ", bold, growthTitle(s))
	shown, more := growthShown(s, all)
	var rows [][]string
	for _, g := range shown {
		rows = append(rows, growthRow(g, r.Stop))
	}
	if len(rows) > 0 {
		growthTable(p, rows)
	}
	if more > 0 {
		p.text("  ", "  ", dim, "… and "+countOf(int64(more), "family", "families")+" more: --verbose shows all")
	}
	for _, g := range s.Findings() {
		p.text("  ", "  ", red, growthWitness(r, g))
		p.text("      ", "  ", plain, growthRule(g))
		p.line(dim.of("      " + growthCommand(g)))
	}
	for _, line := range growthRemarks(r, s) {
		p.text("  ", "  ", yellow, line)
	}
}

// growthTable writes the families of a subject.
func growthTable(p *page, rows [][]string) {
	table := append([][]string{growthHead}, rows...)
	widths := columnWidths(table)
	for i, row := range table {
		line := "  " + pad(row[0], 1) + " " + pad(row[1], widths[1])
		for column := 2; column < len(row); column++ {
			line += gap + strings.Repeat(" ", widths[column]-width(row[column])) + row[column]
		}
		st := plain
		switch {
		case i == 0:
			st = bold
		case row[0] != "":
			st = red
		}
		p.line(st.of(line))
	}
}
