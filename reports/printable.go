package reports

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/repcheck/repcheck/spec"
)

// printable writes in octet notation what cannot be seen, and leaves the rest
// and line feeds as they are. Unlike [spec.EncodeOctets] it leaves glyphs and
// brackets alone too, as most text of a result is in octet notation already.
// What it returns is valid in XML 1.0 and cannot steer a terminal.
func printable(s string) string {
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

// oneLine is printable for a place that has room for one line only.
func oneLine(s string) string {
	return strings.ReplaceAll(printable(strings.TrimSpace(s)), "\n", " ")
}

// width measures text as the reports do, in runes.
func width(s string) int { return utf8.RuneCountInString(s) }

// cut shortens s to at most n runes, the last of them … if anything is lost.
func cut(s string, n int) string {
	if width(s) <= n {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:max(n-1, 0)]), " ") + "…"
}

// cutMiddle shortens s to at most n runes and keeps its end too: names that
// differ only there stay apart.
func cutMiddle(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	tail := n / 3
	return string(runes[:n-tail-1]) + "…" + string(runes[len(runes)-tail:])
}

// pad fills s with blanks to n runes.
func pad(s string, n int) string { return s + strings.Repeat(" ", max(n-width(s), 0)) }

// wrap breaks s at blanks into lines of at most n runes; a word longer than
// that is cut. Runs of blanks survive within a line, as they may be octets of
// a rule.
func wrap(s string, n int) []string {
	var lines []string
	line, empty := "", true
	for word := range strings.SplitSeq(oneLine(s), " ") {
		switch {
		case empty:
			line = cut(word, n)
		case width(line)+1+width(word) <= n:
			line += " " + word
		default:
			lines = append(lines, line)
			line = cut(word, n)
		}
		empty = false
	}
	return append(lines, line)
}
