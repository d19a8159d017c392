package reports

import (
	"io"
)

// FindingsJSON writes the whole report, indented; nothing is left out of it.
func FindingsJSON(w io.Writer, r *FindingsReport) error {
	return WriteJSON(w, r)
}
