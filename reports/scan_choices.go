package reports

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/repcheck/repcheck/fuzz"
)

// defaultChoices is how many choices are shown unless all are asked for.
const defaultChoices = 20

// scanChoices is the table of the choices of the reference that show, by the
// files in which they do: nothing if they were not looked for.
func scanChoices(r *fuzz.ScanResult) (head []string, rows [][]string) {
	sorted := slices.DeleteFunc(slices.Clone(r.Choices), func(c fuzz.ScanChoice) bool { return c.Files == 0 })
	slices.SortStableFunc(sorted, func(a, b fuzz.ScanChoice) int { return cmp.Compare(b.Files, a.Files) })
	if r.Choices == nil {
		return nil, nil
	}
	head = []string{"choice", "files", "% of files"}
	for _, c := range sorted {
		rows = append(rows, []string{printable(c.Point + "=" + c.Choice), thousands(c.Files), percent(c.Files, r.ChoiceFiles)})
	}
	return head, rows
}

// scanChoicesNote explains scanChoices.
func scanChoicesNote(r *fuzz.ScanResult) string {
	_, rows := scanChoices(r)
	note := fmt.Sprintf("On how many of %s the reference, with this one choice flipped, refuses the file or answers a question otherwise than under RFC 9309.",
		countOf(r.ChoiceFiles, "file", "files"))
	if left := r.Files - r.ChoiceFiles; left > 0 {
		note += fmt.Sprintf(" %s too large to look into.", countOf(left, "file was", "files were"))
	}
	if none := len(r.Choices) - len(rows); none > 0 {
		note += fmt.Sprintf(" %s on none.", agree(none, "other choice", " shows", " show"))
	}
	return note
}

func scanChoicesText(p *page, r *fuzz.ScanResult, all bool) {
	head, rows := scanChoices(r)
	if head == nil {
		return
	}
	p.line(bold.of("How often a choice shows"))
	left := 0
	if !all && len(rows) > defaultChoices {
		left, rows = len(rows)-defaultChoices, rows[:defaultChoices]
	}
	if len(rows) > 0 {
		scanTable(p, head, rows)
	}
	if left > 0 {
		p.text("", "", dim, "… and "+count(left, "choice")+" more: --verbose shows all")
	}
	p.text("", "", dim, scanChoicesNote(r))
	p.line()
}
