package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/spec"
)

type runFlags struct {
	subjectFlags
	run, skip []string
	level     string
	set       string
	transform []string
	baselines []string
	update    bool
	reason    string
	format    string
	output    string
	failOn    string
	jobs      int
	verbose   bool
}

func newRun(e *env) *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the suite and judge every parser (the default)",
		Long: `Run asks every parser every case. It prints the unexpected failures and what was
fixed first, then which requirements each parser breaks.

Failures that a baseline lists are known. Any other failure, and an entry of the
baseline that no longer holds, makes it exit with code 1. Cases of points that
the documents leave open classify a parser and neither pass nor fail.

Patterns select cases by ID (precedence/tie-at-root), by section (2.2.2/**), by
requirement (RFC9309-2.2.2-*) or by point; * stands for anything but a slash,
** for anything.`,
		Example: `  repcheck run --adapter 'python3 my_adapter.py'
  repcheck run --impl none --adapter ./my-parser --run '2.2.2/**' --fail-on must
  repcheck run --impl reference --interpretation google
  repcheck run --adapter ./my-parser --transform line-ends-crlf --transform key-case-upper
  repcheck run --adapter ./my-parser --baseline known.yaml --format junit -o report.xml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.run(cmd, f) },
	}
	f.subjectFlags.add(cmd)
	cmd.Flags().StringArrayVar(&f.run, "run", nil, "run only the cases that match this `pattern` (repeatable)")
	cmd.Flags().StringArrayVar(&f.skip, "skip", nil, "leave out the cases that match this `pattern` (repeatable)")
	cmd.Flags().StringVar(&f.level, "level", "may", "run only cases of this level or above: must, should, may")
	cmd.Flags().StringVar(&f.set, "requirements", "", "score the frozen `set` of that name only, such as 2026.1; later cases are shown as not scored")
	cmd.Flags().StringArrayVar(&f.transform, "transform", nil, "run the cases changed by this `name` instead, which must change no verdict: all or one of "+strings.Join(conformance.TransformNames(), ", ")+" (repeatable)")
	cmd.Flags().StringArrayVar(&f.baselines, "baseline", nil, "known failures: a `file` or folder; stands in for the built-in entries of the parsers it names; none for none (repeatable)")
	cmd.Flags().BoolVar(&f.update, "update-baseline", false, "rewrite the --baseline so that it explains this run")
	cmd.Flags().StringVar(&f.reason, "reason", "", "why the failures that --update-baseline enters are failures")
	cmd.Flags().StringVar(&f.format, "format", "text", "text, json, junit or markdown")
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "write the report to this `file` and only the verdict to standard error")
	cmd.Flags().StringVar(&f.failOn, "fail-on", "should", "least level at which an unexpected failure counts: must, should, any")
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "questions put to one parser at a time (0: as many as keep it busy)")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show every requirement and every failure in full, also known ones")
	return cmd
}

var levels = map[string]spec.Level{"must": spec.Must, "should": spec.Should, "may": spec.May, "any": spec.May}

func (f *runFlags) check() error {
	for _, err := range []error{
		oneOf("level", f.level, "must", "should", "may"),
		oneOf("fail-on", f.failOn, "must", "should", "any"),
		oneOf("format", f.format, formats...),
		oneOf("interpretation", f.interpretation, spec.Interpretations...),
	} {
		if err != nil {
			return err
		}
	}
	if f.jobs < 0 {
		return fmt.Errorf("--jobs %d: give a number from 0", f.jobs)
	}
	if f.update && (len(f.baselines) != 1 || f.baselines[0] == "none") {
		return fmt.Errorf("--update-baseline needs one --baseline, the file or folder to write")
	}
	if f.update && len(f.transform) > 0 {
		return fmt.Errorf("--update-baseline does not go with --transform: a baseline knows the cases as they stand, and what it knows holds for them transformed")
	}
	return nil
}

func (e *env) run(cmd *cobra.Command, f *runFlags) error {
	if err := f.check(); err != nil {
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
	cases, err := f.cases(data)
	if err != nil {
		return err
	}
	transforms, err := conformance.FindTransforms(f.transform, f.interpretation)
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
	result.Version = version()
	result.Command = os.Args
	interrupted := cmd.Context().Err() != nil
	if f.update && !interrupted {
		entered, dropped, err := conformance.UpdateBaseline(f.baselines[0], f.reason, result)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.stdout, "%s: %d expectations entered, %d dropped\n", f.baselines[0], entered, dropped)
		return nil
	}
	err = e.write(f.output, func(w io.Writer) error {
		o := reports.TextOptions{Color: color && f.output == "", Verbose: f.verbose}
		if f.output == "" {
			o.Width = columns(e.stdout)
		}
		return render(w, f.format, result, data, o)
	})
	if err != nil {
		return err
	}
	if interrupted {
		return &exitError{code: exitFailed, err: fmt.Errorf("interrupted: the report holds what was asked until then")}
	}
	return e.verdict(result, f.output != "" || f.format != "text")
}

// verdict turns the result into the exit code, and says it where the report
// does not stand before the reader.
func (e *env) verdict(r *conformance.Result, say bool) error {
	if err := lostError(r.Subjects, func(s *conformance.SubjectResult) (string, string) { return s.Name, s.Lost }); err != nil {
		return err
	}
	if !r.Failed() {
		return nil
	}
	exit := &exitError{code: exitFailed}
	if say {
		exit.err = fmt.Errorf("there are unexpected failures, or the baseline is wrong: see the report")
	}
	return exit
}

// frozenSet returns the set of that name, nil if none is asked for.
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

// cases returns the cases that the flags select.
func (f *runFlags) cases(data *spec.Data) ([]spec.Case, error) {
	chosen, err := spec.Select(data.Cases, spec.NewSelection(f.run), spec.NewSelection(f.skip))
	if err != nil {
		return nil, err
	}
	least := levels[f.level]
	if least == spec.May {
		return chosen, nil
	}
	kept := chosen[:0]
	for _, c := range chosen {
		if c.Level.Weight() >= least.Weight() {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("no case is left to run: none that is selected has the level %s or above", least)
	}
	return kept, nil
}

// baseline returns the known failures: the built-in ones, but for the parsers
// that a --baseline speaks of and for cases that --spec does not have.
func (f *runFlags) baseline(data *spec.Data) (*conformance.Baseline, error) {
	builtIn, err := conformance.DefaultBaseline()
	if err != nil {
		return nil, err
	}
	given := &conformance.Baseline{}
	for _, path := range f.baselines {
		if path == "none" {
			builtIn = &conformance.Baseline{}
			continue
		}
		if _, err := os.Stat(path); f.update && os.IsNotExist(err) {
			continue // it is about to be written
		}
		b, err := conformance.LoadBaseline(path)
		if err != nil {
			return nil, fmt.Errorf("--baseline: %w", err)
		}
		given = given.Merge(b)
	}
	return builtIn.Without(given.Subjects()).Within(data).Merge(given), nil
}

var formats = []string{"text", "json", "junit", "markdown"}

func render(w io.Writer, format string, r *conformance.Result, data *spec.Data, o reports.TextOptions) error {
	switch format {
	case "json":
		return reports.JSON(w, r)
	case "junit":
		return reports.JUnit(w, r)
	case "markdown":
		return reports.Markdown(w, r, data)
	}
	return reports.Text(w, r, data, o)
}
