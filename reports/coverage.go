package reports

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/repcheck/repcheck/conformance"
)

const (
	// thinKills is how few cases fail a mutant that is shown without Verbose:
	// one of them going astray might leave it alive.
	thinKills = 1
	// firstCases is how many of the cases that fail a mutant are shown.
	firstCases = 3
)

// CoverageText writes how good the cases are for a person to read: the
// requirements by document, the mutants with the cases that fail them, and the
// gaps. Verbose shows every requirement and mutant; o.Failures has no meaning
// here.
func CoverageText(w io.Writer, r *conformance.CoverageResult, o TextOptions) error {
	p := newPage(w, max(cmp.Or(o.Width, defaultWidth), leastWidth), o.Color)
	problems := r.Problems()
	p.text("", "  ", bold, coverageHeading(r))
	p.line()
	for _, t := range coverageTables(r, problems, o.Verbose) {
		p.line(bold.of(t.title))
		coverageTable(p, t)
		for _, note := range t.notes {
			p.text("", "  ", dim, note)
		}
		p.line()
	}
	for i, problem := range problems {
		if i == 0 {
			p.line(bold.of("Gaps"))
		}
		p.text("  ", "  ", plain, problem.Kind+" "+problem.String())
	}
	if len(problems) > 0 {
		p.line()
	}
	st := green
	if len(problems) > 0 {
		st = red
	}
	p.text("", "  ", st, coverageVerdict(problems))
	return p.close()
}

// CoverageMarkdown writes what CoverageText does as GitHub Flavored Markdown.
func CoverageMarkdown(w io.Writer, r *conformance.CoverageResult, verbose bool) error {
	problems := r.Problems()
	var out strings.Builder
	fmt.Fprintf(&out, "## %s\n\n%s\n\n", mdSentence(coverageVerdict(problems)), md(coverageHeading(r)))
	for _, t := range coverageTables(r, problems, verbose) {
		fmt.Fprintf(&out, "### %s\n\n", t.title)
		if len(t.rows) > 0 {
			t = t.textFirst()
			mdTable(&out, t.head, t.right, mdCells(t.rows))
		}
		for _, note := range t.notes {
			fmt.Fprintf(&out, "%s\n\n", md(note))
		}
	}
	if len(problems) > 0 {
		fmt.Fprint(&out, "### Gaps\n\n")
		for _, problem := range problems {
			fmt.Fprintf(&out, "- %s %s\n", md(problem.Kind), md(problem.String()))
		}
		fmt.Fprint(&out, "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// CoverageJSON writes the whole result, the gaps included, indented.
func CoverageJSON(w io.Writer, r *conformance.CoverageResult) error {
	return WriteJSON(w, struct {
		*conformance.CoverageResult
		Problems []conformance.CoverageProblem `json:"problems"`
	}{r, r.Problems()})
}

func coverageHeading(r *conformance.CoverageResult) string {
	name := "repcheck"
	if r.Version != "" {
		name += " " + r.Version
	}
	return fmt.Sprintf("%s: %s and %s on %s of set %s, %.2f s", name, count(len(r.Mutants), "mutant"),
		count(len(r.Nulls), "null model"), count(len(r.Cases), "judging case"), r.CaseSet, r.Elapsed.Seconds())
}

func coverageVerdict(problems []conformance.CoverageProblem) string {
	if len(problems) == 0 {
		return "ok: no mutant survives, no case is vacuous, and each testable requirement is tested both ways"
	}
	var kinds []string
	for _, k := range []struct{ kind, noun string }{
		{"survivor", "surviving mutant"}, {"vacuous", "vacuous case"}, {"untested", "untested requirement"}, {"one-sided", "one-sided requirement"},
	} {
		n := 0
		for _, p := range problems {
			if p.Kind == k.kind {
				n++
			}
		}
		if n > 0 {
			kinds = append(kinds, count(n, k.noun))
		}
	}
	return "gaps: " + strings.Join(kinds, ", ")
}

// A coverageRows is a table with its title. The columns from right on are
// numbers, but for the last where wide is set: that is text, and takes the room
// that is left.
type coverageRows struct {
	title string
	head  []string
	right int
	wide  bool
	rows  [][]string
	notes []string
}

// textFirst puts the text of a wide table in front of the numbers, as Markdown
// aligns columns from one on to the right.
func (t coverageRows) textFirst() coverageRows {
	if !t.wide {
		return t
	}
	move := func(row []string) []string {
		last := len(row) - 1
		return slices.Concat(row[:t.right], row[last:], row[t.right:last])
	}
	moved := t
	moved.head, moved.right, moved.rows = move(t.head), t.right+1, nil
	for _, row := range t.rows {
		moved.rows = append(moved.rows, move(row))
	}
	return moved
}

func coverageTables(r *conformance.CoverageResult, problems []conformance.CoverageProblem, all bool) []coverageRows {
	return []coverageRows{documentRows(r), requirementRows(r, problems, all), mutantRows(r, all), nullRows(r)}
}

// documentRows counts the requirements of each document.
func documentRows(r *conformance.CoverageResult) coverageRows {
	t := coverageRows{
		title: "Documents",
		head:  []string{"document", "requirements", "both ways", "one-sided", "without case", "not testable"},
		right: 1,
	}
	var documents []string
	counts := map[string]*[5]int{}
	for i := range r.Requirements {
		q := &r.Requirements[i]
		if counts[q.Document] == nil {
			documents, counts[q.Document] = append(documents, q.Document), new([5]int)
		}
		n := counts[q.Document]
		n[0]++
		switch {
		case q.Untested != "":
			n[4]++
		case q.Tested():
			n[1]++
		case len(q.Judging)+len(q.Classifying) > 0:
			n[2]++
		default:
			n[3]++
		}
	}
	for _, name := range documents {
		row := []string{printable(name)}
		for _, n := range counts[name] {
			row = append(row, strconv.Itoa(n))
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// requirementRows shows the requirements with a gap, or all.
func requirementRows(r *conformance.CoverageResult, problems []conformance.CoverageProblem, all bool) coverageRows {
	t := coverageRows{
		title: "Requirements",
		head:  []string{"requirement", "level", "judging", "open", "allow", "disallow", "mutants", "remark"},
		right: 2,
		wide:  true,
	}
	gaps := map[string]string{}
	for _, p := range problems {
		gaps[p.ID] = p.Kind
	}
	for i := range r.Requirements {
		q := &r.Requirements[i]
		if gaps[q.ID] == "" && !all {
			continue
		}
		t.rows = append(t.rows, []string{
			printable(q.ID), string(q.Level), strconv.Itoa(len(q.Judging)), strconv.Itoa(len(q.Classifying)),
			strconv.Itoa(q.Allows), strconv.Itoa(q.Disallows), strconv.Itoa(len(q.Mutants)), oneLine(cmp.Or(gaps[q.ID], q.Untested)),
		})
	}
	t.notes = []string{"Judging and open (classifying) cases rest on it; allow and disallow are the verdicts they ask for; mutants fail the judging ones."}
	if len(t.rows) == 0 {
		t.head, t.notes = nil, []string{"No requirement has a gap."}
	}
	return t
}

// mutantRows shows the mutants that hardly any case fails, or all.
func mutantRows(r *conformance.CoverageResult, all bool) coverageRows {
	t := coverageRows{title: "Mutants", head: []string{"mutant", "breaks", "cases", "first of them"}, right: 2, wide: true}
	for i := range r.Mutants {
		m := &r.Mutants[i]
		if m.Kills > thinKills && !all {
			continue
		}
		first := strings.Join(m.Cases[:min(len(m.Cases), firstCases)], ", ")
		t.rows = append(t.rows, []string{printable(m.ID), printable(m.Breaks), strconv.Itoa(m.Kills), cmp.Or(printable(first), "none: it survives")})
	}
	if len(t.rows) == 0 {
		t.head = nil
	}
	if rest := len(r.Mutants) - len(t.rows); rest > 0 {
		t.notes = []string{"Not shown: " + count(rest, "mutant") + " that two cases fail or more."}
	}
	return t
}

func nullRows(r *conformance.CoverageResult) coverageRows {
	t := coverageRows{title: "Null models", head: []string{"model", "cases", "means"}, right: 1, wide: true}
	for i := range r.Nulls {
		n := &r.Nulls[i]
		t.rows = append(t.rows, []string{printable(n.ID), strconv.Itoa(n.Kills), oneLine(n.Means)})
	}
	t.notes = []string{"Cases are those that fail it."}
	return t
}

// coverageTable writes a table; what does not fit is cut off the text of a wide
// one.
func coverageTable(p *page, t coverageRows) {
	switch {
	case t.head == nil:
		return
	case !t.wide:
		scanTable(p, t.head, t.rows)
		return
	}
	widths := make([]int, len(t.head))
	table := slices.Concat([][]string{t.head}, t.rows)
	for _, row := range table {
		for column, cell := range row {
			widths[column] = max(widths[column], width(cell))
		}
	}
	for i, row := range table {
		var line string
		for column, cell := range row {
			switch last := column == len(row)-1; {
			case column < t.right:
				line += pad(cell, widths[column]) + gap
			case !last:
				line += strings.Repeat(" ", widths[column]-width(cell)) + cell + gap
			default:
				line += cell
			}
		}
		st := plain
		if i == 0 {
			st = bold
		}
		p.line(st.of(line))
	}
}
