package generate

import (
	"slices"
	"strings"

	fuzzheaders "github.com/AdaLogics/go-fuzz-headers"

	"github.com/repcheck/repcheck/fuzz/internal/urls"
	"github.com/repcheck/repcheck/spec/lines"
)

// An edit is a change to a file that matters in this format. Its numbers are
// reduced modulo the number of options, so that any bytes are a valid edit.
type edit struct {
	// Kind chooses the change.
	Kind uint8
	// Line chooses the line that is changed.
	Line uint8
	// At chooses a place: another line, or a byte of the line.
	At uint8
	// Piece chooses what is inserted.
	Piece uint8
}

// maxEdits is the most edits that Edit makes: more would leave little of the
// file, and some double its size.
const maxEdits = 16

// Edit returns the file after the edits that shape encodes, four bytes each. It
// is for fuzzing engines, which change such bytes at random. It does not modify
// robots.
func Edit(robots, shape []byte) []byte {
	consumer := fuzzheaders.NewConsumer(shape)
	for range maxEdits {
		var e edit
		if consumer.GenerateStruct(&e) != nil {
			break
		}
		kind := editKinds.entries[int(e.Kind)%len(editKinds.entries)].make
		robots = lines.Join(e.apply(kind, editable(robots)))
	}
	return robots
}

// apply makes a change of that kind.
func (e edit) apply(kind lineEdit, file []lines.Line) []lines.Line {
	return kind(e, file, int(e.Line)%len(file))
}

// editable returns the lines of a file, or one empty line if it has none.
func editable(robots []byte) []lines.Line {
	if file := lines.Split(robots); len(file) > 0 {
		return file
	}
	return []lines.Line{{}}
}

// A lineEdit changes the lines of a file; i is the index of the chosen line.
type lineEdit = func(e edit, file []lines.Line, i int) []lines.Line

// editKinds are the kinds of change. New ones are added at the end, because
// inputs stored by a fuzzing engine refer to them by number.
var editKinds = tableOf("edit",
	entry[lineEdit]{1, "repeat-group", repeatGroup},
	entry[lineEdit]{2, "move-line", moveLine},
	entry[lineEdit]{4, "insert-line", insertLine},
	entry[lineEdit]{2, "line-ends", changeLineEnds},
	entry[lineEdit]{1, "key-case", changeKeyCase},
	entry[lineEdit]{4, "special", insertSpecial},
	entry[lineEdit]{2, "escape", escapeByte},
	entry[lineEdit]{1, "unescape", unescapeValue},
	entry[lineEdit]{2, "mark", insertMark},
	entry[lineEdit]{1, "drop-line", dropLine},
)

// repeatGroup inserts a copy of the line's group at any place.
func repeatGroup(e edit, file []lines.Line, i int) []lines.Line {
	starts := lines.Groups(file)
	g, _ := slices.BinarySearch(starts, i+1)
	end := len(file)
	if g < len(starts) {
		end = starts[g]
	}
	group := slices.Clone(file[starts[g-1]:end])
	return insert(file, e.place(len(file)+1), group...)
}

func moveLine(e edit, file []lines.Line, i int) []lines.Line {
	line := file[i]
	file = slices.Delete(file, i, i+1)
	return insert(file, e.place(len(file)+1), line)
}

func dropLine(_ edit, file []lines.Line, i int) []lines.Line { return slices.Delete(file, i, i+1) }

// insertLine inserts a line that interrupts a group, or seems to.
func insertLine(e edit, file []lines.Line, i int) []lines.Line {
	return insert(file, i, lines.Line{Text: interruptions[int(e.Piece)%len(interruptions)]})
}

var interruptions = []string{
	"", "Sitemap: http://foo.test/s.xml", "Crawl-delay: 5", "Noindex: /a", "garbage", "# comment", " \t ",
	"User-agent: *", "User-agent: FooBot", "User-agent:", "Disallow: /", "Allow: /", "Disallow:", "Host: foo.test",
}

// changeLineEnds changes the end of the line or, in half of the cases, of all
// lines.
func changeLineEnds(e edit, file []lines.Line, i int) []lines.Line {
	ends := []string{"\n", "\r\n", "\r", "\n\r", "\x00", "\u2028", "\v", ""}
	end := ends[int(e.Piece)%len(ends)]
	for j := range file {
		if j == i || e.At%2 == 0 {
			file[j].End = end
		}
	}
	return file
}

func changeKeyCase(e edit, file []lines.Line, i int) []lines.Line {
	key, rest := file[i].Record()
	switch e.Piece % 3 {
	case 0:
		key = strings.ToUpper(key)
	case 1:
		key = strings.ToLower(key)
	default: // of one letter
		if key != "" {
			at := e.place(len(key))
			key = key[:at] + otherCaseOf(key[at]) + key[at+1:]
		}
	}
	file[i].Text = key + rest
	return file
}

func otherCaseOf(c byte) string {
	if c|0x20 >= 'a' && c|0x20 <= 'z' {
		c ^= 0x20
	}
	return string([]byte{c})
}

// insertSpecial inserts a byte with a special meaning, at the end of the line or
// inside.
func insertSpecial(e edit, file []lines.Line, i int) []lines.Line {
	specials := []string{"*", "$", "#", ":", "?", "%", "/", " ", "\t", "**", "%2A", "%24", "%2F", "&", "=", ";"}
	text, at := file[i].Text, len(file[i].Text)
	if e.At < 0x80 {
		at = e.place(len(text) + 1)
	}
	file[i].Text = text[:at] + specials[int(e.Piece)%len(specials)] + text[at:]
	return file
}

// escapeByte percent-encodes a byte of the value.
func escapeByte(e edit, file []lines.Line, i int) []lines.Line {
	key, rest := file[i].Record()
	if len(rest) > 2 {
		at := 2 + e.place(len(rest)-2)
		encoded := urls.Escape(rest[at])
		if e.Piece%2 == 1 {
			encoded = strings.ToLower(encoded)
		}
		file[i].Text = key + rest[:at] + encoded + rest[at+1:]
	}
	return file
}

func unescapeValue(_ edit, file []lines.Line, i int) []lines.Line {
	key, rest := file[i].Record()
	file[i].Text = key + urls.Decode(rest)
	return file
}

// insertMark inserts invisible bytes, in half of the cases at the start of the
// file.
func insertMark(e edit, file []lines.Line, i int) []lines.Line {
	marks := []string{"\uFEFF", "\x00", "\xEF\xBB", "\u00A0", "\xFF", "\x1F", "\u2028", "\x7F"}
	at := e.place(len(file[i].Text) + 1)
	if e.At%2 == 0 {
		i, at = 0, 0
	}
	file[i].Text = file[i].Text[:at] + marks[int(e.Piece)%len(marks)] + file[i].Text[at:]
	return file
}

// place chooses one of n places.
func (e edit) place(n int) int { return int(e.At) % n }

// insert inserts lines before the i-th. Only the last line may have no line end.
func insert(file []lines.Line, i int, more ...lines.Line) []lines.Line {
	file = slices.Insert(file, i, more...)
	end := "\n"
	for _, l := range file {
		if l.End != "" {
			end = l.End
			break
		}
	}
	for j := range file[:len(file)-1] {
		if file[j].End == "" {
			file[j].End = end
		}
	}
	return file
}
