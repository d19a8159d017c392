package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// libraryNote explains the last column of the totals: the time is summed over
// all workers, so that a subject asked in parallel may well answer faster.
const libraryNote = "queries/s is what the run reached, library/s what one worker reaches without harness and pipe."

// totals is the table of sums: a heading, and a row for each subject. The
// first two columns are the subject and its version, the others are numbers.
func totals(r *conformance.Result) (head []string, rows [][]string) {
	head = []string{"subject", "version"}
	for _, level := range spec.Levels {
		head = append(head, string(level))
	}
	head = append(head, "known", "unexpected", "skipped", "queries/s")
	library := timesLibrary(r)
	if library {
		head = append(head, "library/s")
	}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		row := []string{printable(s.Name), printable(s.Version)}
		for _, level := range spec.Levels {
			row = append(row, passes(s.Levels[level]))
		}
		row = append(row,
			strconv.Itoa(s.Checks[conformance.Known]),
			strconv.Itoa(s.Checks[conformance.Fail]+s.Checks[conformance.Broken]),
			strconv.Itoa(s.Checks[conformance.Skipped]),
			rate(s.Queries, s.Elapsed))
		if library {
			row = append(row, rate(s.Queries, s.Library))
		}
		rows = append(rows, row)
	}
	return head, rows
}

// timesLibrary reports whether any subject tells the time inside its library.
func timesLibrary(r *conformance.Result) bool {
	return slices.ContainsFunc(r.Subjects, func(s conformance.SubjectResult) bool { return s.Library > 0 })
}

func passes(t conformance.Tally) string {
	if t.Total == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", t.Pass, t.Total)
}

// rate is queries per second, "1,234,567", or – where no time was taken.
func rate(queries int, in time.Duration) string {
	if in <= 0 || queries == 0 {
		return "–"
	}
	perSecond := float64(queries) / in.Seconds()
	if perSecond < 10 {
		return strconv.FormatFloat(perSecond, 'f', 1, 64)
	}
	number := strconv.FormatInt(int64(perSecond), 10)
	for i := len(number) - 3; i > 0; i -= 3 {
		number = number[:i] + "," + number[i:]
	}
	return number
}

// leastVersion is the room below which versions are left out of the text.
const leastVersion = 8

// totalsText writes the table of sums, in several blocks of columns where the
// page is too narrow. The versions take what room is left: they are in the
// other reports in full.
func totalsText(p *page, r *conformance.Result) {
	head, rows := totals(r)
	if len(rows) == 0 {
		return
	}
	table := append([][]string{head}, rows...)
	widths := make([]int, len(head))
	for _, row := range table {
		row[0] = cutMiddle(row[0], p.width/4)
		for column := range row {
			widths[column] = max(widths[column], width(row[column]))
		}
	}
	versions := slices.ContainsFunc(rows, func(row []string) bool { return row[1] != "" })
	for from := 2; from < len(head); {
		used := widths[0] + len(gap) + widths[from]
		to := from + 1
		for ; to < len(head) && used+len(gap)+widths[to] <= p.width; to++ {
			used += len(gap) + widths[to]
		}
		version := min(widths[1], p.width-used-len(gap))
		if !versions || from > 2 || version < min(leastVersion, widths[1]) {
			version = 0
		}
		for i, row := range table {
			line := pad(row[0], widths[0])
			if version > 0 {
				line += gap + pad(cut(row[1], version), version)
			}
			for column := from; column < to; column++ {
				line += gap + strings.Repeat(" ", widths[column]-width(row[column])) + row[column]
			}
			st := plain
			if i == 0 {
				st = bold
			}
			p.line(st.of(line))
		}
		from = to
	}
	if timesLibrary(r) {
		p.text("", "", dim, libraryNote)
	}
	p.line()
}
