package reports

import (
	"fmt"
	"strings"

	"github.com/repcheck/repcheck/reports/doc"
)

// shellWord quotes a word for bash and zsh.
func shellWord(s string) string {
	const safe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:%=@,+"
	if s != "" && strings.Trim(s, safe) == "" {
		return s
	}
	if doc.Printable(s) == s && !strings.ContainsAny(s, "'\n") {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7F:
			fmt.Fprintf(&b, `\x%02X`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// printfWord returns an argument with which the printf of any shell prints the
// bytes.
func printfWord(octets []byte) string {
	var b strings.Builder
	b.WriteByte('\'')
	for i, c := range octets {
		switch {
		case i == 0 && c == '-': // not an option
			b.WriteString(`\055`)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '%':
			b.WriteString("%%")
		case c == '\\':
			b.WriteString(`\\`)
		case c == '\'' || c < ' ' || c >= 0x7F:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}
