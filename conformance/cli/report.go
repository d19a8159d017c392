package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/fuzz/complexity"
)

type reportFlags struct {
	formatFlags
	verbose bool
	// scan and run are results to join with findings.
	scan, run string
	// top is the number of behaviours on the short page; 0 means the full report.
	top int
}

func newReport(e *env) *cobra.Command {
	f := &reportFlags{}
	cmd := &cobra.Command{
		Use:   "report result.json|folder",
		Short: "Render a result in JSON, or a folder of findings",
		Long: `Report renders a result of run, scan or complexity from its JSON.

Given a folder of findings, it shows all of them: unexplained ones, failures, and
disagreements grouped by the choice that explains them. Each has its witness, the
answer of every parser with the reason, the related requirements, and the command
that repeats the query. With --scan it shows how often a choice matters on real
files (scan --choices). With --scan or --run it begins with a table of the parsers.
With --top it is one short page of the behaviours that matter most.`,
		Example: `  repcheck run --format json -o result.json
  repcheck report result.json --format markdown
  repcheck report findings --format html -o findings.html
  repcheck report findings --scan scan.json --run result.json --top 20 --format markdown -o parsers.md`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return e.report(f, args[0]) },
	}
	f.formatFlags.add(cmd)
	cmd.Flags().Lookup("format").Usage = "text, json, markdown, html, " + strings.Join(runFormats, ", ") + " (results of run only)"
	cmd.Flags().Lookup("output").Usage = "write to this `file`"
	cmd.Flags().StringVar(&f.scan, "scan", "", "for findings: join them with the `result` of scan --format json")
	cmd.Flags().StringVar(&f.run, "run", "", "for findings: join them with the `result` of run --format json")
	cmd.Flags().IntVar(&f.top, "top", 0, "for findings: only the parsers and the `n` behaviours that matter most, as one short page (0: everything)")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show everything in full")
	return cmd
}

func (e *env) report(f *reportFlags, path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return e.reportFindings(f, path)
	}
	if f.scan != "" || f.run != "" || f.top != 0 {
		return fmt.Errorf("%s is one result: --scan, --run and --top go with a folder of findings", path)
	}
	if err := f.formatFlags.check(); err != nil {
		return err
	}
	color, err := e.colors(e.stdout)
	if err != nil {
		return err
	}
	octets, kind, err := readResult(path)
	if err != nil {
		return err
	}
	to := destination{format: f.format, path: f.output, color: color, verbose: f.verbose}
	if kind.Pairs != nil {
		var scan fuzz.ScanResult
		if err := json.Unmarshal(octets, &scan); err != nil {
			return fmt.Errorf("%s: not a result of repcheck scan --format json: %w", path, err)
		}
		return e.writeScan(to, &scan)
	}
	if kind.Families != nil {
		var growth complexity.Result
		if err := json.Unmarshal(octets, &growth); err != nil {
			return fmt.Errorf("%s: not a result of repcheck complexity --format json: %w", path, err)
		}
		return e.writeComplexity(to, &growth)
	}
	result, err := conformance.ReadResult(octets)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	data, err := e.data()
	if err != nil {
		return err
	}
	return e.writeResult(&f.formatFlags, result, data, color, f.verbose)
}
