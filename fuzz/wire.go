package fuzz

import (
	"bytes"
	"encoding/json"
)

// encodeJSON encodes JSON in which "<" is not escaped, which is easier to read.
func encodeJSON(value any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(value)
	return b.Bytes(), err
}

// decodeJSON decodes JSON and refuses fields that value does not have.
func decodeJSON(text []byte, value any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(value)
}
