package cli

import (
	"io"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/impl/process"
	"github.com/repcheck/repcheck/reports"
)

// writeProtocol prints a hello and the queries, for any adapter to read.
func writeProtocol(w io.Writer, queries ...fuzz.Witness) error {
	if _, err := io.WriteString(w, "{\"hello\":1}\n"); err != nil {
		return err
	}
	for i, q := range queries {
		if err := reports.WriteJSONLine(w, process.Request(i+1, q.Robots, q.Probe)); err != nil {
			return err
		}
	}
	return nil
}
