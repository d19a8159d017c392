package spec

import (
	"bytes"
	_ "embed"
	"encoding/gob"
	"fmt"
)

// compiledFile holds the requirements, points, cases and scenarios of the embedded
// YAML files in a form that is read in a tenth of the time. The YAML files remain the
// source: if they have changed since, they are read instead. TestCompiled writes the
// file.
//
//go:embed compiled.gob
var compiledFile []byte

// compiled is the content of the file compiled.gob.
type compiled struct {
	// Source is the hash of the YAML files that the data was read from.
	Source string
	Data   Data
	// Long holds the long files of cases by ID, and the long bodies of scenarios by
	// bodyKey. Data lacks them.
	Long map[string][]run
}

// A run is a piece of a body and how often it is repeated.
type run struct {
	Piece []byte
	Times int
}

// readCompiled returns the data of compiled.gob, or false if that was not made from the
// YAML files with the hash source.
func readCompiled(source string) (*Data, bool) {
	var c compiled
	if err := gob.NewDecoder(bytes.NewReader(compiledFile)).Decode(&c); err != nil || c.Source != source {
		return nil, false
	}
	for i := range c.Data.Cases {
		if runs, ok := c.Long[c.Data.Cases[i].ID]; ok {
			c.Data.Cases[i].Robots = join(runs)
		}
	}
	for i := range c.Data.Scenarios {
		s := &c.Data.Scenarios[i]
		for j := range s.Steps {
			for k := range s.Steps[j].Serve {
				if runs, ok := c.Long[bodyKey(s.ID, j, k)]; ok {
					s.Steps[j].Serve[k].Body = join(runs)
				}
			}
		}
	}
	return &c.Data, true
}

// bodyKey names the body of a response of a scenario, by the indices of its step and
// of the response.
func bodyKey(scenario string, step, response int) string {
	return fmt.Sprintf("%s#%d.%d", scenario, step, response)
}

// join returns the body that consists of the runs.
func join(runs []run) []byte {
	size := 0
	for _, r := range runs {
		size += len(r.Piece) * r.Times
	}
	body := make([]byte, 0, size)
	for _, r := range runs {
		start := len(body)
		body = append(body, r.Piece...)
		for end := start + len(r.Piece)*r.Times; len(body) < end; { // doubles what is there
			body = append(body, body[start:min(len(body), start+end-len(body))]...)
		}
	}
	return body
}
