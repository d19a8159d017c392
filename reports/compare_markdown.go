package reports

import (
	"bufio"
	"fmt"
	"io"

	"github.com/repcheck/repcheck/conformance"
)

// CompareMarkdown writes what [CompareText] does as GitHub Flavored Markdown,
// with the verdict first.
func CompareMarkdown(w io.Writer, c *conformance.Comparison) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## %s\n\n", mdSentence(comparedVerdict(c)))
	for _, line := range comparedHeading(c) {
		fmt.Fprintf(out, "- %s\n", md(line))
	}
	fmt.Fprint(out, "\n")
	markdownItems(out, "Not compared", notCompared(c))
	for i := range c.Subjects {
		if s := &c.Subjects[i]; len(s.Broke) > 0 {
			fmt.Fprintf(out, "### %s\n\n", md(brokeTitle(s)))
			markdownFailures(out, brokeFailures(c, s))
		}
	}
	for i := range c.Subjects {
		for _, l := range changeLists(c, &c.Subjects[i]) {
			items := l.lines
			if more := len(items) - mostChanges; more > 0 {
				items = append(items[:mostChanges:mostChanges], fmt.Sprintf("… and %d more: --verbose shows all in text", more))
			}
			markdownItems(out, md(l.title), items)
		}
	}
	var changes []string
	for _, l := range caseChanges(c) {
		changes = append(changes, l.title)
	}
	markdownItems(out, "Cases", changes)
	t := comparedTable(c)
	fmt.Fprint(out, "### Totals\n\n")
	mdTable(out, t.head, t.right, mdCells(t.rows))
	fmt.Fprintf(out, "%s\n", mdSentence(t.note))
	return out.Flush()
}
