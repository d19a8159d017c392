package reference

import "strings"

// A spelling is how one side, the rule or the URL, is brought into the form
// that is compared.
type spelling struct {
	// class tells the octets apart that need a closer look.
	class [256]class
	// encode marks the octets that are percent-encoded.
	encode [256]bool
	// decode marks the octets whose percent-encoded form is decoded.
	decode [256]bool
	// upper says that hex digits are made upper-case.
	upper bool
	// fold says that letters are made lower-case.
	fold bool
	// encodePercent says that a "%" without two hex digits becomes "%25".
	encodePercent bool
	// escapeSpecials says that a literal "*" or "$" is compared as %2A or %24.
	escapeSpecials bool
}

// A class is a set of reasons to look closer at a text; that of a text is the
// union of those of its octets, so that one pass over an ordinary path finds
// that there are none.
type class uint8

const (
	// classChanged: the octet may not stand for itself.
	classChanged class = 1 << iota
	// classData: the octet is reserved, and no slash.
	classData
	// classDollar: the octet is "$".
	classDollar
	// classStar: the octet is "*".
	classStar
)

// pathsStage brings the paths of rules and URLs into one spelling (RFC 9309
// section 2.2.2, figure 4).
type pathsStage struct {
	rule, url spelling
}

func resolvePaths(in Interpretation) pathsStage {
	var s pathsStage
	s.rule = resolveSpelling(in, in[RuleEscapes], in[RuleOctets])
	s.url = resolveSpelling(in, in[URLEscapes], in[URLOctets])
	s.rule.upper = in[HexCase] != HexCaseKeep
	s.url.upper = in[HexCase] == HexCaseBoth
	// In a rule "*" and "$" may be special, so the pattern stage decides there.
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

// resolveSpelling takes the choices of RuleEscapes and RuleOctets, or those of
// URLEscapes and URLOctets, which are the same.
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
			// An octet "%" has one spelling, %25, so that it begins no escape.
			s.decode[c] = b != '/' && b != '%'
		case RuleEscapesDecodeAll:
			s.decode[c] = true
		}
		if s.encode[c] || b == '%' {
			s.class[c] |= classChanged
		}
		if reserved[b] && b != '/' && b != '*' && b != '$' {
			s.class[c] |= classData
		}
	}
	s.class['$'] |= classDollar
	s.class['*'] |= classStar
	s.encodePercent = in[MalformedEscapes] == MalformedEscapesEncodePercent || escapes == RuleEscapesDecodeAllButSlash
	if in[PathCase] == PathCaseInsensitive {
		s.fold = true
		for c := 'A'; c <= 'Z'; c++ {
			s.class[c] |= classChanged
		}
	}
	return s
}

// unreserved is the production of that name of RFC 3986 section 2.3, reserved
// that of section 2.2.
var unreserved, reserved = setOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"), setOf(":/?#[]@!$&'()*+,;=")

// setOf returns the set of the octets. A parser looks up all 256 of them, and
// thousands of parsers are made to explain one answer.
func setOf(octets string) (set [256]bool) {
	for i := range len(octets) {
		set[octets[i]] = true
	}
	return set
}

// isURI reports whether a URI can hold c.
func isURI(c byte) bool { return unreserved[c] || reserved[c] || c == '%' }

// classOf returns the class of a text.
func classOf[T string | []byte](s *spelling, text T) (c class) {
	for i := range len(text) {
		c |= s.class[text[i]]
	}
	return c
}

// appendSpelled appends the form in which a text of class c is compared.
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
			dst = s.appendEncoded(dst, c)
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
	case s.upper || s.fold:
		return s.appendEncoded(dst, octet)
	}
	return append(dst, '%', high, low)
}

func (s *spelling) appendEncoded(dst []byte, octet byte) []byte {
	dst = appendPercent(dst, octet)
	if s.fold {
		n := len(dst)
		dst[n-2], dst[n-1] = lower(dst[n-2]), lower(dst[n-1])
	}
	return dst
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

// startsEscape reports whether text, behind a "%", makes it an escape.
func startsEscape[T string | []byte](text T) bool {
	return len(text) > 1 && isHex(text[0]) && isHex(text[1])
}

// decodePasses decodes %25 before two hex digits, again and again, which leaves
// of "%2525…41" the first and the last octets.
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

// hasMalformed reports whether text has a "%" without two hex digits.
func hasMalformed(text []byte) bool {
	for i := range len(text) {
		if text[i] == '%' && !startsEscape(text[i+1:]) {
			return true
		}
	}
	return false
}

// hasData reports whether appendData would change anything in the normalised
// path. Special characters of a rule do not count.
func hasData(path []byte) bool {
	query, value := false, false
	for i := range len(path) {
		if c := path[i]; reserved[c] && !delimits(c, &query, &value) {
			return true
		}
	}
	return false
}

// appendData appends the normalised path with its reserved octets encoded, as
// section 2.2.2 asks, but for those that delimit: figure 4 keeps the slashes
// of the path, the "?" and the "=", and encodes "://" within a value.
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

// delimits reports whether the reserved octet c is a delimiter where it
// stands: the path's "/", the first "?", the query's "&", the first "=" of a
// parameter; and "*" and "$", which only a pattern still has here. query and
// value keep where in the path one is.
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
