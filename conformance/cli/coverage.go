package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
)

type coverageFlags struct {
	format  string
	output  string
	verbose bool
}

func newCoverage(e *env) *cobra.Command {
	f := &coverageFlags{}
	cmd := &cobra.Command{
		Use:   "coverage",
		Short: "Tell how good the cases are: requirements tested, mutants failed",
		Long: `Coverage puts every judging case to parsers that are wrong on purpose: mutants,
which break RFC 9309 in one way each, and null models, which do not read the
file. It counts, for each requirement, the cases that rest on it, the verdicts
they ask for and the mutants they fail.

A gap ends the command with code 1: a mutant that no case fails, a case that no
mutant fails though a null model passes it, or a requirement that can be tested
and of which no case asks for an allow, or none for a disallow.`,
		Example: `  repcheck coverage
  repcheck coverage --verbose
  repcheck coverage --spec my/spec --format json -o coverage.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.coverage(cmd, f) },
	}
	cmd.Flags().StringVar(&f.format, "format", "text", strings.Join(documentFormats, ", "))
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "write the report to this `file`")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show every requirement and every mutant")
	return cmd
}

func (e *env) coverage(cmd *cobra.Command, f *coverageFlags) error {
	if err := oneOf("format", f.format, documentFormats...); err != nil {
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
	p := e.newProgress()
	result := conformance.Coverage(cmd.Context(), data, conformance.CoverageOptions{
		Progress: func(done, total int) { p.tell("%d of %d mutants", done, total) },
	})
	p.done()
	result.Version = version()
	if cmd.Context().Err() != nil {
		return &exitError{code: exitFailed, err: errors.New("interrupted: what was counted until then says nothing")}
	}
	to := destination{format: f.format, path: f.output, color: color}
	if err := e.writeDocument(to, reports.CoverageData(result), func(reports.Options) doc.Document {
		return reports.Coverage(result, reports.Options{Verbose: f.verbose})
	}); err != nil {
		return err
	}
	if n := len(result.Problems()); n > 0 {
		exit := &exitError{code: exitFailed}
		if f.output != "" || f.format != "text" {
			exit.err = fmt.Errorf("the cases have %d gaps: see the report", n)
		}
		return exit
	}
	return nil
}
