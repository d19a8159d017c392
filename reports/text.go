package reports

import (
	"cmp"
	"io"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// TextOptions say how [Text] writes. The zero value suits a file.
type TextOptions struct {
	// Color allows ANSI escape sequences.
	Color bool
	// Width is the widest line in runes; 0 means 100, and less than 60 is
	// taken for 60, below which the tables have no room.
	Width int
	// Verbose shows every requirement, every unexpected failure and every
	// line of what a subject said.
	Verbose bool
	// Failures is how many unexpected failures of each subject are shown in
	// full; 0 means 5. Verbose shows all.
	Failures int
}

const (
	defaultWidth = 100
	leastWidth   = 60
)

// Text writes the report that a person reads in a terminal: what ran, which
// subject fails which requirement, the totals, every unexpected failure with
// its file, what is wrong with subjects and baseline, and the verdict in the
// last line. Requirements' texts come from d, which may be nil.
func Text(w io.Writer, r *conformance.Result, d *spec.Data, o TextOptions) error {
	p := newPage(w, max(cmp.Or(o.Width, defaultWidth), leastWidth), o.Color)
	p.text("", "  ", bold, heading(r))
	p.line()
	matrixText(p, r, d, o.Verbose)
	totalsText(p, r)
	failuresText(p, r, d, cmp.Or(max(o.Failures, 0), defaultFailures), o.Verbose)
	problemsText(p, r, o.Verbose)
	for _, line := range asides(r) {
		p.text("", "  ", dim, line)
	}
	st := green
	if r.Failed() || r.Lost() {
		st = red
	}
	p.text("", "  ", st, verdict(r))
	return p.close()
}
