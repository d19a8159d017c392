// Package lines splits a robots.txt file into lines and joins them again, byte for
// byte.
//
// It is meant for tools that change files. It does not interpret lines like a
// parser of RFC 9309, but leniently.
package lines

import (
	"bytes"
	"strings"
)

// A Line is a line of a file and its line end: LF, CR, CRLF or, at the end of the
// file, "" (RFC9309-ABNF-NL).
type Line struct{ Text, End string }

// Split splits a file into lines. An empty file has no lines.
func Split(robots []byte) []Line {
	var all []Line
	for rest := string(robots); rest != ""; {
		end := strings.IndexAny(rest, "\r\n")
		width := 1
		switch {
		case end < 0:
			end, width = len(rest), 0
		case strings.HasPrefix(rest[end:], "\r\n"):
			width = 2
		}
		all = append(all, Line{Text: rest[:end], End: rest[end : end+width]})
		rest = rest[end+width:]
	}
	return all
}

// Join is the inverse of Split.
func Join(all []Line) []byte {
	var b bytes.Buffer
	for _, l := range all {
		b.WriteString(l.Text)
		b.WriteString(l.End)
	}
	return b.Bytes()
}

// Groups returns the indices at which groups begin: the index of the first line, and
// of each user-agent line that does not follow another.
func Groups(all []Line) []int {
	var starts []int
	for i, l := range all {
		if i == 0 || l.NamesAgent() && !all[i-1].NamesAgent() {
			starts = append(starts, i)
		}
	}
	return starts
}

// IsComment reports whether the line begins with "#".
func (l Line) IsComment() bool { return strings.HasPrefix(l.Text, "#") }

// Record splits a line after its key: "Disallow", ": /a". A line without a colon is
// split at its first blank. A line without either has no key.
func (l Line) Record() (key, rest string) {
	i := strings.IndexByte(l.Text, ':')
	if i < 0 {
		i = strings.IndexAny(l.Text, " \t")
	}
	return l.Text[:max(i, 0)], l.Text[max(i, 0):]
}

// NamesAgent reports whether any parser may take the line for a user-agent line.
func (l Line) NamesAgent() bool {
	key, _ := l.Record()
	return strings.Contains(strings.ToLower(key), "agent")
}

// Token returns the product token at the start of a user-agent value (RFC 9309
// section 2.2.1: letters, "-" and "_").
func Token(value string) string {
	for i := range len(value) {
		c := value[i] | 0x20
		if !(c >= 'a' && c <= 'z' || value[i] == '-' || value[i] == '_') {
			return value[:i]
		}
	}
	return value
}
