package mutant

import (
	"strings"
	"unicode/utf8"

	"github.com/repcheck/repcheck/impl/reference/plain"
)

// escapeFaults concern the normalization of rules and URLs (RFC 9309 section 2.2.2
// and figure 4).
var escapeFaults = []fault{
	{"non-ascii-dropped-from-rule", "RFC9309-2.2.2-12", "Octets beyond ASCII are dropped from rules.",
		value(onlyASCII),
		wronglyForbids("User-agent: FooBot\nDisallow: /é\n", "/a")},
	{"non-ascii-rule-refused", "RFC9309-2.2.2-12", "A rule with octets beyond ASCII is ignored.",
		value(func(v string) string { return cond(isASCII(v), v, "") }),
		wronglyAllows("User-agent: FooBot\nDisallow: /é\n", "/%C3%A9")},
	{"rule-in-latin-1", "RFC9309-2.2.2-12", "Characters up to U+00FF are encoded as one octet in rules.",
		value(inLatin1),
		wronglyAllows("User-agent: FooBot\nDisallow: /é\n", "/%C3%A9")},
	{"rule-in-utf-16", "RFC9309-2.2.2-12", "Characters of four octets are encoded as two surrogates in rules.",
		value(surrogates),
		wronglyAllows("User-agent: FooBot\nDisallow: /😀\n", "/%F0%9F%98%80")},
	{"non-ascii-dropped-from-url", "RFC9309-2.2.2-13", "Octets beyond ASCII are dropped from URLs.",
		target(onlyASCII),
		wronglyAllows("User-agent: FooBot\nDisallow: /%C3%A9\n", "/é")},
	{"query-not-encoded", "RFC9309-2.2.2-13", "Octets beyond ASCII are encoded in the path of a URL, but not in its query.",
		spellURL(spellQuery(identity)),
		wronglyAllows("User-agent: FooBot\nDisallow: /?%C3%A9\n", "/?é")},
	{"escapes-escaped-in-rule", "RFC9309-2.2.2-19d", "The percent signs of escapes are encoded in rules that have octets beyond ASCII.",
		value(func(v string) string { return cond(isASCII(v), v, strings.ReplaceAll(v, "%", "%25")) }),
		wronglyAllows("User-agent: FooBot\nDisallow: /é%20\n", "/%C3%A9%20")},
	{"escapes-escaped", "RFC9309-2.2.2-19d", "The percent signs of escapes are encoded in rules.",
		value(replace("%", "%25")),
		wronglyAllows("User-agent: FooBot\nDisallow: /%C3%A9\n", "/%C3%A9")},
	{"characters-compared", "RFC9309-2.2.2-19d", "A rule whose escapes are not valid UTF-8 is ignored.",
		compile(func(text string) (pattern, bool) {
			p, _ := plain.Compile(text)
			return p, utf8.ValidString(decode(text))
		}),
		wronglyAllows("User-agent: FooBot\nDisallow: /%E3%83\n", "/%E3%83%84")},

	{"letters-decoded-only", "RFC9309-2.2.2-15", "Only the escapes of letters and digits are decoded in a URL.",
		spellURL(func(t string) string { return keepEscapesOf("-._~", t) }),
		wronglyAllows("User-agent: FooBot\nDisallow: /-\n", "/%2D")},
	{"tilde-not-decoded", "RFC9309-2.2.2-15", "The escape of a tilde is not decoded.",
		spellURL(func(t string) string { return keepEscapesOf("~", t) }),
		wronglyAllows("User-agent: FooBot\nDisallow: /~\n", "/%7E")},
	{"query-not-decoded", "RFC9309-2.2.2-15", "Escapes are decoded in the path of a URL, but not in its query.",
		spellURL(spellQuery(func(query string) string { return keepEscapesOf(plain.Unreserved, query) })),
		wronglyAllows("User-agent: FooBot\nDisallow: /?a\n", "/?%61")},
	{"slash-decoded", "RFC9309-2.2.2-16", "An escaped slash is decoded in the URL.",
		target(replace("%2F", "/", "%2f", "/")),
		wronglyForbids("User-agent: FooBot\nDisallow: /a/b\n", "/a%2Fb")},
	{"slash-decoded-in-rule", "RFC9309-2.2.2-16", "An escaped slash is decoded in rules.",
		value(replace("%2F", "/", "%2f", "/")),
		wronglyForbids("User-agent: FooBot\nDisallow: /a%2Fb\n", "/a/b")},
	{"hash-decoded", "RFC9309-2.2.2-16", "An escaped hash sign in the URL begins a fragment.",
		wholeURL(func(url string) string { return plain.PathAndQuery(strings.ReplaceAll(url, "%23", "#")) }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a%23b\n", "/a%23b")},
	{"hash-decoded-in-rule", "RFC9309-2.2.2-16", "An escaped hash sign in a rule begins a comment.",
		value(before("%23")),
		wronglyForbids("User-agent: FooBot\nDisallow: /a%23b\n", "/a")},
	{"delimiters-decoded", "RFC9309-2.2.2-16", "Escapes of the equals sign, ampersand, semicolon and at sign are decoded in the URL, so rules that have them do not match.",
		steps(target(replace("%3D", "=", "%26", "&", "%3B", ";", "%40", "@")), data(identity)),
		wronglyAllows("User-agent: FooBot\nDisallow: /a%3Bb\n", "/a%3Bb")},
	{"escaped-space-refused", "RFC9309-2.2.2-17", "A rule with an escaped space or quotation mark is ignored.",
		value(func(v string) string { return cond(strings.Contains(v, "%20") || strings.Contains(v, "%22"), "", v) }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a%20b\n", "/a%20b")},
	{"plus-is-space", "RFC9309-2.2.2-17", "A plus sign in the query counts as an escaped space.",
		ruleAndURL(plusIsSpace),
		wronglyForbids("User-agent: FooBot\nDisallow: /?a+b\n", "/?a%20b")},
	{"decoded-twice", "RFC9309-2.2.2-17", "The URL is decoded twice.",
		target(replace("%25", "%")),
		wronglyForbids("User-agent: FooBot\nDisallow: /a\n", "/%2561")},
	{"percent-decoded", "RFC9309-2.2.2-17", "An escaped percent sign is decoded in rules and URLs.",
		ruleAndURL(replace("%25", "%")),
		wronglyForbids("User-agent: FooBot\nDisallow: /%2561\n", "/a")},

	{"reserved-encoded-in-rule", "RFC9309-2.2.2-14", "Reserved octets of a query value are encoded in rules, but not in URLs.",
		steps(spellRule(func(v string) string { return plain.EncodeData(plain.Spell(v, "")) }), data(identity)),
		wronglyAllows("User-agent: FooBot\nDisallow: /a?b=c://d\n", "/a?b=c://d")},
	{"reserved-encoded-in-url", "RFC9309-2.2.2-14", "Reserved octets of a query value are encoded in URLs, but not in rules.",
		steps(spellURL(func(t string) string { return plain.EncodeData(plain.Spell(t, "*$")) }), data(identity)),
		wronglyAllows("User-agent: FooBot\nDisallow: /a?b=c://d\n", "/a?b=c://d")},
	{"reserved-dropped", "RFC9309-2.2.2-19b", "Colons and slashes of a query value are dropped.",
		data(dropData),
		wronglyForbids("User-agent: FooBot\nDisallow: /a?b=c://d\n", "/a?b=cd")},
	{"query-delimiters-encoded", "RFC9309-2.2.2-19a", "The question mark is encoded in rules.",
		spellRule(func(v string) string { return strings.ReplaceAll(plain.Spell(v, ""), "?", "%3F") }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a?b\n", "/a?b")},
	{"equals-sign-encoded", "RFC9309-2.2.2-19a", "The equals sign is encoded in rules.",
		steps(spellRule(func(v string) string { return strings.ReplaceAll(plain.Spell(v, ""), "=", "%3D") }), data(identity)),
		wronglyAllows("User-agent: FooBot\nDisallow: /a?b=c\n", "/a?b=c")},
	{"question-mark-escape-delimits", "RFC9309-2.2.2-16", "An escaped question mark begins the query.",
		ruleAndURL(replace("%3F", "?")),
		wronglyForbids("User-agent: FooBot\nDisallow: /a?b\n", "/a%3Fb")},

	{"escaped-star-differs", "RFC9309-2.2.3-4", "An escaped asterisk in a rule matches only another escape.",
		spellURL(func(t string) string { return plain.Spell(t, "$") }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a%2A\n", "/a*")},
	{"escaped-dollar-differs", "RFC9309-2.2.3-5", "An escaped dollar sign in a rule matches only another escape.",
		spellURL(func(t string) string { return plain.Spell(t, "*") }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a%24\n", "/a$")},
	{"escaped-dollar-special", "RFC9309-2.2.3-5", "An escaped dollar sign at the end of a rule marks the end of the URL.",
		spellRule(func(v string) string {
			text := plain.Spell(v, "")
			return cond(strings.HasSuffix(text, "%24"), strings.TrimSuffix(text, "%24")+"$", text)
		}),
		wronglyForbids("User-agent: FooBot\nDisallow: /a%24\n", "/a")},
}

func identity(path string) string { return path }

func onlyASCII(s string) string {
	return strings.Map(func(c rune) rune { return cond(c < utf8.RuneSelf, c, -1) }, s)
}

func inLatin1(value string) string {
	var out []byte
	for _, c := range value {
		if c < 0x100 {
			out = append(out, byte(c))
		} else {
			out = utf8.AppendRune(out, c)
		}
	}
	return string(out)
}

func surrogates(value string) string {
	var out strings.Builder
	for i := 0; i < len(value); {
		c, size := utf8.DecodeRuneInString(value[i:]) // an octet that is no UTF-8 has size 1
		i += size
		if c <= 0xFFFF {
			out.WriteString(value[i-size : i])
			continue
		}
		for _, half := range []rune{0xD800 + (c-0x10000)>>10, 0xDC00 + (c-0x10000)&0x3FF} {
			out.Write([]byte{0xED, 0x80 | byte(half>>6&0x3F), 0x80 | byte(half&0x3F)})
		}
	}
	return out.String()
}

// decode decodes all escapes.
func decode(path string) string {
	var out []byte
	for i := 0; i < len(path); i++ {
		if octet, ok := plain.Unescape(path[i:]); ok {
			out = append(out, octet)
			i += 2
		} else {
			out = append(out, path[i])
		}
	}
	return string(out)
}

// keepEscapesOf spells a URL but keeps the escapes of some octets.
func keepEscapesOf(octets, target string) string {
	return plain.Respell(target, func(octet byte, escaped bool) string {
		switch {
		case escaped && strings.IndexByte(plain.Unreserved, octet) >= 0 && strings.IndexByte(octets, octet) < 0:
			return string(octet)
		case escaped, octet == '*', octet == '$', strings.IndexByte(plain.Unreserved+plain.Reserved+"%", octet) < 0:
			return plain.Escape(octet)
		}
		return string(octet)
	})
}

// spellQuery spells the path of a target correctly and changes its query.
func spellQuery(edit func(query string) string) func(target string) string {
	return eachPart(func(path string) string { return plain.Spell(path, "*$") }, edit)
}

// inQuery changes the query only.
func inQuery(edit func(query string) string) func(string) string { return eachPart(identity, edit) }

func eachPart(ofPath, ofQuery func(string) string) func(string) string {
	return func(target string) string {
		path, query, has := strings.Cut(target, "?")
		return ofPath(path) + cond(has, "?"+ofQuery(query), "")
	}
}

var (
	plusIsSpace = inQuery(replace("+", "%20"))
	dropData    = inQuery(replace(":", "", "/", "", "%3A", "", "%2F", ""))
)
