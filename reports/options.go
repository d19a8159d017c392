package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/reports/doc"
)

// Options select how much of a result a report shows.
type Options struct {
	// Verbose shows everything. Without it, long lists are cut, with a note that
	// says so.
	Verbose bool
}

const (
	// longestText bounds quoted text in reports without a width, because a rule
	// may be half a megabyte long.
	longestText = 1000
	// widestName is the width at which a parser's name is cut in a column heading.
	// Most names of adapters consist of a language and a library, and fit.
	widestName = 20
	// widestNames is the same for the names of several parsers.
	widestNames = 40
)

// title returns the heading of a whole report.
func title(s string) doc.Heading { return doc.Heading{Level: 1, Text: tone(doc.Plain, s)} }

// section returns the heading of a part of a report.
func section(s string) doc.Heading { return doc.Heading{Level: 2, Text: tone(doc.Plain, s)} }

// summary returns the sentence that sums up a report. It is the title, and the
// last line in text.
func summary(s string, bad bool) doc.Heading {
	t := doc.Good
	if bad {
		t = doc.Bad
	}
	return doc.Heading{Level: 1, Text: tone(t, s), Last: true}
}

// tone returns a text with one tone. Unlike [doc.In] it does not format.
func tone(t doc.Tone, s string) doc.Text { return doc.In(t, "%s", s) }

// note returns a faint paragraph.
func note(format string, args ...any) doc.Para {
	return doc.Para{Text: doc.In(doc.Faint, format, args...)}
}

// paras makes a paragraph of each line that is not empty.
func paras(t doc.Tone, lines ...string) (d doc.Document) {
	for _, line := range lines {
		if line != "" {
			d = append(d, doc.Para{Text: tone(t, line)})
		}
	}
	return d
}

// items makes an item of each line.
func items(t doc.Tone, lines []string) (all []doc.Item) {
	for _, line := range lines {
		all = append(all, doc.Item{Text: tone(t, line)})
	}
	return all
}

// list makes a list, or nothing if there are no items.
func list(items []doc.Item) doc.Document {
	if len(items) == 0 {
		return nil
	}
	return doc.Document{doc.List{Items: items}}
}

// titled returns a list under a heading, or nothing if the list is empty.
func titled(title string, items []doc.Item) doc.Document {
	if len(items) == 0 {
		return nil
	}
	return doc.Document{section(title), doc.List{Items: items}}
}

// first returns the first items up to a number, all of them if verbose. If some
// are left out, more has a line that says how many.
func first[T any](all []T, most int, o Options) (shown []T, more []string) {
	if left := len(all) - most; left > 0 && !o.Verbose {
		return all[:most:most], []string{fmt.Sprintf("… and %s more: --verbose shows all", thousands(left))}
	}
	return slices.Clip(all), nil
}

// firstItems is like titled, with at most that many items unless o.Verbose is set.
func firstItems(title string, all []doc.Item, most int, o Options) doc.Document {
	shown, more := first(all, most, o)
	return titled(title, append(shown, items(doc.Plain, more)...))
}

// row makes a row of cells: texts, numbers and other values without a tone.
func row(values ...any) doc.Row {
	r := make(doc.Row, len(values))
	for i, value := range values {
		switch v := value.(type) {
		case doc.Text:
			r[i] = v
		case int:
			r[i] = tone(doc.Plain, thousands(v))
		case int64:
			r[i] = tone(doc.Plain, thousands(v))
		default:
			r[i] = tone(doc.Plain, fmt.Sprint(v))
		}
	}
	return r
}

// rowsOf makes a row of each value.
func rowsOf[T any](all []T, cells func(T) doc.Row) (rows []doc.Row) {
	for _, value := range all {
		rows = append(rows, cells(value))
	}
	return rows
}

// columns makes columns of which the first few are aligned to the left.
func columns(left int, heads ...string) []doc.Column {
	all := make([]doc.Column, len(heads))
	for i, head := range heads {
		all[i] = doc.Column{Head: head, Right: i >= left}
	}
	return all
}

// wide lets the last column fill the remaining width with text.
func wide(columns []doc.Column) []doc.Column {
	last := &columns[len(columns)-1]
	last.Right, last.Rest, last.Wrap = false, true, true
	return columns
}

// shownLines splits a text. The first line is a sentence; the rest, such as a
// stack trace, is shown unchanged, at most that many lines, 0 for all.
func shownLines(s string, t doc.Tone, most int) (first doc.Text, rest doc.Document) {
	s = strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
	if s == "" {
		return nil, nil
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = doc.Cut(lines[i], longestText)
	}
	if more := len(lines) - most; more > 0 && most > 0 {
		lines = append(lines[:most:most], "… and "+count(more, "more line"))
	}
	if len(lines) > 1 {
		rest = doc.Document{doc.Code{Text: strings.Join(lines[1:], "\n")}}
	}
	return tone(t, lines[0]), rest
}
