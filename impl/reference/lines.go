package reference

import (
	"bytes"
	"unicode/utf8"
)

// maxLine is the number of octets that Google's parser keeps of a line. It is
// eight times the longest URL of old browsers (2,083), minus one (GCC-LINE-8).
const maxLine = 2083*8 - 1

// bufferedLine is the number of octets that a common buffer holds. A line needs room
// for its end too.
const bufferedLine = 64 << 10

// linesStage splits the body into lines (RFC 9309 section 2.2, production NL).
type linesStage Interpretation

// A scanner returns the lines of one body one by one.
type scanner struct {
	in   *linesStage
	text []byte
	pos  int
	// number is the 1-based number of the last line returned.
	number int
	// lf and cr are the positions of the next LF and CR at or after pos, or
	// len(text) if there is none or it does not end a line. Each is searched again only after pos has
	// passed it, so that a body with many CRs and few LFs takes linear time.
	lf, cr int
	// odd reports whether line ends must be searched octet by octet.
	odd bool
}

func (s *linesStage) scan(text []byte) scanner {
	hasNUL := s[NUL] == NULLineEnd && bytes.IndexByte(text, 0) >= 0
	cr := -1
	if s[LineEnds] == LineEndsLFOnly {
		cr = len(text)
	}
	odd := hasNUL || s[LineEnds] == LineEndsUnicode || s[LineEnds] == LineEndsSeparators
	return scanner{in: s, text: text, lf: -1, cr: cr, odd: odd}
}

// next returns the next line without its end, joined with its continuation
// lines where lines can be folded.
func (s *scanner) next() (line []byte, ok bool) {
	line, ok = s.one()
	switch s.in[FoldedLines] {
	case FoldedLinesNone:
		return line, ok
	case FoldedLinesMissingValue:
		return s.withValue(line), ok
	}
	joined := false
	for ok && s.pos < len(s.text) && isBlank(s.text[s.pos]) {
		before := *s
		more, _ := s.one()
		if len(trimBlanks(more)) == 0 {
			*s = before
			break
		}
		if !joined { // line is still a slice of the body
			line, joined = bytes.Clone(line), true
		}
		line = append(line, more...)
	}
	return line, ok
}

// withValue returns the line, joined with the next that is not blank if it has a key
// and no value.
func (s *scanner) withValue(line []byte) []byte {
	key, ok := bytes.CutSuffix(trimBlanks(line), []byte(":"))
	if key = trimBlanks(key); !ok || exactKind(key) == kindOther && !equalFold(key, "sitemap") {
		return line
	}
	for {
		before := *s
		value, ok := s.one()
		if !ok {
			*s = before
			return line
		}
		if len(trimBlanks(value)) > 0 {
			return append(bytes.Clone(line), value...)
		}
	}
}

// one returns the next line of the body without its end.
func (s *scanner) one() (line []byte, ok bool) {
	for s.pos < len(s.text) {
		end, width := s.lineEnd()
		line = s.text[s.pos:end]
		s.pos = end + width
		s.number++
		if width == 0 && s.in[LastLine] == LastLineDrop {
			return nil, false
		}
		if s.in[NUL] == NULEndsLine {
			line, _, _ = bytes.Cut(line, []byte{0})
		}
		if len(line) > maxLine {
			switch s.in[LineLimit] {
			case LineLimitCut:
				line = line[:maxLine]
			case LineLimitDrop:
				continue
			case LineLimitEndsFile:
				if len(line) >= bufferedLine {
					s.pos = len(s.text)
					return nil, false
				}
			}
		}
		return line, true
	}
	return nil, false
}

// lineEnd returns the position where the line at pos ends and the number of octets
// in its line end, which is 0 at the end of the body.
func (s *scanner) lineEnd() (end, width int) {
	if s.odd {
		return s.oddLineEnd()
	}
	if s.lf < s.pos {
		s.lf = indexFrom(s.text, '\n', s.pos)
	}
	if s.cr < s.pos {
		s.cr = indexFrom(s.text, '\r', s.pos)
	}
	switch {
	case s.lf < s.cr:
		return s.lf, 1
	case s.cr == len(s.text):
		return s.cr, 0
	case s.cr+1 == s.lf && s.lf < len(s.text):
		return s.cr, 2
	}
	return s.cr, 1
}

func indexFrom(text []byte, octet byte, from int) int {
	if i := bytes.IndexByte(text[from:], octet); i >= 0 {
		return from + i
	}
	return len(text)
}

// oddLineEnd is lineEnd for interpretations with line ends other than CR and LF.
func (s *scanner) oddLineEnd() (end, width int) {
	for i := s.pos; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '\r' && s.in[LineEnds] != LineEndsLFOnly:
			if i+1 < len(s.text) && s.text[i+1] == '\n' {
				return i, 2
			}
			return i, 1
		case c == '\n', c == 0 && s.in[NUL] == NULLineEnd:
			return i, 1
		case s.in[LineEnds] != LineEndsUnicode && s.in[LineEnds] != LineEndsSeparators:
		case s.in[LineEnds] == LineEndsUnicode && (c == '\v' || c == '\f' || 0x1C <= c && c <= 0x1E):
			return i, 1
		case c == 0xC2, c == 0xE2:
			if r, width := utf8.DecodeRune(s.text[i:]); r == '\u0085' || r == '\u2028' || r == '\u2029' {
				return i, width
			}
		}
	}
	return len(s.text), 0
}
