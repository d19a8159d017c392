package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	choices   bool
}

func newScan(e *env) *cobra.Command {
	f := &scanFlags{}
	cmd := &cobra.Command{
		Use:   "scan path",
		Short: "Run every parser on real files and count disagreements",
		Long: `Scan reads a collection of robots.txt files: a folder, one file, JSON Lines with
host and body_base64 (.jsonl, .jsonl.gz), or - for JSON Lines on standard input.
For each file it derives crawlers and URLs from the file's own lines, queries every
parser, and reports how often each pair disagrees, with the smallest example.

A parser that panics or hangs on a file is a finding, not the end of the scan.

With --format jsonl or csv, scan writes one row for each query on which parsers
disagree, as soon as all have answered about the file and in no particular order:
host, hash, bytes, agent, url, the verdict of each parser, and the choices of the
reference each of which explains a verdict. CSV cells that a spreadsheet would run
as a formula begin with an apostrophe.`,
		Example: `  repcheck scan robots.jsonl.gz --limit 10000
  repcheck scan folder/ --adapter 'python3 my_adapter.py' --format json -o scan.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return e.scan(cmd, f, args[0]) },
	}
	f.subjectFlags.add(cmd)
	cmd.Flags().IntVar(&f.limit, "limit", 0, "take a fair sample of this many files (0: all)")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "selects the sample and the queries")
	cmd.Flags().IntVar(&f.agents, "agents", 0, "crawlers for each file (0: at most five)")
	cmd.Flags().IntVar(&f.urls, "urls", 0, "URLs for each crawler (0: at most forty)")
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
		Limit: f.limit, Seed: f.seed, Agents: f.agents, URLs: f.urls, Jobs: f.jobs, Choices: f.choices, Source: filepath.Base(path),
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
	case f.failOnAny && disagreements(result) > 0:
		return &exitError{code: exitDisagree, err: fmt.Errorf("%d answers differ between two parsers", disagreements(result))}
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

func disagreements(r *fuzz.ScanResult) (n int64) {
	for _, p := range r.Pairs {
		n += p.Differing
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
