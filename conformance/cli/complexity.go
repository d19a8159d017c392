package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/fuzz/complexity"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
)

type complexityFlags struct {
	subjectFlags
	families      []string
	limit, budget float64 // seconds
	printQuery    int
	outputFlags
	failOnFinding bool
}

func newComplexity(e *env) *cobra.Command {
	f := &complexityFlags{}
	cmd := &cobra.Command{
		Use:   "complexity",
		Short: "Find queries that take a parser too long",
		Long: `Complexity measures how running time grows with the input. It sends families of
queries of growing size to a parser: n rules, n stars, a line of n bytes, for n,
2n, 4n, 8n and so on. If the time grows as n to the power of k, it fits the
exponent k. A finding is an exponent above 1.5 with times of more than a few
milliseconds, or a query without an answer within --limit. Every family can be
answered in linear time. Anyone who publishes a robots.txt file can cause such
queries.

If the parser's adapter reports the time inside the library, that time counts,
otherwise the time of the whole answer; for an in-process parser, at most the
processor time. Each time is the minimum of several measurements. A parser gets
one query at a time, and nothing else should keep the machine busy.

An in-process parser that never returns cannot be stopped, and keeps a processor
busy as long as repcheck runs; --adapter 'repcheck adapter <parser>' runs it in a
separate process, which can be killed.`,
		Example: `  repcheck complexity --impl temoto
  repcheck complexity --all --format markdown -o slow.md
  repcheck complexity --impl none --adapter 'python3 my_adapter.py' --family five-stars,rules
  repcheck complexity --family five-stars --print-query 64 | python3 my_adapter.py`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.complexity(cmd, f) },
	}
	f.subjectFlags.add(cmd)
	// It is easily confused with --limit.
	cmd.Flags().Lookup("timeout").Hidden = true
	cmd.Flags().StringSliceVar(&f.families, "family", nil, "run only the queries of these `families` (--family list prints all)")
	cmd.Flags().Float64Var(&f.limit, "limit", 2, "how many `seconds` one query may take")
	cmd.Flags().Float64Var(&f.budget, "budget", 60, "how many `seconds` each parser may take for all queries together")
	cmd.Flags().IntVar(&f.printQuery, "print-query", 0, "measure nothing, and print the query of size `n` of the one --family as lines of the adapter protocol")
	f.addFormat(cmd, "", documentFormats...)
	f.addOutput(cmd, "write the report to this `file`")
	f.addVerbose(cmd, "show every family of every parser")
	cmd.Flags().BoolVar(&f.failOnFinding, "fail-on-finding", false, "exit with code 4 if any parser takes too long")
	return cmd
}

func (e *env) complexity(cmd *cobra.Command, f *complexityFlags) error {
	switch {
	case cmd.Flags().Changed("timeout"):
		return errors.New("complexity has no --timeout: --limit says how long one query may take")
	case !(f.limit >= 0.01 && f.limit <= 3600):
		return fmt.Errorf("--limit %v: give from 0.01 to 3600 seconds", f.limit)
	case !(f.budget > 0 && f.budget <= 1e6):
		return fmt.Errorf("--budget %v: give a number of seconds above 0", f.budget)
	}
	if len(f.families) == 1 && f.families[0] == "list" {
		return e.write(f.path, listFamilies)
	}
	families, err := f.chosenFamilies()
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("print-query") {
		return e.writeAs("json", f.path, func(w io.Writer) error { return f.writeQuery(w, families) })
	}
	result, err := e.measure(cmd.Context(), f, families)
	if err != nil {
		return err
	}
	if err := e.writeReport(&f.outputFlags, complexityReport(&f.outputFlags, result)); err != nil {
		return err
	}
	return complexityExit(result, f.failOnFinding)
}

// complexityExit returns the error with which the command exits.
func complexityExit(r *complexity.Result, failOnFinding bool) error {
	if r.Interrupted {
		return &exitError{code: exitFailed, err: errors.New("interrupted: the report holds what was measured until then")}
	}
	if err := lostError(r.Subjects, func(s *complexity.Subject) (string, string) { return s.Name, s.Lost }); err != nil {
		return err
	}
	findings := 0
	for i := range r.Subjects {
		findings += len(r.Subjects[i].Findings())
	}
	if failOnFinding && findings > 0 {
		return &exitError{code: exitDisagree, err: fmt.Errorf("a parser takes too long; findings: %d", findings)}
	}
	return nil
}

// chosenFamilies returns the families named by --family, nil for all.
func (f *complexityFlags) chosenFamilies() ([]complexity.Family, error) {
	var families []complexity.Family
	seen := map[string]bool{}
	for _, name := range f.families {
		family, err := complexity.FindFamily(name)
		if err != nil {
			return nil, fmt.Errorf("--family: %w", err)
		}
		if !seen[name] {
			families = append(families, *family)
		}
		seen[name] = true
	}
	return families, nil
}

// processReserve is added to the time limit of a query to get the timeout after
// which the client kills the process. If the client's timeout expired first, it
// would repeat the query.
const processReserve = 250 * time.Millisecond

// measure opens the subjects and measures them.
func (e *env) measure(ctx context.Context, f *complexityFlags, families []complexity.Family) (*complexity.Result, error) {
	stop := time.Duration(f.limit * float64(time.Second))
	f.timeout = stop + processReserve
	subjects, closeAll, err := e.open(ctx, &f.subjectFlags)
	if err != nil {
		return nil, err
	}
	defer closeAll()
	p := e.newProgress()
	defer p.done()
	r := complexity.Measure(ctx, subjects, complexity.Options{
		Families: families, Stop: stop, Budget: time.Duration(f.budget * float64(time.Second)),
		Progress: func(subject, family string, done, total int) {
			p.tell("%s: %s, %d of %d families", subject, family, done, total)
		},
	})
	r.Version, r.Command = version(), os.Args
	return r, nil
}

func listFamilies(w io.Writer) error {
	for _, f := range complexity.Families() {
		if _, err := fmt.Fprintf(w, "%-17s %s\n", f.Name, f.About); err != nil {
			return err
		}
	}
	return nil
}

// writeQuery prints the query of size n of the single family.
func (f *complexityFlags) writeQuery(w io.Writer, families []complexity.Family) error {
	if len(families) != 1 {
		return errors.New("--print-query needs one --family")
	}
	if f.printQuery < 1 || f.printQuery > complexity.MostN {
		return fmt.Errorf("--print-query %d: give a number from 1 to %d", f.printQuery, complexity.MostN)
	}
	return writeProtocol(w, families[0].Query(f.printQuery))
}

// complexityReport returns the report. Only --verbose shows every family, because
// there are many.
func complexityReport(f *outputFlags, r *complexity.Result) report {
	return report{result: r, document: func() doc.Document { return reports.Complexity(r, f.options()) }}
}
