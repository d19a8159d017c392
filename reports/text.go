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
	// Width is the widest line in runes; 0 means 100, and less than 60 means
	// 60, as the tables have no room below that.
	Width int
	// Verbose shows every requirement, every failure, also the known ones, and
	// every line of a subject's own words.
	Verbose bool
	// Failures is how many unexpected failures, and how many fixed ones, of each
	// subject are shown in full; 0 means 5. Verbose shows all.
	Failures int
}

const (
	defaultWidth = 100
	leastWidth   = 60
)

// Text writes the report that a person reads in a terminal. The news comes
// first: which subjects were lost, every unexpected failure with its file, and
// what was fixed. Then come a line about what is known, which subject fails
// which requirement and the totals; the verdict is the last line. Requirements'
// texts come from d, which may be nil.
func Text(w io.Writer, r *conformance.Result, d *spec.Data, o TextOptions) error {
	p := newPage(w, max(cmp.Or(o.Width, defaultWidth), leastWidth), o.Color)
	p.text("", "  ", bold, heading(r))
	p.line()
	newsText(p, newNews(r), d, cmp.Or(max(o.Failures, 0), defaultFailures), o.Verbose)
	matrixText(p, r, d, o.Verbose)
	totalsText(p, r)
	faultsText(p, r, o.Verbose)
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
