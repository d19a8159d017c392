package cli

import (
	"io"
	"unicode/utf8"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports"
)

// A protocolQuery is a request of the adapter protocol.
type protocolQuery struct {
	ID        int     `json:"id"`
	Robots    *string `json:"robots,omitempty"`
	RobotsB64 []byte  `json:"robots_b64,omitempty"`
	Agent     string  `json:"agent"`
	URL       string  `json:"url"`
}

// writeProtocol prints a hello and the queries, for any adapter to read.
func writeProtocol(w io.Writer, queries ...fuzz.Witness) error {
	if _, err := io.WriteString(w, "{\"hello\":1}\n"); err != nil {
		return err
	}
	for i, asked := range queries {
		q := protocolQuery{ID: i + 1, Agent: asked.Agent, URL: asked.URL}
		if utf8.Valid(asked.Robots) {
			q.Robots = new(string(asked.Robots))
		} else {
			q.RobotsB64 = asked.Robots
		}
		if err := reports.WriteJSONLine(w, q); err != nil {
			return err
		}
	}
	return nil
}
