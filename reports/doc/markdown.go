package doc

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Markdown writes the document as GitHub Flavored Markdown. Headings begin at
// level 2, because a page or a comment has its own title.
func (d Document) Markdown(w io.Writer) error {
	m := &markdownWriter{w: bufio.NewWriter(w)}
	m.blocks("", d)
	return m.w.Flush()
}

type markdownWriter struct {
	w     *bufio.Writer
	blank bool // the last line is empty
}

func (m *markdownWriter) f(format string, args ...any) {
	fmt.Fprintf(m.w, format, args...)
	m.blank = false
}

// gap ends a block with an empty line.
func (m *markdownWriter) gap() {
	if !m.blank {
		m.w.WriteByte('\n')
		m.blank = true
	}
}

// blocks writes blocks with an empty line after each. Within a list, the end of an
// item follows a list in it directly.
func (m *markdownWriter) blocks(indent string, d Document) {
	for _, b := range d {
		switch b := b.(type) {
		case Heading:
			if b.ID != "" {
				m.f("%s<a%s></a>\n\n", indent, idAttribute(b.ID))
			}
			m.f("%s%s %s\n", indent, strings.Repeat("#", b.Level+1), markdown(b.Text))
		case Para:
			if len(b.Text) == 0 {
				continue
			}
			m.f("%s%s\n", indent, markdown(b.Text))
		case List:
			for _, item := range b.Items {
				m.item(indent, item)
			}
			if indent != "" {
				continue
			}
		case Table:
			m.table(indent, b)
		case Listing:
			lines := make([]string, len(b.Lines))
			for i, line := range b.Lines {
				lines[i] = strings.ReplaceAll(line.String(), "\n", "␊")
			}
			m.fence(indent, "text", strings.Join(lines, "\n"))
		case Code:
			language := "text"
			if b.Shell {
				language = "sh"
			}
			m.fence(indent, language, b.text())
		case Details:
			m.f("%s<details%s><summary>%s</summary>\n\n", indent, idAttribute(b.ID), html(b.Title))
			m.blocks(indent, b.Body)
			m.f("%s</details>\n", indent)
		}
		m.gap()
	}
}

func (m *markdownWriter) item(indent string, item Item) {
	text := item.Text
	if item.Mark != "" {
		text = T("%s ", item.Mark).And(text)
	}
	m.f("%s- %s\n", indent, markdown(text))
	for i, b := range item.Body {
		if _, ok := b.(List); !ok || i > 0 {
			m.gap()
		}
		m.blocks(indent+"  ", Document{b})
	}
}

func (m *markdownWriter) table(indent string, t Table) {
	line := func(cells []string) { m.f("%s| %s |\n", indent, strings.Join(cells, " | ")) }
	head, rule := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for c, column := range t.Columns {
		head[c], rule[c] = inline(T("%s", column.Head), true), ":--"
		if column.Right {
			rule[c] = "--:"
		}
	}
	line(head)
	line(rule)
	for _, row := range t.Rows {
		cells := make([]string, len(t.Columns))
		for c := range row {
			if len(row) < len(t.Columns) {
				cells[c] = "**" + inline(row[c], true) + "**"
			} else {
				cells[c] = inline(row[c], true)
			}
		}
		line(cells)
	}
}

// fence writes a code block. The fence is longer than any run of backticks in the
// text.
func (m *markdownWriter) fence(indent, language, text string) {
	fence := strings.Repeat("`", max(longestRun(text, '`')+1, 3))
	m.f("%s%s%s\n", indent, fence, language)
	for line := range strings.Lines(Printable(text)) {
		m.f("%s%s\n", indent, strings.TrimSuffix(line, "\n"))
	}
	m.f("%s%s\n", indent, fence)
}

// markdown escapes a text for one line.
func markdown(t Text) string { return inline(t, false) }

// inline escapes a text for one line. In a table cell, the separator of cells is
// escaped in code too.
func inline(t Text, cell bool) string {
	var b strings.Builder
	for i, s := range t {
		text := strings.ReplaceAll(Printable(s.S), "\n", " ")
		switch {
		case s.Code:
			if text = code(text); cell {
				text = strings.ReplaceAll(text, "|", `\|`)
			}
		case i == 0:
			text = escape(text)
		default:
			text = strings.TrimPrefix(escape("x"+text), "x")
		}
		if s.URL != "" {
			text = fmt.Sprintf("[%s](%s)", text, escapeURL(s.URL))
		}
		if s.Tone == Strong && strings.TrimSpace(text) == text && text != "" && !s.Code && len(t) > 1 {
			text = "**" + text + "**"
		}
		b.WriteString(text)
	}
	return strings.TrimSpace(b.String())
}

// escape escapes a text that begins a line.
func escape(s string) string {
	var out strings.Builder
	for i, r := range s {
		if strings.ContainsRune("\\`*_{}[]<>#|~&", r) || i == 0 && strings.ContainsRune("+-=", r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

var urlEscapes = strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", " ", "%20", "\\", "%5C", "|", "%7C", "`", "%60")

func escapeURL(s string) string { return urlEscapes.Replace(OneLine(s)) }

// code makes a code span. There are no escapes in code spans, so the fence is
// longer than any run of backticks in the text.
func code(s string) string {
	if strings.TrimSpace(s) == "" {
		return s
	}
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// longestRun returns the length of the longest run of r in s.
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
