package reports

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var (
	// escape is a sequence that colours what follows.
	escape = regexp.MustCompile("\x1b\\[[0-9]*m")

	// column is a | that divides cells: one without a backslash in front.
	column = regexp.MustCompile(`(^|[^\\])\|`)
)

// A screen is how a report is asked for as text; name ends that of its golden
// file.
type screen struct {
	name string
	o    TextOptions
}

// screens are those that every such report is shown on.
var screens = []screen{
	{"", TextOptions{}},
	{"-verbose", TextOptions{Verbose: true}},
	{"-color", TextOptions{Color: true}},
	{"-narrow", TextOptions{Width: 1}},
}

// visible reports what a reader could not see: octets that are no UTF-8, and
// characters that move the cursor.
func visible(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Error("the report is not UTF-8")
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("octet %d cannot be seen: %q", i, text[max(0, i-40):min(len(text), i+40)])
	}
}

// wellSet reports lines of a screen that are wider than it, end with a blank or
// cannot be seen, but for colours where there may be some.
func wellSet(t *testing.T, text string, o TextOptions) {
	t.Helper()
	wide := defaultWidth
	if o.Width != 0 {
		wide = max(o.Width, leastWidth)
	}
	if o.Color {
		text = escape.ReplaceAllString(text, "")
	}
	visible(t, text)
	for i, line := range strings.Split(text, "\n") {
		if n := utf8.RuneCountInString(line); n > wide {
			t.Errorf("line %d has %d columns of %d: %s", i+1, n, wide, line)
		}
		if strings.TrimRight(line, " ") != line {
			t.Errorf("line %d ends with a blank: %q", i+1, line)
		}
	}
}

// wholeTables reports rows of Markdown whose cells are not as many as those of
// the row above, and a block of code that is not closed.
func wholeTables(t *testing.T, markdown string) {
	t.Helper()
	columns, fence := 0, ""
	for i, line := range strings.Split(markdown, "\n") {
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
			n := len(column.FindAllString(line, -1))
			if columns != 0 && n != columns {
				t.Errorf("line %d has %d column marks, the one above %d: %s", i+1, n, columns, line)
			}
			columns = n
		}
	}
	if fence != "" {
		t.Errorf("a block is never closed by %s", fence)
	}
}
