package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// runFormats are the formats that only results of run support.
var runFormats = []string{"jsonl", "csv", "junit", "ctrf", "sarif", "github"}

// formats are all formats for results of run.
var formats = slices.Concat(documentFormats, runFormats)

// formatFlags select the format and destination of a result of run.
type formatFlags struct {
	format     string
	output     string
	robotsRoot string
}

func (f *formatFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "format", "text", strings.Join(formats, ", "))
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "write the report to this `file` and only the verdict to standard error")
	cmd.Flags().StringVar(&f.robotsRoot, "robots-root", "", "in sarif and github, locate failures in the files CASE.txt of this `folder` (written by repcheck export --robots)")
}

// inAction makes github the default inside a GitHub Action.
func (f *formatFlags) inAction(cmd *cobra.Command) {
	if os.Getenv("GITHUB_ACTIONS") == "true" && !cmd.Flags().Changed("format") && f.output == "" {
		f.format = "github"
	}
}

func (f *formatFlags) check() error {
	if f.robotsRoot != "" && f.format != "sarif" && f.format != "github" {
		return fmt.Errorf("--robots-root goes with --format sarif or github, not %s", f.format)
	}
	return oneOf("format", f.format, formats...)
}

// writeResult writes a result of run, and its summary for a GitHub Action.
func (e *env) writeResult(f *formatFlags, r *conformance.Result, data *spec.Data, color, verbose bool) error {
	o, l := reports.Options{Verbose: verbose}, reports.Locations{Robots: f.robotsRoot}
	to := destination{format: f.format, path: f.output, color: color}
	write := map[string]func(io.Writer) error{
		"json":  func(w io.Writer) error { return reports.JSON(w, r) },
		"jsonl": func(w io.Writer) error { return reports.JSONL(w, r) },
		"csv":   func(w io.Writer) error { return reports.CSV(w, r) },
		"junit": func(w io.Writer) error { return reports.JUnit(w, r) },
		"ctrf":  func(w io.Writer) error { return reports.CTRF(w, r) },
		"sarif": func(w io.Writer) error { return reports.SARIF(w, r, l) },
		"github": func(w io.Writer) error {
			return reports.GitHub(w, r, data, l, o, doc.TextOptions{Color: color && f.output == ""})
		},
	}[f.format]
	if write == nil {
		return e.writeDocument(to, r, func(reports.Options) doc.Document { return reports.Run(r, data, o) })
	}
	err := e.writeAs(f.format, f.output, write)
	if path := os.Getenv("GITHUB_STEP_SUMMARY"); err == nil && f.format == "github" && path != "" {
		err = appendSummary(path, r, data)
	}
	return err
}

// stream opens a writer for rows that are written while a command runs: the
// standard output, or the file at path, which is truncated.
func (e *env) stream(path string) (w *bufio.Writer, end func() error, err error) {
	if path == "" {
		w = bufio.NewWriter(e.stdout.raw)
		return w, w.Flush, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot write -o %s: %w", path, err)
	}
	w = bufio.NewWriter(file)
	return w, func() error { return errors.Join(w.Flush(), file.Close()) }, nil
}

// appendSummary appends a result to the summary of a job.
func appendSummary(path string, r *conformance.Result, data *spec.Data) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		var info os.FileInfo
		if info, err = file.Stat(); err == nil {
			err = reports.GitHubSummary(file, r, data, info.Size())
		}
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return fmt.Errorf("cannot append to GITHUB_STEP_SUMMARY: %w", err)
	}
	return nil
}
