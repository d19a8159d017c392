// Package doc is a document model: it separates the content of a report from its
// appearance. A report is built once as a [Document]; [Document.Text],
// [Document.Markdown] and [Document.HTML] write it for a terminal, a code host
// and a browser.
//
// Text may contain any bytes; the writers escape it, and their output contains
// only visible characters. Invisible ones appear in the octet notation of package
// spec. Writers are pure: the same document and options give the same bytes, and
// the only errors are those of the io.Writer.
package doc

import (
	"fmt"
	"strings"
)

// A Document is a sequence of blocks.
type Document []Block

// A Block is one of the types of this package: [Heading], [Para], [List],
// [Table], [Listing], [Code] or [Details].
type Block interface{ block() }

// A Tone is the meaning of a text for the reader, such as good or bad. Writers
// express it by color or weight, so no information may depend on it alone.
type Tone int

const (
	Plain Tone = iota
	Strong
	Good
	Warn
	Bad
	Faint
)

// Text is inline content.
type Text []Span

// A Span is a part of a text with one tone.
type Span struct {
	S    string
	Tone Tone
	// Code marks text from a file, a command or a name, which Markdown and HTML
	// show in a monospaced font.
	Code bool
	// URL makes the span a link in Markdown and HTML.
	URL string
}

// T returns a text without a tone. With arguments it formats as fmt.Sprintf does.
func T(format string, args ...any) Text { return In(Plain, format, args...) }

// In returns a text with a tone. With arguments it formats as fmt.Sprintf does.
func In(tone Tone, format string, args ...any) Text {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	if format == "" {
		return nil
	}
	return Text{{S: format, Tone: tone}}
}

// C returns text from a file, a command or a name.
func C(s string) Text { return Text{{S: s, Code: true}} }

// Link returns a link to a URL.
func Link(s, url string) Text { return Text{{S: s, URL: url}} }

// And returns t followed by more texts.
func (t Text) And(more ...Text) Text {
	all := append(Text(nil), t...)
	for _, m := range more {
		all = append(all, m...)
	}
	return all
}

// String returns the text without tones.
func (t Text) String() string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(s.S)
	}
	return b.String()
}

// A Heading opens a section of the document.
type Heading struct {
	// Level is 1 for the title of the document, 2 and 3 below it.
	Level int
	Text  Text
	// ID is the target of links within the document, "" if there are none.
	ID string
	// Last makes it the last line of text instead, where readers of a terminal
	// look first. It is for the sentence that sums up the document.
	Last bool
}

// A Para is a paragraph of one or more sentences, wrapped to the width.
type Para struct{ Text Text }

// A List is a sequence of items with bullets.
type List struct{ Items []Item }

// An Item is a paragraph with blocks that belong to it.
type Item struct {
	Text Text
	Body Document
	// Mark replaces the bullet in text, such as "✗"; at most two characters.
	Mark string
}

// A Table has a row of headings.
type Table struct {
	Columns []Column
	Rows    []Row
	// Keys is the number of leading columns that identify a row. If the table is
	// wider than a terminal, the text writer prints it as several tables, each
	// with these columns and as many of the others as fit.
	Keys int
}

// A Column describes the cells of one column of a table.
type Column struct {
	Head string
	// Right aligns the cells to the right, as for numbers.
	Right bool
	// Most is the width in characters above which the text writer cuts a cell in
	// its middle; 0 means no limit.
	Most int
	// Rest gives the column the remaining width. The text writer cuts its cells
	// at the end, and leaves the column out if there is hardly any room. At most
	// one column may set it.
	Rest bool
	// Wrap makes the text writer continue the cells of a column with Rest on
	// further lines instead of cutting them.
	Wrap bool
}

// A Row has a cell for each column. A row with one cell in a table of several
// columns is a heading for the rows that follow.
type Row []Text

// A Listing is a file or a part of it with line numbers; see [NewListing].
type Listing struct{ Lines []Text }

// Code is text to be shown exactly, such as a command or a diagram.
type Code struct {
	Text string
	// Shell marks the text as one shell command. The text writer breaks a command
	// that is too wide such that the lines are still the same command.
	Shell bool
}

// Details is a part that HTML and Markdown collapse under its title.
type Details struct {
	Title Text
	// ID is the target of links within the document, "" if there are none.
	ID   string
	Body Document
}

// text returns the text with tabs replaced by spaces, which every writer shows
// alike.
func (c Code) text() string { return strings.ReplaceAll(c.Text, "\t", "    ") }

func (Heading) block() {}
func (Para) block()    {}
func (List) block()    {}
func (Table) block()   {}
func (Listing) block() {}
func (Code) block()    {}
func (Details) block() {}

// P returns a paragraph of plain text, formatted as by [T].
func P(format string, args ...any) Para { return Para{T(format, args...)} }
