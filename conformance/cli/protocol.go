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
	Agent     *string `json:"agent,omitempty"`
	AgentB64  []byte  `json:"agent_b64,omitempty"`
	URL       *string `json:"url,omitempty"`
	URLB64    []byte  `json:"url_b64,omitempty"`
}

// textOr returns text unchanged, or in base64 if JSON cannot represent it.
func textOr(text string) (plain *string, base64 []byte) {
	if utf8.ValidString(text) {
		return &text, nil
	}
	return nil, []byte(text)
}

// writeProtocol prints a hello and the queries, for any adapter to read.
func writeProtocol(w io.Writer, queries ...fuzz.Witness) error {
	if _, err := io.WriteString(w, "{\"hello\":1}\n"); err != nil {
		return err
	}
	for i, asked := range queries {
		q := protocolQuery{ID: i + 1}
		q.Robots, q.RobotsB64 = textOr(string(asked.Robots))
		q.Agent, q.AgentB64 = textOr(asked.Agent)
		q.URL, q.URLB64 = textOr(asked.URL)
		if err := reports.WriteJSONLine(w, q); err != nil {
			return err
		}
	}
	return nil
}
