package doc

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/repcheck/repcheck/spec"
)

// Printable returns s with all invisible characters in octet notation, except
// line feeds. Unlike [spec.EncodeOctets] it leaves glyphs and brackets unchanged,
// because most text of a result is in octet notation already. The result is valid
// in XML 1.0 and cannot control a terminal.
func Printable(s string) string {
	seen := func(r rune) bool { return r == '\n' || unicode.IsPrint(r) }
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !seen(r) }) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if seen(r) && (r != utf8.RuneError || size > 1) {
			out.WriteString(s[i : i+size])
		} else {
			out.WriteString(spec.EncodeInline(s[i : i+size]))
		}
		i += size
	}
	return out.String()
}

// OneLine returns s as one printable line.
func OneLine(s string) string {
	return strings.ReplaceAll(Printable(strings.TrimSpace(s)), "\n", " ")
}

// Width returns the width of s in characters.
func Width(s string) int { return utf8.RuneCountInString(s) }

// Cut shortens s to at most n characters; the last is "…" if anything is lost.
func Cut(s string, n int) string {
	if Width(s) <= n {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:max(n-1, 0)]), " ") + "…"
}

// CutMiddle shortens s to at most n characters by cutting its middle, so that
// names which differ only at the end stay different.
func CutMiddle(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	tail := n / 3
	return string(runes[:n-tail-1]) + "…" + string(runes[len(runes)-tail:])
}
