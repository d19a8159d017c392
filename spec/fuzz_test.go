package spec

import (
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
)

// FuzzDecodeOctets: any text is either decoded, or refused with an error that names
// the line. Decoded octets can be encoded and decoded again without a change, and
// the accepted text has no invisible characters.
func FuzzDecodeOctets(f *testing.F) {
	for _, seed := range []string{
		"", "a b\n", "a \n", "⟦FF FE⟧", "⟦U+2028⟧⟦BOM⟧⟦NBSP⟧", "⟦U+D800⟧", "⟦", "⟧", "⟦⟧", "␍␀␉␠", "\xFF", "\u00A0", "⟦ff⟧", "⟦+1⟧", "⟦U++41⟧", "⟦\r⟧", "⟦E2\u00A080⟧", "   ␠\n   x",
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

// FuzzSelect compares the patterns of --run with equivalent regular expressions.
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
		} else if got == (len(s.unmatched()) == 1) {
			t.Errorf("%q is unmatched although it matched, or the other way", pattern)
		}
	})
}

// FuzzLoad: for any content of a case file, Load returns data or problems that name
// the file.
func FuzzLoad(f *testing.F) {
	f.Add([]byte("section: \"2.2.2\"\ncases:\n  - id: topic/a\n    requirements: [RFC9309-2.2.2-1]\n    level: MUST\n    rationale: It follows.\n" +
		"    robots: |\n      Disallow: /a␍\n    expect:\n      - {url: /a, verdict: disallow, line: 1}\n"))
	f.Add([]byte("section: [\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("section: x\ncases:\n  - {id: topic/a, robots: [{repeat: [{repeat: a, times: 99}], times: 99}], expect: [{}]}\n"))
	f.Fuzz(func(t *testing.T, octets []byte) {
		d, err := Load(fstest.MapFS{"cases/2.2.2/topic.yaml": {Data: octets}}, "my")
		if err == nil {
			if len(d.Cases) == 0 && strings.Contains(string(octets), "id:") {
				t.Skip("an empty list of cases is none of the loader's business")
			}
			for _, c := range d.Cases {
				if back, err := DecodeOctets(EncodeOctets(c.Robots)); err != nil || string(back) != string(c.Robots) {
					t.Errorf("%s: %q becomes %q, %v", c.ID, c.Robots, back, err)
				}
				if d.Case(c.ID) == nil || len(c.Expect) == 0 {
					t.Errorf("%q: not found, or nothing is expected of it", c.ID)
				}
			}
			return
		}
		if !strings.HasPrefix(err.Error(), "my/cases/2.2.2/topic.yaml") {
			t.Errorf("the error names no place: %v", err)
		}
	})
}

// FuzzOctets: both encodings of any octets can be decoded again.
func FuzzOctets(f *testing.F) {
	for _, seed := range []string{"", "a b \n", "\x00\t\r\n\v\f", "\xFF\xFE", "\uFEFFx\u00A0\u2028", "⟦␀⟧␠", "a\xE2\x80"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, octets []byte) {
		for _, text := range []string{EncodeOctets(octets), EncodeInline(string(octets))} {
			back, err := DecodeOctets(text)
			if err != nil {
				t.Fatalf("%q does not decode: %v", text, err)
			}
			if string(back) != string(octets) {
				t.Fatalf("%q became %q on the way through %q", octets, back, text)
			}
		}
		if word := EncodeInline(string(octets)); strings.ContainsAny(word, " \n") && !strings.Contains(word, "⟦") {
			t.Fatalf("%q is not one word", word)
		}
	})
}
