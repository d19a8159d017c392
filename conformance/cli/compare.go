package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
)

type compareFlags struct {
	outputFlags
	failOn string
}

func newCompare(e *env) *cobra.Command {
	f := &compareFlags{failOn: "should"}
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
	f.addFormat(cmd, "", documentFormats...)
	f.addOutput(cmd, "write the report to this `file` and only the verdict to standard error")
	addChoice(cmd, &f.failOn, "fail-on", "lowest level at which a regression counts:", "must", "text", "should", "any")
	f.addVerbose(cmd, "show every change in full")
	return cmd
}

func (e *env) compare(f *compareFlags, oldPath, newPath string) error {
	data, err := e.data()
	if err != nil {
		return err
	}
	old, err := readResult(oldPath, "run", conformance.ReadResult)
	if err != nil {
		return err
	}
	new, err := readResult(newPath, "run", conformance.ReadResult)
	if err != nil {
		return err
	}
	c, err := conformance.Compare(old, new, levels[f.failOn])
	if err != nil {
		return fmt.Errorf("%s and %s: %w", oldPath, newPath, err)
	}
	c.Old.File, c.New.File = oldPath, newPath
	err = e.writeReport(&f.outputFlags, report{result: c, document: func() doc.Document { return reports.Compare(c, data, f.options()) }})
	if err != nil {
		return err
	}
	if err := lostError(c.Lost(), func(s *conformance.SubjectComparison) (string, string) { return s.Name, s.New.Lost }); err != nil {
		return err
	}
	if c.Regressions() > 0 {
		return f.failed("the new result has regressions")
	}
	return nil
}
