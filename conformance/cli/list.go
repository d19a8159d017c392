package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/repcheck/repcheck/impl/subjects"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

type listFlags struct {
	selection
	what string
	outputFlags
}

func newList(e *env) *cobra.Command {
	f := &listFlags{what: "cases", outputFlags: outputFlags{width: -1}}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List cases, requirements, points or parsers",
		Example: `  repcheck list --run '2.2.2/**'
  repcheck list --what requirements
  repcheck list --what points --format json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return e.list(f) },
	}
	addChoice(cmd, &f.what, "what", "", "cases", "requirements", "points", "parsers")
	e.addSelection(cmd, &f.selection, "list")
	f.addFormat(cmd, "", documentFormats...)
	return cmd
}

// A row is one listed item: words for a table, and a value for JSON.
type row struct {
	words []string
	value any
}

func (e *env) list(f *listFlags) error {
	data, err := e.data()
	if err != nil {
		return err
	}
	var rows []row
	var heads []string
	switch f.what {
	case "requirements":
		heads, rows = []string{"requirement", "level", "layer", "text"}, requirementRows(data)
	case "points":
		heads, rows = []string{"point", "stage", "ambiguities", "question"}, pointRows(data)
	case "parsers":
		heads = []string{"parser", "version", "language", "package"}
		rows, err = parserRows()
	default:
		heads = []string{"section", "case", "level", "requirements or point"}
		rows, err = caseRows(data, f)
	}
	if err != nil {
		return err
	}
	values := make([]any, len(rows))
	words := make([][]string, len(rows))
	for i, r := range rows {
		values[i], words[i] = r.value, r.words
	}
	return e.writeReport(&f.outputFlags, report{result: values, document: func() doc.Document { return doc.Document{wordTable(heads, words)} }})
}

// wordTable makes a table of words.
func wordTable(heads []string, rows [][]string) doc.Table {
	var t doc.Table
	for _, head := range heads {
		t.Columns = append(t.Columns, doc.Column{Head: head})
	}
	for _, words := range rows {
		var cells doc.Row
		for _, word := range words {
			cells = append(cells, doc.In(doc.Plain, "%s", word))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func caseRows(data *spec.Data, f *listFlags) ([]row, error) {
	cases, err := f.cases(data)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, c := range cases {
		about := strings.Join(c.Requirements, " ")
		level := string(c.Level)
		if c.Classifies() {
			level, about = "open", c.Point
		}
		rows = append(rows, row{[]string{c.Section, c.ID, level, about}, map[string]any{
			"id": c.ID, "section": c.Section, "level": c.Level, "requirements": c.Requirements,
			"point": c.Point, "rationale": c.Rationale, "pos": c.Pos, "expectations": len(c.Expect),
		}})
	}
	return rows, nil
}

func requirementRows(data *spec.Data) []row {
	var rows []row
	for _, q := range data.Requirements {
		rows = append(rows, row{[]string{q.ID, string(q.Level), q.Layer, q.Text}, map[string]any{
			"id": q.ID, "document": q.Document, "section": q.Section, "level": q.Level, "layer": q.Layer,
			"text": q.Text, "untested": q.Untested, "notes": q.Notes,
		}})
	}
	return rows
}

func pointRows(data *spec.Data) []row {
	var rows []row
	for _, p := range data.Points {
		chosen := map[string]string{}
		for name, c := range p.Interpretations {
			chosen[name] = c.Choice
		}
		rows = append(rows, row{[]string{p.ID, p.Stage, strings.Join(p.Ambiguities, " "), p.Question}, map[string]any{
			"id": p.ID, "stage": p.Stage, "question": p.Question, "ambiguities": p.Ambiguities, "interpretations": chosen,
		}})
	}
	return rows
}

func parserRows() ([]row, error) {
	subjects, err := subjects.Open(nil, spec.Interpretations[0], 0)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, s := range subjects {
		info := s.Info()
		rows = append(rows, row{[]string{info.Name, info.Version, info.Language, info.Package}, info})
		s.Close()
	}
	return rows, nil
}
