package reference

import "bytes"

// A rule is an allow or disallow line that the file applies to crawlers.
type rule struct {
	value span
	line  int32
	// plain is the number of octets at the start of the value that only match
	// themselves.
	plain int32
	// pattern is an index into the file's patterns. It is -1 if the value is
	// compared unchanged, as nearly all values are. Then specials describes the
	// value itself.
	pattern int32
	specials
	allow bool
}

// A Rule is an allow or disallow line of a file.
type Rule struct {
	file *File
	rule
}

// Allow reports whether the rule is an allow rule and not a disallow rule.
func (r *Rule) Allow() bool { return r.allow }

// Line returns the 1-based line number of the rule in the file.
func (r *Rule) Line() int { return int(r.line) }

// Value returns the rule's path as written in the file.
func (r *Rule) Value() string { return string(r.file.at(r.value)) }

// Octets returns the specificity of the rule: the number of octets in its
// normalised path, including "*" and "$" (RFC 9309 section 2.2.2).
func (r *Rule) Octets() int { return r.file.octets(&r.rule) }

// Compared returns the rule's path in the form that is compared.
func (r *Rule) Compared() string {
	text, specials := r.file.compared(&r.rule)
	if specials.end {
		return string(text) + "$"
	}
	return string(text)
}

// octets returns the specificity of a rule.
func (f *File) octets(r *rule) int {
	if r.pattern >= 0 {
		return f.patterns[r.pattern].octets
	}
	return int(r.value.to - r.value.from)
}

// compared returns the path of a rule in the form that is compared, without an end
// mark.
func (f *File) compared(r *rule) ([]byte, specials) {
	if r.pattern >= 0 {
		p := &f.patterns[r.pattern]
		return p.text, p.specials
	}
	text := f.at(r.value)
	if r.end {
		text = text[:len(text)-1]
	}
	return text, r.specials
}

// isPattern reports whether a rule has a wildcard or an end mark.
func (f *File) isPattern(r *rule) bool {
	_, special := f.compared(r)
	return special.stars || special.end
}

// outweighsAll reports whether a rule outweighs every other.
func (f *File) outweighsAll(r *rule) bool { return r.pattern >= 0 && f.patterns[r.pattern].all }

// addRule reads the value of an allow or disallow line, and its class, as a rule and
// adds it to the file. It reports whether there is a rule.
func (f *File) addRule(allow bool, value []byte, class class, line int) bool {
	value = f.parser.patterns.value(value)
	r := rule{value: f.place(value), line: int32(line), allow: allow, pattern: -1}
	path := value
	if len(value) == 0 {
		switch s := &f.parser.patterns; {
		case s[EmptyValue] == EmptyValueAllowAll:
			r.allow = true
			f.setPattern(&r, pattern{all: true})
		case s[EmptyValue] == EmptyValueAllowSlash && !allow, s[EmptyValue] == EmptyValueAllowSlashForBoth:
			r.allow, path = true, []byte("/")
		case s[EmptyValue] == EmptyValueAnyPath:
		case s[EmptyValue] == EmptyValueTurnedRound:
			r.allow = !allow
		default:
			return false
		}
	}
	if len(path) > 0 && !f.setPath(&r, value, path, class) {
		return false
	}
	if _, special := f.compared(&r); f.parser.patterns.floats(special) {
		r.plain = 0
	}
	f.rules = append(f.rules, r)
	return true
}

// setPath reads the path of a rule, which is its value unless that is empty. class
// is the class of the value. It reports whether the path is valid.
func (f *File) setPath(r *rule, value, path []byte, class class) bool {
	s, paths := &f.parser.patterns, &f.parser.paths
	if path[0] != '/' {
		var ok bool
		if path, ok = s.begin(path); !ok {
			return false
		}
	}
	if paths.ignoreMalformed && hasMalformed(path) {
		return false
	}
	if paths.untilStable || paths.plusIsSpace || paths.text {
		path = []byte(paths.decoded(string(path)))
	}
	if paths.spoils {
		path = spoil(path)
	}
	if len(path) != len(value) {
		class = classOf(&paths.rule, path)
	}
	if class == 0 && len(path) == len(value) && s[IndexHTML] == IndexHTMLNone {
		r.plain = int32(len(path))
		return true // the path is compared unchanged, like nearly all
	}
	r.plain = int32(plain(&paths.rule, path))
	return f.addPattern(r, value, path, class)
}

// addPattern compiles the path of a rule. If the result differs from the value, it
// adds a pattern to the file. It reports whether the path is a valid pattern.
func (f *File) addPattern(r *rule, value, path []byte, class class) bool {
	s, paths := &f.parser.patterns, &f.parser.paths
	if class&classChanged != 0 {
		path = appendSpelled(&paths.rule, make([]byte, 0, len(path)+16), path, class)
	}
	var pat pattern
	if !s.compile(&pat, path) {
		return false
	}
	pat.octets = s.octets(value, path)
	pat.data = paths.either && class&(classData|classChanged) != 0
	if s[Dollar] == DollarEndOrLiteral && pat.end && (!pat.data || !hasData(pat.text)) {
		pat.literal = s.literal(path, '$')
	}
	if s[IndexHTML] != IndexHTMLNone {
		pat.directory = f.directoryOf(*r, path)
	}
	if pat.isValue(value) {
		r.specials = pat.specials
	} else {
		f.setPattern(r, pat)
	}
	return true
}

// setPattern adds a pattern to the file and assigns it to the rule.
func (f *File) setPattern(r *rule, pat pattern) {
	r.pattern, r.plain = int32(len(f.patterns)), 0
	f.patterns = append(f.patterns, pat)
}

// A span is the position of a value in the text of a file. Unlike a slice, it has
// no pointer, so that a file with many rules costs the garbage collector nothing.
type span struct{ from, to int32 }

// at returns the value at s.
func (f *File) at(s span) []byte { return f.text[s.from:s.to] }

// place returns the position of a value. The capacity of a value that is a slice of
// the body extends to the end of the body, so it gives the offset of the value.
// Other values are appended to the text.
func (f *File) place(value []byte) span {
	if len(value) == 0 {
		return span{}
	}
	at := len(f.body) - cap(value)
	if at < 0 || &f.body[at] != &value[0] {
		at = len(f.text)
		f.text = append(f.text, value...)
	}
	return span{int32(at), int32(at + len(value))}
}

// matching returns the rule if it matches the target, otherwise its directory rule
// if that matches, otherwise nil.
func (f *File) matching(r *rule, t *target) *rule {
	// Most rules differ from most paths in the last plain octet, so test it first.
	n := int(r.plain)
	if n > len(t.path) || n > 0 && t.path[n-1] != f.text[int(r.value.from)+n-1] {
		return nil
	}
	if f.matches(r, t) {
		return r
	}
	if r.pattern >= 0 && f.patterns[r.pattern].directory != nil {
		return f.matching(f.patterns[r.pattern].directory, t)
	}
	return nil
}

// matches reports whether a rule matches the target in one of its spellings.
func (f *File) matches(r *rule, t *target) bool {
	s := &f.parser.patterns
	text, special := f.compared(r)
	if r.pattern >= 0 {
		p := &f.patterns[r.pattern]
		if p.never {
			return false
		}
		if p.literal != nil && s.match(p.literal, specials{stars: special.stars}, t.inData()) {
			return true
		}
	}
	switch {
	case s.match(text, special, t.path):
		return true
	case special.data && t.escapes:
		return s.match(appendData(make([]byte, 0, 256), text), special, t.inData())
	}
	return t.data != nil && s.match(text, special, t.data)
}

// covers returns the greatest number of octets of the path that a matching rule
// can cover.
func (f *File) covers(r *rule, path []byte) int {
	text, special := f.compared(r)
	switch {
	case !f.parser.patterns.match(text, special, path): // another spelling matches
		return f.octets(r)
	case special.end || special.stars && text[len(text)-1] == '*':
		return len(path)
	case !special.stars:
		return len(text)
	}
	last := text[bytes.LastIndexByte(text, '*')+1:]
	return bytes.LastIndex(path, last) + len(last)
}
