package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
)

type compareFlags struct {
	format  string
	output  string
	failOn  string
	verbose bool
}

func newCompare(e *env) *cobra.Command {
	f := &compareFlags{}
	cmd := &cobra.Command{
		Use:   "compare old.json new.json",
		Short: "Compare two results: what broke and what was fixed",
		Long: `Compare takes two results of run --format json and shows, for each parser, what
broke, what was fixed, what got another verdict, and what fails in cases that
were added or edited.

An expectation broke if it did not fail in the old result and fails in the new
one. It was fixed if it failed and passes now. Baselines are ignored: a known
failure counts as a failure, so it is fixed if it passes now, and broke if it
passed before. Only cases with the same content in both results are compared.
Timeouts that no baseline lists, and queries without an answer after a parser was
lost, are counted but not compared.

Exit codes: 0 nothing broke at the level of --fail-on; 1 something broke; 2 the
files cannot be compared; 3 a parser that answered in the old result was lost in
the new one.`,
		Example: `  repcheck run --adapter ./my-parser --format json -o old.json
  repcheck run --adapter ./my-parser --format json -o new.json
  repcheck compare old.json new.json
  repcheck compare old.json new.json --fail-on any --format markdown`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return e.compare(f, args[0], args[1]) },
	}
	cmd.Flags().StringVar(&f.format, "format", "text", strings.Join(documentFormats, ", "))
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "write the report to this `file` and only the verdict to standard error")
	cmd.Flags().StringVar(&f.failOn, "fail-on", "should", "lowest level at which a regression counts: must, should, any")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show every change in full")
	return cmd
}

func (e *env) compare(f *compareFlags, oldPath, newPath string) error {
	if err := oneOf("format", f.format, documentFormats...); err != nil {
		return err
	}
	if err := oneOf("fail-on", f.failOn, "must", "should", "any"); err != nil {
		return err
	}
	color, err := e.colors(e.stdout)
	if err != nil {
		return err
	}
	data, err := e.data()
	if err != nil {
		return err
	}
	old, err := readRun(oldPath)
	if err != nil {
		return err
	}
	new, err := readRun(newPath)
	if err != nil {
		return err
	}
	c, err := conformance.Compare(old, new, levels[f.failOn])
	if err != nil {
		return fmt.Errorf("%s and %s: %w", oldPath, newPath, err)
	}
	c.Old.File, c.New.File = oldPath, newPath
	to := destination{format: f.format, path: f.output, color: color}
	if err := e.writeDocument(to, c, func(reports.Options) doc.Document {
		return reports.Compare(c, data, reports.Options{Verbose: f.verbose})
	}); err != nil {
		return err
	}
	return compareExit(c, f.output != "" || f.format != "text")
}

// compareExit turns the comparison into the exit code, with a message if the
// report is not on the screen.
func compareExit(c *conformance.Comparison, say bool) error {
	if err := lostError(c.Lost(), func(s *conformance.SubjectComparison) (string, string) { return s.Name, s.New.Lost }); err != nil {
		return err
	}
	if c.Regressions() == 0 {
		return nil
	}
	exit := &exitError{code: exitFailed}
	if say {
		exit.err = fmt.Errorf("the new result has regressions: see the report")
	}
	return exit
}

// readRun reads a result of the command run.
func readRun(path string) (*conformance.Result, error) {
	octets, kind, err := readResult(path)
	if err != nil {
		return nil, err
	}
	if kind.Cases == nil {
		return nil, fmt.Errorf("%s: not a result of repcheck run --format json", path)
	}
	r, err := conformance.ReadResult(octets)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}
