package transform

import (
	"bytes"
	"slices"

	"github.com/repcheck/repcheck/impl/reference"
)

// longestLine is the longest line that a transform makes, in octets: Google's parser
// cuts lines after 16,663 (GCC-LINE-8).
const longestLine = 16_663

// A change returns the changed file, and may change the probes. If it does not apply
// to the file, why is the reason.
type change func(in *input) (robots []byte, why string)

// eachLine edits every line.
func eachLine(edit func(l *line)) change {
	return func(in *input) ([]byte, string) {
		for i := range in.lines {
			edit(&in.lines[i])
		}
		return joinLines(in.lines), ""
	}
}

// replaceLines replaces every line by any number of lines.
func replaceLines(by func(in *input, i int, l line) []line) change {
	return func(in *input) ([]byte, string) {
		var lines []line
		for i, l := range in.lines {
			lines = append(lines, by(in, i, l)...)
		}
		return joinLines(lines), ""
	}
}

func lineEnds(end string) change {
	return eachLine(func(l *line) {
		if l.end != "" {
			l.end = end
		}
	})
}

// linesBetween inserts a line between any two lines, taking the texts in turn. It does
// not insert one before the first line, which may begin with a byte order mark.
func linesBetween(texts ...string) change {
	return replaceLines(func(in *input, i int, l line) []line {
		if i == 0 {
			return []line{l}
		}
		return []line{{text: []byte(texts[i%len(texts)]), end: in.lines[i-1].end}, l}
	})
}

// trailingComment leaves a line alone if it would become too long, or if the next line
// could continue its comment.
func trailingComment(l *line) {
	const comment = " # Disallow: /"
	if l.record() && !l.commented && len(l.text)+len(comment) <= longestLine {
		l.text = append(bytes.Clone(l.text), comment...)
	}
}

// keyCase changes the case of the letters in every key of the protocol.
func keyCase(to func(i int, c byte) byte) change {
	return eachLine(func(l *line) {
		if l.kind != lineAgent && l.kind != lineRule {
			return
		}
		l.text = bytes.Clone(l.text)
		for k := l.keyFrom; k < l.keyTo; k++ {
			l.text[k] = to(k-l.keyFrom, l.text[k])
		}
	})
}

// colonSpace inserts white space at an offset from every colon: 0 is before it, 1 after
// it. It leaves lines with a second colon alone, which may belong to the first.
func colonSpace(behind int) change {
	const more = " \t"
	return eachLine(func(l *line) {
		if l.record() && !bytes.HasPrefix(l.value(), []byte(":")) && len(l.text)+len(more) <= longestLine {
			l.text = slices.Insert(bytes.Clone(l.text), l.colon+behind, []byte(more)...)
		}
	})
}

func agentCase(l *line) {
	if l.kind == lineAgent {
		l.text = bytes.Clone(l.text)
		copy(l.value(), mapOctets(l.value(), otherCase))
	}
}

func agentCaseInProbes(in *input) ([]byte, string) {
	for i := range in.probes {
		in.probes[i].Agent = string(mapOctets([]byte(in.probes[i].Agent), otherCase))
	}
	return in.robots, ""
}

// duplicateRule leaves a last line without a line end alone: a parser may drop it, but
// not the copy before it.
func duplicateRule(_ *input, _ int, l line) []line {
	if l.kind == lineRule && l.end != "" {
		return []line{l, l}
	}
	return []line{l}
}

const unknownKey = "x-unknown"

func trailingUnknownRecord(in *input) ([]byte, string) {
	if !in.ended() {
		return nil, whyNoEnd
	}
	return slices.Concat(in.robots, []byte(unknownKey+": /"), []byte(in.end)), ""
}

// padding inserts comments at the beginning, so that the rest of the file ends just below
// the size limit. The lines are as long as those in the cases of section 2.5.
func padding(in *input) ([]byte, string) {
	const size, longest = reference.ParsingLimit - 1, 8000
	switch {
	case mayBeMarked(in.robots):
		return nil, whyMark
	case len(in.robots) > size/2:
		return nil, whyLarge
	}
	robots := make([]byte, 0, size)
	dashes := bytes.Repeat([]byte{'-'}, longest)
	shortest := len("#") + len(in.end)
	for room := size - len(in.robots); room > 0; room = size - len(in.robots) - len(robots) {
		n := min(room, longest)
		if rest := room - n; rest > 0 && rest < shortest {
			n -= shortest
		}
		robots = append(robots, '#')
		robots = append(robots, dashes[:n-shortest]...)
		robots = append(robots, in.end...)
	}
	return append(robots, in.robots...), ""
}
