package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/reports"
	"github.com/repcheck/repcheck/spec"
)

type exportFlags struct {
	selection
	outputFlags
	robots string
	schema string
}

func newExport(e *env) *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write cases, requirements and points as plain data",
		Long: `Export writes all cases, requirements and points, so that the suite can be run
without repcheck. Each case has its file in base64 and, for each query, the
verdict of each interpretation; a classifying case has the verdict of each
choice. An agent or URL that is not UTF-8 is in base64, as agent_b64 or url_b64.

With --robots DIR it writes the file of each case to DIR/CASE.txt instead, and
with --schema NAME the JSON Schema of a result in JSON.`,
		Example: `  repcheck export -o repcheck.json
  repcheck export --format jsonl --run '2.2.2/**'
  repcheck export --robots testdata/robots`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return e.export(f) },
	}
	e.addSelection(cmd, &f.selection, "export")
	f.addFormat(cmd, "", "json", "jsonl")
	f.addOutput(cmd, "write to this `file`")
	cmd.Flags().StringVar(&f.robots, "robots", "", "write the robots.txt file of each case into this `folder`, for run --robots-root")
	addChoice(cmd, &f.schema, "schema", "write the JSON Schema of the result of that `name`:", spec.ResultSchemas()...)
	cmd.MarkFlagsMutuallyExclusive("robots", "format", "schema")
	cmd.MarkFlagsMutuallyExclusive("robots", "output")
	return cmd
}

func (e *env) export(f *exportFlags) error {
	if f.schema != "" {
		return e.write(f.path, func(w io.Writer) error {
			_, err := w.Write(spec.ResultSchema(f.schema))
			return err
		})
	}
	data, err := e.data()
	if err != nil {
		return err
	}
	cases, err := f.cases(data)
	if err != nil {
		return err
	}
	if f.robots != "" {
		return exportRobots(f.robots, cases)
	}
	export := reports.NewExport(data, cases, version())
	return e.writeAs(f.format, f.path, func(w io.Writer) error {
		if f.format == "jsonl" {
			return export.JSONL(w)
		}
		return reports.WriteJSONLine(w, export)
	})
}

// exportRobots writes the files of the cases. The ID of a case is a path of
// letters, digits, hyphens and slashes.
func exportRobots(dir string, cases []spec.Case) error {
	for _, c := range cases {
		if !filepath.IsLocal(c.ID) {
			return fmt.Errorf("%s: case %s cannot be the name of a file", c.Pos, c.ID)
		}
		path := filepath.Join(dir, filepath.FromSlash(c.ID)+".txt")
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return fmt.Errorf("cannot write --robots: %w", err)
		}
		if err := os.WriteFile(path, c.Robots, 0o666); err != nil {
			return fmt.Errorf("cannot write --robots: %w", err)
		}
	}
	return nil
}
