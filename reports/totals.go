package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// libraryNote explains the last column of the rates. Its time is summed over all
// workers, so a subject with several workers may answer faster.
const libraryNote = "queries/s is the rate of the run, library/s that of one worker without harness and pipe."

// parts are the statuses that add up to the expectations of a subject. A status
// that is not always shown has no column if it is zero for all subjects.
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

// countsTable counts the expectations of each subject by status. Each row adds up
// to its total, and the note says how.
func countsTable(r *conformance.Result) doc.Document {
	heads, names := []string{"parser", "total"}, []string(nil)
	cells := make([][]string, len(r.Subjects))
	for i := range r.Subjects {
		total := 0
		for _, n := range r.Subjects[i].Checks {
			total += n
		}
		cells[i] = []string{r.Subjects[i].Name, strconv.Itoa(total)}
	}
	for _, part := range parts {
		if !part.always && !slices.ContainsFunc(r.Subjects, func(s conformance.SubjectResult) bool { return s.Checks[part.status] > 0 }) {
			continue
		}
		names = append(names, part.name)
		for i := range r.Subjects {
			cells[i] = append(cells[i], strconv.Itoa(r.Subjects[i].Checks[part.status]))
		}
	}
	t := doc.Table{Columns: columns(1, append(append(heads, names...), "answered")...)}
	for i, n := range answeredBy(r) {
		t.Rows = append(t.Rows, row(append(cells[i], strconv.Itoa(n))...))
	}
	return append(doc.Document{t}, paras(doc.Faint, "total expectations = "+strings.Join(names, " + ")+"; answered means allow, disallow or reject.")...)
}

// answeredBy counts, for each subject, the queries that it answered itself with a
// verdict other than unsupported.
func answeredBy(r *conformance.Result) []int {
	at := subjectIndex(r)
	answers := make([]int, len(r.Subjects))
	for i := range r.Cases {
		for _, o := range r.Cases[i].Outcomes {
			subject, ok := at[o.Subject]
			for k := range o.Checks {
				if v := o.Checks[k].Got.Verdict; ok && v.Answered() {
					answers[subject]++
				}
			}
		}
	}
	return answers
}

// widestVersion is the width at which a version is cut. A pseudo-version of Go is
// longer.
const widestVersion = 36

// levelsTable shows, for each level, the number of scored expectations that a
// subject meets, and its speed.
func levelsTable(r *conformance.Result) doc.Document {
	heads, note := []string{"parser", "version"}, ""
	for _, level := range spec.Levels {
		heads = append(heads, string(level))
	}
	heads = append(heads, "queries/s")
	library := timesLibrary(r)
	if library {
		heads, note = append(heads, "library/s"), libraryNote
	}
	t := doc.Table{Columns: columns(2, heads...)}
	t.Columns[1].Most = widestVersion
	for i := range r.Subjects {
		s := &r.Subjects[i]
		cells := []string{s.Name, s.Version}
		for _, level := range spec.Levels {
			cells = append(cells, passes(s.Levels[level]))
		}
		cells = append(cells, rate(s.Queries, s.Elapsed))
		if library {
			cells = append(cells, rate(s.Queries, s.Library))
		}
		t.Rows = append(t.Rows, row(cells...))
	}
	return append(doc.Document{t}, paras(doc.Faint, note)...)
}

// timesLibrary reports whether any subject reports the time inside its library.
func timesLibrary(r *conformance.Result) bool {
	return slices.ContainsFunc(r.Subjects, func(s conformance.SubjectResult) bool { return s.Library > 0 })
}

func passes(t conformance.Tally) string {
	if t.Total == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", t.Pass, t.Total)
}

// rate formats queries per second, such as "1,234,567", or – if no time was
// measured.
func rate(queries int, in time.Duration) string {
	if in <= 0 || queries == 0 {
		return "–"
	}
	perSecond := float64(queries) / in.Seconds()
	if perSecond < 10 {
		return strconv.FormatFloat(perSecond, 'f', 1, 64)
	}
	return thousands(int64(perSecond))
}
