package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newLint(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "lint [folder]",
		Short: "Check requirements, points and cases",
		Long: `Lint reads the specification in a folder (the embedded one without an
argument) and prints everything that is wrong with it, one line each: where, in
which case, what, and how to mend it.`,
		Example: "  repcheck lint spec",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				e.specDir = args[0]
			}
			data, err := e.data()
			if err != nil {
				return err
			}
			fmt.Fprintf(e.stdout, "ok: %d cases, %d requirements, %d points\n", len(data.Cases), len(data.Requirements), len(data.Points))
			return nil
		},
	}
}
