package reports

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"reflect"
	"strings"

	"github.com/repcheck/repcheck/reports/doc"
)

// A rowWriter writes rows as JSON Lines, or as CSV (RFC 4180) below a header with
// the names of the JSON.
type rowWriter[T any] struct {
	w     *bufio.Writer
	csv   *csv.Writer // nil for JSON Lines
	cells func(*T) []string
}

// newRowWriter returns a writer for the format jsonl or csv. cells returns the
// cells of a row in CSV.
func newRowWriter[T any](w io.Writer, format string, cells func(*T) []string) (*rowWriter[T], error) {
	r := &rowWriter[T]{w: bufio.NewWriter(w), cells: cells}
	if format == "jsonl" {
		return r, nil
	}
	r.csv = csv.NewWriter(r.w)
	r.csv.UseCRLF = true
	var header []string
	for field := range reflect.TypeFor[T]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		header = append(header, name)
	}
	return r, r.csv.Write(header)
}

func (r *rowWriter[T]) write(row *T) error {
	if r.csv == nil {
		return WriteJSONLine(r.w, row)
	}
	return r.csv.Write(csvRow(r.cells(row)...))
}

func (r *rowWriter[T]) flush() error {
	if r.csv == nil {
		return r.w.Flush()
	}
	r.csv.Flush()
	return errors.Join(r.csv.Error(), r.w.Flush())
}

// csvRow makes the cells of a row safe. A spreadsheet runs a cell as a formula if
// it begins with one of = + - @ or a control character, so such a cell gets a
// leading apostrophe, which marks text in spreadsheets. Invisible characters,
// including tabs and carriage returns, are written in octet notation.
func csvRow(cells ...string) []string {
	for i, cell := range cells {
		cell = doc.Printable(cell)
		if strings.ContainsAny(cell[:min(1, len(cell))], "=+-@\n") {
			cell = "'" + cell
		}
		cells[i] = cell
	}
	return cells
}
