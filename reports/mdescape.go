package reports

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// md escapes text for one line of Markdown, inside a table or outside.
func md(s string) string {
	var out strings.Builder
	for i, r := range oneLine(s) {
		switch {
		case strings.ContainsRune("\\`*_{}[]<>#|~&", r), i == 0 && strings.ContainsRune("+-=", r):
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// mdSentence is md with a capital at the beginning.
func mdSentence(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return md(string(unicode.ToUpper(r)) + s[size:])
}

// mdCode makes a code span, for outside of tables. Code knows no escapes: the
// fence is longer than any run of backticks within.
func mdCode(s string) string {
	s = oneLine(s)
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// mdBlock writes a fenced block; text ends with a line feed.
func mdBlock(w io.Writer, indent, text string) {
	fence := strings.Repeat("`", max(longestRun(text, '`')+1, 3))
	fmt.Fprintf(w, "%s%stext\n", indent, fence)
	for line := range strings.Lines(text) {
		fmt.Fprintf(w, "%s%s", indent, line)
	}
	fmt.Fprintf(w, "%s%s\n", indent, fence)
}

// longestRun is the length of the longest run of r in s.
func longestRun(s string, r rune) int {
	most, run := 0, 0
	for _, c := range s {
		if c != r {
			run = 0
			continue
		}
		run++
		most = max(most, run)
	}
	return most
}

// mdTable writes a table. Cells are Markdown already, headings are not; the
// columns from the given one on are aligned to the right.
func mdTable(w io.Writer, head []string, right int, rows [][]string) {
	cells := make([]string, len(head))
	rule := make([]string, len(head))
	for i := range head {
		cells[i] = md(head[i])
		rule[i] = ":--"
		if i >= right {
			rule[i] = "--:"
		}
	}
	for _, row := range append([][]string{cells, rule}, rows...) {
		fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
	}
	fmt.Fprint(w, "\n")
}

// mdCells escapes the cells of a table.
func mdCells(rows [][]string) [][]string {
	out := make([][]string, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			out[i] = append(out[i], md(cell))
		}
	}
	return out
}
