package reference

import (
	"bytes"
	"strings"
)

// specials describes the special octets of a path.
type specials struct {
	// stars: the path has stars, and they match any octets.
	stars bool
	// end: the match must reach the end of the URL.
	end bool
	// data: the path has reserved octets. If they are data and not delimiters, it has
	// a second spelling in which they are encoded.
	data bool
}

// A pattern is the path of a rule that is not compared unchanged.
type pattern struct {
	// text is the normalised path without an end mark.
	text []byte
	specials
	// literal is the path in which the end mark is an ordinary octet. It is not nil
	// if that may match too (DollarEndOrLiteral).
	literal []byte
	// never: the pattern matches nothing.
	never bool
	// all marks the pattern of a rule that outweighs every other
	// (EmptyValueAllowAll).
	all bool
	// octets is the specificity.
	octets int
	// directory is the rule for the directory whose index file the rule allows;
	// nil if there is none.
	directory *rule
}

// isValue reports whether the pattern equals the value, apart from an end mark.
func (p *pattern) isValue(value []byte) bool {
	rest, ok := bytes.CutPrefix(value, p.text)
	return ok && (!p.end && len(rest) == 0 || p.end && string(rest) == "$") &&
		!p.never && p.octets == len(value) && p.literal == nil && p.directory == nil
}

// patternsStage reads the value of a rule as a pattern (RFC 9309 section
// 2.2.3).
type patternsStage Interpretation

// value returns the value of a rule, which may count as empty.
func (s *patternsStage) value(value []byte) []byte {
	if s[LeadingStar] == LeadingStarLoneIsEmpty && len(bytes.Trim(value, "*")) == 0 {
		return nil
	}
	return value
}

// begin handles a value that does not begin with "/", as the grammar requires. By
// erratum 7995 and the example in section 5.1, it also derives "*".
func (s *patternsStage) begin(value []byte) ([]byte, bool) {
	if value[0] == '*' {
		switch s[LeadingStar] {
		case LeadingStarAddSlash:
			return append([]byte("/"), value...), true
		case LeadingStarIgnoreRule:
			return value, false
		}
		return value, true
	}
	switch s[FirstOctet] {
	case FirstOctetAddSlash:
		return append([]byte("/"), value...), true
	case FirstOctetReduceURL:
		if _, rest, ok := bytes.Cut(value, []byte("://")); ok {
			if i := bytes.IndexByte(rest, '/'); i >= 0 {
				return rest[i:], true
			}
			return []byte("/"), true
		}
		return append([]byte("/"), value...), true
	case FirstOctetKeep:
		return value, true
	}
	return value, false
}

// compile finds the special characters in a normalised path.
func (s *patternsStage) compile(p *pattern, text []byte) (ok bool) {
	end := false
	if i := bytes.IndexByte(text, '$'); i >= 0 {
		switch s[Dollar] {
		case DollarLastOnly, DollarEndOrLiteral:
			if text[len(text)-1] == '$' {
				text, end = text[:len(text)-1], true
			}
		case DollarFirstEnds:
			text, end = text[:i], true
		case DollarNeverMatches:
			// Anything but "$" after the first "$" would have to match after the end.
			p.never = len(bytes.Trim(text[i:], "$")) > 0
			text, end = text[:i], true
		case DollarIgnoreRule:
			if i < len(text)-1 {
				return false
			}
			text, end = text[:i], true
		}
		text = s.literal(text, '$')
	}
	if s[Wildcards] == WildcardsLiteral {
		text = s.literal(text, '*')
	}
	p.text, p.end = text, end
	p.stars = s[Wildcards] != WildcardsLiteral && bytes.IndexByte(text, '*') >= 0
	return true
}

// literal returns the form of the text that is compared if c is an ordinary octet.
func (s *patternsStage) literal(text []byte, c byte) []byte {
	if s[LiteralSpecials] != LiteralSpecialsMatch || bytes.IndexByte(text, c) < 0 {
		return text
	}
	return bytes.ReplaceAll(text, []byte{c}, appendPercent(nil, c))
}

// octets returns the specificity of a rule.
func (s *patternsStage) octets(written, normal []byte) int {
	switch s[Specificity] {
	case SpecificityAsWritten:
		return len(written)
	case SpecificityWithoutStars:
		return len(normal) - bytes.Count(normal, []byte("*"))
	case SpecificityWithoutDollar:
		return len(bytes.TrimSuffix(normal, []byte("$")))
	case SpecificityWithoutTrailingStar:
		return len(bytes.TrimRight(normal, "*"))
	case SpecificityRegexpOctets:
		return regexpOctets(bytes.TrimRight(normal, "*"))
	case SpecificityDecodedOctets:
		n := len(normal)
		for i := range normal {
			if normal[i] == '%' && startsEscape(normal[i+1:]) {
				n -= 2
			}
		}
		return n
	}
	return len(normal)
}

// regexpOctets returns the length of the regular expression for a path, in which ".*"
// stands for "*". A path without wildcards needs none.
func regexpOctets(path []byte) int {
	if !bytes.ContainsAny(path, "*$") {
		return len(path)
	}
	n := len(path)
	for _, c := range path {
		if strings.IndexByte(`*\.+?()|[]{}^`, c) >= 0 {
			n++ // ".*", or a backslash in front
		}
	}
	return n
}

// directoryOf returns the rule for the directory whose index file an allow rule
// names (GCC-IX-1): the path up to the last slash, followed by an end mark, which
// counts as one octet. It returns nil if the rule names no index file.
func (f *File) directoryOf(r rule, path []byte) *rule {
	s := &f.parser.patterns
	i := bytes.LastIndexByte(path, '/')
	if i < 0 || !s.isIndex(string(path[i:]), r.allow) {
		return nil
	}
	directory := pattern{octets: i + 2}
	if !s.compile(&directory, path[:i+1]) {
		return nil
	}
	directory.end = true
	f.setPattern(&r, directory)
	return &r
}

// isIndex reports whether a rule that ends in the segment applies to its directory
// too.
func (s *patternsStage) isIndex(segment string, allow bool) bool {
	switch s[IndexHTML] {
	case IndexHTMLGoogle:
		return allow && strings.HasPrefix(segment, "/index.htm")
	case IndexHTMLAnyIndex:
		return segment == "/index.htm" || segment == "/index.html"
	case IndexHTMLOnly:
		return allow && segment == "/index.html"
	}
	return false
}

// match reports whether the text of a rule matches the path. For a part between
// two stars the leftmost match is always the best, so no position is tried twice
// and the time is linear in text and path.
func (s *patternsStage) match(text []byte, special specials, path []byte) bool {
	if s[Wildcards] == WildcardsOneOrMore && special.stars && !special.end {
		text = bytes.TrimRight(text, "*")
		special.stars = bytes.IndexByte(text, '*') >= 0
	}
	if s.floats(special) {
		return s.finds(text, special, path)
	}
	if !special.stars {
		return bytes.HasPrefix(path, text) && (!special.end || len(path) == len(text))
	}
	part, text, _ := bytes.Cut(text, []byte("*"))
	path, ok := bytes.CutPrefix(path, part)
	return ok && s.finds(text, special, path)
}

// floats reports whether the path of a rule may match anywhere in that of a URL.
func (s *patternsStage) floats(special specials) bool {
	switch s[WildcardSearch] {
	case WildcardSearchAnywhere:
		return true
	case WildcardSearchPatternAnywhere:
		return special.stars || special.end
	}
	return false
}

// finds reports whether the text of a rule occurs in the path.
func (s *patternsStage) finds(text []byte, special specials, path []byte) bool {
	least := 0 // octets that a star matches
	if s[Wildcards] == WildcardsOneOrMore && special.stars {
		least = 1
	}
	for special.stars {
		part, further, ok := bytes.Cut(text, []byte("*"))
		if !ok {
			break
		}
		i := s.index(path, part, least)
		if i < 0 {
			return false
		}
		path, text = path[i+len(part):], further
	}
	first := s[WildcardSearch] == WildcardSearchFirstPlace || s[WildcardSearch] == WildcardSearchFirstOctet && len(text) > 0
	if special.end && !first {
		return len(path) >= len(text)+least && bytes.HasSuffix(path, text)
	}
	i := s.index(path, text, least)
	return i >= 0 && (!special.end || i+len(text) == len(path))
}

// index returns the first place of a part of a rule, at or after from, or -1 if there
// is none.
func (s *patternsStage) index(path, part []byte, from int) int {
	if from > len(path) {
		return -1
	}
	var i int
	if s[WildcardSearch] == WildcardSearchFirstOctet && len(part) > 0 {
		i = bytes.IndexByte(path[from:], part[0])
		if i >= 0 && !bytes.HasPrefix(path[from+i:], part) {
			return -1
		}
	} else {
		i = bytes.Index(path[from:], part)
	}
	if i < 0 {
		return -1
	}
	return from + i
}
