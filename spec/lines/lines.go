// Package lines divides a robots.txt file into its lines and puts them together
// again, byte for byte.
//
// It reads no record as a parser does: what it says of a line is true of what a
// lenient reader would see, and is meant for tools that change files.
package lines

import (
	"bytes"
	"strings"
)

// A Line is a line of a file and its end: LF, CR, CRLF or, at the end of the
// file, "" (RFC9309-ABNF-NL).
type Line struct{ Text, End string }

// Split divides a file into lines; an empty file has none.
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

// Groups returns the indices at which groups begin: that of the first line, and
// that of each user-agent line that does not follow another.
func Groups(all []Line) []int {
	var starts []int
	for i, l := range all {
		if i == 0 || l.NamesAgent() && !all[i-1].NamesAgent() {
			starts = append(starts, i)
		}
	}
	return starts
}

// IsComment reports whether the line is a comment from its first byte on.
func (l Line) IsComment() bool { return strings.HasPrefix(l.Text, "#") }

// Record divides a line after its key: "Disallow", ": /a". A line without a
// colon is divided at its first blank; one without either has no key.
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
