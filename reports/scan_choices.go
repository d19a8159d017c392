package reports

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports/doc"
)

// mostChoices is the number of choices shown without Verbose.
const mostChoices = 20

// scanChoices shows the number of files on which each choice of the reference
// matters, or nothing if that was not counted.
func scanChoices(r *fuzz.ScanResult, o Options) doc.Document {
	if r.Choices == nil {
		return nil
	}
	shown := slices.DeleteFunc(slices.Clone(r.Choices), func(c fuzz.ScanChoice) bool { return c.Files == 0 })
	slices.SortStableFunc(shown, func(a, b fuzz.ScanChoice) int { return cmp.Compare(b.Files, a.Files) })
	note := fmt.Sprintf("On how many of %s the reference, with this one choice changed, rejects the file or answers a query differently than under RFC 9309.",
		countOf(r.ChoiceFiles, "file", "files"))
	if left := r.Files - r.ChoiceFiles; left > 0 {
		note += fmt.Sprintf(" %s too large to be examined.", countOf(left, "file was", "files were"))
	}
	if none := len(r.Choices) - len(shown); none > 0 {
		note += fmt.Sprintf(" %s none.", agree(none, "other choice", " matters on", " matter on"))
	}
	more := ""
	if !o.Verbose && len(shown) > mostChoices {
		more = fmt.Sprintf("… and %s more: --verbose shows all", count(len(shown)-mostChoices, "choice"))
		shown = shown[:mostChoices]
	}
	d := doc.Document{section("How often a choice matters")}
	if len(shown) > 0 {
		t := doc.Table{Columns: columns(1, "choice", "files", "% of files")}
		for _, c := range shown {
			t.Rows = append(t.Rows, row(c.Point+"="+c.Choice, thousands(c.Files), percent(c.Files, r.ChoiceFiles)))
		}
		d = append(d, t)
	}
	return append(d, paras(doc.Faint, more, note)...)
}
