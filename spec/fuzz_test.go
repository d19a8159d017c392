package spec

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// FuzzDecodeOctets: any text is octets in the notation, or is refused with the
// line. What is taken means the same octets written again, and there is nothing
// in it that one cannot see.
func FuzzDecodeOctets(f *testing.F) {
	for _, seed := range []string{
		"", "a b\n", "a \n", "⟦FF FE⟧", "⟦U+2028⟧⟦BOM⟧⟦NBSP⟧", "⟦U+D800⟧", "⟦", "⟧", "⟦⟧", "␍␀␉␠", "\xFF", "\u00A0", "⟦ff⟧", "⟦+1⟧", "⟦U++41⟧", "   ␠\n   x",
	} {
		f.Add(seed)
	}
	for _, c := range Default().Cases {
		if len(c.Robots) < 1000 {
			f.Add(EncodeOctets(c.Robots))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		octets, err := DecodeOctets(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Errorf("the error names no line: %v", err)
			}
			return
		}
		if len(octets) > len(text) {
			t.Errorf("%d octets of text are %d octets", len(text), len(octets))
		}
		if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%q is taken, with what cannot be seen at %d", text, i)
		}
		again, err := DecodeOctets(EncodeOctets(octets))
		if err != nil || string(again) != string(octets) {
			t.Errorf("%q became %q, %v", octets, again, err)
		}
	})
}

// FuzzSelect holds the patterns of --run to regular expressions.
func FuzzSelect(f *testing.F) {
	f.Add("**", "a/b")
	f.Add("*/tie", "2.2.2/precedence/tie")
	f.Add("2.2.2/**/t*e", "2.2.2/precedence/tie")
	f.Add("a***b*", "a/b")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if len(pattern)+len(name) > 200 || strings.ContainsRune(pattern+name, unicode.ReplacementChar) {
			t.Skip("too large, or no text")
		}
		var expression strings.Builder
		for rest := pattern; rest != ""; {
			switch {
			case strings.HasPrefix(rest, "**"):
				expression.WriteString("(?s:.*)")
				rest = rest[2:]
			case rest[0] == '*':
				expression.WriteString("[^/]*")
				rest = rest[1:]
			default:
				until := strings.IndexByte(rest, '*')
				if until < 0 {
					until = len(rest)
				}
				expression.WriteString(regexp.QuoteMeta(rest[:until]))
				rest = rest[until:]
			}
		}
		r, err := regexp.Compile("^" + expression.String() + "$")
		if err != nil {
			t.Skip("no text")
		}
		s := NewSelection([]string{pattern})
		if got, want := s.Match(name), r.MatchString(name); got != want {
			t.Errorf("%q matches %q: %v, want %v", pattern, name, got, want)
		} else if got == (len(s.Unmatched()) == 1) {
			t.Errorf("%q is unmatched although it matched, or the other way", pattern)
		}
	})
}
