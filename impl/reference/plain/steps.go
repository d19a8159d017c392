package plain

import (
	"slices"
	"strings"
)

// This file has the steps of a correct model, which replaced steps use too.

// limit is the number of octets to parse, 500 KiB (section 2.5).
const limit = 500 << 10

// FirstLines returns the lines that end within the first limit octets, without a
// byte order mark.
func FirstLines(octets string, limit int) string {
	if len(octets) > limit {
		kept := octets[:limit]
		if next := octets[limit]; next != '\n' && next != '\r' {
			kept = kept[:strings.LastIndexAny(kept, "\r\n")+1]
		}
		octets = kept
	}
	return strings.TrimPrefix(octets, "\uFEFF")
}

// SplitLines splits at CR, LF and CR LF (production NL).
func SplitLines(body string) []string {
	lines := strings.Split(body, "\n")
	if strings.IndexByte(body, '\r') < 0 {
		return lines
	}
	var all []string
	for i, line := range lines {
		if i < len(lines)-1 {
			line = strings.TrimSuffix(line, "\r")
		}
		all = append(all, strings.Split(line, "\r")...)
	}
	return all
}

// KindOf returns the kind of a key. It accepts the keys of section 2.2 in any
// letter case.
func KindOf(key string) Kind {
	switch Lower(key) {
	case "user-agent":
		return UserAgent
	case "allow":
		return Allow
	case "disallow":
		return Disallow
	}
	return Other
}

// LeadingToken returns the product token at the start of a value, or "*" if that
// is the whole value (section 2.2.1).
func LeadingToken(value string) string {
	if value == "*" {
		return value
	}
	return value[:len(value)-len(strings.TrimLeft(value, tokenOctets))]
}

// Letters are the letters of ASCII.
const (
	Letters     = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	tokenOctets = Letters + "_-"
)

// Combined returns the rules of all groups that name the crawler. If there are
// none, it returns the rules of all groups for "*" (section 2.2.1).
func Combined(m *Model, groups []Group, agent, _ string) (rules []*Rule, found bool) {
	if rules, found = m.RulesFor(groups, func(name string) bool { return m.Names(name, agent) }); found {
		return rules, true
	}
	return m.RulesFor(groups, IsStar)
}

// IsStar reports whether a name is the asterisk.
func IsStar(name string) bool { return name == "*" }

// Names reports whether a name in the file matches the crawler.
func (m *Model) Names(name, agent string) bool {
	return name != "" && name != "*" && m.Same(name, agent)
}

// RulesFor returns the rules of all groups with a name that fits.
func (m *Model) RulesFor(groups []Group, fits func(name string) bool) (rules []*Rule, found bool) {
	for i := range groups {
		if groups[i].Has(fits) {
			rules, found = append(rules, groups[i].Rules...), true
		}
	}
	return rules, found
}

// PathAndQuery returns the part of a URL that is compared (RFC 3986, appendix B).
func PathAndQuery(url string) string {
	url, _, _ = strings.Cut(url, "#")
	if i := strings.IndexAny(url, ":/?"); i > 0 && url[i] == ':' {
		url = url[i+1:]
	}
	if authority, ok := strings.CutPrefix(url, "//"); ok {
		url = strings.TrimLeftFunc(authority, func(c rune) bool { return c != '/' && c != '?' })
	}
	if url == "" || url[0] == '?' {
		return "/" + url
	}
	return url
}

// Sets of octets; Unreserved and Reserved are productions of RFC 3986.
const (
	Digits     = "0123456789"
	Unreserved = Letters + Digits + "-._~"
	Reserved   = ":/?#[]@!$&'()*+,;="
)

// Spell returns the form of a path that is compared (section 2.2.2). It decodes
// escapes of unreserved octets and writes other escapes in capitals. It encodes
// octets that are not valid in a URI, and the octets in special.
func Spell(path, special string) string {
	return Respell(path, func(octet byte, escaped bool) string {
		switch {
		case escaped && strings.IndexByte(Unreserved, octet) >= 0:
			return string(octet)
		case escaped, strings.IndexByte(special, octet) >= 0, strings.IndexByte(Unreserved+Reserved+"%", octet) < 0:
			return Escape(octet)
		}
		return string(octet)
	})
}

// Respell replaces each octet of a path, whether it is escaped or not, with the
// result of the function.
func Respell(path string, of func(octet byte, escaped bool) string) string {
	if strings.Trim(path, Unreserved+"/") == "" {
		return path // ordinary octets are not replaced
	}
	var out strings.Builder
	for i := 0; i < len(path); i++ {
		if octet, ok := Unescape(path[i:]); ok {
			out.WriteString(of(octet, true))
			i += 2
		} else {
			out.WriteString(of(path[i], false))
		}
	}
	return out.String()
}

// Unescape decodes the escape at the start of s.
func Unescape(s string) (octet byte, ok bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	high, low := strings.IndexByte(hexDigits, upper(s[1])), strings.IndexByte(hexDigits, upper(s[2]))
	return byte(high<<4 | low), high >= 0 && low >= 0
}

const hexDigits = "0123456789ABCDEF"

func Escape(octet byte) string {
	return "%" + hexDigits[octet>>4:octet>>4+1] + hexDigits[octet&15:octet&15+1]
}

// EncodeData encodes the reserved octets of a path that are not delimiters. Figure
// 4 keeps the slashes of the path, the question mark and the equals sign. "*" and
// "$" are kept too, because they are special characters of a pattern.
func EncodeData(path string) string {
	path, query, has := strings.Cut(path, "?")
	path = encode(path, "/*$")
	if !has {
		return path
	}
	parameters := strings.Split(query, "&")
	for i, p := range parameters {
		name, value, has := strings.Cut(p, "=")
		parameters[i] = encode(name, "*$")
		if has {
			parameters[i] += "=" + encode(value, "*$")
		}
	}
	return path + "?" + strings.Join(parameters, "&")
}

// encode encodes the reserved octets except those in but.
func encode(text, but string) string {
	if !strings.ContainsAny(text, Reserved) {
		return text
	}
	var out strings.Builder
	for i := range len(text) {
		if c := text[i]; strings.IndexByte(Reserved, c) >= 0 && strings.IndexByte(but, c) < 0 {
			out.WriteString(Escape(c))
		} else {
			out.WriteByte(c)
		}
	}
	return out.String()
}

// Compile removes a final "$" and splits the rest at the stars (section 2.2.3). A
// "$" elsewhere is written "%24", as in spelled URLs.
func Compile(text string) (p Pattern, ok bool) {
	text, p.End = strings.CutSuffix(text, "$")
	p.Parts = strings.Split(strings.ReplaceAll(text, "$", "%24"), "*")
	return p, true
}

// PrefixOrStars reports whether a path matches the pattern, from its first octet
// on.
func (m *Model) PrefixOrStars(p *Pattern, path string) bool {
	rest, ok := strings.CutPrefix(path, p.Parts[0])
	switch {
	case !ok:
		return false
	case len(p.Parts) == 1:
		return !p.End || rest == ""
	}
	return m.Stars(p.Parts[1:], p.End, rest)
}

// InOrder tries every position for the part after each star. A part may begin at
// or after any position where the previous part can end.
func InOrder(parts []string, end bool, path string) bool {
	ends := make([]bool, len(path)+1)
	ends[0] = true
	for _, part := range parts {
		next, reached := make([]bool, len(path)+1), false
		for at := range ends {
			reached = reached || ends[at]
			if reached && strings.HasPrefix(path[at:], part) {
				next[at+len(part)] = true
			}
		}
		ends = next
	}
	return end && ends[len(path)] || !end && slices.Contains(ends, true)
}

// Longest returns the verdict of the rule with the most octets. If several rules
// have the most, an allow rule wins. If no rule matches, the verdict is allow
// (section 2.2.2).
func (m *Model) Longest(matching []*Rule) bool {
	most, allow := -1, true
	for _, r := range matching {
		if n := m.Octets(r); n > most || n == most && r.Allow {
			most, allow = n, r.Allow
		}
	}
	return allow
}

// Lower converts ASCII letters to lower case.
func Lower(s string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, s)
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - ('a' - 'A')
	}
	return c
}
