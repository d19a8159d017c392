package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

type profileFlags struct {
	subjectFlags
	fingerprintFlags
	outputFlags
}

func newProfile(e *env) *cobra.Command {
	f := &profileFlags{}
	cmd := &cobra.Command{
		Use:   "profile",
		Short: "Show which choice a parser makes at each point that the documents leave open",
		Long: `Profile runs every case on a parser and prints, for each interpretation point, the
choice that gives the parser's answers; the nearest named interpretation; and the
points at which the parser contradicts itself. It does not judge the parser.

The effect of a choice is computed: the reference answers all cases with only that
choice changed and the parser's own choices at all other points, so that one
deviation is not mistaken for another.

For several parsers, such as all built-in ones if none is selected, it prints their
deviations from RFC 9309 side by side.

With --fingerprint it also uses generated and real files. On one half of them, and
on the cases, it searches for the choices that predict most of the answers, and
shows the evidence for each. On the other half, which the search has not seen, it
measures how many answers they predict, what they miss, and how much the parsers
differ from each other.`,
		Example: `  repcheck profile
  repcheck profile --impl temoto
  repcheck profile --impl none --adapter 'python3 my_adapter.py'
  repcheck profile --fingerprint --all --corpus robots.jsonl.gz`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd.Flags().Changed); err != nil {
				return err
			}
			return e.profile(cmd.Context(), f)
		},
	}
	f.subjectFlags.add(cmd)
	f.addFormat(cmd, "text, json, markdown, html or, with --fingerprint, newick: the tree of distances", append(slices.Clone(documentFormats), "newick")...)
	f.addOutput(cmd, "write the profile to this `file`")
	f.addVerbose(cmd, "show each of several parsers in full, and every answer that no choice explains or predicts")
	cmd.Flags().BoolVar(&f.enabled, "fingerprint", false, "find the choices on half of a sample and measure how much they predict of the other half")
	cmd.Flags().StringVar(&f.corpus, "corpus", "", "take half of the sample for --fingerprint from this collection of real `files` (see repcheck scan)")
	cmd.Flags().IntVar(&f.size, "size", 10000, "approximate number of queries in the sample for --fingerprint, besides those of the cases and of files added for rare choices")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "selects the sample for --fingerprint and its halves")
	cmd.Flags().IntVar(&f.printQuery, "print-query", 0, "run no parser, and print the queries about generated file `n` of --fingerprint as lines of the adapter protocol")
	return cmd
}

func (e *env) profile(ctx context.Context, f *profileFlags) error {
	switch {
	case f.format == "newick" && !f.enabled:
		return fmt.Errorf("--format newick needs --fingerprint: without it there are no distances")
	case f.printQuery > 0:
		return e.writeAs("json", f.path, f.writeQueries)
	}
	data, err := e.data()
	if err != nil {
		return err
	}
	o := conformance.ProfileOptions{Seed: f.seed}
	if f.enabled {
		if o.Files, err = e.sample(ctx, data, f.corpus, f.size, f.seed); err != nil {
			return err
		}
	}
	subjects, closeAll, err := e.open(ctx, &f.subjectFlags)
	if err != nil {
		return err
	}
	defer closeAll()
	if f.format == "newick" && len(subjects) < 2 {
		return reports.ErrNoTree
	}
	all, err := e.profiles(ctx, data, subjects, o)
	if err != nil {
		return err
	}
	switch {
	case f.corpus != "":
		all.Corpus = filepath.Base(f.corpus)
	case f.enabled:
		all.Corpus = "seeds"
	}
	err = e.writeReport(&f.outputFlags, report{
		result:   all,
		document: func() doc.Document { return reports.Profile(all, f.fullOptions()) },
		special:  map[string]func(io.Writer) error{"newick": func(w io.Writer) error { return reports.Newick(w, all) }},
	})
	if err != nil {
		return err
	}
	return lostError(all.Subjects, func(s *conformance.SubjectProfile) (string, string) { return s.Name, s.Lost })
}

// profiles sends the queries of the cases, and of the files in o, to the subjects
// and determines their choices.
func (e *env) profiles(ctx context.Context, data *spec.Data, subjects []impl.Subject, o conformance.ProfileOptions) (*conformance.Profiles, error) {
	p := e.newProgress()
	o.Progress = func(done, total int) { p.tell("%d of %d files", done, total) }
	r := conformance.Profile(ctx, data, subjects, o)
	p.done()
	if ctx.Err() != nil {
		return nil, &exitError{code: exitFailed, err: fmt.Errorf("interrupted: not all files were asked about")}
	}
	r.Version, r.Command = version(), os.Args
	return r, nil
}
