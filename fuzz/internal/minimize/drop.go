package minimize

import (
	"slices"
	"strings"

	"github.com/repcheck/repcheck/fuzz/internal/urls"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/lines"
)

// drop drops smaller and smaller runs of n items, beginning with half of them.
// without tries to remove the items from i up to, but not including, j and
// reports whether that worked: then there are that many fewer. There may be even
// fewer: if a CR and an LF become adjacent, they are one line end.
func (m *minimizer) drop(n int, without func(i, j int) bool) {
	for size := (n + 1) / 2; size > 0; size /= 2 {
		for i := 0; i < n && !m.over(); {
			j := min(i+size, n)
			if without(i, j) {
				n -= j - i
			} else {
				i = j
			}
		}
	}
}

func (m *minimizer) dropGroups() {
	m.drop(len(lines.Groups(m.file())), func(i, j int) bool {
		file := m.file()
		starts := append(lines.Groups(file), len(file))
		return j < len(starts) && m.tryLines(slices.Delete(file, starts[i], starts[j]))
	})
}

func (m *minimizer) dropLines() {
	m.drop(len(m.file()), func(i, j int) bool {
		file := m.file()
		return j <= len(file) && m.tryLines(slices.Delete(file, i, j))
	})
}

// mostPaired is the largest number of lines in a file for which all pairs are
// tried.
const mostPaired = 16

// dropPairs drops two lines of which neither can be dropped alone, such as a
// group's header and the rule that keeps it from being merged with the next.
func (m *minimizer) dropPairs() {
	for i := 0; !m.over(); i++ {
		file := m.file()
		if len(file) > mostPaired || i >= len(file) {
			return
		}
		for j := i + 1; j < len(file); j++ {
			if m.tryLines(slices.Concat(file[:i], file[i+1:j], file[j+1:])) {
				i = -1 // from the beginning: there are fewer now
				break
			}
		}
	}
}

// shortenValues drops halves, then quarters and so on down to bytes, of the
// values. For lines whose key is not one of the protocol's, it does so with the
// whole line. The agent's own name stays whole: some parsers match a part of it.
func (m *minimizer) shortenValues() {
	m.eachLine(func(i int, l lines.Line) {
		kept := ""
		key, rest := l.Record()
		if known(key) {
			kept = key + ":"
		}
		if l.NamesAgent() && strings.EqualFold(strings.Trim(rest, ": \t"), m.best.Agent) {
			return
		}
		text := strings.TrimPrefix(l.Text, kept)
		m.drop(len(text), func(from, to int) bool {
			shorter := text[:from] + text[to:]
			if !m.tryLine(i, kept+shorter) && !m.tryLineAndURL(i, kept+shorter, text[from:to]) {
				return false
			}
			text = shorter
			return true
		})
	})
}

// tryLineAndURL is like tryLine, with the dropped bytes also dropped from the
// URL.
func (m *minimizer) tryLineAndURL(i int, text, dropped string) bool {
	file := m.file()
	if i >= len(file) {
		return false
	}
	file[i].Text = text
	origin, target := urls.Cut(m.best.URL)
	for _, at := range []int{strings.Index(target, dropped), strings.LastIndex(target, dropped)} {
		if at < 0 {
			return false
		}
		q := spec.Query{Robots: lines.Join(file), Probe: m.best.Probe}
		q.URL = origin + target[:at] + target[at+len(dropped):]
		if m.try(q) {
			return true
		}
	}
	return false
}

// shortenURL drops parts of the URL after its origin.
func (m *minimizer) shortenURL() {
	origin, target := urls.Cut(m.best.URL)
	m.drop(len(target), func(from, to int) bool {
		shorter := target[:from] + target[to:]
		q := m.best
		q.URL = origin + shorter
		if !m.try(q) {
			return false
		}
		target = shorter
		return true
	})
}
