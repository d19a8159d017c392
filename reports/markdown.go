package reports

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// Markdown writes what [Text] does as GitHub Flavored Markdown, for the
// summary of a job or a comment, with the verdict first. At most five unexpected
// and five fixed failures of each subject are shown, as GitHub takes no more
// than 1 MiB. d may be nil.
func Markdown(w io.Writer, r *conformance.Result, d *spec.Data) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## %s\n\n%s\n\n", mdSentence(verdict(r)), md(heading(r)))
	markdownNews(out, newNews(r))
	if len(r.Cases) > 0 {
		fmt.Fprint(out, "### Requirements\n\n")
		markdownMatrix(out, r, d)
	}
	if all := tables(r); len(all) > 0 {
		fmt.Fprint(out, "### Totals\n\n")
		for _, t := range all {
			mdTable(out, t.head, t.right, mdCells(t.rows))
			if t.note != "" {
				fmt.Fprintf(out, "%s\n\n", mdSentence(t.note))
			}
		}
	}
	markdownItems(out, "Adapter faults", textsOf(remarks(r, false), false))
	markdownItems(out, "Notes", r.Notes)
	for _, line := range asides(r) {
		fmt.Fprintf(out, "%s.\n\n", md(line))
	}
	return out.Flush()
}

// markdownNews writes the news, and a line about the known failures of each
// subject.
func markdownNews(w io.Writer, n *news) {
	markdownItems(w, "Lost", n.lost)
	for i := range n.subjects {
		if s := &n.subjects[i]; len(s.unexpected) > 0 {
			fmt.Fprintf(w, "### %s\n\n", md(s.unexpectedTitle()))
			markdownFailures(w, s.unexpected)
		}
	}
	for i := range n.subjects {
		if s := &n.subjects[i]; len(s.fixed) > 0 {
			fmt.Fprintf(w, "### %s\n\n", md(s.fixedTitle()))
			markdownFailures(w, s.fixed)
			markdownProblems(w, "The baseline still lists what is fixed", s.entries, defaultFailures)
		}
	}
	markdownProblems(w, "Wrong entries of the baseline", n.problems, len(n.problems))
	var known []string
	for i := range n.subjects {
		if s := &n.subjects[i]; len(s.known) > 0 {
			known = append(known, s.knownTitle())
		}
	}
	markdownItems(w, "Known failures", known)
}

// markdownMatrix writes the requirements that a subject fails as one table,
// with a row of its own for the heading of each section.
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

// markdownFailures writes the first of the failures of a subject.
func markdownFailures(w io.Writer, failures []failure) {
	for i := range failures {
		if i == defaultFailures {
			fmt.Fprintf(w, "%s\n\n", md(fmt.Sprintf("… and %s of %s: --verbose shows all in text", count(len(failures)-i, "further case"), failures[i].subject)))
			break
		}
		markdownFailure(w, &failures[i])
	}
}

func markdownFailure(w io.Writer, f *failure) {
	fmt.Fprintf(w, "#### %s\n\n%s\n\n", md(f.mark()+" "+f.title()), md(f.c.Rationale))
	if f.excused != "" && f.status >= conformance.Fail {
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
		fmt.Fprintf(w, "- %s, %s: %s", mdCode(cut(spec.EncodeInline(check.Agent), defaultWidth)),
			mdCode(cutMiddle(spec.EncodeInline(check.URL), defaultWidth)), md(said(f.c.Level, check)))
		if why := because(check); why != "" {
			fmt.Fprintf(w, ", %s", md(why))
		}
		if listed := listedAs(check); listed != "" {
			fmt.Fprintf(w, "; %s", md(listed))
		}
		if f.before != nil {
			fmt.Fprintf(w, "; %s", md(wasSaid(&f.before[i])))
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

// markdownProblems writes the entries of the baseline that are wrong, or the
// first of them.
func markdownProblems(w io.Writer, title string, problems []conformance.BaselineProblem, most int) {
	var items []string
	for i, problem := range problems {
		if i == most {
			items = append(items, fmt.Sprintf("… and %d more: --verbose shows all in text", len(problems)-i))
			break
		}
		items = append(items, fmt.Sprintf("%s: %s", problem.Kind, problem))
	}
	markdownItems(w, title, items)
}

// markdownItems writes a list under a heading, nothing if it is empty.
func markdownItems(w io.Writer, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(w, "### %s\n\n", title)
	for _, item := range items {
		lines := textLines(item)
		fmt.Fprintf(w, "- %s\n", md(lines[0]))
		if len(lines) > 1 {
			fmt.Fprint(w, "\n")
			mdBlock(w, "  ", strings.Join(lines[1:], "\n")+"\n")
		}
	}
	fmt.Fprint(w, "\n")
}
