package fuzz

import (
	"slices"
	"strings"
)

// An Edit is a change to a file that matters in this format. Its numbers choose
// modulo what there is to choose from, so that any four octets are an edit.
type Edit struct {
	// Kind chooses the change.
	Kind uint8
	// Line chooses the line that is changed.
	Line uint8
	// At chooses a place: another line, or an octet of the line.
	At uint8
	// Piece chooses what is put in.
	Piece uint8
}

// Apply returns the changed file; it keeps and changes nothing of robots.
func (e Edit) Apply(robots []byte) []byte {
	lines := editable(robots)
	return joinLines(edits[int(e.Kind)%len(edits)].make(e, lines, int(e.Line)%len(lines)))
}

// editable returns the lines of a file, one empty line if it has none.
func editable(robots []byte) []fileLine {
	if lines := fileLines(robots); len(lines) > 0 {
		return lines
	}
	return []fileLine{{}}
}

// A lineEdit changes the lines of a file; i is the line chosen.
type lineEdit = func(e Edit, lines []fileLine, i int) []fileLine

// edits are the kinds of change, by number. New ones go to the end: inputs that
// a fuzzing engine has kept name them by number.
var edits = []entry[lineEdit]{
	{1, "repeat-group", repeatGroup},
	{2, "move-line", moveLine},
	{4, "insert-line", insertLine},
	{2, "line-ends", changeLineEnds},
	{1, "key-case", changeKeyCase},
	{4, "special", insertSpecial},
	{2, "escape", escapeOctet},
	{1, "unescape", unescapeOctet},
	{2, "mark", insertMark},
	{1, "drop-line", dropLine},
}

// editKinds are the same with weights, for the generator.
var editKinds = tableOf("edit", edits...)

// repeatGroup puts the group of the line in once more, somewhere.
func repeatGroup(e Edit, lines []fileLine, i int) []fileLine {
	starts := groupStarts(lines)
	g, _ := slices.BinarySearch(starts, i+1)
	end := len(lines)
	if g < len(starts) {
		end = starts[g]
	}
	group := slices.Clone(lines[starts[g-1]:end])
	return insert(lines, e.at(len(lines)+1), group...)
}

func moveLine(e Edit, lines []fileLine, i int) []fileLine {
	line := lines[i]
	lines = slices.Delete(lines, i, i+1)
	return insert(lines, e.at(len(lines)+1), line)
}

func dropLine(_ Edit, lines []fileLine, i int) []fileLine { return slices.Delete(lines, i, i+1) }

// insertLine puts in a line that interrupts, or seems to.
func insertLine(e Edit, lines []fileLine, i int) []fileLine {
	return insert(lines, i, fileLine{text: interruptions[int(e.Piece)%len(interruptions)]})
}

var interruptions = []string{
	"", "Sitemap: http://foo.test/s.xml", "Crawl-delay: 5", "Noindex: /a", "garbage", "# comment", " \t ",
	"User-agent: *", "User-agent: FooBot", "User-agent:", "Disallow: /", "Allow: /", "Disallow:", "Host: foo.test",
}

// changeLineEnds changes the end of the line or, every other time, of all.
func changeLineEnds(e Edit, lines []fileLine, i int) []fileLine {
	ends := []string{"\n", "\r\n", "\r", "\n\r", "\x00", "\u2028", "\v", ""}
	end := ends[int(e.Piece)%len(ends)]
	for j := range lines {
		if j == i || e.At%2 == 0 {
			lines[j].end = end
		}
	}
	return lines
}

func changeKeyCase(e Edit, lines []fileLine, i int) []fileLine {
	key, rest := lines[i].record()
	switch e.Piece % 3 {
	case 0:
		key = strings.ToUpper(key)
	case 1:
		key = strings.ToLower(key)
	default: // of one letter
		if key != "" {
			at := e.at(len(key))
			key = key[:at] + otherCaseOf(key[at]) + key[at+1:]
		}
	}
	lines[i].text = key + rest
	return lines
}

func otherCaseOf(c byte) string {
	if c|0x20 >= 'a' && c|0x20 <= 'z' {
		c ^= 0x20
	}
	return string([]byte{c})
}

// insertSpecial puts an octet in that means something, at the end or inside.
func insertSpecial(e Edit, lines []fileLine, i int) []fileLine {
	specials := []string{"*", "$", "#", ":", "?", "%", "/", " ", "\t", "**", "%2A", "%24", "%2F", "&", "=", ";"}
	text, at := lines[i].text, len(lines[i].text)
	if e.At < 0x80 {
		at = e.at(len(text) + 1)
	}
	lines[i].text = text[:at] + specials[int(e.Piece)%len(specials)] + text[at:]
	return lines
}

// escapeOctet percent-encodes an octet of the value.
func escapeOctet(e Edit, lines []fileLine, i int) []fileLine {
	key, rest := lines[i].record()
	if len(rest) > 2 {
		at := 2 + e.at(len(rest)-2)
		encoded := escape(rest[at])
		if e.Piece%2 == 1 {
			encoded = strings.ToLower(encoded)
		}
		lines[i].text = key + rest[:at] + encoded + rest[at+1:]
	}
	return lines
}

func unescapeOctet(_ Edit, lines []fileLine, i int) []fileLine {
	key, rest := lines[i].record()
	lines[i].text = key + decodeAll(rest)
	return lines
}

// insertMark puts in octets that cannot be seen, in front of the file every
// other time.
func insertMark(e Edit, lines []fileLine, i int) []fileLine {
	marks := []string{"\uFEFF", "\x00", "\xEF\xBB", "\u00A0", "\xFF", "\x1F", "\u2028", "\x7F"}
	at := e.at(len(lines[i].text) + 1)
	if e.At%2 == 0 {
		i, at = 0, 0
	}
	lines[i].text = lines[i].text[:at] + marks[int(e.Piece)%len(marks)] + lines[i].text[at:]
	return lines
}

// at chooses one of n places.
func (e Edit) at(n int) int { return int(e.At) % n }

// insert puts more in front of the i-th line. Only the last line may be without
// an end.
func insert(lines []fileLine, i int, more ...fileLine) []fileLine {
	lines = slices.Insert(lines, i, more...)
	end := "\n"
	for _, l := range lines {
		if l.end != "" {
			end = l.end
			break
		}
	}
	for j := range lines[:len(lines)-1] {
		if lines[j].end == "" {
			lines[j].end = end
		}
	}
	return lines
}
