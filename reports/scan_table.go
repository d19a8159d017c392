package reports

import "strings"

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
