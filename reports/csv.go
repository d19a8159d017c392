package reports

import (
	"encoding/csv"
	"io"
	"strings"

	"github.com/repcheck/repcheck/reports/doc"
)

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

// newCSV returns a CSV writer (RFC 4180) that has already written the header.
func newCSV(w io.Writer, header []string) (*csv.Writer, error) {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	return out, out.Write(header)
}
