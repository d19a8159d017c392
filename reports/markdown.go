package reports

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// Markdown writes what [Text] does as GitHub Flavored Markdown, for the
// summary of a job or a comment. At most five unexpected failures of each
// subject are shown, as GitHub takes no more than 1 MiB. d may be nil.
func Markdown(w io.Writer, r *conformance.Result, d *spec.Data) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## %s\n\n%s\n\n", mdSentence(verdict(r)), md(heading(r)))
	markdownMatrix(out, r, d)
	head, rows := totals(r)
	if len(rows) > 0 {
		fmt.Fprint(out, "### Totals\n\n")
		mdTable(out, head, 2, mdCells(rows))
		if timesLibrary(r) {
			fmt.Fprintf(out, "%s\n\n", md(libraryNote))
		}
	}
	markdownFailures(out, r)
	markdownProblems(out, r)
	for _, line := range asides(r) {
		fmt.Fprintf(out, "%s.\n\n", md(line))
	}
	return out.Flush()
}

// markdownMatrix writes the requirements that a subject fails as one table,
// with a row of its own for each section's heading.
func markdownMatrix(w io.Writer, r *conformance.Result, d *spec.Data) {
	rows := newMatrix(r)
	head := []string{"requirement", "level"}
	for i := range r.Subjects {
		head = append(head, printable(r.Subjects[i].Name))
	}
	if d != nil {
		head = append(head, "text")
	}
	var table [][]string
	section := ""
	for i := range rows {
		row := &rows[i]
		if !row.failed() {
			continue
		}
		if row.section != section {
			section = row.section
			cells := make([]string, len(head))
			cells[0] = "**" + md(sectionHeading(section)) + "**"
			table = append(table, cells)
		}
		cells := []string{md(row.requirement), md(string(row.level))}
		for _, c := range row.cells {
			mark := md(c.mark())
			if c.status >= conformance.Fail {
				mark = "**" + mark + "**"
			}
			cells = append(cells, mark)
		}
		if d != nil {
			cells = append(cells, md(requirementText(d, row.requirement)))
		}
		table = append(table, cells)
	}
	if len(table) > 0 {
		mdTable(w, head, len(head), table)
		var marks []string
		for _, entry := range legend {
			marks = append(marks, md(entry.cell.mark()+" "+entry.means))
		}
		fmt.Fprintf(w, "%s\n\n", strings.Join(marks, " · "))
	}
	for _, line := range remaining(rows) {
		fmt.Fprintf(w, "%s\n\n", md(line))
	}
}

func markdownFailures(w io.Writer, r *conformance.Result) {
	all := unexpected(r)
	if !slices.ContainsFunc(all, func(f []failure) bool { return len(f) > 0 }) {
		return
	}
	fmt.Fprint(w, "### Unexpected failures\n\n")
	for _, failures := range all {
		for i := range failures {
			if i == defaultFailures {
				fmt.Fprintf(w, "%s\n\n", md(fmt.Sprintf("… and %d more of %s: repcheck run --verbose shows all", len(failures)-i, failures[i].subject)))
				break
			}
			markdownFailure(w, &failures[i])
		}
	}
}

func markdownFailure(w io.Writer, f *failure) {
	fmt.Fprintf(w, "#### %s\n\n%s\n\n", md(f.mark()+" "+f.title()), md(f.c.Rationale))
	if f.excused != "" {
		fmt.Fprintf(w, "%s.\n\n", mdSentence(f.excused))
	}
	var file strings.Builder
	p := newPage(&file, defaultWidth, false)
	listingText(p, f)
	_ = p.close() // a builder takes everything
	if file.Len() > 0 {
		mdBlock(w, "", file.String())
		fmt.Fprint(w, "\n")
	}
	for i := range f.checks {
		check := &f.checks[i]
		fmt.Fprintf(w, "- %s asks for %s: %s", mdCode(cut(spec.EncodeInline(check.Agent), defaultWidth)),
			mdCode(cutMiddle(spec.EncodeInline(check.URL), defaultWidth)), md(said(f.c.Level, check)))
		if why := because(check); why != "" {
			fmt.Fprintf(w, ", %s", md(why))
		}
		fmt.Fprint(w, "\n")
		if details := detailLines(check); len(details) > 0 {
			if more := len(details) - shortDetail; more > 0 {
				details = append(details[:shortDetail:shortDetail], fmt.Sprintf("… and %s more", count(more, "line")))
			}
			fmt.Fprint(w, "\n")
			mdBlock(w, "  ", strings.Join(details, "\n")+"\n")
		}
	}
	fmt.Fprintf(w, "\n%s · %s\n\n", mdCode(f.c.Pos), mdCode(f.explainCommand()))
}

func markdownProblems(w io.Writer, r *conformance.Result) {
	var subjects, baseline []string
	for _, remark := range remarks(r, false) {
		subjects = append(subjects, remark.text)
	}
	for _, problem := range r.Baseline {
		baseline = append(baseline, fmt.Sprintf("%s: %s", problem.Kind, problem))
	}
	for _, mend := range mendsFor(r) {
		baseline = append(baseline, "to mend what is "+mend)
	}
	for _, part := range []struct {
		title string
		items []string
	}{{"Subjects", subjects}, {"Baseline", baseline}, {"Notes", r.Notes}} {
		if len(part.items) == 0 {
			continue
		}
		fmt.Fprintf(w, "### %s\n\n", part.title)
		for _, item := range part.items {
			lines := textLines(item)
			fmt.Fprintf(w, "- %s\n", md(lines[0]))
			if len(lines) > 1 {
				fmt.Fprint(w, "\n")
				mdBlock(w, "  ", strings.Join(lines[1:], "\n")+"\n")
			}
		}
		fmt.Fprint(w, "\n")
	}
}
