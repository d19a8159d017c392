package reference

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// A kind says what a line is.
type kind uint8

const (
	kindNothing    kind = iota // a comment on a line of its own
	kindEmpty                  // a line without an octet
	kindBlank                  // a line of blanks only
	kindGarbage                // a line that is no record
	kindOther                  // a record that the protocol does not define
	kindCrawlDelay             // the most common of those
	kindAgent
	kindAllow
	kindDisallow
)

// A record is a line read as key and value.
type record struct {
	kind  kind
	value []byte
	// changed says that value is no part of the line any more.
	changed bool
	// void marks a line with a known key whose value the grammar does not
	// derive: it keeps its place among the lines of its kind, but names no
	// crawler and is no rule.
	void bool
}

// recordsStage reads a line as a record (RFC 9309 sections 2.2 and 2.2.3).
type recordsStage Interpretation

// read reads one line into rec. comments is false if the whole body has none.
// refused says that the whole file is.
func (s *recordsStage) read(rec *record, line []byte, comments bool) (refused bool) {
	*rec = record{}
	if len(line) == 0 {
		rec.kind = kindEmpty
		return false
	}
	if line = s.trim(line); len(line) == 0 {
		rec.kind = kindBlank
		return false
	}
	if comments {
		if line = s.trim(s.cutComment(line)); len(line) == 0 {
			return false // kindNothing
		}
	}
	key, value, ok := s.split(line)
	if !ok {
		rec.kind = kindGarbage
		return false
	}
	rec.kind, rec.value = s.kind(key), value
	if rec.kind < kindAgent {
		return false
	}
	odd, blank := survey(value)
	if odd && s.checkOctets(rec) {
		return true
	}
	if blank && rec.kind != kindAgent {
		s.checkBlanks(rec)
	}
	return false
}

// survey reports whether a value holds octets that need a closer look: odd for
// controls and for octets outside ASCII, blank for blanks. It takes eight
// octets at a time: an octet below 0x20 borrows when 0x20 is taken away, one of
// 0x80 or more has its highest bit set already, and of a word with a zero octet
// one bit says so.
func survey(value []byte) (odd, blank bool) {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
		sps   = 0x2020202020202020
	)
	var odds, sp uint64
	for len(value) >= 8 {
		word := binary.LittleEndian.Uint64(value)
		odds |= word | (word - sps)
		zero := word ^ sps
		sp |= (zero - ones) &^ zero
		value = value[8:]
	}
	odd, blank = odds&highs != 0, sp&highs != 0
	for _, c := range value {
		odd = odd || c < ' ' || c >= utf8.RuneSelf
		blank = blank || c == ' '
	}
	return odd, blank || odd // HTAB is odd by its number
}

// trim drops white space at both ends.
func (s *recordsStage) trim(text []byte) []byte {
	if s[WhiteSpace] == WhiteSpaceSPHTAB || s[WhiteSpace] == WhiteSpaceUnicodeValue {
		return trimBlanks(text)
	}
	return s.trimSpace(text)
}

// trimValue drops white space at both ends of a value.
func (s *recordsStage) trimValue(text []byte) []byte {
	if s[WhiteSpace] == WhiteSpaceSPHTAB {
		return trimBlanks(text)
	}
	return s.trimSpace(text)
}

func (s *recordsStage) trimSpace(text []byte) []byte {
	switch s[WhiteSpace] {
	case WhiteSpaceASCII:
		return bytes.Trim(text, " \t\n\v\f\r")
	case WhiteSpaceControls:
		return bytes.TrimFunc(text, func(r rune) bool { return r <= ' ' })
	}
	return bytes.TrimSpace(text)
}

// cutComment drops the comment: "#" and all behind it.
func (s *recordsStage) cutComment(line []byte) []byte {
	for from := 0; ; {
		i := bytes.IndexByte(line[from:], '#')
		if i < 0 {
			return line
		}
		i += from
		if s[Comment] == CommentAnywhere || i == 0 || isBlank(line[i-1]) {
			return line[:i]
		}
		from = i + 1
	}
}

// split parts key and value.
func (s *recordsStage) split(line []byte) (key, value []byte, ok bool) {
	if s[Separator] == SeparatorKeyword {
		if key, value, ok := splitKeyword(line); ok {
			return key, s.trimValue(value), true
		}
	}
	if s[Separator] == SeparatorColonOrBlank {
		if key, value, ok := s.splitKnown(line); ok {
			return key, s.trimValue(value), true
		}
	}
	colon := bytes.IndexByte(line, ':')
	if colon < 0 {
		if s[Separator] == SeparatorTwoWords {
			return splitWords(line)
		}
		return nil, nil, false
	}
	key, value = line[:colon], s.trimValue(line[colon+1:])
	if trimmed := s.trim(key); len(trimmed) < len(key) {
		if s[BlankBeforeColon] == BlankBeforeColonRefused {
			return nil, nil, false
		}
		key = trimmed
	}
	if s[DoubledColon] == DoubledColonSkipped {
		value = s.trimValue(bytes.TrimLeft(value, ":"))
	}
	return key, value, len(key) > 0
}

// splitWords takes a line of exactly two words as key and value (GCC-LINE-1).
func splitWords(line []byte) (key, value []byte, ok bool) {
	i := bytes.IndexAny(line, " \t")
	if i < 0 {
		return nil, nil, false
	}
	value = trimBlanks(line[i:])
	return line[:i], value, len(value) > 0 && !bytes.ContainsAny(value, " \t")
}

// splitKeyword parts a line behind the key that it begins with.
func splitKeyword(line []byte) (key, value []byte, ok bool) {
	for _, known := range [...]string{"user-agent", "disallow", "allow"} {
		if hasPrefixFold(line, known) {
			return line[:len(known)], bytes.TrimLeft(line[len(known):], " \t:"), true
		}
	}
	return nil, nil, false
}

// splitKnown parts a line that begins with a known key, as s spells them, and
// goes on with blanks or a colon.
func (s *recordsStage) splitKnown(line []byte) (key, value []byte, ok bool) {
	for _, known := range googleKeys {
		n := len(known.prefix)
		if !hasPrefixFold(line, known.prefix) || s.kind(line[:n]) < kindAgent {
			continue
		}
		rest := trimBlanks(line[n:])
		if len(rest) > 0 && rest[0] == ':' {
			return line[:n], rest[1:], true
		}
		return line[:n], rest, len(line) > n && isBlank(line[n])
	}
	return nil, nil, false
}

// kind tells what a key means.
func (s *recordsStage) kind(key []byte) kind {
	k := kindOther
	switch s[Keys] {
	case KeysGoogle:
		k = googleKind(key)
	case KeysMisspelled:
		k = misspelledKind(key)
	default:
		// Keys without regard to case (RFC 5234 section 2.3), but nearly all
		// are spelled in one of two ways.
		switch string(key) {
		case "Disallow", "disallow":
			k = kindDisallow
		case "Allow", "allow":
			k = kindAllow
		case "User-agent", "User-Agent", "user-agent":
			k = kindAgent
		default:
			k = exactKind(key)
		}
	}
	switch {
	case k == kindAllow && s[AllowLines] == AllowLinesUnknown:
		return kindOther
	case k == kindOther && len(key) == 11 && equalFold(key, "crawl-delay"):
		return kindCrawlDelay
	}
	return k
}

func exactKind(key []byte) kind {
	switch {
	case equalFold(key, "disallow"):
		return kindDisallow
	case equalFold(key, "allow"):
		return kindAllow
	case equalFold(key, "user-agent"):
		return kindAgent
	}
	return kindOther
}

// googleKind accepts whatever begins with a key or with one of the
// misspellings that Google has seen often (GCC-KEY-1 to GCC-KEY-5).
func googleKind(key []byte) kind {
	for _, known := range googleKeys {
		if hasPrefixFold(key, known.prefix) {
			return known.kind
		}
	}
	return kindOther
}

// misspelledKind accepts the same misspellings, and nothing behind them.
func misspelledKind(key []byte) kind {
	for _, known := range googleKeys {
		if equalFold(key, known.prefix) {
			return known.kind
		}
	}
	return kindOther
}

var googleKeys = [...]struct {
	prefix string
	kind   kind
}{
	{"user-agent", kindAgent},
	{"useragent", kindAgent},
	{"user agent", kindAgent},
	{"allow", kindAllow},
	{"disallow", kindDisallow},
	{"dissallow", kindDisallow},
	{"dissalow", kindDisallow},
	{"disalow", kindDisallow},
	{"diasllow", kindDisallow},
	{"disallaw", kindDisallow},
}

// checkOctets deals with octets outside the grammar in the value: controls
// (section 3 wants them rejected) and, in rules, what is not UTF-8.
func (s *recordsStage) checkOctets(rec *record) (refused bool) {
	control, high := false, false
	for i := range len(rec.value) {
		c := rec.value[i]
		control = control || c < ' ' && c != '\t'
		high = high || c >= utf8.RuneSelf
	}
	if control {
		switch s[ControlOctets] {
		case ControlOctetsRefuseLine:
			rec.void = true
		case ControlOctetsDrop:
			kept := make([]byte, 0, len(rec.value))
			for i := range len(rec.value) {
				if c := rec.value[i]; c >= ' ' || c == '\t' {
					kept = append(kept, c)
				}
			}
			rec.value, rec.changed = kept, true
		case ControlOctetsRejectFile:
			return true
		}
	}
	if high && s[InvalidUTF8] != InvalidUTF8Keep && rec.kind != kindAgent && !utf8.Valid(rec.value) {
		switch s[InvalidUTF8] {
		case InvalidUTF8RefuseLine:
			rec.void = true
		case InvalidUTF8Latin1:
			var latin []byte
			for _, c := range rec.value {
				latin = utf8.AppendRune(latin, rune(c))
			}
			rec.value, rec.changed = latin, true
		case InvalidUTF8Drop:
			rec.value, rec.changed = bytes.ToValidUTF8(rec.value, nil), true
		case InvalidUTF8Replace:
			rec.value, rec.changed = bytes.ToValidUTF8(rec.value, []byte("\uFFFD")), true
		}
	}
	return false
}

// checkBlanks deals with blanks inside a path, which the grammar has none of.
func (s *recordsStage) checkBlanks(rec *record) {
	if s[BlankInPath] == BlankInPathKeep {
		return
	}
	for i, c := range rec.value {
		if !isBlank(c) {
			continue
		}
		if s[BlankInPath] == BlankInPathCut {
			rec.value = rec.value[:i]
		} else {
			rec.void = true
		}
		return
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func trimBlanks(s []byte) []byte {
	for len(s) > 0 && isBlank(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isBlank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// equalFold compares without regard to the case of ASCII letters, and of those
// alone: bytes.EqualFold would take U+212A for "k".
func equalFold(a []byte, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i, c := range a {
		if c != b[i] && lower(c) != lower(b[i]) {
			return false
		}
	}
	return true
}

func hasPrefixFold(s []byte, prefix string) bool {
	return len(s) >= len(prefix) && equalFold(s[:len(prefix)], prefix)
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
