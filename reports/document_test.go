package reports

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/repcheck/repcheck/reports/doc"
)

// goldenDocument compares a report with its golden files: text and verbose
// Markdown and, if full is set, text in every style.
func goldenDocument(t *testing.T, name string, full bool, build func(Options) doc.Document) {
	t.Helper()
	goldenStyles(t, name, full, Options{Verbose: true}, build)
}

// goldenStyles is goldenDocument with the options for Markdown.
func goldenStyles(t *testing.T, name string, full bool, markdown Options, build func(Options) doc.Document) {
	t.Helper()
	var out bytes.Buffer
	for _, style := range []struct {
		name string
		o    Options
		text doc.TextOptions
	}{
		{"", Options{}, doc.TextOptions{}},
		{"-verbose", Options{Verbose: true}, doc.TextOptions{}},
		{"-color", Options{}, doc.TextOptions{Color: true}},
		{"-narrow", Options{}, doc.TextOptions{Width: 1}},
	} {
		if style.name != "" && !full {
			continue
		}
		out.Reset()
		if err := build(style.o).Text(&out, style.text); err != nil {
			t.Fatal(err)
		}
		golden(t, name+style.name+".txt", out.Bytes())
	}
	out.Reset()
	if err := build(markdown).Markdown(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, name+".md", out.Bytes())
}

// visible reports an error for invisible output in a machine format: bytes that
// are not UTF-8, and characters that move the cursor.
func visible(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Error("the report is not UTF-8")
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("byte %d cannot be seen: %q", i, text[max(0, i-40):min(len(text), i+40)])
	}
}
