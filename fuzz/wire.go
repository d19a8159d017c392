package fuzz

import (
	"bytes"
	"encoding/json"
)

// encodeJSON writes JSON in which "<" stands as itself, which is easier to read.
func encodeJSON(value any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(value)
	return b.Bytes(), err
}

// decodeJSON reads JSON that has no field which value lacks.
func decodeJSON(text []byte, value any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(value)
}
