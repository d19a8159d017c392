package doc_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/reports/doc"
)

var update = flag.Bool("update", false, "write the golden files")

// every has every kind of block, and text that tries to break out of each.
var every = doc.Document{
	doc.Heading{Level: 1, Text: doc.In(doc.Bad, "FAILED: the last line of text"), Last: true},
	doc.Heading{Level: 2, Text: doc.T("Every block, <b>& *all* |texts|"), ID: "top"},
	doc.Para{Text: doc.T("A paragraph of some length that has to be wrapped, because it is wider than the screen: it goes to a second line. With ").
		And(doc.C("Disallow: /a`b|c"), doc.T(", "), doc.In(doc.Bad, "a bad word"), doc.T(" and "), doc.Link("a link", "https://example.com/(a)?b=\"c\""), doc.T("."))},
	doc.P("+ no list\x1b[31m, no\u202e escape\xff"),
	doc.Heading{Level: 2, Text: doc.T("Tables")},
	doc.Table{
		Keys:    2,
		Columns: []doc.Column{{Head: "requirement"}, {Head: "level"}, {Head: "failures", Right: true}, {Head: "a|b", Most: 10}, {Head: "text", Rest: true}},
		Rows: []doc.Row{
			{doc.T("2.2 Syntax")},
			{doc.T("RFC9309-2.2-1"), doc.In(doc.Faint, "MUST"), doc.In(doc.Bad, "%d", 12), doc.T("cut in the middle"), doc.T("The rest of the line, as far as there is room for it on the screen, and no farther")},
			{doc.T("RFC9309-2.2-2"), doc.In(doc.Faint, "SHOULD"), doc.In(doc.Good, "0"), doc.C("a|`b`"), doc.T("line\nfeed")},
		},
	},
	doc.P("A note on the table."),
	doc.Table{
		Columns: []doc.Column{{Head: "parser"}, {Head: "verdict"}, {Head: "detail", Rest: true, Wrap: true}},
		Rows: []doc.Row{
			{doc.T("temoto"), doc.In(doc.Good, "allow"), doc.T("A detail in full: it continues on the lines below, as many as it takes, each of them in its column.")},
			{doc.T("slyrz"), doc.In(doc.Bad, "disallow"), nil},
		},
	},
	doc.List{Items: []doc.Item{
		{Text: doc.T("An item")},
		{Text: doc.In(doc.Bad, "A failure"), Mark: "✗", Body: doc.Document{
			doc.Listing{Lines: []doc.Text{doc.T("   1  User-agent: *"), doc.In(doc.Strong, "→  2  Disallow: /<i>```␍"), doc.In(doc.Faint, "   ⋮  1 line left out"), doc.T("   4  \x00")}},
			doc.P("It is explained."),
			doc.List{Items: []doc.Item{{Text: doc.T("An item of the item")}}},
		}},
	}},
	doc.NewListing(""),
	doc.NewListing("User-agent: *␍\nDisallow: /<i>", 2),
	doc.Heading{Level: 3, Text: doc.T("Code")},
	doc.Code{Text: "repcheck query --url 'http://x.test/```'\n\tsecond line\n"},
	doc.Code{Shell: true, Text: `printf 'User-agent: *\nDisallow: /a - b\n' | repcheck query --robots - --agent $'it\'s - me' --impl one`},
	doc.Details{Title: doc.T("More <of> it"), ID: "more", Body: doc.Document{doc.P("Folded.")}},
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(io.Writer) error{
		"every.txt":        func(w io.Writer) error { return every.Text(w, doc.TextOptions{}) },
		"every-narrow.txt": func(w io.Writer) error { return every.Text(w, doc.TextOptions{Width: 1}) },
		"every-color.txt":  func(w io.Writer) error { return every.Text(w, doc.TextOptions{Color: true}) },
		"every.md":         every.Markdown,
		"every.html":       every.HTML,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := write(&out); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), out.String()); diff != "" {
				t.Errorf("-want +got (-update writes it):\n%s", diff)
			}
			if err := write(failing{}); !errors.Is(err, errFull) {
				t.Errorf("error is %v, want that of the writer", err)
			}
		})
	}
}

var errFull = errors.New("full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

// FuzzWriters: for any text, every writer writes only visible characters, lines
// on a screen are not too wide and have no trailing space, and HTML is
// well-formed XML.
func FuzzWriters(f *testing.F) {
	f.Add("plain", "a|b", 80)
	f.Add("<b>\x1b[0m\xff\u202e", "```\n# x\n", 0)
	f.Add("a  b   c", strings.Repeat("wide ", 50), 61)
	f.Add("", "\n\n", 100)
	f.Fuzz(func(t *testing.T, a, b string, width int) {
		text := doc.Text{{S: a}, {S: b, Code: true, Tone: doc.Bad}, {S: a, URL: b}, {S: b, Tone: doc.Strong}}
		d := doc.Document{
			doc.Heading{Level: 1, Text: text, ID: a}, doc.Para{Text: text},
			doc.List{Items: []doc.Item{{Text: text, Mark: "✗", Body: doc.Document{doc.Para{Text: text}, doc.Listing{Lines: []doc.Text{text, doc.T("%s", a), doc.In(doc.Strong, "%s", b)}}, doc.NewListing(a+"\n"+b, 2)}}}},
			doc.Table{Keys: 1, Columns: []doc.Column{{Head: a}, {Head: b, Right: true}, {Head: a, Most: 5}, {Head: "rest", Rest: true, Wrap: width%2 == 0}}, Rows: []doc.Row{{text}, {text, text, text, text}, {nil, nil, nil, nil}}},
			doc.Code{Text: a + b}, doc.Code{Text: a + " -" + b, Shell: true}, doc.Details{Title: text, Body: doc.Document{doc.Para{Text: text}}},
		}
		var out bytes.Buffer
		for _, color := range []bool{false, true} {
			out.Reset()
			if err := d.Text(&out, doc.TextOptions{Width: max(width, 0) % 200, Color: color}); err != nil {
				t.Fatal(err)
			}
			screen(t, out.String(), max(width, 0)%200, color)
		}
		out.Reset()
		if err := d.Markdown(&out); err != nil {
			t.Fatal(err)
		}
		visible(t, out.String())
		wholeTables(t, out.String())
		out.Reset()
		if err := d.HTML(&out); err != nil {
			t.Fatal(err)
		}
		visible(t, out.String())
		in := xml.NewDecoder(&out)
		in.Entity = xml.HTMLEntity
		for {
			if _, err := in.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("not well-formed: %v", err)
			}
		}
	})
}

func screen(t *testing.T, text string, width int, color bool) {
	t.Helper()
	if color {
		for _, c := range []string{"0", "1", "31", "32", "33", "90"} {
			text = strings.ReplaceAll(text, "\x1b["+c+"m", "")
		}
	}
	visible(t, text)
	if width == 0 {
		width = 100
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if n := utf8.RuneCountInString(line); n > max(width, 60) {
			t.Errorf("%d columns: %q", n, line)
		}
		if strings.TrimRight(line, " ") != line {
			t.Errorf("blank at the end: %q", line)
		}
	}
}

func visible(t *testing.T, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 || !utf8.ValidString(text) {
		t.Errorf("byte %d is not visible: %q", i, text[max(0, i-40):min(len(text), max(i, 0)+40)])
	}
}

// separator matches a | that separates cells: one without a backslash before it.
var separator = regexp.MustCompile(`(^|[^\\])\|`)

// wholeTables reports rows of Markdown that do not have as many cells as the row
// above, and code blocks that are not closed.
func wholeTables(t *testing.T, markdown string) {
	t.Helper()
	columns, fence := 0, ""
	for line := range strings.Lines(markdown) {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if trimmed == fence {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"):
			fence = strings.TrimRight(trimmed, "texsh")
		case !strings.HasPrefix(line, "|"):
			columns = 0
		default:
			n := len(separator.FindAllString(line, -1))
			if columns != 0 && n != columns {
				t.Errorf("%d separators, above are %d: %s", n, columns, line)
			}
			columns = n
		}
	}
	if fence != "" {
		t.Errorf("a block is never closed by %s", fence)
	}
}
