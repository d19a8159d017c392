package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

type runFlags struct {
	subjectFlags
	selection
	level     string
	set       string
	transform []string
	baselines []string
	update    bool
	prune     bool
	reason    string
	formatFlags
	failOn string
	jobs   int
}

func newRun(e *env) *cobra.Command {
	f := &runFlags{level: "may", failOn: "should"}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the suite and judge every parser (the default)",
		Long: `Run runs every case on every parser. It prints the unexpected and the fixed failures
first, then the requirements that each parser fails.

Failures that a baseline lists are known. Any other failure makes run exit with
code 1, and so does an entry of the baseline that no longer holds. --prune-baseline
drops such entries; --update-baseline also adds new failures. Neither changes
entries that the run does not cover: those of a lost parser, of cases that were not
selected, and of queries that timed out.

The level of a case is MUST or SHOULD if a sentence with that keyword decides it,
and text if a definition, the grammar, a figure or an example does. They rank MUST,
text, SHOULD, MAY. Cases of points that the documents leave open have no level. They
classify: a parser fails one only if it crashes, times out or rejects the file or
the URL, which counts at every level.

Patterns select cases by ID (precedence/tie-at-root), by section (2.2.2/**), by
requirement (RFC9309-2.2.2-*) or by point; * matches anything except a slash,
** anything.

Formats: json keeps the whole result, which report renders later; jsonl and csv
have one row per parser, case and query, and a CSV cell that a spreadsheet would
run as a formula begins with an apostrophe; junit, ctrf and sarif are for other
tools. sarif holds the unexpected failures, at most 5,000, each in the file that
defines its case. With --robots-root DIR it is in DIR/CASE.txt, which
repcheck export --robots DIR writes: commit that folder to see failures next to
the deciding lines. github prints the report and at most ten annotations, and
appends Markdown to $GITHUB_STEP_SUMMARY; it is the default if GITHUB_ACTIONS is
true and there is no -o.`,
		Example: `  repcheck run --adapter 'python3 my_adapter.py'
  repcheck run --impl none --adapter ./my-parser --run '2.2.2/**' --fail-on must
  repcheck run --impl reference --interpretation google
  repcheck run --adapter ./my-parser --transform line-ends-crlf --transform key-case-upper
  repcheck run --adapter ./my-parser --baseline known.yaml --format junit -o report.xml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.inAction(cmd)
			return e.run(cmd, f)
		},
	}
	f.subjectFlags.add(cmd)
	e.addSelection(cmd, &f.selection, "run")
	addChoice(cmd, &f.level, "level", "run only cases of this level or above:", "must", "text", "should", "may")
	cmd.Flags().StringVar(&f.set, "requirements", "", "score the frozen `set` of that name only, such as 2026.2; later cases are shown as not scored")
	cmd.Flags().StringArrayVar(&f.transform, "transform", nil, "run the cases changed by the transform of this `name`, which must not change verdicts: all or one of "+strings.Join(conformance.TransformNames(), ", ")+" (repeatable)")
	cmd.Flags().StringArrayVar(&f.baselines, "baseline", nil, "known failures: a `file` or folder, which replaces the built-in entries of the parsers it names, or none (repeatable)")
	cmd.Flags().BoolVar(&f.update, "update-baseline", false, "drop the entries of the --baseline that no longer fail, and add new failures with the --reason")
	cmd.Flags().BoolVar(&f.prune, "prune-baseline", false, "drop the entries of the --baseline that no longer fail, and add nothing")
	cmd.Flags().StringVar(&f.reason, "reason", "", "`reason` for the failures that --update-baseline adds; without it they are only listed")
	f.formatFlags.add(cmd, "", "write the report to this `file` and only the verdict to standard error")
	addChoice(cmd, &f.failOn, "fail-on", "lowest level at which an unexpected failure counts:", "must", "text", "should", "any")
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "concurrent queries to one parser (0: as many as keep it busy)")
	f.addVerbose(cmd, "show every requirement and every failure in full, including known ones")
	return cmd
}

var levels = map[string]spec.Level{"must": spec.Must, "text": spec.Text, "should": spec.Should, "may": spec.May, "any": spec.May}

func (f *runFlags) check() error {
	if err := f.formatFlags.check(); err != nil {
		return err
	}
	if f.jobs < 0 {
		return fmt.Errorf("--jobs %d: give a number from 0", f.jobs)
	}
	return f.checkRewrite()
}

func (e *env) run(cmd *cobra.Command, f *runFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	data, err := e.data()
	if err != nil {
		return err
	}
	cases, err := f.cases(data)
	if err != nil {
		return err
	}
	transforms, err := conformance.Transforms(f.transform, f.interpretation)
	if err != nil {
		return fmt.Errorf("--transform %w", err)
	}
	set, err := frozenSet(data, f.set)
	if err != nil {
		return err
	}
	baseline, err := f.baseline(data)
	if err != nil {
		return err
	}
	p := e.newProgress()
	options := conformance.Options{
		Interpretation: f.interpretation,
		Baseline:       baseline,
		Set:            set,
		Transforms:     transforms,
		FailOn:         levels[f.failOn],
		Jobs:           f.jobs,
		Progress:       func(done, total int) { p.tell("%d of %d cases", done, total) },
	}
	if !slices.ContainsFunc(cases, func(c spec.Case) bool { return options.Asks(&c) }) {
		return fmt.Errorf("none of the %d selected cases is scored under %s: choose another --interpretation or --requirements", len(cases), f.interpretation)
	}
	subjects, closeAll, err := f.open(cmd.Context())
	if err != nil {
		return err
	}
	defer closeAll()
	result := conformance.Run(cmd.Context(), data, cases, subjects, options)
	p.done()
	if len(result.Cases) == 0 {
		return fmt.Errorf("--transform %s says nothing of the %d selected cases: choose others with --run", strings.Join(f.transform, ", "), len(cases))
	}
	for _, why := range f.skipped {
		result.Notes = append(result.Notes, "skipped "+why)
	}
	return e.endRun(cmd, f, result, data)
}

// endRun writes the result or changes the baseline, and returns the error for what was
// found.
func (e *env) endRun(cmd *cobra.Command, f *runFlags, result *conformance.Result, data *spec.Data) error {
	result.Version = version()
	result.Command = os.Args
	interrupted := cmd.Context().Err() != nil
	if (f.update || f.prune) && !interrupted {
		return e.rewriteBaseline(f, result)
	}
	if err := e.writeResult(&f.formatFlags, result, data); err != nil {
		return err
	}
	if interrupted {
		kept := ""
		if f.update || f.prune {
			kept = fmt.Sprintf(", and %s is unchanged", f.baselines[0])
		}
		return &exitError{code: exitFailed, err: fmt.Errorf("interrupted: the report holds what was asked until then%s", kept)}
	}
	if err := lostInRun(result); err != nil {
		return err
	}
	if result.Failed() {
		return f.failed("there are unexpected failures, or the baseline is wrong")
	}
	return nil
}

// lostInRun returns the error for a run in which parsers were lost.
func lostInRun(r *conformance.Result) error {
	return lostError(r.Subjects, func(s *conformance.SubjectResult) (string, string) { return s.Name, s.Lost })
}

// frozenSet returns the set of that name, nil if the name is empty.
func frozenSet(data *spec.Data, name string) (*spec.Set, error) {
	if name == "" {
		return nil, nil
	}
	if set := data.Set(name); set != nil {
		return set, nil
	}
	var names []string
	for _, s := range data.Sets {
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("--requirements: no set is named %q: there are %s", name, strings.Join(names, ", "))
}

// cases returns the cases that the flags select, including --level.
func (f *runFlags) cases(data *spec.Data) ([]spec.Case, error) {
	chosen, err := f.selection.cases(data)
	if err != nil {
		return nil, err
	}
	least := levels[f.level]
	if least == spec.May {
		return chosen, nil
	}
	kept := chosen[:0]
	for _, c := range chosen {
		if data.LevelUnder(&c, f.interpretation).Weight() >= least.Weight() {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("no case is left to run: none that is selected has the level %s or above", least)
	}
	return kept, nil
}
