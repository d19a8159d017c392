package mutant

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/repcheck/repcheck/impl/reference/plain"
)

// recordFaults concern the key and the value of a line (RFC 9309 sections 2.2 and
// 2.2.3).
var recordFaults = []fault{
	{"leading-blank-refused", "RFC9309-ABNF-rule", "A line that begins with a blank is not read.",
		eachLine(func(l string) string { return cond(startsBlank(l), "#", l) }),
		wronglyAllows("User-agent: FooBot\n Disallow: /a\n", "/a")},
	{"trailing-blank-kept", "RFC9309-ABNF-EOL", "Blanks after a value belong to it.",
		eachLine(keepBlanks),
		wronglyAllows("User-agent: FooBot\nDisallow: /a \n", "/a")},
	{"tab-not-trimmed", "RFC9309-ABNF-WS", "Only spaces are blanks.",
		func(m *model) { m.Blanks = " " },
		wronglyAllows("User-agent: FooBot\nDisallow:\t/a\n", "/a")},
	{"one-blank-trimmed", "RFC9309-ABNF-rule", "Only one blank is skipped after the colon.",
		split(oneBlank),
		wronglyAllows("User-agent: FooBot\nDisallow:  /a\n", "/a")},
	{"blank-after-colon-demanded", "RFC9309-ABNF-rule", "A line without a blank after its colon is not read.",
		split(func(line string) (string, string, bool) {
			key, value, ok := strings.Cut(line, ":")
			return key, value, ok && startsBlank(value)
		}),
		wronglyAllows("User-agent: FooBot\nDisallow:/a\n", "/a")},
	{"last-colon-parts", "RFC9309-ABNF-rule", "The last colon of a line separates key and value.",
		split(func(line string) (string, string, bool) {
			at := max(strings.LastIndexByte(line, ':'), 0)
			return line[:at], strings.TrimPrefix(line[at:], ":"), strings.Contains(line, ":")
		}),
		wronglyAllows("User-agent: FooBot\nDisallow: /a:b\n", "/a:b")},
	{"second-colon-ends-value", "RFC9309-ABNF-rule", "The value of a rule ends before a second colon.",
		value(before(":")),
		wronglyForbids("User-agent: FooBot\nDisallow: /a:b\n", "/a")},
	{"key-case-sensitive", "RFC9309-ABNF-rule", "Keys are known in one letter case only.",
		key(func(key string) kind {
			if key != "User-agent" && key != "User-Agent" && key != "Disallow" && key != "Allow" {
				return plain.Other
			}
			return plain.KindOf(key)
		}),
		wronglyAllows("User-agent: FooBot\nDISALLOW: /a\n", "/a")},
	{"key-in-key", "RFC9309-2.2.4-3", "A key that contains a known key counts as that key.",
		keyWith(strings.Contains),
		wronglyForbids("User-agent: FooBot\nX-Disallow: /a\n", "/a")},
	{"key-at-the-end", "RFC9309-2.2.4-3", "A key that ends in a known key counts as that key.",
		keyWith(strings.HasSuffix),
		wronglyForbids("User-agent: FooBot\nX-Disallow: /a\n", "/a")},
	{"quoted-key", "RFC9309-ABNF-rule", "Quotation marks around a key are dropped.",
		key(func(key string) kind { return plain.KindOf(strings.Trim(key, `"'`)) }),
		wronglyForbids("User-agent: FooBot\n\"Disallow\": /a\n", "/a")},
	{"list-marks-dropped", "RFC9309-ABNF-rule", "A hyphen or an asterisk in front of a key is dropped.",
		key(func(key string) kind { return plain.KindOf(strings.TrimLeft(key, "-* ")) }),
		wronglyForbids("User-agent: FooBot\n- Disallow: /a\n", "/a")},
	{"noindex-forbids", "RFC9309-2.1-2", "A noindex line is a disallow rule.",
		key(func(key string) kind { return cond(plain.Lower(key) == "noindex", plain.Disallow, plain.KindOf(key)) }),
		wronglyForbids("User-agent: FooBot\nNoindex: /a\n", "/a")},
	{"any-path-forbids", "RFC9309-2.1-2", "A record with an unknown key and a path as its value is a disallow rule.",
		pathForbids(plain.Other),
		wronglyForbids("User-agent: FooBot\nForbid: /a\n", "/a")},
	{"bare-path-forbids", "RFC9309-ABNF-rule", "A line that consists of a path is a disallow rule.",
		pathForbids(plain.Garbage),
		wronglyForbids("User-agent: FooBot\n/a\n", "/a")},
	{"empty-key-forbids", "RFC9309-ABNF-rule", "A path with nothing before its colon is a disallow rule.",
		split(func(line string) (string, string, bool) {
			if strings.HasPrefix(line, ":") {
				return "disallow", line[1:], true
			}
			return strings.Cut(line, ":")
		}),
		wronglyForbids("User-agent: FooBot\n: /a\n", "/a")},

	{"comment-not-behind-value", "RFC9309-2.2.3-1", "A hash sign begins a comment only at the start of a line.",
		comment(func(l string) string { return cond(strings.HasPrefix(l, "#"), "", l) }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a #b\n", "/a")},
	{"comment-not-on-own-line", "RFC9309-2.2.3-1", "The hash sign at the start of a line is dropped and the rest of the line is read.",
		comment(func(line string) string { return before("#")(strings.TrimLeft(line, "# \t")) }),
		wronglyForbids("User-agent: FooBot\n# Disallow: /a\n", "/a")},
	{"comment-at-last-hash", "RFC9309-ABNF-comment", "A comment begins at the last hash sign of a line.",
		comment(func(l string) string { return l[:orEnd(l, strings.LastIndexByte(l, '#'))] }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a # b # c\n", "/a")},
	{"comment-keeps-blanks", "RFC9309-ABNF-EOL", "Blanks between a value and a comment belong to the value.",
		comment(func(line string) string {
			before, _, found := strings.Cut(line, "#")
			return cond(found, keepBlanks(before), before)
		}),
		wronglyAllows("User-agent: FooBot\nDisallow: /a #b\n", "/a")},
	{"comment-of-ascii", "RFC9309-ABNF-comment", "A line whose comment has octets beyond ASCII is not read.",
		comment(func(line string) string {
			before, comment, _ := strings.Cut(line, "#")
			return cond(isASCII(comment), before, "")
		}),
		wronglyAllows("User-agent: FooBot\nDisallow: /a # é\n", "/a")},
	{"semicolon-comments", "RFC9309-ABNF-UTF8-1-noctl", "A semicolon begins a comment.",
		comment(func(l string) string { return l[:orEnd(l, strings.IndexAny(l, "#;"))] }),
		wronglyForbids("User-agent: FooBot\nDisallow: /a;b\n", "/a")},
	{"slashes-comment", "RFC9309-ABNF-path-pattern", "Two slashes begin a comment.",
		comment(func(line string) string { return before("//")(before("#")(line)) }),
		wronglyForbids("User-agent: FooBot\nDisallow: /a//b\n", "/a")},

	{"comma-ends-value", "RFC9309-ABNF-path-pattern", "The value of a rule ends before a comma.",
		value(before(",")),
		wronglyForbids("User-agent: FooBot\nDisallow: /a,/b\n", "/a")},
	{"quotes-dropped", "RFC9309-ABNF-path-pattern", "Quotation marks around a value are dropped.",
		value(func(v string) string { return strings.Trim(v, `"'`) }),
		wronglyForbids("User-agent: FooBot\nDisallow: \"/a\"\n", "/a")},
	{"last-mark-dropped", "RFC9309-ABNF-UTF8-1-noctl", "A punctuation mark at the end of a path is dropped.",
		value(func(v string) string { return strings.TrimRight(v, `.,;:!'"`) }),
		wronglyForbids("User-agent: FooBot\nDisallow: /a;\n", "/a")},
	{"odd-marks-refused", "RFC9309-ABNF-UTF8-1-noctl", "A path with marks other than slash, hyphen, underscore, full stop, asterisk, question mark, percent and dollar sign is ignored.",
		dropIf(oddMark),
		wronglyAllows("User-agent: FooBot\nDisallow: /a!\n", "/a!")},
	{"replacement-refused", "RFC9309-ABNF-UTF8-3", "A path with U+FFFD, which decoders put in place of errors, is ignored.",
		dropIf(func(c rune) bool { return c == utf8.RuneError }),
		wronglyAllows("User-agent: FooBot\nDisallow: /\uFFFD\n", "/%EF%BF%BD")},
	{"two-octets-refused", "RFC9309-ABNF-UTF8-2", "A path with a character of two octets is ignored.",
		dropIf(func(c rune) bool { return utf8.RuneLen(c) == 2 }),
		wronglyAllows("User-agent: FooBot\nDisallow: /é\n", "/%C3%A9")},
	{"four-octets-refused", "RFC9309-ABNF-UTF8-4", "A path with a character of four octets is ignored.",
		dropIf(func(c rune) bool { return c > 0xFFFF }),
		wronglyAllows("User-agent: FooBot\nDisallow: /😀\n", "/%F0%9F%98%80")},
	{"unassigned-refused", "RFC9309-ABNF-UTF8-4", "A path with a code point that is not assigned in Unicode is ignored.",
		dropIf(unassigned),
		wronglyAllows("User-agent: FooBot\nDisallow: /\U0010FFFF\n", "/%F4%8F%BF%BF")},
	{"c1-octets-dropped", "RFC9309-ABNF-UTF8-tail", "The octets 80 to 9F are dropped from a path as control characters.",
		value(withoutC1),
		wronglyAllows("User-agent: FooBot\nDisallow: /ツb\n", "/%E3%83%84b")},
}

func cond[T any](yes bool, a, b T) T {
	if yes {
		return a
	}
	return b
}

func startsBlank(s string) bool { return s != "" && (s[0] == ' ' || s[0] == '\t') }

// keepBlanks escapes the blanks at the end of a line, so that they are not trimmed.
func keepBlanks(line string) string {
	kept := strings.TrimRight(line, " \t")
	return kept + strings.Repeat("%20", len(line)-len(kept))
}

func oneBlank(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(line, ":")
	if len(value) > 1 && startsBlank(value) && startsBlank(value[1:]) {
		value = "%20" + strings.TrimLeft(value, " \t")
	}
	return key, value, ok
}

// keyWith treats a key as a known key if holds reports true for the two.
func keyWith(holds func(key, known string) bool) change {
	return key(func(key string) kind {
		for _, known := range []string{"user-agent", "disallow", "allow"} {
			if holds(plain.Lower(key), known) {
				return plain.KindOf(known)
			}
		}
		return plain.Other
	})
}

// pathForbids turns records of a kind into disallow rules if their value is a path.
func pathForbids(k kind) change {
	return records(func(records []record) []record {
		for i := range records {
			if r := &records[i]; r.Kind == k && strings.HasPrefix(r.Value, "/") {
				r.Kind = plain.Disallow
			}
		}
		return records
	})
}

// orEnd returns an index in s, or the length of s instead of -1.
func orEnd(s string, index int) int { return cond(index >= 0, index, len(s)) }

// dropIf empties a value that has a refused character.
func dropIf(refused func(rune) bool) change {
	return value(func(value string) string { return cond(strings.ContainsFunc(value, refused), "", value) })
}

func oddMark(c rune) bool {
	return c < utf8.RuneSelf && !strings.ContainsRune(plain.Letters+plain.Digits+"/-_.*?%$", c)
}

func unassigned(c rune) bool {
	return !unicode.In(c, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf, unicode.Co)
}

func withoutC1(value string) string {
	var kept []byte
	for i := range len(value) {
		if value[i] < 0x80 || value[i] > 0x9F {
			kept = append(kept, value[i])
		}
	}
	return string(kept)
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c >= utf8.RuneSelf })
}
