package mutant

import (
	"strings"

	"github.com/repcheck/repcheck/impl/reference"
)

// The steps of a model without a fault, each beside the place that asks for it.

// firstLines keeps the lines that end within the first 500 KiB (section 2.5)
// and drops a byte order mark.
func firstLines(octets string) string { return firstLinesOf(octets, reference.ParsingLimit) }

func firstLinesOf(octets string, limit int) string {
	if len(octets) > limit {
		kept := octets[:limit]
		if next := octets[limit]; next != '\n' && next != '\r' {
			kept = kept[:strings.LastIndexAny(kept, "\r\n")+1]
		}
		octets = kept
	}
	return strings.TrimPrefix(octets, "\uFEFF")
}

// splitLines cuts at CR, LF and CR LF (production NL).
func splitLines(body string) []string {
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

// cutAt parts a line at a place, which it lacks if that is less than 0.
func cutAt(line string, at int) (key, value string, ok bool) {
	if at < 0 {
		return "", "", false
	}
	return line[:at], line[at+1:], true
}

// kindOf knows the keys of section 2.2 in any letter case.
func kindOf(key string) kind {
	switch lower(key) {
	case "user-agent":
		return isAgent
	case "allow":
		return isAllow
	case "disallow":
		return isDisallow
	}
	return isOther
}

// leadingToken is the product token that a value begins with, or the asterisk
// that it consists of (section 2.2.1).
func leadingToken(value string) string {
	if value == "*" {
		return value
	}
	return value[:len(value)-len(strings.TrimLeft(value, tokenOctets))]
}

const (
	letters     = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	tokenOctets = letters + "_-"
)

// combined returns the rules of all groups that name the crawler, or else of
// all groups for "*" (section 2.2.1).
func combined(m *model, groups []group, agent, _ string) (rules []*rule, found bool) {
	if rules, found = m.rulesFor(groups, func(name string) bool { return m.names(name, agent) }); found {
		return rules, true
	}
	return m.rulesFor(groups, isStar)
}

func isStar(name string) bool { return name == "*" }

// names reports whether a name in the file is that of the crawler.
func (m *model) names(name, agent string) bool {
	return name != "" && name != "*" && m.same(name, agent)
}

// rulesFor collects the rules of the groups with a name that fits.
func (m *model) rulesFor(groups []group, fits func(name string) bool) (rules []*rule, found bool) {
	for i := range groups {
		if groups[i].has(fits) {
			rules, found = append(rules, groups[i].rules...), true
		}
	}
	return rules, found
}

func (g *group) has(fits func(name string) bool) bool {
	for _, name := range g.names {
		if fits(name) {
			return true
		}
	}
	return false
}

// pathAndQuery is what of a URL is compared: RFC 3986, appendix B.
func pathAndQuery(url string) string {
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

const (
	digits     = "0123456789"
	unreserved = letters + digits + "-._~"
	reserved   = ":/?#[]@!$&'()*+,;="
)

// spell brings a path into the form that is compared (section 2.2.2): escapes
// of unreserved octets are decoded, the others put in capitals, and what no URI
// can hold is encoded, as are the octets of special.
func spell(path, special string) string {
	return respell(path, func(octet byte, escaped bool) string {
		switch {
		case escaped && strings.IndexByte(unreserved, octet) >= 0:
			return string(octet)
		case escaped, strings.IndexByte(special, octet) >= 0, strings.IndexByte(unreserved+reserved+"%", octet) < 0:
			return escape(octet)
		}
		return string(octet)
	})
}

// respell puts in place of each octet of a path, be it escaped or not, what the
// function says.
func respell(path string, of func(octet byte, escaped bool) string) string {
	if strings.Trim(path, unreserved+"/") == "" {
		return path // ordinary octets stand for themselves
	}
	var out strings.Builder
	for i := 0; i < len(path); i++ {
		if octet, ok := unescape(path[i:]); ok {
			out.WriteString(of(octet, true))
			i += 2
		} else {
			out.WriteString(of(path[i], false))
		}
	}
	return out.String()
}

// unescape returns the octet of the escape that s begins with.
func unescape(s string) (octet byte, ok bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	high, low := strings.IndexByte(hexDigits, upper(s[1])), strings.IndexByte(hexDigits, upper(s[2]))
	return byte(high<<4 | low), high >= 0 && low >= 0
}

const hexDigits = "0123456789ABCDEF"

func escape(octet byte) string {
	return "%" + hexDigits[octet>>4:octet>>4+1] + hexDigits[octet&15:octet&15+1]
}

// encodeData encodes the reserved octets of a spelled path that delimit
// nothing: figure 4 keeps the slashes of the path, the question mark and the
// equals sign. "*" and "$" are those of a pattern.
func encodeData(path string) string {
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

// encode encodes the reserved octets but for some.
func encode(text, but string) string {
	if !strings.ContainsAny(text, reserved) {
		return text
	}
	var out strings.Builder
	for i := range len(text) {
		if c := text[i]; strings.IndexByte(reserved, c) >= 0 && strings.IndexByte(but, c) < 0 {
			out.WriteString(escape(c))
		} else {
			out.WriteByte(c)
		}
	}
	return out.String()
}

// compile takes the "$" off the end and parts the rest at the stars (section
// 2.2.3). A "$" elsewhere is compared as URLs have it.
func compile(text string) (p pattern, ok bool) {
	text, p.end = strings.CutSuffix(text, "$")
	p.parts = strings.Split(strings.ReplaceAll(text, "$", "%24"), "*")
	return p, true
}

// prefixOrStars compares from the first octet on.
func prefixOrStars(m *model, p *pattern, path string) bool {
	rest, ok := strings.CutPrefix(path, p.parts[0])
	switch {
	case !ok:
		return false
	case len(p.parts) == 1:
		return !p.end || rest == ""
	}
	return m.stars(p.parts[1:], p.end, rest)
}

// inOrder finds the parts behind each star one after the other; the leftmost
// place of each leaves most room for the next.
func inOrder(parts []string, end bool, path string) bool {
	for _, part := range parts[:len(parts)-1] {
		i := strings.Index(path, part)
		if i < 0 {
			return false
		}
		path = path[i+len(part):]
	}
	last := parts[len(parts)-1]
	return end && strings.HasSuffix(path, last) || !end && strings.Contains(path, last)
}

// longest lets the rule with the most octets decide, an allow rule if two are
// alike, and allows where none matches (section 2.2.2).
func longest(m *model, matching []*rule) bool {
	most, allow := -1, true
	for _, r := range matching {
		if n := m.octets(r); n > most || n == most && r.allow {
			most, allow = n, r.allow
		}
	}
	return allow
}

// lower folds the letters of ASCII.
func lower(s string) string {
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
