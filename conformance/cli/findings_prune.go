package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/fuzz"
)

type pruneFlags struct {
	subjectFlags
	dry bool
}

func newFindingsPrune(e *env, dir *string) *cobra.Command {
	f := &pruneFlags{}
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete findings that no parser shows any more",
		Long: `Prune sends the witness of each finding to the parsers that showed it, and deletes
the finding if none of them shows it again. A finding is kept if its parsers are
not available.`,
		Example: "  repcheck findings prune --all --dry-run",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return e.prune(cmd, f, *dir) },
	}
	f.subjectFlags.add(cmd)
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "only print what would be deleted")
	return cmd
}

func (e *env) prune(cmd *cobra.Command, f *pruneFlags, dir string) error {
	store, err := openFindings(dir)
	if err != nil {
		return err
	}
	findings, err := store.List()
	if err != nil {
		return err
	}
	subjects, closeAll, err := e.open(cmd.Context(), &f.subjectFlags)
	if err != nil {
		return err
	}
	defer closeAll()
	p := e.newProgress()
	deleted, kept, unasked := 0, 0, 0
	for i := range findings {
		found := &findings[i]
		r := fuzz.Reproduce(cmd.Context(), found, subjects)
		if cmd.Context().Err() != nil {
			return &exitError{code: exitFailed, err: errors.New("interrupted: the other findings were not checked")}
		}
		p.tell("%d of %d findings", i+1, len(findings))
		switch {
		case r.Gone():
			p.done()
			fmt.Fprintf(e.stdout, "%s  %s: %s no longer\n", found.ID(), found.Title(), strings.Join(r.Changed, ", "))
			if deleted++; !f.dry {
				if err := store.Delete(found.ID()); err != nil {
					return err
				}
			}
		case len(r.Asked) == 0:
			unasked++
		default:
			kept++
		}
	}
	p.done()
	what := "deleted"
	if f.dry {
		what = "to be deleted"
	}
	fmt.Fprintf(e.stdout, "%d %s, %d still shown, %d not asked about\n", deleted, what, kept, unasked)
	return lostSubjects(subjects)
}
