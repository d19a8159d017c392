package transform

import (
	"bytes"
	"slices"

	"github.com/repcheck/repcheck/impl/reference"
)

// longestLine is how long a line may become, in octets: Google's parser cuts
// lines behind 16,663 (GCC-LINE-8).
const longestLine = 16_663

func lineEnds(end string) func(*input) ([]byte, string) {
	return func(in *input) ([]byte, string) {
		for i := range in.lines {
			if in.lines[i].end != "" {
				in.lines[i].end = end
			}
		}
		return joinLines(in.lines), ""
	}
}

// linesBetween puts a line between any two, each of texts in turn. In front of
// the first there could be a byte order mark.
func linesBetween(texts ...string) func(*input) ([]byte, string) {
	return func(in *input) ([]byte, string) {
		var lines []line
		for i, l := range in.lines {
			if i > 0 {
				lines = append(lines, line{text: []byte(texts[i%len(texts)]), end: in.lines[i-1].end})
			}
			lines = append(lines, l)
		}
		return joinLines(lines), ""
	}
}

// trailingComments leaves a line alone that would become too long, or whose
// comment would be taken on.
func trailingComments(in *input) ([]byte, string) {
	const comment = " # Disallow: /"
	for i := range in.lines {
		if l := &in.lines[i]; l.record() && !l.commented && len(l.text)+len(comment) <= longestLine {
			l.text = append(bytes.Clone(l.text), comment...)
		}
	}
	return joinLines(in.lines), ""
}

// keyCase changes the letters of every key of the protocol.
func keyCase(to func(i int, c byte) byte) func(*input) ([]byte, string) {
	return func(in *input) ([]byte, string) {
		for i := range in.lines {
			l := &in.lines[i]
			if l.kind != lineAgent && l.kind != lineRule {
				continue
			}
			l.text = bytes.Clone(l.text)
			for k := l.keyFrom; k < l.keyTo; k++ {
				l.text[k] = to(k-l.keyFrom, l.text[k])
			}
		}
		return joinLines(in.lines), ""
	}
}

// colonSpace puts blanks in front of every colon, or so many octets behind. A
// second colon may belong to the first.
func colonSpace(behind int) func(*input) ([]byte, string) {
	const more = " \t"
	return func(in *input) ([]byte, string) {
		for i := range in.lines {
			l := &in.lines[i]
			if l.record() && !bytes.HasPrefix(l.value(), []byte(":")) && len(l.text)+len(more) <= longestLine {
				l.text = slices.Insert(bytes.Clone(l.text), l.colon+behind, []byte(more)...)
			}
		}
		return joinLines(in.lines), ""
	}
}

func agentCaseInFile(in *input) ([]byte, string) {
	for i := range in.lines {
		if l := &in.lines[i]; l.kind == lineAgent {
			l.text = bytes.Clone(l.text)
			copy(l.value(), mapOctets(l.value(), otherCase))
		}
	}
	return joinLines(in.lines), ""
}

func agentCaseInProbes(in *input) ([]byte, string) {
	for i := range in.probes {
		in.probes[i].Agent = string(mapOctets([]byte(in.probes[i].Agent), otherCase))
	}
	return in.robots, ""
}

// duplicateRules leaves a last line without an end alone: it may be dropped,
// and a copy in front of it would not be.
func duplicateRules(in *input) ([]byte, string) {
	var lines []line
	for _, l := range in.lines {
		lines = append(lines, l)
		if l.kind == lineRule && l.end != "" {
			lines = append(lines, l)
		}
	}
	return joinLines(lines), ""
}

const unknownKey = "x-unknown"

func trailingUnknownRecord(in *input) ([]byte, string) {
	if !in.ended() {
		return nil, whyNoEnd
	}
	return slices.Concat(in.robots, []byte(unknownKey+": /"), []byte(in.end)), ""
}

// padding puts comments in front, so that all else stands just before the limit.
// The lines are as long as those of the cases of section 2.5.
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
