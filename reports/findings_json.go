package reports

import (
	"encoding/json"
	"io"
)

// FindingsJSON writes the whole report, indented; nothing is left out of it.
func FindingsJSON(w io.Writer, r *FindingsReport) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
