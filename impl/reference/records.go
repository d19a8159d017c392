package reference

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A kind classifies a line.
type kind uint8

const (
	kindNothing    kind = iota // only a comment
	kindRefused                // a line for which the whole file is refused
	kindEmpty                  // no octet
	kindBlank                  // only blanks
	kindGarbage                // not a record
	kindOther                  // a record that the protocol does not define
	kindCrawlDelay             // a crawl-delay record, which has its own point
	kindSitemap                // a sitemap record, which has its own point
	kindAgent
	kindAllow
	kindDisallow
)

// recordsStage reads a line as a record (RFC 9309 sections 2.2 and 2.2.3).
type recordsStage Interpretation

// read reads one line as a record and returns its kind and value.
func (s *recordsStage) read(line []byte) (kind, []byte) {
	if len(line) == 0 {
		return kindEmpty, nil
	}
	if line = s.trim(line); len(line) == 0 {
		return kindBlank, nil
	}
	if before := s.cutComment(line); len(before) < len(line) {
		if line = s.trim(before); len(line) == 0 {
			return kindNothing, nil
		}
	}
	key, value, ok := s.split(line)
	if !ok {
		return kindGarbage, nil
	}
	return s.kind(key), value
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
	case WhiteSpaceUnicodeAndSeparators:
		return bytes.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || 0x1C <= r && r <= 0x1F })
	}
	return bytes.TrimSpace(text)
}

// cutComment drops the comment: "#" and everything after it.
func (s *recordsStage) cutComment(line []byte) []byte {
	for from := 0; ; {
		i := bytes.IndexByte(line[from:], '#')
		if i < 0 {
			return line
		}
		i += from
		switch s[Comment] {
		case CommentAnywhere:
			return line[:i]
		case CommentAfterBlank:
			if i == 0 || isBlank(line[i-1]) {
				return line[:i]
			}
		case CommentLineStart:
			if i == 0 {
				return nil
			}
			return line
		}
		from = i + 1
	}
}

// split splits a line into key and value.
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
			return s.splitWords(line)
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

// splitWords splits a line of exactly two words into key and value (GCC-LINE-1).
// The words are parted by blanks; other white space is trimmed afterwards.
func (s *recordsStage) splitWords(line []byte) (key, value []byte, ok bool) {
	i := bytes.IndexAny(line, " \t")
	if i < 0 {
		return nil, nil, false
	}
	key, value = line[:i], trimBlanks(line[i:])
	if len(value) == 0 || bytes.ContainsAny(value, " \t") {
		return nil, nil, false
	}
	key = s.trim(key)
	return key, s.trimValue(value), len(key) > 0
}

// splitKeyword splits a line after the keyword that it begins with.
func splitKeyword(line []byte) (key, value []byte, ok bool) {
	for _, known := range [...]string{"user-agent", "disallow", "allow"} {
		if hasPrefixFold(line, known) {
			return line[:len(known)], bytes.TrimLeft(line[len(known):], " \t:"), true
		}
	}
	return nil, nil, false
}

// splitKnown splits a line that begins with a key known to s, followed by
// blanks or a colon.
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

// kind returns the meaning of a key.
func (s *recordsStage) kind(key []byte) kind {
	k := kindOther
	switch s[Keys] {
	case KeysGoogle:
		k = googleKind(key)
	case KeysMisspelled:
		k = misspelledKind(key)
	case KeysCaseSensitive:
		k = spelledKind(string(key))
	default:
		// Nearly all keys have one of these spellings.
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
		if k == kindOther && s[Keys] == KeysUseragent && equalFold(key, "useragent") {
			k = kindAgent
		}
	}
	switch {
	case k == kindAllow && s[AllowLines] == AllowLinesUnknown:
		return kindOther
	case k == kindOther && len(key) == 11 && equalFold(key, "crawl-delay"):
		return kindCrawlDelay
	case k == kindOther && len(key) == 7 && equalFold(key, "sitemap"):
		return kindSitemap
	}
	return k
}

// exactKind accepts the three keys in any letter case (RFC 5234 section 2.3).
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

// spelledKind accepts the three keys with their capital and small letters.
func spelledKind(key string) kind {
	switch key {
	case "Disallow":
		return kindDisallow
	case "Allow":
		return kindAllow
	case "User-agent":
		return kindAgent
	}
	return kindOther
}

// googleKind accepts every text that begins with a key or with one of the common
// misspellings that Google's parser accepts (GCC-KEY-1 to GCC-KEY-5).
func googleKind(key []byte) kind {
	for _, known := range googleKeys {
		if hasPrefixFold(key, known.prefix) {
			return known.kind
		}
	}
	return kindOther
}

// misspelledKind accepts the same spellings with nothing after them.
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

// check handles the octets of a value that the grammar does not allow: control
// octets, which section 3 says to reject, and in the path of a rule also octets
// that are not UTF-8, and blanks. If valid is false, the line still counts as a
// user-agent line, or as an allow or disallow line, but it names no crawler and adds
// no rule.
func (s *recordsStage) check(k kind, value []byte) (_ kind, checked []byte, valid bool) {
	valid = true
	if i := slices.IndexFunc(value, isControl); i >= 0 {
		switch s[ControlOctets] {
		case ControlOctetsRefuseLine:
			valid = false
		case ControlOctetsDrop:
			value = slices.DeleteFunc(bytes.Clone(value), isControl)
		case ControlOctetsCut:
			value = trimBlanks(value[:i])
		case ControlOctetsRejectFile:
			return kindRefused, value, false
		}
	}
	if k == kindAgent {
		return k, value, valid
	}
	if !utf8.Valid(value) {
		switch s[InvalidUTF8] {
		case InvalidUTF8RefuseLine:
			valid = false
		case InvalidUTF8Latin1:
			var latin []byte
			for _, c := range value {
				latin = utf8.AppendRune(latin, rune(c))
			}
			value = latin
		case InvalidUTF8Drop:
			value = bytes.ToValidUTF8(value, nil)
		case InvalidUTF8Replace:
			value = bytes.ToValidUTF8(value, []byte("\uFFFD"))
		}
	}
	if i := bytes.IndexAny(value, " \t"); i >= 0 {
		switch s[BlankInPath] {
		case BlankInPathRefuseLine:
			valid = false
		case BlankInPathCut:
			value = value[:i]
		case BlankInPathCutAtTab:
			value, _, _ = bytes.Cut(value, []byte("\t"))
			value = trimBlanks(value)
		}
	}
	return k, value, valid
}

// isControl reports whether c is a control octet other than HTAB.
func isControl(c byte) bool { return c < ' ' && c != '\t' }

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

// equalFold compares like bytes.EqualFold but ignores the case of ASCII letters
// only. To bytes.EqualFold, U+212A (the Kelvin sign) would equal "k".
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
