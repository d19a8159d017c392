package reports

import (
	"bytes"
	"testing"

	"github.com/repcheck/repcheck/reports/doc"
)

// goldenDocument compares a report with its golden files: text and Markdown, and
// if full is set also text in every style. Text fits a narrow screen.
func goldenDocument(t *testing.T, name string, full bool, build func(Options) doc.Document) {
	t.Helper()
	for _, style := range screens {
		d := build(Options{Verbose: style.o.Verbose})
		var out bytes.Buffer
		if err := d.Text(&out, doc.TextOptions{Color: style.o.Color, Width: style.o.Width}); err != nil {
			t.Fatal(err)
		}
		wellSet(t, out.String(), style.o)
		if style.name == "" || full {
			golden(t, name+style.name+".txt", out.Bytes())
		}
	}
	var out bytes.Buffer
	if err := build(Options{Verbose: true}).Markdown(&out); err != nil {
		t.Fatal(err)
	}
	visible(t, out.String())
	wholeTables(t, out.String())
	golden(t, name+".md", out.Bytes())
}
