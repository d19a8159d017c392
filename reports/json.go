package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"

	"github.com/repcheck/repcheck/conformance"
)

// JSON writes the whole result on one line, in the form that
// [conformance.ReadResult] reads back. Bytes of an answer that are not UTF-8
// become U+FFFD, because JSON is text. Files, agents and URLs lose nothing,
// because a result has them in octet notation.
func JSON(w io.Writer, r *conformance.Result) error {
	return WriteJSONLine(w, r)
}

// WriteJSON writes a value as JSON, indented. Like [WriteJSONLine] it does not
// escape "<", but escapes every invisible character, so that a terminal shows
// what a program reads.
func WriteJSON(w io.Writer, value any) error { return writeJSON(w, value, "  ") }

// WriteJSONLine writes a value as JSON on one line.
func WriteJSONLine(w io.Writer, value any) error { return writeJSON(w, value, "") }

func writeJSON(w io.Writer, value any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", indent)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return err
	}
	_, err := w.Write(escapeUnseen(b.Bytes()))
	return err
}

// escapeUnseen writes every invisible character of a JSON text as \uXXXX: C1
// controls, bidirectional overrides, zero-width characters and spaces other than
// U+0020. Outside of strings JSON is ASCII, so the value is unchanged.
func escapeUnseen(text []byte) []byte {
	if !bytes.ContainsFunc(text, unseen) {
		return text
	}
	var out bytes.Buffer
	for _, r := range string(text) {
		if !unseen(r) {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.Bytes()
}

// unseen reports whether a character is invisible. Line feeds are excluded: they
// are the only control characters that an encoder leaves in JSON.
func unseen(r rune) bool {
	if r < 0x7F {
		return false
	}
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
