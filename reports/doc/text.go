package doc

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// TextOptions configure [Document.Text]. The zero value suits a file.
type TextOptions struct {
	// Color allows ANSI escape sequences.
	Color bool
	// Width is the maximum width of a line in characters; 0 means 100. Values
	// below 60 mean 60, which tables need, and negative values mean no limit.
	Width int
}

// columns returns the effective width.
func (o TextOptions) columns() int {
	switch {
	case o.Width == 0:
		return 100
	case o.Width < 0:
		return math.MaxInt32
	}
	return max(o.Width, 60)
}

// colors are the parameters of ANSI escape sequences for the tones. Only the 16
// basic colors are used, which every terminal maps to something readable.
var colors = [...]string{Strong: "1", Good: "32", Warn: "33", Bad: "31", Faint: "90"}

// Text writes the document for a terminal. No line is wider than the width, and
// none ends with a space.
func (d Document) Text(w io.Writer, o TextOptions) error {
	t := &textWriter{w: bufio.NewWriter(w), width: o.columns(), color: o.Color, blank: true}
	last := func(b Block) bool { h, ok := b.(Heading); return ok && h.Last }
	at := slices.IndexFunc(d, last)
	if at >= 0 {
		d = slices.Concat(d[:at], d[at+1:], d[at:at+1])
	}
	t.blocks("", d)
	return t.w.Flush()
}

type textWriter struct {
	w     *bufio.Writer
	width int
	color bool
	blank bool // the last line is empty, or there is none
}

// blocks writes blocks with an indentation. Paragraphs and lists follow each
// other directly; at the top level of the document, a heading is preceded by an
// empty line, and tables and listings are surrounded by empty lines.
func (t *textWriter) blocks(indent string, d Document) {
	for i, b := range d {
		apart := indent == "" && i > 0 && (separate(b) || separate(d[i-1]) && !heading(d[i-1]))
		if apart && !t.blank {
			t.line()
		}
		switch b := b.(type) {
		case Heading:
			t.para(indent, indent+"  ", b.Text.with(Strong))
		case Para:
			t.para(indent, indent+"  ", b.Text)
		case List:
			t.list(indent, b)
		case Table:
			t.table(indent, b)
		case Listing:
			for _, line := range b.Lines {
				t.line(append([]Span{{S: indent + " "}}, line...)...)
			}
		case Code:
			t.code(indent+"  ", b)
		case Details:
			t.para(indent, indent+"  ", b.Title.with(Strong))
			t.blocks(indent+"  ", b.Body)
		}
	}
}

// separate reports whether empty lines separate a block from its neighbors.
func separate(b Block) bool {
	switch b.(type) {
	case Heading, Table, Listing, Details:
		return true
	}
	return false
}

func heading(b Block) bool {
	_, ok := b.(Heading)
	return ok
}

// with returns t with the tone set on all spans that have none.
func (t Text) with(tone Tone) Text {
	all := slices.Clone(t)
	for i := range all {
		if all[i].Tone == Plain {
			all[i].Tone = tone
		}
	}
	return all
}

// list writes a list. At the top level of the document, empty lines separate
// items that have a body.
func (t *textWriter) list(indent string, l List) {
	for i, item := range l.Items {
		if i > 0 && indent == "" && len(item.Body)+len(l.Items[i-1].Body) > 0 && !t.blank {
			t.line()
		}
		mark := item.Mark
		if mark == "" {
			mark = "-"
		}
		tone := Faint
		if item.Mark != "" && len(item.Text) > 0 {
			tone = item.Text[0].Tone
		}
		t.para(indent, indent+"  ", Text{{S: mark + " ", Tone: tone}}.And(item.Text))
		t.blocks(indent+"  ", item.Body)
	}
}

// para writes a text, wrapped into lines.
func (t *textWriter) para(first, next string, text Text) {
	if len(text) == 0 {
		return
	}
	for i, line := range wrap(text, t.width-Width(next)) {
		indent := next
		if i == 0 {
			indent = first
		}
		t.line(append([]Span{{S: indent}}, line...)...)
	}
}

// wrap breaks a text at spaces into lines of at most width characters, and cuts
// longer words. Spaces within a line are kept, because they may be bytes of a
// rule.
func wrap(text Text, width int) (lines []Text) {
	var line Text
	used := 0
	for i, word := range words(text) {
		need := Width(word.String())
		switch {
		case i == 0:
		case used+1+need > width && used > 0:
			lines, line, used = append(lines, line), nil, 0
		default:
			line, used = append(line, Span{S: " ", Tone: word.tone()}), used+1
		}
		if need > width-used {
			word = cutSpans(word, width-used)
		}
		line, used = append(line, word...), used+need
	}
	return append(lines, line)
}

// words splits a text at its spaces. A word may consist of several spans, and may
// be empty between two spaces.
func words(text Text) []Text {
	all := make([]Text, 1)
	for _, span := range text {
		for i, word := range strings.Split(strings.ReplaceAll(Printable(span.S), "\n", " "), " ") {
			if i > 0 {
				all = append(all, nil)
			}
			span.S = word
			all[len(all)-1] = append(all[len(all)-1], span)
		}
	}
	return all
}

// line writes spans as one line, cut at the width.
func (t *textWriter) line(spans ...Span) {
	var merged []Span
	for _, s := range spans {
		s.S = strings.ReplaceAll(Printable(s.S), "\n", "␊")
		if last := len(merged) - 1; last >= 0 && merged[last].Tone == s.Tone {
			merged[last].S += s.S
		} else {
			merged = append(merged, s)
		}
	}
	for len(merged) > 0 {
		last := &merged[len(merged)-1]
		if last.S = strings.TrimRight(last.S, " "); last.S != "" {
			break
		}
		merged = merged[:len(merged)-1]
	}
	total := 0
	for _, s := range merged {
		total += Width(s.S)
	}
	if total > t.width {
		merged = cutSpans(merged, t.width)
	}
	for _, s := range merged {
		if t.color && s.Tone != Plain && strings.TrimSpace(s.S) != "" {
			fmt.Fprintf(t.w, "\x1b[%sm%s\x1b[0m", colors[s.Tone], s.S)
		} else {
			t.w.WriteString(s.S)
		}
	}
	t.w.WriteByte('\n')
	t.blank = len(merged) == 0
}

// cutSpans shortens spans that are wider than width.
func cutSpans(spans []Span, width int) []Span {
	for i := range spans {
		if n := Width(spans[i].S); n >= width {
			spans[i].S = Cut(spans[i].S+" ", width)
			return spans[:i+1]
		} else {
			width -= n
		}
	}
	return spans
}
