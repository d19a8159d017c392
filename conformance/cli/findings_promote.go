package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/spec"
)

func newFindingsPromote(e *env, dir *string) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "promote [id…]",
		Short: "Write a draft of a case for review",
		Long: `Promote writes a finding as a case file into the folder of the specification
(--spec, or spec in this folder). Where one choice explains the finding, the
case classifies the choices of its point; otherwise it judges by the answers of
the reference. Either way it is a draft: a person must decide whether the verdicts
agree with the documents.`,
		Example: "  repcheck findings promote 3f2a --spec spec",
		RunE: func(_ *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return errors.New("give the IDs of findings, or --every")
			}
			return e.promote(*dir, args)
		},
	}
	cmd.Flags().BoolVar(&all, "every", false, "promote all findings")
	return cmd
}

// promote writes drafts of the findings with these IDs, or of all findings if
// there are no IDs.
func (e *env) promote(dir string, ids []string) error {
	if e.specDir == "" {
		e.specDir = "spec"
	}
	data, err := e.data()
	if err != nil {
		return fmt.Errorf("a draft goes into the folder of the specification, which --spec names: %w", err)
	}
	store, err := openFindings(dir)
	if err != nil {
		return err
	}
	var findings []fuzz.Finding
	if len(ids) == 0 {
		if findings, err = store.List(); err != nil {
			return err
		}
	}
	for _, id := range ids {
		f, err := store.Get(id)
		if err != nil {
			return err
		}
		findings = append(findings, f)
	}
	for i := range findings {
		if err := e.promoteOne(&findings[i], data); err != nil {
			return err
		}
	}
	if _, err := e.data(); err != nil {
		return fmt.Errorf("with the drafts %w", err)
	}
	return nil
}

func (e *env) promoteOne(f *fuzz.Finding, data *spec.Data) error {
	draft, err := fuzz.NewDraft(f, data)
	if err != nil {
		return err
	}
	if there := data.Case(draft.ID); there != nil {
		fmt.Fprintf(e.stdout, "%s is there already\n", there.Pos)
		return nil
	}
	path := filepath.Join(e.specDir, "cases", draft.Section, draft.Topic+".yaml")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		fmt.Fprintf(e.stdout, "%s is there already\n", path)
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot write the draft: %w", err)
	}
	_, err = file.Write(draft.YAML)
	if err := errors.Join(err, file.Close()); err != nil {
		os.Remove(path)
		return fmt.Errorf("cannot write the draft: %w", err)
	}
	fmt.Fprintf(e.stdout, "%s\n", path)
	return nil
}
