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
	"github.com/repcheck/repcheck/spec/file"
)

type reportFlags struct {
	formatFlags
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
	f.formatFlags.add(cmd, strings.Join(formats, ", ")+" (results of run only)", "write to this `file`")
	cmd.Flags().StringVar(&f.scan, "scan", "", "for findings: join them with the `result` of scan --format json")
	cmd.Flags().StringVar(&f.run, "run", "", "for findings: join them with the `result` of run --format json")
	cmd.Flags().IntVar(&f.top, "top", 0, "for findings: only the parsers and the `n` behaviours that matter most, as one short page (0: everything)")
	f.addVerbose(cmd, "show everything in full")
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
	file, err := readResultFile(path)
	if err != nil {
		return err
	}
	switch file.command {
	case "scan":
		scan, err := decodeResult(file, "scan", unmarshalScan)
		if err != nil {
			return err
		}
		return e.writeReport(&f.outputFlags, scanReport(&f.outputFlags, scan))
	case "complexity":
		growth, err := decodeResult(file, "complexity", unmarshal[complexity.Result])
		if err != nil {
			return err
		}
		return e.writeReport(&f.outputFlags, complexityReport(&f.outputFlags, growth))
	}
	result, err := decodeResult(file, "run", conformance.ReadResult)
	if err != nil {
		return err
	}
	data, err := e.data()
	if err != nil {
		return err
	}
	return e.writeResult(&f.formatFlags, result, data)
}

// A resultFile is a file with a result in JSON.
type resultFile struct {
	path   string
	octets []byte
	// command wrote the result: scan, complexity or run.
	command string
}

// maxResult bounds the size of a result file. It is far above the size of a
// result with all parsers.
const maxResult = 1 << 30

func readResultFile(path string) (*resultFile, error) {
	octets, err := file.Read(path, maxResult, "pass a file that repcheck wrote with -o")
	if err != nil {
		return nil, err
	}
	var fields struct{ Sample, Families json.RawMessage }
	if err := json.Unmarshal(octets, &fields); err != nil {
		return nil, fmt.Errorf("%s: not a result in JSON: %w", path, err)
	}
	f := &resultFile{path, octets, "run"}
	switch {
	case fields.Sample != nil:
		f.command = "scan"
	case fields.Families != nil:
		f.command = "complexity"
	}
	return f, nil
}

// decodeResult returns the result in a file if the command wrote it.
func decodeResult[T any](f *resultFile, command string, decode func([]byte) (*T, error)) (*T, error) {
	if f.command != command {
		return nil, fmt.Errorf("%s: not a result of repcheck %s --format json", f.path, command)
	}
	result, err := decode(f.octets)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return result, nil
}

// unmarshal decodes a result that has a single format.
func unmarshal[T any](octets []byte) (*T, error) {
	result := new(T)
	if err := json.Unmarshal(octets, result); err != nil {
		return nil, fmt.Errorf("not a result of repcheck: %w", err)
	}
	return result, nil
}

// unmarshalScan decodes the result of a scan.
func unmarshalScan(octets []byte) (*fuzz.ScanResult, error) {
	r, err := unmarshal[fuzz.ScanResult](octets)
	if err != nil {
		return nil, err
	}
	if r.Format != fuzz.ScanFormat {
		return nil, fmt.Errorf("a scan in format %d, not %d: scan again with this version of repcheck", r.Format, fuzz.ScanFormat)
	}
	n := len(r.Subjects)
	for _, q := range []*fuzz.ScanQueries{r.Natural, r.Stress} {
		if q != nil && (len(q.Answers) != n || len(q.Pairs) != n*(n-1)/2) {
			return nil, fmt.Errorf("the scan has %d parsers, but answers of %d and %d pairs: the file was changed or cut, so scan again", n, len(q.Answers), len(q.Pairs))
		}
	}
	return r, nil
}

// readResult reads a file with a result of the command.
func readResult[T any](path, command string, decode func([]byte) (*T, error)) (*T, error) {
	f, err := readResultFile(path)
	if err != nil {
		return nil, err
	}
	return decodeResult(f, command, decode)
}
