package reports

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// A cell is what one subject made of the checks of one requirement.
type cell struct {
	failed, total int
	// status is the highest of the scored checks.
	status conformance.Status
}

// mark is the cell without colour: the ! at the end says what a colour would,
// that a failure is not known.
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

// span is the cell with its colour, padded to n runes.
func (c cell) span(n int, color bool) span {
	mark := c.mark()
	switch {
	case c.total == 0:
		return dim.of(pad(mark, n))
	case c.failed == 0:
		return green.of(pad(mark, n))
	case c.status == conformance.Known:
		return yellow.of(pad(mark, n))
	case color && c.status == conformance.Fail:
		mark = mark[:len(mark)-1]
	}
	return red.of(pad(mark, n))
}

// A matrixRow is one requirement with a cell for each subject.
type matrixRow struct {
	section, requirement string
	// level is the highest of the cases that rest on the requirement.
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

// newMatrix counts the scored checks of judging cases by requirement and
// subject. Rows are in the order of the requirements' numbers.
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

// subjectIndex gives the place of each subject by its name.
func subjectIndex(r *conformance.Result) map[string]int {
	at := make(map[string]int, len(r.Subjects))
	for i := range r.Subjects {
		at[r.Subjects[i].Name] = i
	}
	return at
}

// remaining says in full sentences what came of the rows that are not shown.
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

// count is n with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
