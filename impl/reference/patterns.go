package reference

import (
	"bytes"
	"strings"
)

// A Rule is an allow or disallow line that holds for a crawler.
type Rule struct {
	pattern
	value []byte
	line  int32
	// octets is how specific the rule is.
	octets int32
	allow  bool
	// all marks a rule that outweighs every other (EmptyValueAllowAll).
	all bool
	// more is what few rules have; nil for the others.
	more *moreRule
}

// A moreRule is what a rule may be tried as when its pattern does not match.
type moreRule struct {
	// alternative is the pattern with the reserved octets that carry data
	// encoded; its text is nil if that is the same.
	alternative pattern
	// directory is the rule of the directory whose index file the rule
	// allows; nil if there is none.
	directory *Rule
}

// Allow tells an allow from a disallow rule.
func (r *Rule) Allow() bool { return r.allow }

// Line is the 1-based number of the rule's line in the file.
func (r *Rule) Line() int { return int(r.line) }

// Value is the rule's path as it stands in the file.
func (r *Rule) Value() string { return string(r.value) }

// Octets is how specific the rule is: the octets of its normalised path, "*"
// and "$" counted (RFC 9309 section 2.2.2).
func (r *Rule) Octets() int { return int(r.octets) }

// A pattern is matched against normalised paths.
type pattern struct {
	// text is the normalised path; where star >= 0 every "*" in it stands for
	// any octets.
	text []byte
	star int32
	// prefix is how many octets stand before the first star.
	prefix int32
	// end says that the match must reach the end of the path.
	end bool
	// never says that nothing can match.
	never bool
	// firstPlace says that where the last part is found first is where it
	// has to end the path.
	firstPlace bool
}

// patternsStage reads the value of a rule as a pattern (RFC 9309 section
// 2.2.3).
type patternsStage Interpretation

// rule reads the value of a rule as a pattern; ok is false if it is none.
func (p *Parser) rule(rule *Rule) (ok bool) {
	s := &p.patterns
	value := rule.value
	if len(value) == 0 {
		switch {
		case s[EmptyValue] == EmptyValueAllowAll:
			rule.allow, rule.all, rule.star = true, true, -1
			return true
		case s[EmptyValue] == EmptyValueAllowSlash && !rule.allow:
			rule.allow, value = true, []byte("/")
		case s[EmptyValue] == EmptyValueAnyPath:
			rule.star = -1
			return true
		case s[EmptyValue] == EmptyValueTurnedRound:
			rule.allow, rule.star = !rule.allow, -1
			return true
		default:
			return false
		}
	}
	if value, ok = s.begin(value); !ok || p.interpretation[MalformedEscapes] == MalformedEscapesIgnoreRule && hasMalformed(value) {
		return false
	}
	if p.interpretation[EscapePasses] == EscapePassesUntilStable {
		value = []byte(decodePasses(string(value)))
	}
	class := classOf(&p.paths.rule, value)
	normal := value
	if class&classChanged != 0 {
		normal = appendSpelled(&p.paths.rule, make([]byte, 0, len(value)+16), value, class)
	}
	if class == 0 {
		rule.text, rule.star, rule.prefix = normal, -1, int32(len(normal))
	} else if ok = s.compile(&rule.pattern, normal); !ok {
		return false
	}
	rule.octets = int32(len(normal))
	if s[Specificity] != SpecificityRuleOctets {
		rule.octets = int32(s.octets(rule.value, normal))
	}
	if p.interpretation[ReservedOctets] == ReservedOctetsEitherSpelling && class&(classData|classChanged) != 0 && hasData(rule.text) {
		data := appendData(make([]byte, 0, len(rule.text)+16), rule.text)
		rule.more = &moreRule{alternative: pattern{end: rule.end, never: rule.never}}
		s.setText(&rule.more.alternative, data)
	}
	if s[Dollar] == DollarEndOrLiteral && rule.end && rule.more == nil {
		rule.more = &moreRule{alternative: s.literalEnd(normal)}
	}
	if s[IndexHTML] != IndexHTMLNone {
		if directory := s.directoryOf(*rule, normal); directory != nil {
			rule.more = &moreRule{directory: directory}
		}
	}
	return true
}

// begin checks how the value begins: the grammar wants "/" (and, by erratum
// 7995 and the example of section 5.1, "*").
func (s *patternsStage) begin(value []byte) ([]byte, bool) {
	switch {
	case value[0] == '/':
		return value, true
	case value[0] == '*':
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

// compile finds the special characters of a normalised value.
func (s *patternsStage) compile(p *pattern, text []byte) (ok bool) {
	if i := bytes.IndexByte(text, '$'); i >= 0 {
		switch s[Dollar] {
		case DollarLastOnly, DollarEndOrLiteral:
			if text[len(text)-1] == '$' {
				text, p.end = text[:len(text)-1], true
			}
		case DollarFirstEnds:
			text, p.end = text[:i], true
		case DollarNeverMatches:
			// What follows the first "$" could only match behind the end.
			p.never = len(bytes.Trim(text[i:], "$")) > 0
			text, p.end = text[:i], true
		case DollarIgnoreRule:
			if i < len(text)-1 {
				return false
			}
			text, p.end = text[:i], true
		}
		if s[LiteralSpecials] == LiteralSpecialsMatch && bytes.IndexByte(text, '$') >= 0 {
			text = bytes.ReplaceAll(text, []byte("$"), []byte("%24"))
		}
	}
	if s[LiteralSpecials] == LiteralSpecialsMatch && s[Wildcards] == WildcardsLiteral {
		text = bytes.ReplaceAll(text, []byte("*"), []byte("%2A"))
	}
	s.setText(p, text)
	return true
}

// literalEnd returns the pattern in which the "$" at the end is an octet like
// others.
func (s *patternsStage) literalEnd(text []byte) (p pattern) {
	if s[LiteralSpecials] == LiteralSpecialsMatch {
		text = bytes.ReplaceAll(text, []byte("$"), []byte("%24"))
	}
	s.setText(&p, text)
	return p
}

// setText sets the text of a pattern whose end is known.
func (s *patternsStage) setText(p *pattern, text []byte) {
	p.text, p.star, p.prefix, p.firstPlace = text, -1, int32(len(text)), s[WildcardSearch] == WildcardSearchFirstPlace
	if s[Wildcards] == WildcardsLiteral {
		return
	}
	if i := bytes.IndexByte(text, '*'); i >= 0 {
		p.star, p.prefix = int32(i), int32(i)
	}
}

// octets returns how specific a rule is.
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

// directoryOf returns the rule for the directory whose index file an allow
// rule names (GCC-IX-1): up to the last slash, with the end marked, one octet
// more specific than that.
func (s *patternsStage) directoryOf(rule Rule, normal []byte) *Rule {
	i := bytes.LastIndexByte(normal, '/')
	if i < 0 || !s.isIndex(string(normal[i:]), rule.allow) {
		return nil
	}
	directory := rule
	directory.pattern, directory.more = pattern{}, nil
	if !s.compile(&directory.pattern, append(bytes.Clone(normal[:i+1]), '$')) {
		return nil
	}
	directory.octets = int32(i + 2)
	return &directory
}

// isIndex reports whether a rule with that last segment speaks for its
// directory too.
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

// differs reports whether one look tells that the pattern does not match: most
// rules differ from most paths in the last octet before the first star.
func (p *pattern) differs(path []byte) bool {
	n := int(p.prefix)
	return n > len(path) || n > 0 && path[n-1] != p.text[n-1]
}

// matches reports whether the pattern matches the path. Between two stars the
// leftmost place is always the best, so nothing is ever tried twice: the time
// is linear in path and pattern.
func (p *pattern) matches(path []byte) bool {
	n := int(p.prefix)
	if p.differs(path) || !bytes.Equal(path[:n], p.text[:n]) {
		return false
	}
	switch {
	case p.never:
		return false
	case p.star >= 0:
		return p.matchesStars(path[n:])
	}
	return !p.end || len(path) == n
}

// matchesStars matches what follows the literal start of the pattern.
func (p *pattern) matchesStars(path []byte) bool {
	rest := p.text[p.star+1:]
	for {
		star := bytes.IndexByte(rest, '*')
		if star < 0 {
			break
		}
		i := bytes.Index(path, rest[:star])
		if i < 0 {
			return false
		}
		path, rest = path[i+star:], rest[star+1:]
	}
	if p.end && p.firstPlace {
		i := bytes.Index(path, rest)
		return i >= 0 && i+len(rest) == len(path)
	}
	if p.end {
		return bytes.HasSuffix(path, rest)
	}
	return bytes.Contains(path, rest)
}

// covers returns how many octets of a path that it matches the pattern covers
// at most.
func (p *pattern) covers(path []byte) int {
	if p.end || p.star >= 0 && p.text[len(p.text)-1] == '*' {
		return len(path)
	}
	if p.star < 0 {
		return len(p.text)
	}
	last := p.text[bytes.LastIndexByte(p.text, '*')+1:]
	return bytes.LastIndex(path, last) + len(last)
}
