package reports

import (
	"bufio"
	"fmt"
	"io"

	"github.com/repcheck/repcheck/fuzz/complexity"
)

// GrowthMarkdown writes what [GrowthText] does as GitHub Flavored Markdown.
func GrowthMarkdown(w io.Writer, r *complexity.Result) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## %s\n\n", md(growthHeading(r)))
	for _, line := range growthAsides(r) {
		fmt.Fprintf(out, "%s\n\n", md(line))
	}
	if head, rows := growthSummary(r); rows != nil {
		mdTable(out, head, 3, mdCells(rows))
	}
	for i := range r.Subjects {
		growthMarkdown(out, r, &r.Subjects[i])
	}
	if len(r.Subjects) > 0 {
		fmt.Fprintf(out, "%s\n\n%s\n", md(growthNote), md(growthCommandNote))
	}
	return out.Flush()
}

func growthMarkdown(w io.Writer, r *complexity.Result, s *complexity.Subject) {
	fmt.Fprintf(w, "### %s\n\n", md(growthTitle(s)))
	shown, more := growthShown(s, false)
	var rows [][]string
	for _, g := range shown {
		rows = append(rows, growthRow(g, r.Stop))
	}
	if len(rows) > 0 {
		mdTable(w, growthHead, 2, mdCells(rows))
	}
	lines := growthRemarks(r, s)
	if more > 0 {
		lines = append(lines, "… and "+countOf(int64(more), "family", "families")+" more, in the JSON")
	}
	for _, g := range s.Findings() {
		fmt.Fprintf(w, "- %s\n", md(growthWitness(r, g)))
		if rule := growthRule(g); rule != "" {
			fmt.Fprintf(w, "  - %s\n", mdCode(rule))
		}
		fmt.Fprintf(w, "  - %s\n", mdCode(growthCommand(g)))
	}
	for _, line := range lines {
		fmt.Fprintf(w, "- %s\n", md(line))
	}
	if len(lines)+len(s.Findings()) > 0 {
		fmt.Fprint(w, "\n")
	}
}
