package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
)

func newCoverage(e *env) *cobra.Command {
	var f outputFlags
	cmd := &cobra.Command{
		Use:   "coverage",
		Short: "Measure the cases: requirements tested, mutants failed",
		Long: `Coverage runs every judging case against intentionally wrong parsers:
mutants, each of which breaks RFC 9309 in one way, and null models, which do not
read the file. For each requirement it counts the cases that test it, the verdicts
that they expect, and the mutants that fail them.

A gap makes it exit with code 1: a mutant that no case fails; a case that no
mutant fails although a null model passes it; a requirement that can be tested
but has no case that expects allow, or none that expects disallow.`,
		Example: `  repcheck coverage
  repcheck coverage --verbose
  repcheck coverage --spec my/spec --format json -o coverage.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.coverage(cmd, &f) },
	}
	f.addFormat(cmd, "", documentFormats...)
	f.addOutput(cmd, "write the report to this `file`")
	f.addVerbose(cmd, "show every requirement and every mutant")
	return cmd
}

func (e *env) coverage(cmd *cobra.Command, f *outputFlags) error {
	data, err := e.data()
	if err != nil {
		return err
	}
	p := e.newProgress()
	result := conformance.Coverage(cmd.Context(), data, conformance.CoverageOptions{
		Progress: func(done, total int) { p.tell("%d of %d mutants", done, total) },
	})
	p.done()
	result.Version = version()
	if cmd.Context().Err() != nil {
		return &exitError{code: exitFailed, err: errors.New("interrupted: the counts are incomplete")}
	}
	if err := e.writeReport(f, report{
		result:   reports.CoverageData(result),
		document: func() doc.Document { return reports.Coverage(result, f.options()) },
	}); err != nil {
		return err
	}
	if n := len(result.Problems()); n > 0 {
		return f.failed("the cases have %d gaps", n)
	}
	return nil
}
