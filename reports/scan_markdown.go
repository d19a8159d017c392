package reports

import (
	"bufio"
	"fmt"
	"io"

	"github.com/repcheck/repcheck/fuzz"
)

// ScanMarkdown writes what [ScanText] does as GitHub Flavored Markdown, every
// pair and finding included.
func ScanMarkdown(w io.Writer, r *fuzz.ScanResult) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## %s\n\n", md(scanHeading(r)))
	for _, line := range scanAsides(r) {
		fmt.Fprintf(out, "%s\n\n", md(line))
	}
	if len(r.Subjects) > 1 {
		head, rows := scanMatrix(r)
		mdTable(out, head, 1, mdCells(rows))
		fmt.Fprintf(out, "%s\n\n", md(scanMatrixNote))
	}
	if head, rows := scanLineages(r); rows != nil {
		fmt.Fprint(out, "### Lineages\n\n")
		mdTable(out, head, 1, mdCells(rows))
		fmt.Fprintf(out, "%s\n\n", md(scanLineageNote))
	}
	scanPairsMarkdown(out, r)
	if len(r.Subjects) > 0 {
		fmt.Fprint(out, "### Subjects\n\n")
		head, rows := scanTotals(r)
		mdTable(out, head, 1, mdCells(rows))
		fmt.Fprintf(out, "%s\n\n", md(scanRateNote))
	}
	if head, rows := scanChoices(r); head != nil {
		fmt.Fprint(out, "### Choices\n\n")
		if len(rows) > 0 {
			mdTable(out, head, 1, mdCells(rows))
		}
		fmt.Fprintf(out, "%s\n\n", md(scanChoicesNote(r)))
	}
	scanFindingsMarkdown(out, r)
	if len(r.UnreadableFirst) > 0 {
		fmt.Fprint(out, "### Unreadable\n\n")
		for _, line := range r.UnreadableFirst {
			fmt.Fprintf(out, "- %s\n", md(line))
		}
		fmt.Fprint(out, "\n")
	}
	return out.Flush()
}

func scanPairsMarkdown(w io.Writer, r *fuzz.ScanResult) {
	differing, others := scanPairs(r)
	if len(r.Pairs) == 0 {
		return
	}
	fmt.Fprint(w, "### Pairs\n\n")
	for _, p := range differing {
		fmt.Fprintf(w, "- %s\n", md(pairLine(r, p)))
		exampleMarkdown(w, answerLine(p), &p.Example.ScanExample)
	}
	for _, line := range others {
		fmt.Fprintf(w, "- %s\n", md(line))
	}
	fmt.Fprint(w, "\n")
	if len(differing) > 0 {
		fmt.Fprintf(w, "%s\n\n", md(fileNote))
	}
}

// exampleMarkdown writes an example below an item of a list.
func exampleMarkdown(w io.Writer, says string, e *fuzz.ScanExample) {
	if says != "" {
		fmt.Fprintf(w, "  - %s\n", md(says))
	}
	fmt.Fprintf(w, "  - %s\n", md(exampleFile(e)))
	if who, url := scanCommand(e); who != "" && width(who+url) <= widestCommand {
		fmt.Fprintf(w, "  - %s\n", mdCode(who+" "+url))
		return
	}
	fmt.Fprintf(w, "  - %s asks for %s, in full in the JSON\n", mdCode(cutMiddle(e.Agent, defaultWidth)),
		mdCode(cutMiddle(e.URL, defaultWidth)))
}

// widestCommand is where a command is too long for a line of Markdown.
const widestCommand = 300

func scanFindingsMarkdown(w io.Writer, r *fuzz.ScanResult) {
	first := true
	item := func(text string) {
		if first {
			fmt.Fprint(w, "### Findings\n\n")
		}
		first = false
		fmt.Fprintf(w, "- %s\n", md(text))
	}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		for _, f := range scanFindings(s) {
			item(f.text)
			exampleMarkdown(w, "", f.example)
		}
		for _, line := range scanRemarks(s, false) {
			item(line)
		}
	}
	if !first {
		fmt.Fprint(w, "\n")
	}
}
