package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/repcheck/repcheck/reports/doc"
)

// A textWriter writes text to a terminal or to the log of a CI job. Much of the
// text that repcheck prints comes from others: messages of adapters, cases,
// paths, files of a corpus. None of it may control the terminal or the CI
// service, so a textWriter
//
//   - writes each invisible character in octet notation, except line feed and
//     tab: control characters (C0, C1), bidirectional controls, other format
//     characters, bytes that are not UTF-8;
//   - keeps the colors that repcheck itself uses, if colors are on, and ends
//     them at the end of the line;
//   - breaks what GitHub Actions, Azure Pipelines and TeamCity take for commands:
//     "::" at the beginning of a line, and "##[", "##vso[" and the like anywhere
//     (https://github.com/actions/runner, ActionCommand.cs).
//
// Data that must arrive byte for byte goes to raw.
type textWriter struct {
	raw io.Writer
	// color reports whether colors are on. It is called only for an escape
	// sequence, because flags are not parsed yet when the writer is created.
	color func() bool

	mu      sync.Mutex
	pending []byte // the beginning of a character or of an escape sequence
	line    linePart
	styled  bool // a color is on
}

// A linePart classifies the end of the line written so far, by whether it could
// become a command.
type linePart int

const (
	lineStart  linePart = iota // only spaces
	lineColon                  // spaces and one ":"
	lineInner                  // anything else
	lineHash                   // anything and one "#"
	lineHashes                 // anything, "##" and letters
)

// colors are the parameters of the escape sequences that repcheck writes.
var colors = map[string]bool{
	"0": true, "1": true, "2": true, "31": true, "32": true, "33": true, "34": true, "35": true, "36": true, "90": true,
}

// longestColor is the length of the longest sequence with one of them.
const longestColor = len("\x1b[31m")

func (t *textWriter) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	in := string(append(t.pending, p...))
	t.pending = nil
	var out strings.Builder
	rest := t.neutralize(&out, in, false)
	t.pending = []byte(rest)
	if _, err := io.WriteString(t.raw, out.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes the incomplete character at the end of the text.
func (t *textWriter) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out strings.Builder
	t.neutralize(&out, string(t.pending), true)
	t.pending = nil
	_, _ = io.WriteString(t.raw, out.String())
}

// neutralize appends s to out. It returns the part that it cannot decide without
// more input, which is empty if s is complete.
func (t *textWriter) neutralize(out *strings.Builder, s string, all bool) (rest string) {
	for s != "" {
		if !all && !utf8.FullRuneInString(s) {
			return s
		}
		r, size := utf8.DecodeRuneInString(s)
		if r == '\x1b' {
			sequence, whole := colorSequence(s)
			if !whole && !all && len(s) < longestColor {
				return s
			}
			if sequence != "" && t.color != nil && t.color() {
				out.WriteString(sequence)
				t.styled = sequence != "\x1b[0m"
				s = s[len(sequence):]
				continue
			}
		}
		t.char(out, r, s[:size])
		s = s[size:]
	}
	return ""
}

// colorSequence returns the escape sequence for a color at the beginning of s,
// if there is one. whole is false if more input could complete one.
func colorSequence(s string) (sequence string, whole bool) {
	parameter, found := strings.CutPrefix(s, "\x1b[")
	if !found {
		return "", len(s) > 1
	}
	parameter, _, found = strings.Cut(parameter, "m")
	if found && colors[parameter] {
		return "\x1b[" + parameter + "m", true
	}
	return "", found
}

// char appends one character.
func (t *textWriter) char(out *strings.Builder, r rune, s string) {
	if r == '\n' {
		if t.styled { // a color ends with its line
			out.WriteString("\x1b[0m")
			t.styled = false
		}
		out.WriteByte('\n')
		t.line = lineStart
		return
	}
	command := r == ':' && t.line == lineColon || r == '[' && t.line == lineHashes
	switch {
	case t.line == lineStart && unicode.IsSpace(r):
	case t.line == lineStart && r == ':':
		t.line = lineColon
	case r == '#' && (t.line == lineHash || t.line == lineHashes):
		t.line = lineHashes
	case r == '#':
		t.line = lineHash
	case t.line == lineHashes && unicode.IsLetter(r):
	default:
		t.line = lineInner
	}
	switch {
	case command:
		out.WriteString(fmt.Sprintf("⟦%02X⟧", s))
	case r == '\t':
		out.WriteByte('\t')
	default:
		out.WriteString(doc.Printable(s))
	}
}

// neutralLine returns s on one line, as a textWriter without colors would write
// it.
func neutralLine(s string) string {
	var out strings.Builder
	new(textWriter).neutralize(&out, s, true)
	return strings.ReplaceAll(out.String(), "\n", "␊")
}

// terminal returns the terminal that the text goes to, or nil.
func (t *textWriter) terminal() *os.File {
	if f, ok := t.raw.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}
