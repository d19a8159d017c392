package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/corpus"
	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/reports/doc"
)

type scanFlags struct {
	subjectFlags
	limit        int
	seed         uint64
	agents, urls int
	jobs         int
	outputFlags
	failOnAny bool
	queries   string
	causes    bool
	choices   bool
}

// queryKinds are the values of --queries.
var queryKinds = map[string][]fuzz.QueryKind{
	"natural": {fuzz.NaturalQueries}, "stress": {fuzz.StressQueries}, "both": {fuzz.NaturalQueries, fuzz.StressQueries},
}

func newScan(e *env) *cobra.Command {
	f := &scanFlags{}
	cmd := &cobra.Command{
		Use:   "scan path",
		Short: "Run every parser on real files and count disagreements",
		Long: `Scan reads a collection of robots.txt files: a folder, one file, JSON Lines with
host and body_base64 (.jsonl, .jsonl.gz), or - for JSON Lines on standard input.
It queries every parser about each file, and reports on how many files parsers
disagree, how often each pair does, and which of their choices are the causes, with
the smallest example of each. To find a parser's choices it first searches its
fingerprint, which takes some seconds for each parser; --causes=false skips that.

Natural queries are those that a site could get: its home page, its sitemaps and the
paths of its rules, for well-known crawlers and those that the file names. Stress
queries have URLs and crawlers that are cut, extended, encoded and decoded; they
find more differences, but say little about sites. The report never adds the two.

A parser that panics or hangs on a file is a finding, not the end of the scan.

With --format jsonl or csv, scan writes one row for each query on which parsers
disagree, as soon as all have answered about the file and in no particular order:
host, hash, bytes, kind (natural or stress), agent, url, the verdict of each parser,
and the choices of the reference each of which explains a verdict. CSV cells that a spreadsheet would run
as a formula begin with an apostrophe.`,
		Example: `  repcheck scan robots.jsonl.gz --limit 10000
  repcheck scan robots.jsonl.gz --queries both --causes=false
  repcheck scan folder/ --adapter 'python3 my_adapter.py' --format json -o scan.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return e.scan(cmd, f, args[0]) },
	}
	f.subjectFlags.add(cmd)
	cmd.Flags().IntVar(&f.limit, "limit", 0, "take a fair sample of this many files (0: all)")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "selects the sample and the queries")
	cmd.Flags().IntVar(&f.agents, "agents", 0, "crawlers for each file (0: at most five)")
	cmd.Flags().IntVar(&f.urls, "urls", 0, "URLs for each crawler (0: at most forty)")
	f.queries = "natural"
	addChoice(cmd, &f.queries, "queries", "kind of queries:", "natural", "stress", "both")
	cmd.Flags().BoolVar(&f.causes, "causes", true, "find the choices that cause disagreements on natural queries")
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "files processed at a time (0: as many as keep all processors busy)")
	cmd.Flags().BoolVar(&f.choices, "choices", false, "also count the files on which each choice of the reference matters (takes at least ten times as long)")
	f.addFormat(cmd, "text, json, markdown or html; jsonl or csv for one row per file and disagreement", append(slices.Clone(documentFormats), "jsonl", "csv")...)
	f.addOutput(cmd, "write the report to this `file`")
	f.addVerbose(cmd, "show every pair and finding in full")
	cmd.Flags().BoolVar(&f.failOnAny, "fail-on-disagreement", false, "exit with code 4 if any two parsers disagree")
	return cmd
}

func (e *env) scan(cmd *cobra.Command, f *scanFlags, path string) error {
	if f.limit < 0 || f.agents < 0 || f.urls < 0 || f.jobs < 0 {
		return fmt.Errorf("--limit, --agents, --urls and --jobs take numbers from 0")
	}
	source, err := corpus.Open(path, e.stdin)
	if err != nil {
		return err
	}
	defer source.Close()
	subjects, closeAll, err := e.open(cmd.Context(), &f.subjectFlags)
	if err != nil {
		return err
	}
	defer closeAll()
	p := e.newProgress()
	options := fuzz.ScanOptions{
		Limit: f.limit, Seed: f.seed, Agents: f.agents, URLs: f.urls, Jobs: f.jobs, Queries: queryKinds[f.queries], Choices: f.choices, Source: filepath.Base(path),
		Causes:   f.causes && f.format != "jsonl" && f.format != "csv", // which show no result
		Progress: func(s fuzz.ScanProgress) { p.tell("%s", scanLine(s)) },
	}
	var result *fuzz.ScanResult
	if f.format == "jsonl" || f.format == "csv" {
		result, err = e.scanRows(cmd.Context(), f, source, subjects, options)
		p.done()
	} else {
		result, err = fuzz.Scan(cmd.Context(), source, subjects, options)
		p.done()
		if result != nil {
			if err := e.writeReport(&f.outputFlags, scanReport(&f.outputFlags, result)); err != nil {
				return err
			}
		}
	}
	if err != nil && result == nil {
		return err
	}
	lost := lostError(result.Subjects, func(s *fuzz.ScanSubject) (string, string) { return s.Name, s.Lost })
	switch {
	case err != nil:
		return fmt.Errorf("the source failed, and the report holds what was scanned until then: %w", err)
	case result.Interrupted:
		return &exitError{code: exitFailed, err: errors.New("interrupted: the report holds what was scanned until then")}
	case result.Files == 0:
		return fmt.Errorf("%s holds no robots.txt file", path)
	case lost != nil:
		return lost
	}
	if natural, stress := differing(result.Natural), differing(result.Stress); f.failOnAny && (natural > 0 || stress > 0) {
		var counts []string
		if natural > 0 {
			counts = append(counts, fmt.Sprintf("%d times to natural queries", natural))
		}
		if stress > 0 {
			counts = append(counts, fmt.Sprintf("%d times to stress queries", stress))
		}
		return &exitError{code: exitDisagree, err: fmt.Errorf("two parsers give different answers %s", strings.Join(counts, " and "))}
	}
	return nil
}

// scanRows scans, and writes the disagreements of each file as soon as all
// parsers have answered. If writing fails, the scan ends without a result.
func (e *env) scanRows(ctx context.Context, f *scanFlags, source corpus.Source, subjects []impl.Subject, o fuzz.ScanOptions) (*fuzz.ScanResult, error) {
	w, end, err := e.stream(f.path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range subjects {
		names = append(names, s.Info().Name)
	}
	rows, writeErr := reports.NewScanRows(w, f.format, names)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	o.File = func(file *fuzz.ScanFile) {
		if writeErr == nil {
			writeErr = rows.Write(file)
		}
		if writeErr != nil {
			stop()
		}
	}
	result, err := fuzz.Scan(ctx, source, subjects, o)
	if writeErr = errors.Join(writeErr, rows.Flush(), end()); writeErr != nil {
		return nil, fmt.Errorf("cannot write the rows: %w", writeErr)
	}
	return result, err
}

// scanLine returns the progress of a scan in one line.
func scanLine(s fuzz.ScanProgress) string {
	if s.Fingerprints < s.Subjects {
		return fmt.Sprintf("finding fingerprints: %d of %d parsers, %s", s.Fingerprints, s.Subjects, s.Elapsed.Round(time.Second))
	}
	what := "scanned"
	if s.Choosing {
		what = "choosing the sample:"
	}
	line := fmt.Sprintf("%s %d files, %d MB, %d queries, %s", what, s.Files, s.Octets>>20, s.Queries, s.Elapsed.Round(time.Second))
	if s.Total > 0 {
		line = fmt.Sprintf("%3d%%  ", 100*s.Done/s.Total) + line
	}
	return line
}

// differing counts, for each two parsers, the queries of one kind that they answer
// differently.
func differing(q *fuzz.ScanQueries) (n int64) {
	if q != nil {
		for _, p := range q.Pairs {
			n += p.Differing
		}
	}
	return n
}

func scanReport(f *outputFlags, r *fuzz.ScanResult) report {
	return report{result: r, document: func() doc.Document { return reports.Scan(r, f.fullOptions()) }}
}

// fileExists reports whether path exists and is accessible.
func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
