package cli

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
)

type fuzzFlags struct {
	subjectFlags
	dir               string
	time              time.Duration
	count             uint64
	seed              uint64
	jobs              int
	look, experiments int
	resume            bool
	failOn            string
}

// campaignWidth is the width of the lists of findings and of the table of
// parsers. The table has up to eleven columns.
const campaignWidth = 120

// defaultDir is the default folder of findings.
const defaultDir = "repcheck-findings"

func newFuzz(e *env) *cobra.Command {
	f := &fuzzFlags{failOn: "none"}
	cmd := &cobra.Command{
		Use:   "fuzz",
		Short: "Generate inputs, then record and explain disagreements",
		Long: `Fuzz generates robots.txt files and queries about them, sends them to every parser,
and compares the answers with the reference's under RFC 9309. It explains each
disagreement by the fewest choices that, changed in the reference, give the same
answer. A new disagreement is minimized and recorded as a finding; a known one is
counted. Findings that no choice explains come first in every list.

The campaign begins with the fingerprint of each parser. That takes some seconds
the first time, and at most half of --time. Inputs depend only on the seed. With
several parsers and without --count, a busy parser skips inputs; the table shows
the share that each parser received. Otherwise every parser gets every input.

A crash or a timeout is confirmed in a fresh process before it is recorded. One
that depends on earlier queries is counted as order-dependent instead.

The folder holds one file for each finding and the state of the campaign, at
most a second old. After an interrupt or a kill, continue with --resume. Only one
campaign at a time can use a folder. If a parser is lost or answers no query, the
exit code is 3.`,
		Example: `  repcheck fuzz --time 60s
  repcheck fuzz --all --time 10m --dir findings
  repcheck fuzz --impl reference --adapter ./my-parser --count 5000 --fail-on unexplained`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.fuzz(cmd, f) },
	}
	f.subjectFlags.add(cmd)
	cmd.Flags().Lookup("timeout").DefValue = "2s"
	f.timeout = 2 * time.Second
	cmd.Flags().StringVar(&f.dir, "dir", defaultDir, "`folder` of the findings")
	cmd.Flags().DurationVar(&f.time, "time", 0, "how long to fuzz, including fingerprints (without this and --count: until interrupted)")
	cmd.Flags().Uint64Var(&f.count, "count", 0, "how many inputs to generate in all")
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "seed of the inputs (0: 1, or that of the campaign to resume)")
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "inputs processed at a time (0: as many as keep all processors busy)")
	cmd.Flags().IntVar(&f.look, "look", 0, "how many answers of one parser that no simple cause explains are minimized (0: 15)")
	cmd.Flags().IntVar(&f.experiments, "experiments", 0, "how many queries test each cause of a disagreement (0: 8)")
	cmd.Flags().BoolVar(&f.resume, "resume", false, "continue the campaign in the folder")
	addChoice(cmd, &f.failOn, "fail-on", "exit with code 4 if there is such a finding: none, unexplained, crash (or a timeout), any", "none", "unexplained", "crash", "any")
	return cmd
}

func (e *env) fuzz(cmd *cobra.Command, f *fuzzFlags) error {
	if f.time < 0 || f.jobs < 0 || f.look < 0 || f.experiments < 0 {
		return fmt.Errorf("--time, --jobs, --look and --experiments must not be negative")
	}
	store, err := fuzz.OpenStore(f.dir)
	if err != nil {
		return err
	}
	subjects, closeAll, err := e.open(cmd.Context(), &f.subjectFlags)
	if err != nil {
		return err
	}
	defer closeAll()
	screen := e.newScreen()
	result, err := fuzz.Campaign(cmd.Context(), subjects, store, fuzz.CampaignOptions{
		Flags: f.flagsOf(subjects, cmd.Flags()), Seed: f.seed, Count: f.count, Time: f.time, Jobs: f.jobs, Resume: f.resume, Look: f.look, Experiments: f.experiments, Progress: screen.show,
	})
	screen.clear()
	if result == nil {
		if cmd.Context().Err() != nil {
			return &exitError{code: exitFailed, err: errors.New("interrupted before the first input")}
		}
		return err
	}
	findings, listErr := store.List()
	if err := e.writeReport(&outputFlags{format: "text", width: campaignWidth}, report{
		document: func() doc.Document { return reports.Campaign(result, findings, f.dir) },
	}); err != nil {
		return err
	}
	if err := errors.Join(append(result.Failures, err, listErr)...); err != nil {
		return &exitError{code: exitFailed, err: err}
	}
	if result.Interrupted {
		return &exitError{code: exitFailed, err: fmt.Errorf("interrupted: continue with repcheck fuzz --resume --dir %s", f.dir)}
	}
	if err := lostError(result.Subjects, func(s *fuzz.CampaignSubject) (string, string) { return s.Name, s.Lost }); err != nil {
		return err
	}
	if result.Answered == 0 && f.time > 0 && (f.count == 0 || result.Next < f.count) {
		return &exitError{code: exitUsage, err: errors.New("the time was over before the first input was answered: raise --time")}
	}
	return f.verdict(findings)
}

// verdict ends the command with code 4 if there is a finding to fail on.
func (f *fuzzFlags) verdict(findings []fuzz.Finding) error {
	kinds := map[string][]fuzz.Kind{
		"unexplained": {fuzz.UnexplainedAnswer},
		"crash":       {fuzz.CrashFound, fuzz.TimeoutFound},
		"any":         fuzz.Kinds,
	}[f.failOn]
	n := 0
	for i := range findings {
		if slices.Contains(kinds, findings[i].Kind) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return &exitError{code: exitDisagree, err: fmt.Errorf("%d findings to fail on (--fail-on %s)", n, f.failOn)}
}

// flagsOf returns, by name, the flags that open the subjects of --adapter and
// --command. These come last in subjects, in that order.
func (f *subjectFlags) flagsOf(subjects []impl.Subject, flags *pflag.FlagSet) map[string][]string {
	var ofCommands []string
	for _, name := range []string{"allow-pattern", "disallow-pattern", "allow-exit", "disallow-exit"} {
		if flags.Changed(name) {
			ofCommands = append(ofCommands, "--"+name, flags.Lookup(name).Value.String())
		}
	}
	of := map[string][]string{}
	at := max(0, len(subjects)-len(f.commands)-len(f.adapters))
	for i, command := range f.adapters {
		of[subjects[at+i].Info().Name] = []string{"--adapter", command}
	}
	at += len(f.adapters)
	for i, command := range f.commands {
		of[subjects[at+i].Info().Name] = slices.Concat([]string{"--command", command}, ofCommands)
	}
	return of
}
