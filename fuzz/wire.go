package fuzz

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/repcheck/repcheck/spec"
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

// decodeWitness reads a witness as it is written: the file in base64, agent and
// URL in octet notation.
func decodeWitness(robotsB64, agent, url string) (w Witness, err error) {
	if w.Robots, err = base64.StdEncoding.DecodeString(robotsB64); err != nil {
		return w, fmt.Errorf("robots_b64: %w", err)
	}
	name, err := spec.DecodeOctets(agent)
	if err != nil {
		return w, fmt.Errorf("agent: %w", err)
	}
	target, err := spec.DecodeOctets(url)
	if err != nil {
		return w, fmt.Errorf("url: %w", err)
	}
	w.Probe = spec.Probe{Agent: string(name), URL: string(target)}
	return w, nil
}
