package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

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

// formatFlags are the outputFlags for a result of run.
type formatFlags struct {
	outputFlags
	robotsRoot string
}

func (f *formatFlags) add(cmd *cobra.Command, formatUsage, outputUsage string) {
	f.addFormat(cmd, formatUsage, formats...)
	f.addOutput(cmd, outputUsage)
	cmd.Flags().StringVar(&f.robotsRoot, "robots-root", "", "in sarif and github, locate failures in the files CASE.txt of this `folder` (written by repcheck export --robots)")
}

// inAction makes github the default inside a GitHub Action.
func (f *formatFlags) inAction(cmd *cobra.Command) {
	if os.Getenv("GITHUB_ACTIONS") == "true" && !cmd.Flags().Changed("format") && f.path == "" {
		f.format = "github"
	}
}

func (f *formatFlags) check() error {
	if f.robotsRoot != "" && f.format != "sarif" && f.format != "github" {
		return fmt.Errorf("--robots-root goes with --format sarif or github, not %s", f.format)
	}
	return nil
}

// writeResult writes a result of run, and its summary for a GitHub Action.
func (e *env) writeResult(f *formatFlags, r *conformance.Result, data *spec.Data) error {
	o, l := f.options(), reports.Locations{Robots: f.robotsRoot}
	document := func() doc.Document { return reports.Run(r, data, o) }
	err := e.writeReport(&f.outputFlags, report{document: document, special: map[string]func(io.Writer) error{
		"json":  func(w io.Writer) error { return reports.JSON(w, r) },
		"jsonl": func(w io.Writer) error { return reports.JSONL(w, r) },
		"csv":   func(w io.Writer) error { return reports.CSV(w, r) },
		"junit": func(w io.Writer) error { return reports.JUnit(w, r) },
		"ctrf":  func(w io.Writer) error { return reports.CTRF(w, r) },
		"sarif": func(w io.Writer) error { return reports.SARIF(w, r, l) },
		"github": func(w io.Writer) error {
			return reports.GitHub(w, r, data, l, o, doc.TextOptions{Color: f.path == "" && e.colors(e.stdout)})
		},
	}})
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
