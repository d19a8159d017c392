package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/spec"
)

func newLint(e *env) *cobra.Command {
	var freeze bool
	cmd := &cobra.Command{
		Use:   "lint [folder]",
		Short: "Check requirements, points and cases",
		Long: `Lint reads the specification in a folder (the embedded one without an
argument) and prints one line for each problem: its position, the case, what is
wrong, and how to fix it.

With --freeze it prints the file of a frozen set instead: every case with a hash
of its queries. Save it as sets/<year>.<n>.txt; then run --requirements <year>.<n>
selects the set, and lint reports cases that differ from it.`,
		Example: `  repcheck lint spec
  repcheck lint spec --freeze > spec/sets/2027.1.txt`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				e.specDir = args[0]
			}
			data, err := e.data()
			if err != nil {
				return err
			}
			if problems := spec.Lint(data); len(problems) > 0 {
				return fmt.Errorf("the specification is broken:\n%w", spec.Problems(problems))
			}
			if freeze {
				_, err := e.stdout.Write(spec.Freeze(data.Cases))
				return err
			}
			fmt.Fprintf(e.stdout, "ok: %d cases, %d scenarios, %d requirements, %d points\n", len(data.Cases), len(data.Scenarios), len(data.Requirements), len(data.Points))
			return nil
		},
	}
	cmd.Flags().BoolVar(&freeze, "freeze", false, "print the file of a frozen set")
	return cmd
}
