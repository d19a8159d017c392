package fuzz

import (
	"regexp"
	"strings"
)

// complaintOf returns a subject's error message about a file, without the parts
// that differ from file to file: its first line that is not a heading.
func complaintOf(detail string) string {
	for line := range strings.Lines(detail) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasSuffix(line, ":") {
			return classOf(line)
		}
	}
	return classOf(detail)
}

var (
	// place is the source location at the end of a detail. It identifies the
	// cause better than anything else.
	place = regexp.MustCompile(` at \S+(?::[0-9]+| \(\S+:[0-9]+\))$`)

	// variable matches the parts that differ between two occurrences of one
	// failure: text that is quoted from the file, indices, numbers, addresses and
	// hashes.
	variable = regexp.MustCompile("`[^`]*(?:`|$)" +
		`|\[[^\]]*\]|"[^"]*"|'[^']*'|#?\b(?:0x[0-9a-fA-F]+|[0-9][0-9a-f]*)\b|\b[a-f]+[0-9][0-9a-f]{4,}\b`)

	// foreign is an unquoted word of the file: it has characters that do not
	// occur in messages of programmers.
	foreign = regexp.MustCompile(`[^ ]*(?:[/\\%*=$?&^|~]|[^ -~…])[^ ]*?(:?)(?: |$)`)

	// foreigners matches several such words in a row.
	foreigners = regexp.MustCompile(`…(?::?(?: :)? …)+`)

	// object is the single word at the end that a phrase is about.
	object = regexp.MustCompile(`( [^ ]+:) [^ ]*$`)
)

// classOf returns the detail without the parts that differ from file to file.
func classOf(detail string) string {
	if len(detail) > maxText {
		detail = detail[:maxText]
	}
	where := place.FindString(detail)
	cause := variable.ReplaceAllStringFunc(strings.TrimSuffix(detail, where), func(s string) string {
		switch s[0] {
		case '[':
			return "[…]"
		case '"', '\'', '`':
			return s[:1] + "…" + s[:1]
		}
		return "#"
	})
	cause = strings.TrimSuffix(foreign.ReplaceAllString(cause+" ", "…$1 "), " ")
	cause = object.ReplaceAllString(foreigners.ReplaceAllString(cause, "…"), "$1 …")
	return excerptTo(cause, maxCause) + strings.ToValidUTF8(where, "\uFFFD")
}
