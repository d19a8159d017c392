package spec

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Octet notation represents any octets as text that people can read and that
// editors do not change. Printable characters and line feeds represent themselves.
// Most invisible octets have a glyph. All others are written in brackets: ⟦FF⟧ or
// ⟦E2 80⟧ for octets, ⟦U+2028⟧ for a code point in UTF-8, ⟦BOM⟧ and ⟦NBSP⟧ by name,
// and ⟦⟧ for nothing.
var glyphs = map[rune]byte{
	'␀': 0x00,
	'␉': '\t',
	'␊': '\n',
	'␋': 0x0B,
	'␌': 0x0C,
	'␍': '\r',
	'␠': ' ',
}

var glyphOf = func() map[byte]rune {
	of := make(map[byte]rune, len(glyphs))
	for g, b := range glyphs {
		of[b] = g
	}
	return of
}()

const (
	open         = '⟦'
	closing      = '⟧'
	bom     rune = '\uFEFF'
	nbsp    rune = '\u00A0'
)

var bracketNames = map[string]rune{"BOM": bom, "NBSP": nbsp}

// DecodeOctets decodes octet notation. It refuses invisible octets: control octets
// other than LF, blanks at the end of a line, and characters that are not printable.
// The error names the line within text, the character and the notation to write
// instead.
func DecodeOctets(text string) ([]byte, error) {
	out := make([]byte, 0, len(text))
	line := 1
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		rest := text[i+size:]
		switch {
		case r == utf8.RuneError && size == 1:
			return nil, fmt.Errorf("line %d: octet %02X is not UTF-8: write ⟦%02X⟧", line, text[i], text[i])
		case r == '\n':
			out = append(out, '\n')
			line++
		case r == ' ':
			// Skip the whole run at once: one blank at a time would be quadratic.
			behind := strings.TrimLeft(rest, " ")
			if behind == "" || behind[0] == '\n' {
				return nil, fmt.Errorf("line %d: a blank at the end of a line cannot be seen: write ␠", line)
			}
			size = len(text) - i - len(behind)
			out = append(out, text[i:i+size]...)
		case r == open:
			end := strings.IndexRune(rest, closing)
			if end < 0 {
				return nil, fmt.Errorf("line %d: ⟦ is never closed by ⟧ (a literal ⟦ is written ⟦U+27E6⟧)", line)
			}
			var err error
			if out, err = appendBracket(out, rest[:end]); err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
			size += end + utf8.RuneLen(closing)
		case r == closing:
			return nil, fmt.Errorf("line %d: ⟧ without ⟦ (a literal one is written ⟦U+27E7⟧)", line)
		default:
			if b, ok := glyphs[r]; ok {
				out = append(out, b)
				break
			}
			if !unicode.IsPrint(r) {
				return nil, fmt.Errorf("line %d: %U cannot be seen: write %s", line, r, bracket(r))
			}
			out = append(out, text[i:i+size]...)
		}
		i += size
	}
	return out, nil
}

// appendBracket appends the octets for the text between ⟦ and ⟧.
func appendBracket(out []byte, inside string) ([]byte, error) {
	if r, ok := bracketNames[inside]; ok {
		return utf8.AppendRune(out, r), nil
	}
	if hex, ok := strings.CutPrefix(inside, "U+"); ok {
		n, err := strconv.ParseUint(hex, 16, 32)
		if err != nil || n > unicode.MaxRune || !utf8.ValidRune(rune(n)) {
			return nil, fmt.Errorf("⟦%s⟧ is no code point", inside)
		}
		return utf8.AppendRune(out, rune(n)), nil
	}
	if inside == "" {
		return out, nil
	}
	for pair := range strings.SplitSeq(inside, " ") { // no other white space, which cannot be seen
		n, err := strconv.ParseUint(pair, 16, 8)
		if err != nil || len(pair) != 2 {
			return nil, fmt.Errorf("⟦%s⟧ is neither octets (⟦E2 80⟧), a code point (⟦U+2028⟧), ⟦BOM⟧ nor ⟦NBSP⟧", inside)
		}
		out = append(out, byte(n))
	}
	return out, nil
}

// EncodeOctets encodes octets in octet notation. It is the inverse of DecodeOctets.
// Line feeds stay line feeds.
func EncodeOctets(octets []byte) string { return encode(string(octets), false) }

// EncodeInline is EncodeOctets for one line of output. A line feed becomes ␊, a
// blank becomes ␠ and the empty string becomes ⟦⟧, so that the result is one word.
func EncodeInline(s string) string {
	if s == "" {
		return "⟦⟧"
	}
	return encode(s, true)
}

func encode(s string, inline bool) string {
	var out strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			out.WriteRune(open)
			for n := 0; ; n++ {
				if n > 0 {
					out.WriteByte(' ')
				}
				fmt.Fprintf(&out, "%02X", s[i])
				i++
				if next, width := utf8.DecodeRuneInString(s[i:]); next != utf8.RuneError || width != 1 {
					break
				}
			}
			out.WriteRune(closing)
			continue
		case r == '\n' && !inline:
			out.WriteByte('\n')
		case r == ' ' && !inline:
			if t := strings.TrimLeft(s[i:], " "); t == "" || t[0] == '\n' {
				out.WriteRune(glyphOf[' '])
			} else {
				out.WriteByte(' ')
			}
		case size == 1 && glyphOf[s[i]] != 0:
			out.WriteRune(glyphOf[s[i]])
		case glyphs[r] != 0 || r == '␀' || r == open || r == closing || !unicode.IsPrint(r):
			out.WriteString(bracket(r))
		default:
			out.WriteRune(r)
		}
		i += size
	}
	return out.String()
}

func bracket(r rune) string {
	for b, g := range glyphOf {
		if rune(b) == r {
			return string(g)
		}
	}
	for name, named := range bracketNames {
		if named == r {
			return "⟦" + name + "⟧"
		}
	}
	return fmt.Sprintf("⟦%U⟧", r)
}

// Origin is the origin of the URLs that cases write as a path.
const Origin = "http://foo.test"

// LongURL returns the absolute URL for a URL as cases write it: a path is prefixed
// with Origin.
func LongURL(s string) string {
	if strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "//") {
		return Origin + s
	}
	return s
}

// ShortURL is the inverse of LongURL.
func ShortURL(url string) string {
	path, ok := strings.CutPrefix(url, Origin)
	if ok && LongURL(path) == url {
		return path
	}
	return url
}
