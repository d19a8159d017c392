package reference

import (
	"bytes"
	"strings"
)

// A Rule is an allow or disallow line that holds for a crawler.
type Rule struct {
	// Allow tells an allow from a disallow rule.
	Allow bool
	// Line is the 1-based number of the line in the file.
	Line int
	// Value is the path as it stands in the file.
	Value string
	// Octets is how specific the rule is: the octets of its normalised path,
	// "*" and "$" counted (RFC 9309 section 2.2.2).
	Octets int

	pattern
	// alternative is the pattern with the reserved octets that carry data
	// encoded; nil if that is the same.
	alternative *pattern
	// directory is the rule that stands in for an allow rule of an index file
	// that does not match; nil if there is none.
	directory *Rule
	// all marks a rule that outweighs every other (EmptyValueAllowAll).
	all bool
}

// A pattern is matched against normalised paths.
type pattern struct {
	// text is the normalised path; where star >= 0 every "*" in it stands for
	// any octets.
	text []byte
	star int
	// prefix is how many octets stand before the first star.
	prefix int
	// end says that the match must reach the end of the path.
	end bool
	// never says that nothing can match.
	never bool
}

// patternsStage reads the value of a rule as a pattern (RFC 9309 section
// 2.2.3). Points: FirstOctet, LeadingStar, Wildcards, Dollar, EmptyValue,
// IndexHTML, Specificity.
type patternsStage struct {
	first       Choice
	leadingStar Choice
	wildcards   Choice
	dollar      Choice
	emptyValue  Choice
	indexHTML   Choice
	specificity Choice
	// escapeSpecials says that a "*" or "$" that is not special is compared
	// as %2A or %24, as in URLs.
	escapeSpecials bool
}

func resolvePatterns(in Interpretation) patternsStage {
	return patternsStage{
		first:          in[FirstOctet],
		leadingStar:    in[LeadingStar],
		wildcards:      in[Wildcards],
		dollar:         in[Dollar],
		emptyValue:     in[EmptyValue],
		indexHTML:      in[IndexHTML],
		specificity:    in[Specificity],
		escapeSpecials: in[LiteralSpecials] == LiteralSpecialsMatch,
	}
}

// rule reads a line of the file as a rule; ok is false if it is none. The
// rule's texts are appended to space and are parts of what is returned of it.
func (p *Parser) rule(raw rawRule, space []byte) (rule Rule, _ []byte, ok bool) {
	s := &p.patterns
	rule = Rule{Allow: raw.allow, Line: raw.line, Value: raw.value}
	value := raw.value
	if value == "" {
		switch {
		case s.emptyValue == EmptyValueAllowAll:
			rule.Allow, rule.all, rule.pattern = true, true, pattern{star: -1}
			return rule, space, true
		case s.emptyValue == EmptyValueAllowSlash && !raw.allow:
			rule.Allow, value = true, "/"
		default:
			return rule, space, false
		}
	}
	if value, ok = s.begin(value); !ok {
		return rule, space, false
	}
	if p.paths.ignoreMalformed && hasMalformed(value) {
		return rule, space, false
	}
	from := len(space)
	space = p.paths.rule.append(space, value)
	normal := space[from:len(space):len(space)]
	if rule.pattern, ok = s.compile(normal); !ok {
		return rule, space, false
	}
	rule.Octets = s.octets(raw.value, normal)
	if p.paths.either && hasData(rule.text) {
		from = len(space)
		space = appendData(space, rule.text)
		alternative := s.pattern(space[from:len(space):len(space)], rule.end)
		alternative.never = rule.never
		rule.alternative = &alternative
	}
	if s.indexHTML == IndexHTMLGoogle && raw.allow {
		rule.directory = s.directoryOf(rule, normal)
	}
	return rule, space, true
}

// begin checks how the value begins: the grammar wants "/" (and, by erratum
// 7995 and the example of section 5.1, "*").
func (s *patternsStage) begin(value string) (string, bool) {
	switch {
	case value[0] == '/':
		return value, true
	case value[0] == '*':
		switch s.leadingStar {
		case LeadingStarAddSlash:
			return "/" + value, true
		case LeadingStarIgnoreRule:
			return value, false
		}
		return value, true
	}
	switch s.first {
	case FirstOctetAddSlash:
		return "/" + value, true
	case FirstOctetReduceURL:
		if _, rest, ok := strings.Cut(value, "://"); ok {
			if i := strings.IndexByte(rest, '/'); i >= 0 {
				return rest[i:], true
			}
			return "/", true
		}
		return "/" + value, true
	case FirstOctetKeep:
		return value, true
	}
	return value, false
}

// compile finds the special characters of a normalised value.
func (s *patternsStage) compile(text []byte) (p pattern, ok bool) {
	var end, never bool
	if i := bytes.IndexByte(text, '$'); i >= 0 {
		switch s.dollar {
		case DollarLastOnly:
			if text[len(text)-1] == '$' {
				text, end = text[:len(text)-1], true
			}
		case DollarFirstEnds:
			text, end = text[:i], true
		case DollarNeverMatches:
			// What follows the first "$" could only match behind the end.
			never = len(bytes.Trim(text[i:], "$")) > 0
			text, end = text[:i], true
		case DollarIgnoreRule:
			if i < len(text)-1 {
				return p, false
			}
			text, end = text[:i], true
		}
	}
	if s.escapeSpecials && bytes.IndexByte(text, '$') >= 0 {
		text = bytes.ReplaceAll(text, []byte("$"), []byte("%24"))
	}
	if s.escapeSpecials && s.wildcards == WildcardsLiteral {
		text = bytes.ReplaceAll(text, []byte("*"), []byte("%2A"))
	}
	p = s.pattern(text, end)
	p.never = never
	return p, true
}

// pattern returns the pattern of a text whose end is known.
func (s *patternsStage) pattern(text []byte, end bool) pattern {
	p := pattern{text: text, star: -1, end: end}
	if s.wildcards == WildcardsSpecial {
		p.star = bytes.IndexByte(text, '*')
	}
	p.prefix = len(text)
	if p.star >= 0 {
		p.prefix = p.star
	}
	return p
}

// octets returns how specific a rule is.
func (s *patternsStage) octets(written string, normal []byte) int {
	n := len(normal)
	switch s.specificity {
	case SpecificityAsWritten:
		return len(written)
	case SpecificityWithoutStars:
		return n - bytes.Count(normal, []byte("*"))
	case SpecificityWithoutDollar:
		return len(bytes.TrimSuffix(normal, []byte("$")))
	case SpecificityWithoutTrailingStar:
		return len(bytes.TrimRight(normal, "*"))
	}
	return n
}

// directoryOf returns the rule for the directory whose index file an allow
// rule names (GCC-IX-1): up to the last slash, with the end marked, one octet
// more specific than that.
func (s *patternsStage) directoryOf(rule Rule, normal []byte) *Rule {
	i := bytes.LastIndexByte(normal, '/')
	if i < 0 || !bytes.HasPrefix(normal[i:], []byte("/index.htm")) {
		return nil
	}
	directory := rule
	compiled, ok := s.compile(append(bytes.Clone(normal[:i+1]), '$'))
	if !ok {
		return nil
	}
	directory.pattern, directory.alternative = compiled, nil
	directory.Octets = i + 2
	return &directory
}

// matches reports whether the pattern matches the path. Between two stars the
// leftmost place is always the best, so nothing is ever tried twice: the time
// is linear in path and pattern.
func (p *pattern) matches(path []byte) bool {
	n := p.prefix
	// Most rules differ from most paths; one octet tells it at the least cost.
	if len(path) < n || n > 0 && path[n-1] != p.text[n-1] || !bytes.Equal(path[:n], p.text[:n]) {
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
