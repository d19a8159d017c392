package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports"
)

type reportFlags struct {
	format  string
	output  string
	verbose bool
}

func newReport(e *env) *cobra.Command {
	f := &reportFlags{}
	cmd := &cobra.Command{
		Use:   "report result.json",
		Short: "Render a result of run, scan or complexity that was kept as JSON",
		Example: `  repcheck run --format json -o result.json
  repcheck report result.json --format markdown`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return e.report(f, args[0]) },
	}
	cmd.Flags().StringVar(&f.format, "format", "text", "text, json, junit or markdown (junit: results of run only)")
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "write to this `file`")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show everything in full")
	return cmd
}

func (e *env) report(f *reportFlags, path string) error {
	if err := oneOf("format", f.format, formats...); err != nil {
		return err
	}
	color, err := e.colors(e.stdout)
	if err != nil {
		return err
	}
	octets, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var kind struct {
		Pairs    json.RawMessage `json:"pairs"`
		Families json.RawMessage `json:"families"`
	}
	if err := json.Unmarshal(octets, &kind); err != nil {
		return fmt.Errorf("%s: not a result in JSON: %w", path, err)
	}
	o := reports.TextOptions{Color: color && f.output == "", Verbose: f.verbose}
	if kind.Pairs != nil {
		var scan fuzz.ScanResult
		if err := json.Unmarshal(octets, &scan); err != nil {
			return fmt.Errorf("%s: not a result of repcheck scan --format json: %w", path, err)
		}
		return e.write(f.output, func(w io.Writer) error { return renderScan(w, f.format, &scan, o) })
	}
	if kind.Families != nil {
		var growth fuzz.GrowthResult
		if err := json.Unmarshal(octets, &growth); err != nil {
			return fmt.Errorf("%s: not a result of repcheck complexity --format json: %w", path, err)
		}
		return e.write(f.output, func(w io.Writer) error { return renderGrowth(w, f.format, &growth, o) })
	}
	result, err := conformance.ReadResult(octets)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	data, err := e.data()
	if err != nil {
		return err
	}
	return e.write(f.output, func(w io.Writer) error { return render(w, f.format, result, data, o) })
}
