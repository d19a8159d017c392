package reports

import (
	"encoding/json"
	"io"

	"github.com/repcheck/repcheck/conformance"
)

// JSON writes the whole result, indented, in the form that
// [conformance.ReadResult] reads back. JSON holds text: octets of an agent, a
// URL or an answer that are no UTF-8 become U+FFFD. Files are safe from that,
// as a result holds them in octet notation.
func JSON(w io.Writer, r *conformance.Result) error {
	return WriteJSON(w, r)
}

// WriteJSON writes a value as every report here does: indented, and with "<" as
// itself.
func WriteJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(value)
}
