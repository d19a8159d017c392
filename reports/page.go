package reports

import (
	"bufio"
	"io"
	"strings"
)

// A style is the parameter of an ANSI escape sequence; only the 16 colours
// are used, which every terminal maps to something readable.
type style string

const (
	plain  style = ""
	bold   style = "1"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	dim    style = "90"
)

// of gives text the style.
func (s style) of(text string) span { return span{text, s} }

// A span is a part of a line that has one style.
type span struct {
	text  string
	style style
}

// A page writes lines that hold printable characters only and are never wider
// than it is, whatever they are made of. The first error of the writer is kept
// for close.
type page struct {
	w     *bufio.Writer
	width int
	color bool
}

func newPage(w io.Writer, width int, color bool) *page {
	return &page{w: bufio.NewWriter(w), width: width, color: color}
}

// line writes the spans as one line.
func (p *page) line(spans ...span) {
	for i := range spans {
		spans[i].text = strings.ReplaceAll(printable(spans[i].text), "\n", "␊")
	}
	// Blanks at the end only make diffs of reports noisy.
	for last := len(spans) - 1; last >= 0; last-- {
		spans[last].text = strings.TrimRight(spans[last].text, " ")
		if spans[last].text != "" {
			break
		}
		spans = spans[:last]
	}
	total := 0
	for _, s := range spans {
		total += width(s.text)
	}
	room := p.width
	for _, s := range spans {
		text := s.text
		full := total > p.width && width(text) >= room
		if full {
			text = cut(text+" ", room) // the blank: a span that ends at the edge loses what follows
		}
		if p.color && s.style != plain {
			p.w.WriteString("\x1b[" + string(s.style) + "m" + text + "\x1b[0m")
		} else {
			p.w.WriteString(text)
		}
		if full {
			break
		}
		room -= width(text)
	}
	p.w.WriteByte('\n')
}

// text writes s in as many lines as it takes, all but the first indented
// further by hang; nothing if it is empty.
func (p *page) text(indent, hang string, st style, s string) {
	if s == "" {
		return
	}
	lines := wrap(s, p.width-width(indent)-width(hang))
	p.line(plain.of(indent), st.of(lines[0]))
	for _, line := range lines[1:] {
		p.line(plain.of(indent+hang), st.of(line))
	}
}

// remark writes a text whose first line is a sentence and whose further lines,
// such as a stack trace, are shown as they are.
func (p *page) remark(indent string, st style, s string) {
	for i, line := range textLines(s) {
		if i == 0 {
			p.text(indent, "  ", st, line)
		} else {
			p.line(dim.of(indent + "    " + line))
		}
	}
}

func (p *page) close() error { return p.w.Flush() }
