// Package minimize makes queries smaller while they still show something. It
// drops groups, lines, comments, blanks, parts of values and bytes, and the same
// bytes of the URL if that helps. Finally it replaces the remaining names by
// those that every example has. It is greedy and deterministic.
//
// It keeps well-formed input well-formed: half a character or half an escape
// would often still show something, but something different from the original
// query.
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

// DefaultCalls is the limit on calls of keep that Minimize uses if no number is
// given.
const DefaultCalls = 2000

// The work is limited in bytes too, since a call costs as much as the parsers
// that keep runs take for the query.
const (
	// maxAsked bounds the bytes of the queries that keep is called with. For a
	// file of 500 KiB that is four calls, each of which may take a slow parser,
	// and the reference under all its choices, half a second. It is enough if a
	// part of the file suffices: then each query is about half as large.
	maxAsked = 2 << 20
	// maxTried bounds the bytes of all queries that are generated, whether or not
	// keep is called with them; that takes a second at most.
	maxTried = 256 << 20
	// largeFile is the size from which a file seems to be needed for its size.
	largeFile = 64 << 10
	// maxPadded replaces maxAsked for such a file, of which a campaign has few.
	maxPadded = 64 << 20
)

// Minimize returns the smallest query it finds for which keep reports true. keep
// is called at most calls times, 0 meaning [DefaultCalls], never twice with one
// query, and less often for large files; Minimize assumes that it reports true
// for q. The result has neither more lines nor more bytes than q. It is q or the
// query for which keep last reported true, also if ctx ends.
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

// A minimizer is the state of one call of Minimize.
type minimizer struct {
	ctx     context.Context
	keep    func(spec.Query) bool
	input   spec.Query
	defects defects // of the input
	best    spec.Query
	tried   map[[sha256.Size]byte]bool // by query
	// The remaining limits: calls of keep, bytes of the queries it is called
	// with, and bytes of all queries.
	calls, bytes, work int
}

// over reports whether no more queries may be tried.
func (m *minimizer) over() bool {
	return m.calls <= 0 || m.bytes <= 0 || m.work <= 0 || m.ctx.Err() != nil
}

// shorten drops parts until nothing more can be dropped.
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

// try makes q the best query if it is no larger and keep accepts it, and reports
// whether it did.
func (m *minimizer) try(q spec.Query) bool { return fits(q, m.best) && m.tryNamed(q) }

// tryNamed is like try, for names that may be longer than those they replace: the
// query only has to be no larger than the input.
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

// tryLines is like try, with another file.
func (m *minimizer) tryLines(file []lines.Line) bool {
	return m.try(spec.Query{Robots: lines.Join(file), Probe: m.best.Probe})
}

// tryLine is like try, with another text for one line.
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

// trimLines drops comments and the blanks around the rest.
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

// plainLineEnds changes line ends to LF: all at once or, if that fails, one after
// the other.
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
