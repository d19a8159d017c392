package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/impl/process"
	"github.com/repcheck/repcheck/impl/subjects"
	"github.com/repcheck/repcheck/spec"
)

func newAdapter(e *env) *cobra.Command {
	interpretation := spec.Interpretations[0]
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "adapter parser",
		Short: "Speak the adapter protocol for an in-process parser",
		Long: `Adapter runs a built-in parser as an adapter, on standard input and output. In a
separate process, a parser that never returns can be killed, and other programs
that speak the protocol can use it. So can the reference under another interpretation.`,
		Example: `  repcheck run --impl none --adapter 'repcheck adapter temoto'
  repcheck adapter reference@rfc9309+tie=disallow`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: offerSubjects,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, ok, err := subjects.Canonical(args[0])
			switch {
			case err != nil:
				return err
			case !ok:
				return fmt.Errorf("no parser in this process is named %q%s: choose one of %s", args[0], near(args[0], subjects.Names()), strings.Join(subjects.Names(), ", "))
			}
			subjects, err := subjects.Open([]string{name}, interpretation, timeout)
			if err != nil {
				return err
			}
			defer subjects[0].Close()
			if err := process.Serve(cmd.Context(), e.stdin, e.stdout.raw, subjects[0]); err != nil {
				return fmt.Errorf("adapter %s: %w", args[0], err)
			}
			return nil
		},
	}
	addChoice(cmd, &interpretation, "interpretation", "interpretation of the reference", spec.Interpretations...)
	cmd.Flags().DurationVar(&timeout, "timeout", time.Minute, "how long the parser may take for one answer")
	return cmd
}
