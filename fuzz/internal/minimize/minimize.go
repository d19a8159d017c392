// Package minimize makes queries smaller while what they show holds: it drops
// groups, lines, comments, blanks, parts of values and bytes, where it helps the
// same bytes of the URL, and finally gives what is left the names that every
// example has. It is greedy and deterministic.
//
// What is well-formed stays so: half a character or half an escape would often
// still show something, but something else than the query did.
package minimize

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/lines"
)

// DefaultCalls is how often Minimize calls keep at most if no number is given.
const DefaultCalls = 2000

// The work is bounded in bytes too, since a call costs as much as the parsers
// that keep asks take for the query.
const (
	// maxAsked bounds the bytes of the queries that keep is called with. Of a
	// file of 500 KiB that is four calls, each of which may take a slow parser,
	// and the reference under all its choices, half a second. It is enough where
	// a part of the file will do: then each query is about half as large.
	maxAsked = 2 << 20
	// maxTried bounds the bytes of all queries that are made, whether or not
	// keep is called with them; that takes a second at most.
	maxTried = 256 << 20
	// largeFile is the size of a file that seems to be needed for its size.
	largeFile = 64 << 10
	// maxPadded replaces maxAsked for such a file, of which a campaign meets few.
	maxPadded = 64 << 20
)

// Minimize returns the smallest query it finds for which keep reports true. keep
// is called at most calls times, 0 meaning [DefaultCalls], never twice with one
// query, and for large files less often; that it reports true for q is taken for
// granted. The result has neither more lines nor more octets than q. It is q or
// the query with which keep last reported true, also if ctx ends.
func Minimize(ctx context.Context, q spec.Query, keep func(spec.Query) bool, calls int) spec.Query {
	m := &minimizer{
		ctx: ctx, keep: keep, input: q, defects: defectsOf(q), best: q, tried: map[[sha256.Size]byte]bool{},
		calls: cmp.Or(calls, DefaultCalls), bytes: maxAsked, work: maxTried,
	}
	m.shorten()
	if len(m.best.Robots) > largeFile {
		m.bytes = maxPadded
		m.padLines()
		m.dropLines()
	}
	m.plainNames()
	return m.best
}

// A minimizer is one call of Minimize.
type minimizer struct {
	ctx     context.Context
	keep    func(spec.Query) bool
	input   spec.Query
	defects defects // of input
	best    spec.Query
	tried   map[[sha256.Size]byte]bool // by query
	// What may still be spent: calls of keep, bytes of the queries it is called
	// with, and bytes of all queries.
	calls, bytes, work int
}

// over reports whether nothing more may be tried.
func (m *minimizer) over() bool {
	return m.calls <= 0 || m.bytes <= 0 || m.work <= 0 || m.ctx.Err() != nil
}

// shorten drops what it can until nothing more can be dropped.
func (m *minimizer) shorten() {
	for before := (spec.Query{}); before.Compare(m.best) != 0 && !m.over(); {
		before = m.best
		m.dropGroups()
		m.dropLines()
		m.shortenURL()
		m.renameSegments()
		m.trimLines()
		m.shortenValues()
		m.plainLineEnds()
		m.plainKeys()
		m.dropPairs()
	}
}

// try makes q the best if it is no larger and to be kept, and reports whether it
// did.
func (m *minimizer) try(q spec.Query) bool { return fits(q, m.best) && m.tryNamed(q) }

// tryNamed is try for names that may be longer than those they replace: only the
// input bounds them.
func (m *minimizer) tryNamed(q spec.Query) bool {
	m.work -= size(m.best)
	if bytes.Equal(q.Robots, m.best.Robots) && q.Probe == m.best.Probe || !fits(q, m.input) || defectsOf(q)&^m.defects != 0 {
		return false
	}
	key := sha256.Sum256(slices.Concat(q.Robots, []byte("\x00"+q.Agent+"\x00"+q.URL)))
	if m.tried[key] || m.over() {
		return false
	}
	m.tried[key] = true
	m.calls--
	m.bytes -= size(q)
	kept := m.keep(q)
	if kept {
		m.best = q
	}
	return kept
}

// tryLines is try with another file.
func (m *minimizer) tryLines(file []lines.Line) bool {
	return m.try(spec.Query{Robots: lines.Join(file), Probe: m.best.Probe})
}

// tryLine is try with another text for one line.
func (m *minimizer) tryLine(i int, text string) bool {
	file := m.file()
	if i >= len(file) {
		return false
	}
	file[i].Text = text
	return m.tryLines(file)
}

// file returns the lines of the best query.
func (m *minimizer) file() []lines.Line { return lines.Split(m.best.Robots) }

// eachLine calls change for every line, by its index.
func (m *minimizer) eachLine(change func(i int, l lines.Line)) {
	for i := 0; !m.over(); i++ {
		m.work -= len(m.best.Robots)
		file := m.file()
		if i >= len(file) {
			return
		}
		change(i, file[i])
	}
}

// trimLines drops comments and the blanks around what is left.
func (m *minimizer) trimLines() {
	m.eachLine(func(i int, l lines.Line) {
		text, _, commented := strings.Cut(l.Text, "#")
		if commented && m.tryLine(i, text) {
			l.Text = text
		}
		if text = strings.Trim(l.Text, " \t"); m.tryLine(i, text) {
			l.Text = text
		}
		if text = strings.TrimLeft(l.Text, " \t"); m.tryLine(i, text) {
			l.Text = text
		}
		key, rest := l.Record()
		m.tryLine(i, strings.TrimRight(key, " \t")+rest)
	})
}

// plainLineEnds makes line ends LF, all of them or else one after the other.
func (m *minimizer) plainLineEnds() {
	plain := bytes.ReplaceAll(bytes.ReplaceAll(m.best.Robots, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	if m.try(spec.Query{Robots: plain, Probe: m.best.Probe}) {
		return
	}
	m.eachLine(func(i int, l lines.Line) {
		if l.End != "" && l.End != "\n" {
			file := m.file()
			file[i].End = "\n"
			m.tryLines(file)
		}
	})
}
