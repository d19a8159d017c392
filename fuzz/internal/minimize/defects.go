package minimize

import (
	"unicode/utf8"

	"github.com/repcheck/repcheck/fuzz/internal/urls"
	"github.com/repcheck/repcheck/spec"
)

// defects are flaws of a query that are independent of what it shows. Minimize
// adds none.
type defects uint8

const (
	robotsNotUTF8 defects = 1 << iota
	robotsMalformedEscape
	urlMalformedEscape
	urlNotPlain
)

func defectsOf(q spec.Query) defects {
	var d defects
	if !utf8.Valid(q.Robots) {
		d |= robotsNotUTF8
	}
	if urls.HasMalformedEscape(q.Robots) {
		d |= robotsMalformedEscape
	}
	if urls.HasMalformedEscape([]byte(q.URL)) {
		d |= urlMalformedEscape
	}
	if !urls.Plain(q.URL) {
		d |= urlNotPlain
	}
	return d
}

// fits reports whether q has neither more lines nor more bytes than r.
func fits(q, r spec.Query) bool { return q.Octets() <= r.Octets() && q.Lines() <= r.Lines() }

// size returns how many bytes of a query a parser has to read.
func size(q spec.Query) int { return len(q.Robots) + len(q.URL) }
