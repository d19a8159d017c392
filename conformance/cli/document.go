package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
)

// documentFormats are the formats of results that can be shown as a document.
var documentFormats = []string{"text", "json", "markdown", "html"}

// outputFlags select the format and destination of a report.
type outputFlags struct {
	format, path string
	verbose      bool
	// width is the line width of text; 0 means the width of the terminal, if
	// there is one.
	width int
}

// addFormat adds the flag --format, with the first format as its default.
func (f *outputFlags) addFormat(cmd *cobra.Command, usage string, formats ...string) {
	f.format = formats[0]
	addChoice(cmd, &f.format, "format", usage, formats...)
}

func (f *outputFlags) addOutput(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVarP(&f.path, "output", "o", "", usage)
}

func (f *outputFlags) addVerbose(cmd *cobra.Command, usage string) {
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, usage)
}

func (f *outputFlags) options() reports.Options { return reports.Options{Verbose: f.verbose} }

// fullOptions are options with which Markdown and HTML show everything, because
// their readers can search.
func (f *outputFlags) fullOptions() reports.Options {
	return reports.Options{Verbose: f.verbose || f.format != "text"}
}

// failed returns the error for a result that counts as a failure. If the report
// is on the screen, it says why; otherwise the error does.
func (f *outputFlags) failed(format string, args ...any) error {
	exit := &exitError{code: exitFailed}
	if f.path != "" || f.format != "text" {
		exit.err = fmt.Errorf(format+": see the report", args...)
	}
	return exit
}

// A report is a result in the forms in which it can be written.
type report struct {
	// result is written as JSON.
	result any
	// document makes the text, the Markdown and the HTML.
	document func() doc.Document
	// special are the writers of other formats.
	special map[string]func(io.Writer) error
}

// writeReport writes a report in the format and to the destination that the flags
// select.
func (e *env) writeReport(f *outputFlags, r report) error {
	write := r.special[f.format]
	if write == nil && !slices.Contains(documentFormats, f.format) {
		return fmt.Errorf("this result has no format %s: use %s", f.format, strings.Join(documentFormats, ", "))
	}
	return e.writeAs(f.format, f.path, func(w io.Writer) error {
		switch {
		case write != nil:
			return write(w)
		case f.format == "json":
			return reports.WriteJSON(w, r.result)
		case f.format == "markdown":
			return r.document().Markdown(w)
		case f.format == "html":
			return r.document().HTML(w)
		}
		o := doc.TextOptions{Color: f.path == "" && e.colors(e.stdout), Width: f.width}
		if f.path == "" && f.width == 0 {
			o.Width = columns(e.stdout)
		}
		return r.document().Text(w, o)
	})
}
