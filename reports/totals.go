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

// libraryNote explains the last column of the rates: the time is summed over
// all workers, so that a subject asked in parallel may well answer faster.
const libraryNote = "queries/s is the rate of the run, library/s that of one worker without harness and pipe."

// A table is a heading and rows. The columns from the one called right on hold
// numbers.
type table struct {
	head  []string
	rows  [][]string
	right int
	// note explains the columns in a sentence.
	note string
}

// tables are those of sums: what came of the expectations of each subject, and
// by level and rate.
func tables(r *conformance.Result) []table {
	if len(r.Subjects) == 0 {
		return nil
	}
	return []table{countsTable(r), levelsTable(r)}
}

// parts are the statuses into which the expectations of a subject divide. Those
// that are not always shown have no column if they are zero for all subjects.
var parts = []struct {
	name   string
	status conformance.Status
	always bool
}{
	{"passed", conformance.Pass, true},
	{"known", conformance.Known, true},
	{"unexpected", conformance.Fail, true},
	{"no answer", conformance.Broken, false},
	{"skipped", conformance.Skipped, false},
	{"classified", conformance.Classified, false},
	{"unscored", conformance.NotScored, false},
}

// countsTable says what came of the expectations of each subject. A row adds
// up, and the note says how.
func countsTable(r *conformance.Result) table {
	t := table{head: []string{"parser", "total"}, right: 1}
	t.rows = make([][]string, len(r.Subjects))
	for i := range r.Subjects {
		total := 0
		for _, n := range r.Subjects[i].Checks {
			total += n
		}
		t.rows[i] = []string{printable(r.Subjects[i].Name), strconv.Itoa(total)}
	}
	var names []string
	for _, part := range parts {
		if !part.always && !slices.ContainsFunc(r.Subjects, func(s conformance.SubjectResult) bool { return s.Checks[part.status] > 0 }) {
			continue
		}
		names = append(names, part.name)
		t.head = append(t.head, part.name)
		for i := range r.Subjects {
			t.rows[i] = append(t.rows[i], strconv.Itoa(r.Subjects[i].Checks[part.status]))
		}
	}
	t.head = append(t.head, "answered")
	for i, n := range answeredBy(r) {
		t.rows[i] = append(t.rows[i], strconv.Itoa(n))
	}
	t.note = "total expectations = " + strings.Join(names, " + ") + "; answered means allow, disallow or reject."
	return t
}

// answeredBy counts, for each subject, the queries that it answered itself and
// not with unsupported.
func answeredBy(r *conformance.Result) []int {
	at := subjectIndex(r)
	answers := make([]int, len(r.Subjects))
	for i := range r.Cases {
		for _, o := range r.Cases[i].Outcomes {
			subject, ok := at[o.Subject]
			for k := range o.Checks {
				if v := o.Checks[k].Got.Verdict; ok && (v.Decided() || v == spec.Reject) {
					answers[subject]++
				}
			}
		}
	}
	return answers
}

// levelsTable says how many of the scored expectations of each level a subject
// meets, and how fast it is.
func levelsTable(r *conformance.Result) table {
	t := table{head: []string{"parser", "version"}, right: 2}
	for _, level := range spec.Levels {
		t.head = append(t.head, string(level))
	}
	t.head = append(t.head, "queries/s")
	library := timesLibrary(r)
	if library {
		t.head = append(t.head, "library/s")
		t.note = libraryNote
	}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		row := []string{printable(s.Name), printable(s.Version)}
		for _, level := range spec.Levels {
			row = append(row, passes(s.Levels[level]))
		}
		row = append(row, rate(s.Queries, s.Elapsed))
		if library {
			row = append(row, rate(s.Queries, s.Library))
		}
		t.rows = append(t.rows, row)
	}
	return t
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

// leastWords is the room below which a column of words is left out of the text.
const leastWords = 8

// totalsText writes the tables of sums.
func totalsText(p *page, r *conformance.Result) {
	for _, t := range tables(r) {
		t.text(p)
		p.text("", "  ", dim, t.note)
		p.line()
	}
}

// text writes the table, in several blocks of columns where the page is too
// narrow. The words of a second column take what room is left: the other
// reports have them in full.
func (t *table) text(p *page) {
	all := append([][]string{t.head}, t.rows...)
	widths := make([]int, len(t.head))
	for i := range all {
		all[i] = slices.Clone(all[i])
		all[i][0] = cutMiddle(all[i][0], p.width/4)
		for column := range all[i] {
			widths[column] = max(widths[column], width(all[i][column]))
		}
	}
	hasWords := t.right > 1 && slices.ContainsFunc(t.rows, func(row []string) bool { return row[1] != "" })
	for from := t.right; from < len(t.head); {
		used := widths[0] + len(gap) + widths[from]
		to := from + 1
		for ; to < len(t.head) && used+len(gap)+widths[to] <= p.width; to++ {
			used += len(gap) + widths[to]
		}
		words := 0
		if hasWords && from == t.right {
			words = min(widths[1], p.width-used-len(gap))
			if words < min(leastWords, widths[1]) {
				words = 0
			}
		}
		for i, row := range all {
			line := pad(row[0], widths[0])
			if words > 0 {
				line += gap + pad(cut(row[1], words), words)
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
}
