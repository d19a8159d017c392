package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

const (
	// libraryNote explains the last column of the rates. Its time is summed over
	// all workers, so a subject with several workers may answer faster.
	libraryNote = "queries/s is the rate of the run, library/s that of one worker without harness and pipe."
	// widestVersion is the width at which a version is cut. A pseudo-version of Go
	// is longer.
	widestVersion = 36
)

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
	t := doc.Table{Columns: columns(1, "parser", "total")}
	for i := range r.Subjects {
		total := 0
		for _, n := range r.Subjects[i].Checks {
			total += n
		}
		t.Rows = append(t.Rows, row(r.Subjects[i].Name, total))
	}
	var names []string
	for _, part := range parts {
		counts := func(s conformance.SubjectResult) bool { return s.Checks[part.status] > 0 }
		if part.always || slices.ContainsFunc(r.Subjects, counts) {
			names = append(names, part.name)
			addColumn(&t, part.name, func(i int) any { return r.Subjects[i].Checks[part.status] })
		}
	}
	addColumn(&t, "answered", func(i int) any { return r.Subjects[i].Answered })
	return doc.Document{t, note("total expectations = %s; answered means allow, disallow or reject.", strings.Join(names, " + "))}
}

// addColumn adds a column of numbers to a table. cell returns the value in row i.
func addColumn(t *doc.Table, head string, cell func(i int) any) {
	t.Columns = append(t.Columns, doc.Column{Head: head, Right: true})
	for i := range t.Rows {
		t.Rows[i] = append(t.Rows[i], row(cell(i))...)
	}
}

// levelsTable shows, for each level, the number of scored expectations that a
// subject meets, and its speed.
func levelsTable(r *conformance.Result) doc.Document {
	t := doc.Table{Columns: columns(2, "parser", "version")}
	t.Columns[1].Most = widestVersion
	for i := range r.Subjects {
		t.Rows = append(t.Rows, row(r.Subjects[i].Name, r.Subjects[i].Version))
	}
	for _, level := range spec.Levels {
		addColumn(&t, string(level), func(i int) any { return passes(r.Subjects[i].Levels[level]) })
	}
	addColumn(&t, "queries/s", func(i int) any { return rate(r.Subjects[i].Queries, r.Subjects[i].Elapsed) })
	if !slices.ContainsFunc(r.Subjects, func(s conformance.SubjectResult) bool { return s.Library > 0 }) {
		return doc.Document{t}
	}
	addColumn(&t, "library/s", func(i int) any { return rate(r.Subjects[i].Queries, r.Subjects[i].Library) })
	return doc.Document{t, note(libraryNote)}
}

func passes(t conformance.Tally) string {
	if t.Total == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", t.Pass, t.Total)
}
