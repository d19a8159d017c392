package reference

import (
	"bytes"
	"unicode/utf8"
)

// maxLine is how many octets of a line Google's parser keeps: eight times the
// longest URL of old browsers (2,083), less one (GCC-LINE-8).
const maxLine = 2083*8 - 1

// Marks say which octets a line holds that need a closer look. The scanner
// passes over every octet anyway; the later stages need not.
type marks uint8

const (
	markEnd     marks = 1 << iota // an octet that ends the line
	markHash                      // "#"
	markControl                   // a control octet other than HTAB
	markHigh                      // an octet outside ASCII
)

// linesStage cuts the body into lines (RFC 9309 section 2.2, production NL).
// Points: LineEnds, LastLine, LineLimit, NUL.
type linesStage struct {
	marks [256]marks
	ends  Choice
	last  Choice
	limit Choice
	nul   Choice
}

func resolveLines(in Interpretation) linesStage {
	s := linesStage{ends: in[LineEnds], last: in[LastLine], limit: in[LineLimit], nul: in[NUL]}
	for c := range 256 {
		switch {
		case c >= utf8.RuneSelf:
			s.marks[c] = markHigh
		case c < ' ' && c != '\t':
			s.marks[c] = markControl
		}
	}
	s.marks['#'] = markHash
	s.marks['\n'] = markEnd
	if s.ends != LineEndsLFOnly {
		s.marks['\r'] = markEnd
	}
	if s.nul == NULLineEnd {
		s.marks[0] = markEnd
	}
	if s.ends == LineEndsUnicode {
		for _, c := range []byte{'\v', '\f', 0x1C, 0x1D, 0x1E} {
			s.marks[c] = markEnd
		}
	}
	return s
}

// A scanner walks over the lines of one body.
type scanner struct {
	*linesStage
	text []byte
	pos  int
	// number is the 1-based number of the line returned last.
	number int
}

// next returns the next line without its end.
func (s *scanner) next() (line []byte, found marks, ok bool) {
	for s.pos < len(s.text) {
		end, width, found := s.lineEnd()
		line = s.text[s.pos:end]
		s.pos = end + width
		s.number++
		if width == 0 && s.last == LastLineDrop {
			return nil, 0, false
		}
		if found&markControl != 0 && s.nul == NULEndsLine {
			line, _, _ = bytes.Cut(line, []byte{0})
		}
		if len(line) > maxLine {
			switch s.limit {
			case LineLimitCut:
				line = line[:maxLine]
			case LineLimitDrop:
				continue
			}
		}
		return line, found, true
	}
	return nil, 0, false
}

// lineEnd returns where the line at pos ends, how many octets its end has (0
// at the end of the body) and what the line holds.
func (s *scanner) lineEnd() (end, width int, found marks) {
	text := s.text
	for i := s.pos; i < len(text); i++ {
		mark := s.marks[text[i]]
		if mark == 0 {
			continue
		}
		if mark == markEnd {
			if text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
				return i, 2, found
			}
			return i, 1, found
		}
		if mark == markHigh && s.ends == LineEndsUnicode {
			if r, width := utf8.DecodeRune(text[i:]); r == '\u0085' || r == '\u2028' || r == '\u2029' {
				return i, width, found
			}
		}
		found |= mark
	}
	return len(text), 0, found
}
