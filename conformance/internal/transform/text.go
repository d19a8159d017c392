package transform

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/repcheck/repcheck/spec/lines"
)

// A lineKind is the kind of a line on which all parsers agree.
type lineKind uint8

const (
	// lineOdd: parsers may read it differently.
	lineOdd lineKind = iota
	lineBlank
	lineComment
	lineAgent
	lineRule
	// lineOther: a record of another kind, with a key that no parser takes for one of
	// the protocol.
	lineOther
)

// A line is a line of a file and its syntax.
type line struct {
	text []byte // without its end
	end  string // LF, CR, CR LF, or "" if it is the last
	kind lineKind
	// plain is set if the grammar of every document derives the record. A plain rule
	// also has a path, so every parser takes it for a rule.
	plain bool
	// The offsets of the parts of a record in text. The value has no white space at its
	// ends and no comment.
	keyFrom, keyTo, colon, valueFrom, valueTo int
	commented                                 bool
}

// record reports whether the line is a record.
func (l *line) record() bool { return l.kind >= lineAgent }

func (l *line) value() []byte { return l.text[l.valueFrom:l.valueTo] }

// splitLines splits a file into lines and parses each.
func splitLines(robots []byte) []line {
	var file []line
	for i, l := range lines.Split(robots) {
		file = append(file, line{text: []byte(l.Text), end: l.End})
		// A parser may remove any part of a byte order mark from the first line.
		if i > 0 || !mayBeMarked(robots) {
			file[i].read()
		}
	}
	return file
}

func mayBeMarked(robots []byte) bool { return len(robots) > 0 && robots[0] == 0xEF }

// joinLines is the inverse of splitLines.
func joinLines(lines []line) []byte {
	n := 0
	for i := range lines {
		n += len(lines[i].text) + len(lines[i].end)
	}
	robots := make([]byte, 0, n)
	for i := range lines {
		robots = append(append(robots, lines[i].text...), lines[i].end...)
	}
	return robots
}

// read parses the line.
func (l *line) read() {
	if hasOddOctets(l.text) {
		return
	}
	text := l.text
	from := len(text) - len(bytes.TrimLeft(text, blanks))
	switch {
	case from == len(text):
		l.kind = lineBlank
		return
	case text[from] == '#':
		l.kind = lineComment
		return
	}
	if i := bytes.IndexByte(text, '#'); i >= 0 {
		text, l.commented = text[:i], true
	}
	colon := bytes.IndexByte(text, ':')
	if colon < 0 {
		return
	}
	key := bytes.TrimRight(text[from:colon], blanks)
	l.keyFrom, l.keyTo, l.colon = from, from+len(key), colon
	value := bytes.TrimRight(text[colon+1:], blanks)
	l.valueTo = colon + 1 + len(value)
	l.valueFrom = l.valueTo - len(bytes.TrimLeft(value, blanks))
	l.kind = kindOf(key)
	l.plain = from == 0 && l.keyTo == colon && l.plainValue()
}

const blanks = " \t"

// plainValue reports whether the grammar of every document derives the value for a record
// of this kind, and the value is not empty.
func (l *line) plainValue() bool {
	value := l.value()
	switch l.kind {
	case lineAgent:
		return string(value) == "*" || isToken(value)
	case lineRule:
		return len(value) > 0 && value[0] == '/' && !bytes.ContainsAny(value, blanks)
	}
	return true
}

// isToken reports whether text is an identifier (RFC9309-ABNF-identifier).
func isToken(text []byte) bool {
	for _, c := range text {
		if !isTokenOctet(c) {
			return false
		}
	}
	return len(text) > 0
}

func isTokenOctet(c byte) bool {
	return 'a' <= lower(c) && lower(c) <= 'z' || c == '-' || c == '_'
}

// otherKeys are keys of other records in real files, and the one that this package
// inserts. A parser may take any other key for a misspelling.
var otherKeys = []string{
	"sitemap", "host", "crawl-delay", "request-rate", "visit-time", "clean-param", "noindex", unknownKey,
}

func kindOf(key []byte) lineKind {
	switch {
	case foldsTo(key, "disallow"), foldsTo(key, "allow"):
		return lineRule
	case foldsTo(key, "user-agent"):
		return lineAgent
	case slices.ContainsFunc(otherKeys, func(known string) bool { return foldsTo(key, known) }):
		return lineOther
	}
	return lineOdd
}

// foldsTo compares without regard to the case of ASCII letters; folded is in lower case.
func foldsTo(text []byte, folded string) bool {
	return len(text) == len(folded) && string(mapOctets(text, lower)) == folded
}

// hasOddOctets reports whether a line holds octets at which some parser ends a line, or
// that some parser drops or replaces: control octets, invalid UTF-8, line ends of
// Unicode and byte order marks.
func hasOddOctets(text []byte) bool {
	ascii := true
	for _, c := range text {
		if c < ' ' && c != '\t' || c == 0x7F {
			return true
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	if ascii {
		return false
	}
	return !utf8.Valid(text) || strings.ContainsAny(string(text), "\u0085\u2028\u2029\uFEFF")
}

// A group is a sequence of lines from its first user-agent line to the line before that of
// the next group.
type group struct {
	from, to int
	// headers and rules are the indices of its user-agent lines and its rules.
	headers, rules []int
	star           bool
	// broken is set if there is a blank line before the last rule: a reading of the 1994
	// standard ends the group there.
	broken bool
}

// groups splits the file into groups if all parsers split it in the same way: no line is
// odd, and every group has a header without gaps and at least one plain rule. Lines before
// the first group belong to none.
func (in *input) groups() (groups []group, why string) {
	var g *group
	blank := false
	for i := range in.lines {
		l := &in.lines[i]
		switch {
		case l.kind == lineOdd:
			return nil, whyOdd
		case l.kind == lineAgent && !l.plain:
			return nil, whyOdd
		case l.kind == lineAgent && (g == nil || len(g.rules) > 0):
			groups = append(groups, group{from: i, to: i + 1})
			g, blank = &groups[len(groups)-1], false
			fallthrough
		case l.kind == lineAgent:
			if between := in.lines[g.from:i]; slices.ContainsFunc(between, func(l line) bool { return l.kind == lineOther }) {
				return nil, whyHeader
			}
			g.headers = append(g.headers, i)
			g.star = g.star || string(l.value()) == "*"
			g.broken = g.broken || blank
		case l.kind == lineRule && g == nil:
			return nil, whyOrphans
		case l.kind == lineRule:
			g.rules = append(g.rules, i)
			g.broken = g.broken || blank
		case l.kind == lineBlank:
			blank = true
		}
		if g != nil {
			g.to = i + 1
		}
	}
	for _, g := range groups {
		if !slices.ContainsFunc(g.rules, func(i int) bool { return in.lines[i].plain }) {
			return nil, whyNoRule
		}
	}
	return groups, ""
}

// ended reports whether the last line has a line end, or there is no line.
func (in *input) ended() bool { return len(in.lines) == 0 || in.lines[len(in.lines)-1].end != "" }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

func otherCase(c byte) byte {
	if lower(c) == c {
		return upper(c)
	}
	return lower(c)
}

// mixed returns an upper-case letter at every odd index.
func mixed(i int, c byte) byte {
	if i%2 == 1 {
		return upper(c)
	}
	return lower(c)
}

func mapOctets(text []byte, to func(byte) byte) []byte {
	changed := bytes.Clone(text)
	for i, c := range changed {
		changed[i] = to(c)
	}
	return changed
}
