package reports

import (
	"encoding/csv"
	"io"
	"strings"

	"github.com/repcheck/repcheck/reports/doc"
)

// csvRow makes the cells of a row safe. A spreadsheet runs a cell as a formula
// if it begins with one of = + - @ or a control character: such a cell gets an
// apostrophe in front, by which spreadsheets mark text. Characters that cannot
// be seen, tabs and carriage returns among them, are in octet notation.
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

// newCSV returns a writer of RFC 4180 that has written the header.
func newCSV(w io.Writer, header []string) (*csv.Writer, error) {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	return out, out.Write(header)
}
