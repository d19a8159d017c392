package reference

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A spelling brings one side, the rule or the URL, into the form that is
// compared.
type spelling struct {
	// class marks the octets that may need a change.
	class [256]class
	// encode marks the octets that are percent-encoded.
	encode [256]bool
	// decode marks the octets whose percent-encoded form is decoded.
	decode [256]bool
	// upper: hex digits become upper-case.
	upper bool
	// fold: letters become lower-case, except hex digits.
	fold bool
	// encodePercent: a "%" without two hex digits becomes "%25".
	encodePercent bool
	// escapeSpecials: a literal "*" or "$" is compared as %2A or %24.
	escapeSpecials bool
}

// A class is a set of properties of an octet. The class of a text is the union of
// the classes of its octets. It is empty for an ordinary path, so that one pass
// shows that the path can be compared unchanged.
type class uint8

const (
	// classChanged: the octet may be spelled differently when compared.
	classChanged class = 1 << iota
	// classData: the octet is reserved and not a slash, "*" or "$".
	classData
	// classSpecial: the octet is "*" or "$".
	classSpecial
	// classUnlisted: the octet is a blank, a control octet or not ASCII. The
	// grammar does not allow these in every value.
	classUnlisted
)

// pathsStage normalises the paths of rules and URLs (RFC 9309 section 2.2.2 and
// figure 4). It alone resolves its choices beforehand, into one table for rules
// and one for URLs.
type pathsStage struct {
	rule, url spelling
	// either: a reserved octet equals its percent-encoded form where it is data and
	// not a delimiter.
	either bool
	// ignoreMalformed: a rule with a malformed escape is ignored.
	ignoreMalformed bool
	// untilStable: escapes of escapes are decoded first.
	untilStable bool
	// plusIsSpace: a plus sign is compared as a space.
	plusIsSpace bool
	// spoils: making the hex digits of a rule upper-case clears a bit of 0 to 9, too
	// (HexCaseRuleSpoiled).
	spoils bool
	// text: escapes of octets that are not UTF-8 become U+FFFD.
	text bool
}

func resolvePaths(in Interpretation) pathsStage {
	s := pathsStage{
		either:          in[ReservedOctets] == ReservedOctetsEitherSpelling,
		ignoreMalformed: in[MalformedEscapes] == MalformedEscapesIgnoreRule,
		untilStable:     in[EscapePasses] == EscapePassesUntilStable,
		plusIsSpace:     in[PlusSign] == PlusSignSpace,
		spoils:          in[HexCase] == HexCaseRuleSpoiled,
		text:            in[EscapedText] == EscapedTextReplaced,
	}
	s.rule = resolveSpelling(in, in[RuleEscapes], in[RuleOctets])
	s.url = resolveSpelling(in, in[URLEscapes], in[URLOctets])
	s.rule.upper = in[HexCase] != HexCaseKeep
	s.url.upper = in[HexCase] == HexCaseBoth
	// In a rule "*" and "$" may be special, so the patterns stage decides there.
	s.url.escapeSpecials = in[LiteralSpecials] == LiteralSpecialsMatch
	if in[EscapedSpecials] == EscapedSpecialsSpecial {
		s.rule.decode['*'], s.rule.decode['$'] = true, true
	} else if in[Wildcards] == WildcardsSpecial {
		s.rule.decode['*'], s.rule.decode['$'] = false, false
	}
	if s.url.escapeSpecials {
		s.url.decode['*'], s.url.decode['$'] = false, false
		s.url.class['*'] |= classChanged
		s.url.class['$'] |= classChanged
	}
	return s
}

func resolveSpelling(in Interpretation, escapes, octets Choice) spelling {
	var s spelling
	for c := range 256 {
		b := byte(c)
		nonASCII := b >= 0x80
		s.encode[c] = octets == RuleOctetsEncodeNonASCII && nonASCII ||
			octets == RuleOctetsEncodeIllegal && (nonASCII || !isURI(b))
		switch escapes {
		case RuleEscapesDecodeUnreserved:
			s.decode[c] = unreserved[b]
		case RuleEscapesDecodeAllButSlash:
			// A literal "%" is always spelled %25, so that it begins no escape.
			s.decode[c] = b != '/' && b != '%'
		case RuleEscapesDecodeAll:
			s.decode[c] = true
		}
		if s.encode[c] || b == '%' {
			s.class[c] |= classChanged
		}
		if nonASCII || b <= ' ' {
			s.class[c] |= classUnlisted
		}
		if reserved[b] && b != '/' && b != '*' && b != '$' {
			s.class[c] |= classData
		}
	}
	s.class['$'] |= classSpecial
	s.class['*'] |= classSpecial
	s.encodePercent = in[MalformedEscapes] == MalformedEscapesEncodePercent || escapes == RuleEscapesDecodeAllButSlash
	if in[PathCase] == PathCaseInsensitive {
		s.fold = true
		for c := 'A'; c <= 'Z'; c++ {
			s.class[c] |= classChanged
		}
	}
	return s
}

// A target is the part of a URL that rules are compared with.
type target struct {
	path []byte
	// data is the path in which the reserved octets that are data are encoded; nil
	// if there are none.
	data []byte
	// escapes reports whether path or data has an escape.
	escapes bool
	// malformed reports whether the URL is not a URI. If so, no rule is compared.
	malformed bool
}

// A targetSpace is memory for a target. It is large enough for most paths, so that
// a decision about them allocates nothing.
type targetSpace struct{ plain, data [256]byte }

// target returns the target of a URL.
func (p *Parser) target(url string, space *targetSpace) target {
	path := space.plain[:0]
	rest, slash := p.urls.target(url)
	if slash {
		path = append(path, '/')
	}
	rest = p.paths.decoded(rest)
	class := classOf(&p.paths.url, rest)
	t := target{path: appendSpelled(&p.paths.url, path, rest, class)}
	t.malformed = p.urls[MalformedURL] != MalformedURLCompare && isMalformed(url)
	if p.paths.either && class&(classData|classChanged) != 0 && hasData(t.path) {
		t.data = appendData(space.data[:0], t.path)
	}
	t.escapes = t.data != nil || bytes.IndexByte(t.path, '%') >= 0
	return t
}

// decoded returns a path after the steps that come before its spelling. Nearly all
// interpretations have none.
func (s *pathsStage) decoded(path string) string {
	if s.untilStable {
		path = decodePasses(path)
	}
	if s.plusIsSpace {
		path = strings.ReplaceAll(path, "+", "%20")
	}
	if s.text {
		path = asText(path)
	}
	return path
}

// inData returns the path in which reserved octets that are data are encoded.
func (t *target) inData() []byte {
	if t.data != nil {
		return t.data
	}
	return t.path
}

// unreserved and reserved are the productions of RFC 3986 sections 2.3 and 2.2.
var unreserved, reserved = setOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"), setOf(":/?#[]@!$&'()*+,;=")

// setOf returns the set of the octets. It is a table for speed: every new parser
// looks up all 256 octets, and explaining one answer takes thousands of parsers.
func setOf(octets string) (set [256]bool) {
	for i := range len(octets) {
		set[octets[i]] = true
	}
	return set
}

// isURI reports whether c is valid in a URI.
func isURI(c byte) bool { return unreserved[c] || reserved[c] || c == '%' }

// classOf returns the class of a text.
func classOf[T string | []byte](s *spelling, text T) (c class) {
	for i := range len(text) {
		c |= s.class[text[i]]
	}
	return c
}

// plain returns the number of octets at the start of a text whose class is empty.
func plain(s *spelling, text []byte) int {
	for i, c := range text {
		if s.class[c] != 0 {
			return i
		}
	}
	return len(text)
}

// appendSpelled appends a text of class c to dst, in the form that is compared.
func appendSpelled[T string | []byte](s *spelling, dst []byte, text T, c class) []byte {
	if c&classChanged == 0 {
		return append(dst, text...)
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case s.class[c]&classChanged == 0:
			dst = append(dst, c)
		case c == '%':
			if !startsEscape(text[i+1:]) {
				if s.encodePercent {
					dst = append(dst, "%25"...)
				} else {
					dst = append(dst, '%')
				}
				continue
			}
			dst = s.appendEscape(dst, text[i+1], text[i+2])
			i += 2
		case s.encode[c] || s.escapeSpecials && (c == '*' || c == '$'):
			dst = appendPercent(dst, c)
		default: // a letter whose case is folded
			dst = append(dst, lower(c))
		}
	}
	return dst
}

// appendEscape appends the well-formed escape of the two hex digits.
func (s *spelling) appendEscape(dst []byte, high, low byte) []byte {
	octet := unhex(high)<<4 | unhex(low)
	switch {
	case s.decode[octet] && s.fold:
		return append(dst, lower(octet))
	case s.decode[octet]:
		return append(dst, octet)
	case s.upper:
		return appendPercent(dst, octet)
	}
	return append(dst, '%', high, low)
}

func appendPercent(dst []byte, octet byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(dst, '%', digits[octet>>4], digits[octet&15])
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= lower(c) && lower(c) <= 'f' }

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return lower(c) - 'a' + 10
}

// startsEscape reports whether text completes an escape when it follows a "%".
func startsEscape[T string | []byte](text T) bool {
	return len(text) > 1 && isHex(text[0]) && isHex(text[1])
}

// decodePasses decodes "%25" before two hex digits repeatedly, which turns
// "%252541" into "%41".
func decodePasses(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		b.WriteByte(text[i])
		if text[i] == '%' {
			for strings.HasPrefix(text[i+1:], "25") && startsEscape(text[i+3:]) {
				i += 2
			}
		}
	}
	return b.String()
}

// asText replaces escapes of octets beyond ASCII that are not UTF-8 with the escaped
// U+FFFD.
func asText(text string) string {
	var b []byte
	for i := 0; i < len(text); {
		var run []byte // the octets beyond ASCII that are escaped from i to end
		end := i
		for end < len(text) && text[end] == '%' && startsEscape(text[end+1:]) && unhex(text[end+1]) >= 8 {
			run = append(run, unhex(text[end+1])<<4|unhex(text[end+2]))
			end += len("%80")
		}
		if len(run) == 0 {
			end++
		}
		if utf8.Valid(run) {
			b = append(b, text[i:end]...)
		} else {
			for _, c := range bytes.ToValidUTF8(run, []byte("\uFFFD")) {
				b = appendPercent(b, c)
			}
		}
		i = end
	}
	return string(b)
}

// spoil clears the bit that distinguishes small letters in the digits of all escapes of
// a path that has a small one or an octet beyond ASCII.
func spoil(path []byte) []byte {
	isSmall := func(i int) bool {
		return path[i] == '%' && startsEscape(path[i+1:]) && (path[i+1] >= 'a' || path[i+2] >= 'a')
	}
	for i := range path {
		if path[i] < 0x80 && !isSmall(i) {
			continue
		}
		spoiled := bytes.Clone(path)
		for k := range path {
			if path[k] == '%' && startsEscape(path[k+1:]) {
				spoiled[k+1] &^= 'a' - 'A'
				spoiled[k+2] &^= 'a' - 'A'
			}
		}
		return spoiled
	}
	return path
}

// hasMalformed reports whether text has a "%" without two hex digits.
func hasMalformed[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i] == '%' && !startsEscape(text[i+1:]) {
			return true
		}
	}
	return false
}

// hasData reports whether appendData would change the normalised path.
func hasData(path []byte) bool {
	query, value := false, false
	for i := range len(path) {
		if c := path[i]; reserved[c] && !delimits(c, &query, &value) {
			return true
		}
	}
	return false
}

// appendData appends the normalised path and encodes its reserved octets, as
// section 2.2.2 requires, except the delimiters. Figure 4 keeps the slashes of the
// path, the "?" and the "=", and encodes "://" within a value.
func appendData(dst, path []byte) []byte {
	query, value := false, false
	for i := range len(path) {
		if c := path[i]; reserved[c] && !delimits(c, &query, &value) {
			dst = appendPercent(dst, c)
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

// delimits reports whether the reserved octet c is a delimiter at its position: a
// "/" of the path, the first "?", an "&" of the query, or the first "=" of a
// parameter. "*" and "$" count too, because only patterns still contain them here.
// query and value are the state between octets: whether the query and the value of
// a parameter have begun.
func delimits(c byte, query, value *bool) bool {
	switch {
	case c == '*' || c == '$':
		return true
	case !*query && c == '?':
		*query = true
		return true
	case !*query:
		return c == '/'
	case c == '&':
		*value = false
		return true
	case c == '=' && !*value:
		*value = true
		return true
	}
	return false
}
