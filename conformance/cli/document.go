package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
)

// documentFormats are the formats of results that can be shown as a document.
var documentFormats = []string{"text", "json", "markdown", "html"}

// A destination is the file and format of a report.
type destination struct {
	format, path   string
	color, verbose bool
	// width is the line width of text; 0 means the width of the terminal, if
	// there is one.
	width int
}

// writeDocument writes a result as JSON or as the document that build returns.
// Markdown and HTML show everything, because their readers can search.
func (e *env) writeDocument(to destination, result any, build func(reports.Options) doc.Document) error {
	if !slices.Contains(documentFormats, to.format) {
		return fmt.Errorf("this result has no format %s: use %s", to.format, strings.Join(documentFormats, ", "))
	}
	return e.writeAs(to.format, to.path, func(w io.Writer) error {
		if to.format == "json" {
			return reports.WriteJSON(w, result)
		}
		d := build(reports.Options{Verbose: to.verbose || to.format != "text"})
		switch to.format {
		case "markdown":
			return d.Markdown(w)
		case "html":
			return d.HTML(w)
		}
		o := doc.TextOptions{Color: to.color && to.path == "", Width: to.width}
		if to.path == "" && to.width == 0 {
			o.Width = columns(e.stdout)
		}
		return d.Text(w, o)
	})
}
