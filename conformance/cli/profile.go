package cli

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/spec"
)

type profileFlags struct {
	subjectFlags
	fingerprintFlags
	format  string
	output  string
	verbose bool
}

func newProfile(e *env) *cobra.Command {
	f := &profileFlags{}
	cmd := &cobra.Command{
		Use:   "profile",
		Short: "Find the choice a parser makes at each interpretation point",
		Long: `Profile puts every case to a parser and prints, for each interpretation point,
the choice that gives its answers; the nearest named interpretation; and where the
parser contradicts itself. It passes no judgement.

What a choice does is computed: the reference answers all cases with that one
choice changed and all others as the parser makes them, so that one deviation is
not taken for another.

With several parsers, as with all the Go parsers if none is selected, it prints
where they deviate from RFC 9309, side by side.

With --fingerprint it also uses generated and real files. On one half of them, and
on the cases, it looks for the choices that predict most of the answers, and prints
the evidence for each; for the other half, which the search has not seen, it prints
how many answers they predict, which they miss, and how far the parsers are from
each other.`,
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
	cmd.Flags().StringVar(&f.format, "format", "text", "text, json, markdown or, with --fingerprint, newick: the tree of distances")
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "write the profile to this `file`")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show each of several parsers in full, and every answer that no choice explains or predicts")
	cmd.Flags().BoolVar(&f.enabled, "fingerprint", false, "find the choices on half of a sample and tell how much they predict of the other half")
	cmd.Flags().StringVar(&f.corpus, "corpus", "", "take half of the sample for --fingerprint from this collection of real `files` (see repcheck scan)")
	cmd.Flags().IntVar(&f.size, "size", 10000, "about how many questions the sample for --fingerprint has beside those of the cases")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "selects the sample for --fingerprint and its halves")
	cmd.Flags().IntVar(&f.printQuery, "print-query", 0, "ask no parser, and print the queries about generated file `n` of --fingerprint as lines of the adapter protocol")
	return cmd
}

func (e *env) profile(ctx context.Context, f *profileFlags) error {
	formats := []string{"text", "json", "markdown"}
	if f.enabled {
		formats = append(formats, "newick")
	}
	if err := oneOf("format", f.format, formats...); err != nil {
		return err
	}
	color, err := e.colors(e.stdout)
	if err != nil {
		return err
	}
	if f.printQuery > 0 {
		return e.writeAs("json", f.output, f.writeQueries)
	}
	ask := e.askProfiles
	if f.enabled {
		ask = e.askFingerprints
	}
	o := reports.TextOptions{Color: color && f.output == "", Verbose: f.verbose}
	render, lost, err := ask(ctx, f, o)
	if err != nil {
		return err
	}
	if err := e.writeAs(f.format, f.output, render); err != nil {
		return err
	}
	return lost
}

// askProfiles puts every case to the subjects and finds their choices. It returns
// how the profiles are written, and an error that names the subjects that were lost.
func (e *env) askProfiles(ctx context.Context, f *profileFlags, o reports.TextOptions) (render func(io.Writer) error, lost, err error) {
	data, err := e.data()
	if err != nil {
		return nil, nil, err
	}
	subjects, closeAll, err := f.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer closeAll()
	e.tellSkipped(f.skipped)
	r, err := e.profiles(ctx, data, subjects)
	if err != nil {
		return nil, nil, err
	}
	render = func(w io.Writer) error {
		switch f.format {
		case "json":
			return reports.ProfileJSON(w, r)
		case "markdown":
			return reports.ProfileMarkdown(w, r)
		}
		return reports.ProfileText(w, r, o)
	}
	return render, lostError(r.Subjects, func(s *conformance.SubjectProfile) (string, string) { return s.Name, s.Lost }), nil
}

// profiles puts every case to the subjects and finds their choices.
func (e *env) profiles(ctx context.Context, data *spec.Data, subjects []impl.Subject) (*conformance.Profiles, error) {
	p := e.newProgress()
	r := conformance.Profile(ctx, data, subjects, conformance.ProfileOptions{
		Progress: func(done, total int) { p.tell("%d of %d cases", done, total) },
	})
	p.done()
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	r.Version, r.Command = version(), os.Args
	return r, nil
}

var errInterrupted = &exitError{code: exitFailed, err: errors.New("interrupted: not all queries were asked")}
