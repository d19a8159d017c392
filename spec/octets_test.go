package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecodeOctets(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"plain", "User-agent: *\nDisallow: /ツ\n", "User-agent: *\nDisallow: /ツ\n"},
		{"line ends", "a␍\nb␍c␊", "a\r\nb\rc\n"},
		{"blanks", "a b␠\n␉c␋␌", "a b \n\tc\v\f"},
		{"NUL", "a␀b", "a\x00b"},
		{"octets", "⟦FF⟧x⟦E2 80⟧", "\xFFx\xE2\x80"},
		{"names", "⟦BOM⟧⟦NBSP⟧", "\uFEFF\u00A0"},
		{"code points", "⟦U+2028⟧⟦U+27E6⟧", "\u2028⟦"},
		{"nothing", "⟦⟧", ""},
		// If each blank were handled alone, the rest of the run would be scanned
		// for each of them.
		{"many blanks", strings.Repeat(" ", 1<<20) + "x", strings.Repeat(" ", 1<<20) + "x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := DecodeOctets(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("octets differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeOctetsRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"a\tb", "line 1: U+0009 cannot be seen: write ␉"},
		{"a\n\rb", "line 2: U+000D cannot be seen: write ␍"},
		{"a \nb", "line 1: a blank at the end of a line cannot be seen: write ␠"},
		{"a ", "line 1: a blank at the end of a line cannot be seen: write ␠"},
		{"\uFEFFa", "line 1: U+FEFF cannot be seen: write ⟦BOM⟧"},
		{"a\u00A0", "line 1: U+00A0 cannot be seen: write ⟦NBSP⟧"},
		{"\xFF", "line 1: octet FF is not UTF-8: write ⟦FF⟧"},
		{"⟦FF", "line 1: ⟦ is never closed by ⟧ (a literal ⟦ is written ⟦U+27E6⟧)"},
		{"FF⟧", "line 1: ⟧ without ⟦ (a literal one is written ⟦U+27E7⟧)"},
		{"⟦GG⟧", "line 1: ⟦GG⟧ is neither octets (⟦E2 80⟧), a code point (⟦U+2028⟧), ⟦BOM⟧ nor ⟦NBSP⟧"},
		{"⟦E2\r80⟧", "line 1: ⟦E2\r80⟧ is neither octets (⟦E2 80⟧), a code point (⟦U+2028⟧), ⟦BOM⟧ nor ⟦NBSP⟧"},
		{"⟦FFF⟧", "line 1: ⟦FFF⟧ is neither octets (⟦E2 80⟧), a code point (⟦U+2028⟧), ⟦BOM⟧ nor ⟦NBSP⟧"},
		{"⟦U+D800⟧", "line 1: ⟦U+D800⟧ is no code point"},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			_, err := DecodeOctets(tt.in)
			if err == nil {
				t.Fatal("accepted")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("message differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestShortURL(t *testing.T) {
	t.Parallel()
	for _, notation := range []string{"/", "/a?b", "http://foo.test", "//x/y", "http://foo.test//x", "foo.bar/b", ""} {
		long := LongURL(notation)
		if got := LongURL(ShortURL(long)); got != long {
			t.Errorf("%q means %q, but its short form means %q", notation, long, got)
		}
	}
}
