package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
)

type complexityFlags struct {
	subjectFlags
	families      []string
	limit, budget float64 // seconds
	printQuery    int
	format        string
	output        string
	verbose       bool
	failOnFinding bool
}

func newComplexity(e *env) *cobra.Command {
	f := &complexityFlags{}
	cmd := &cobra.Command{
		Use:   "complexity",
		Short: "Find the questions that take a parser too long",
		Long: `Complexity asks a parser questions that grow: n rules, n stars, a line of n
octets, at n, 2n, 4n, 8n and so on. It fits the exponent k with which the time
grows, as n to the power of k, and says where that is above 1.5 and more than a
few milliseconds, or where a question had no answer within --limit. Each family of questions is made so that
linear time is enough. Whoever can publish a robots.txt file can ask such a
question.

Where the parser's adapter tells the time inside the library, that counts, and
otherwise that of the whole answer; of a parser in this process, no more than it
had a processor. Times are the least of several. A parser is
asked one question at a time, and nothing else should keep the machine busy.

A parser in this process that never returns cannot be ended, and keeps a
processor busy as long as repcheck runs; --adapter 'repcheck adapter <parser>'
asks it in a process of its own, which is killed.`,
		Example: `  repcheck complexity --impl temoto
  repcheck complexity --all --format markdown -o slow.md
  repcheck complexity --impl none --adapter 'python3 my_adapter.py' --family five-stars,rules
  repcheck complexity --family five-stars --print-query 64 | python3 my_adapter.py`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.complexity(cmd, f) },
	}
	f.subjectFlags.add(cmd)
	// Its name would be taken for that of --limit.
	cmd.Flags().Lookup("timeout").Hidden = true
	cmd.Flags().StringSliceVar(&f.families, "family", nil, "ask only the questions of these `families` (--family list prints all)")
	cmd.Flags().Float64Var(&f.limit, "limit", 2, "how many `seconds` one question may take")
	cmd.Flags().Float64Var(&f.budget, "budget", 60, "how many `seconds` all questions together may take each parser")
	cmd.Flags().IntVar(&f.printQuery, "print-query", 0, "measure nothing, and print the query of size `n` of the one --family as lines of the adapter protocol")
	cmd.Flags().StringVar(&f.format, "format", "text", "text, json, markdown or html")
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "write the report to this `file`")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show every family of every parser")
	cmd.Flags().BoolVar(&f.failOnFinding, "fail-on-finding", false, "end with code 4 if any parser takes too long")
	return cmd
}

func (e *env) complexity(cmd *cobra.Command, f *complexityFlags) error {
	if err := oneOf("format", f.format, documentFormats...); err != nil {
		return err
	}
	switch {
	case cmd.Flags().Changed("timeout"):
		return errors.New("complexity has no --timeout: --limit says how long one question may take")
	case !(f.limit >= 0.01 && f.limit <= 3600):
		return fmt.Errorf("--limit %v: give from 0.01 to 3600 seconds", f.limit)
	case !(f.budget > 0 && f.budget <= 1e6):
		return fmt.Errorf("--budget %v: give a number of seconds above 0", f.budget)
	}
	if len(f.families) == 1 && f.families[0] == "list" {
		return e.write(f.output, listFamilies)
	}
	families, err := f.chosenFamilies()
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("print-query") {
		return e.writeAs("json", f.output, func(w io.Writer) error { return f.writeQuery(w, families) })
	}
	color, err := e.colors(e.stdout)
	if err != nil {
		return err
	}
	result, err := e.measure(cmd.Context(), f, families)
	if err != nil {
		return err
	}
	if err := e.writeComplexity(destination{format: f.format, path: f.output, color: color, verbose: f.verbose}, result); err != nil {
		return err
	}
	return growthExit(result, f.failOnFinding)
}

// growthExit is how the command ends.
func growthExit(r *fuzz.GrowthResult, failOnFinding bool) error {
	if r.Interrupted {
		return &exitError{code: exitFailed, err: errors.New("interrupted: the report holds what was measured until then")}
	}
	if err := lostError(r.Subjects, func(s *fuzz.GrowthSubject) (string, string) { return s.Name, s.Lost }); err != nil {
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

// chosenFamilies are those named by --family, nil for all.
func (f *complexityFlags) chosenFamilies() ([]fuzz.Family, error) {
	var families []fuzz.Family
	seen := map[string]bool{}
	for _, name := range f.families {
		family, err := fuzz.FindFamily(name)
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

// processReserve is how much longer than one question may take the client of a
// process waits until it kills it: were the client first, it would ask again.
const processReserve = 250 * time.Millisecond

// measure opens the subjects and measures them.
func (e *env) measure(ctx context.Context, f *complexityFlags, families []fuzz.Family) (*fuzz.GrowthResult, error) {
	stop := time.Duration(f.limit * float64(time.Second))
	f.timeout = stop + processReserve
	subjects, closeAll, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	defer closeAll()
	e.tellSkipped(f.skipped)
	p := e.newProgress()
	defer p.done()
	r := fuzz.MeasureAll(ctx, subjects, fuzz.GrowthOptions{
		Families: families, Stop: stop, Budget: time.Duration(f.budget * float64(time.Second)),
		Progress: func(subject, family string, done, total int) {
			p.tell("%s: %s, %d of %d families", subject, family, done, total)
		},
	})
	r.Version, r.Command = version(), os.Args
	return r, nil
}

func listFamilies(w io.Writer) error {
	for _, f := range fuzz.Families() {
		if _, err := fmt.Fprintf(w, "%-17s %s\n", f.Name, f.About); err != nil {
			return err
		}
	}
	return nil
}

// writeQuery prints the query of size n of the one family.
func (f *complexityFlags) writeQuery(w io.Writer, families []fuzz.Family) error {
	if len(families) != 1 {
		return errors.New("--print-query needs one --family")
	}
	if f.printQuery < 1 || f.printQuery > fuzz.MostN {
		return fmt.Errorf("--print-query %d: give a number from 1 to %d", f.printQuery, fuzz.MostN)
	}
	return writeProtocol(w, families[0].Question(f.printQuery))
}

// writeComplexity shows every family with --verbose alone, as there are many.
func (e *env) writeComplexity(to destination, r *fuzz.GrowthResult) error {
	return e.writeDocument(to, r, func(reports.Options) doc.Document { return reports.Complexity(r, reports.Options{Verbose: to.verbose}) })
}
