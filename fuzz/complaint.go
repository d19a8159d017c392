package fuzz

import (
	"regexp"
	"strings"
)

// complaintOf is what a subject said of a file, without what differs from file
// to file: the first of its lines that is not a heading.
func complaintOf(detail string) string {
	for line := range strings.Lines(detail) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasSuffix(line, ":") {
			return classOf(line)
		}
	}
	return classOf(detail)
}

var (
	// place is where it happened, at the end of a detail: a line of code, which
	// says more about the cause than anything.
	place = regexp.MustCompile(` at \S+(?::[0-9]+| \(\S+:[0-9]+\))$`)

	// variable is what differs between two occurrences of one failure: text that is
	// quoted from the file, indices, numbers, addresses and hashes.
	variable = regexp.MustCompile("`[^`]*(?:`|$)" +
		`|\[[^\]]*\]|"[^"]*"|'[^']*'|#?\b(?:0x[0-9a-fA-F]+|[0-9][0-9a-f]*)\b|\b[a-f]+[0-9][0-9a-f]{4,}\b`)

	// foreign is a word of the file that no quote marks: it has characters that
	// are in no message of a programmer.
	foreign = regexp.MustCompile(`[^ ]*(?:[/\\%*=$?&^|~]|[^ -~…])[^ ]*?(:?)(?: |$)`)

	// foreigners are such words one after the other.
	foreigners = regexp.MustCompile(`…(?::?(?: :)? …)+`)

	// object is the one word at the end that a phrase is about.
	object = regexp.MustCompile(`( [^ ]+:) [^ ]*$`)
)

// classOf is the detail without what differs from file to file.
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
