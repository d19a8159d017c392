package reports

import (
	"cmp"
	"io"
	"strings"

	"github.com/repcheck/repcheck/fuzz"
)

const (
	// defaultPairs is how many pairs are shown with an example: more fill
	// several screens, and the matrix has the rates of all.
	defaultPairs = 10
	// defaultFindings is how many findings of each subject are shown.
	defaultFindings = 5
	// defaultUnreadable is how many unreadable entries are shown.
	defaultUnreadable = 3
)

// fileNote explains what stands in a command for the source.
const fileNote = "COLLECTION stands for the path of what was scanned."

// ScanText writes the report of a scan that a person reads in a terminal: how
// much each two subjects differ, the pairs with an example each, what each
// subject answered, and where one failed to. Verbose shows every pair and
// finding; o.Failures has no meaning here.
func ScanText(w io.Writer, r *fuzz.ScanResult, o TextOptions) error {
	p := newPage(w, max(cmp.Or(o.Width, defaultWidth), leastWidth), o.Color)
	p.text("", "  ", bold, scanHeading(r))
	for _, line := range scanAsides(r) {
		p.text("", "  ", dim, line)
	}
	p.line()
	if len(r.Subjects) > 1 {
		head, rows := scanMatrix(r)
		scanTable(p, head, rows)
		p.text("", "", dim, scanMatrixNote)
		p.line()
	}
	if head, rows := scanLineages(r); rows != nil {
		scanTable(p, head, rows)
		p.text("", "", dim, scanLineageNote)
		p.line()
	}
	scanPairsText(p, r, o.Verbose)
	if len(r.Subjects) > 0 {
		head, rows := scanTotals(r)
		scanTable(p, head, rows)
		p.text("", "", dim, scanRateNote)
		p.line()
	}
	scanChoicesText(p, r, o.Verbose)
	scanFindingsText(p, r, o.Verbose)
	scanUnreadableText(p, r, o.Verbose)
	return p.close()
}

// scanTable writes a table whose first column labels the rows, in several
// blocks of columns where the page is too narrow.
func scanTable(p *page, head []string, rows [][]string) {
	table := append([][]string{head}, rows...)
	widths := make([]int, len(head))
	for _, row := range table {
		for column, cell := range row {
			widths[column] = max(widths[column], width(cell))
		}
	}
	for from := 1; from < len(head); {
		used := widths[0] + len(gap) + widths[from]
		to := from + 1
		for ; to < len(head) && used+len(gap)+widths[to] <= p.width; to++ {
			used += len(gap) + widths[to]
		}
		for i, row := range table {
			line := pad(row[0], widths[0])
			for column := from; column < to; column++ {
				line += gap + strings.Repeat(" ", widths[column]-width(row[column])) + row[column]
			}
			st := plain
			if i == 0 {
				st = bold
			}
			p.line(st.of(line))
		}
		if from = to; from < len(head) {
			p.line()
		}
	}
}

func scanPairsText(p *page, r *fuzz.ScanResult, all bool) {
	differing, others := scanPairs(r)
	if len(differing) > 0 {
		p.line(bold.of("Pairs that differ most, each with the smallest file"))
		for i, pair := range differing {
			if i == defaultPairs && !all {
				p.text("", "  ", dim, "… and "+count(len(differing)-i, "pair")+" more: --verbose shows all")
				break
			}
			e := &pair.Example.ScanExample
			p.text("", "  ", yellow, pairLine(r, pair))
			p.text("    ", "  ", plain, answerLine(pair))
			exampleText(p, e)
		}
		p.text("", "", dim, fileNote)
	}
	for _, line := range others {
		p.text("", "  ", plain, line)
	}
	if len(r.Pairs) > 0 {
		p.line()
	}
}

// exampleText writes the question, the file, and how to ask again.
func exampleText(p *page, e *fuzz.ScanExample) {
	const indent = "    "
	p.line(plain.of(indent + exampleFile(e)))
	who, url := scanCommand(e)
	switch {
	case who == "" || max(width(indent+who+" \\"), width(indent+gap+url)) > p.width:
	case width(indent+who+" "+url) <= p.width:
		p.line(dim.of(indent + who + " " + url))
		return
	default:
		p.line(dim.of(indent + who + " \\"))
		p.line(dim.of(indent + gap + url))
		return
	}
	room := p.width - len(indent)
	p.line(plain.of(indent + cutMiddle(e.Agent, room)))
	p.line(plain.of(indent + cutMiddle(e.URL, room)))
	p.line(dim.of(indent + "(too long for a command here: --format json has it in full)"))
}

func scanFindingsText(p *page, r *fuzz.ScanResult, all bool) {
	first := true
	begin := func() {
		if first {
			p.line(bold.of("Findings"))
		}
		first = false
	}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		for k, f := range scanFindings(s) {
			begin()
			if k == defaultFindings && !all {
				p.text("", "  ", dim, "… and "+count(len(s.Findings)-k, "finding")+" more of "+s.Name+": --verbose shows all")
				break
			}
			p.text("", "  ", red, f.text)
			exampleText(p, f.example)
		}
		for _, line := range scanRemarks(s, all) {
			begin()
			p.text("", "  ", red, line)
		}
	}
	if !first {
		p.line()
	}
}

func scanUnreadableText(p *page, r *fuzz.ScanResult, all bool) {
	if r.Unreadable == 0 {
		return
	}
	p.line(bold.of(countOf(r.Unreadable, "entry", "entries") + " could not be read"))
	for i, line := range r.UnreadableFirst {
		if i == defaultUnreadable && !all {
			break
		}
		p.text("  ", "  ", plain, line)
	}
	p.line()
}
