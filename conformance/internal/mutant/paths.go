package mutant

import (
	"regexp"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/impl/reference/plain"
)

// pathFaults concern the part of a URL that is compared, and the comparison of a
// path without special characters (RFC 9309 section 2.2.2).
var pathFaults = []fault{
	{"not-anchored", "RFC9309-2.2.2-3", "A rule matches wherever its path occurs.",
		matches(anywhere),
		wronglyForbids("User-agent: FooBot\nDisallow: /a\n", "/b/a")},
	{"whole-url-searched", "RFC9309-2.2.2-3", "A rule matches if it occurs anywhere in the URL, including the host.",
		steps(
			wholeURL(func(url string) string { _, rest, _ := strings.Cut(url, ":"); return rest }),
			matches(anywhere),
			exempt(func(path string) bool { return strings.HasSuffix(path, ".test/robots.txt") })),
		wronglyForbids("User-agent: FooBot\nDisallow: /foo\n", "/a")},
	{"equal-only", "RFC9309-2.2.2-18", "A rule matches only a path that is equal to its own.",
		compile(func(text string) (pattern, bool) { p, ok := plain.Compile(text); p.End = true; return p, ok }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n", "/a/b")},
	{"whole-segments", "RFC9309-2.2.2-18", "A match must end where a path segment ends.",
		matches(wholeSegments),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n", "/ab")},
	{"last-slash-dropped", "RFC9309-2.2.2-18", "The slash at the end of a rule is dropped.",
		value(func(v string) string { return cond(len(v) > 1, strings.TrimSuffix(v, "/"), v) }),
		wronglyForbids("User-agent: FooBot\nDisallow: /a/\n", "/a")},
	{"last-slash-added", "RFC9309-2.2.2-18", "A rule whose last segment has no full stop is treated as a directory and gets a slash.",
		value(asDirectory),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n", "/a")},
	{"url-prefix-of-rule", "RFC9309-2.2.2-18", "A rule also matches if the URL is a prefix of it.",
		matches(func(m *model, p *pattern, path string) bool {
			return m.PrefixOrStars(p, path) || len(path) > 1 && strings.HasPrefix(p.Parts[0], path)
		}),
		wronglyForbids("User-agent: FooBot\nDisallow: /a/b\n", "/a")},
	{"rule-cut-at-255", "RFC9309-2.2.2-18", "Only the first 255 octets of a path are compared.",
		value(func(v string) string { return v[:min(len(v), 255)] }),
		wronglyForbids("User-agent: FooBot\nDisallow: /"+strings.Repeat("a", 255)+"\n", "/"+strings.Repeat("a", 254))},
	{"url-cut-at-2083", "RFC9309-2.2.2-18", "Only the first 2,083 octets of a URL are compared.",
		wholeURL(func(url string) string { return plain.PathAndQuery(url[:min(len(url), 2083)]) }),
		wronglyAllows("User-agent: FooBot\nDisallow: /*b\n", "/"+strings.Repeat("a", 2083)+"b")},
	{"long-url-allowed", "RFC9309-2.2.2-18", "A URL of more than 2,083 octets is allowed.",
		exempt(func(path string) bool { return len(path) > 2083 || path == "/robots.txt" }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n", "/"+strings.Repeat("a", 2083))},
	{"rule-is-regexp", "RFC9309-2.2.2-18", "A rule is read as a regular expression, with only its asterisks translated.",
		matches(asRegexp),
		wronglyForbids("User-agent: FooBot\nDisallow: /a.b\n", "/axb")},
	{"lower-case-url-only", "RFC9309-2.2.2-2", "The URL is converted to lower case, but rules are not.",
		spellURL(func(t string) string { return plain.Spell(plain.Lower(t), "*$") }),
		wronglyAllows("User-agent: FooBot\nDisallow: /A\n", "/A")},
	{"any-case-in-query", "RFC9309-2.2.2-2", "Letter case makes no difference in queries.",
		ruleAndURL(inQuery(plain.Lower)),
		wronglyForbids("User-agent: FooBot\nDisallow: /?A\n", "/?a")},
	{"composed-letters-parted", "RFC9309-2.2.2-18", "Letters with an acute accent are decomposed.",
		ruleAndURL(withoutAcute),
		wronglyForbids("User-agent: FooBot\nDisallow: /\u00E9\n", "/e%CC%81")},

	{"query-cut-from-rule", "RFC9309-2.2.2-22", "The query is removed from rules.",
		value(withoutQuery),
		wronglyForbids("User-agent: FooBot\nDisallow: /a?b\n", "/a")},
	{"query-cut", "RFC9309-2.2.2-22", "The query is removed from rules and URLs.",
		ruleAndURL(withoutQuery),
		wronglyForbids("User-agent: FooBot\nDisallow: /a?b\n", "/a?c")},
	{"query-needs-query", "RFC9309-2.2.2-22", "A rule without a query matches no URL that has one.",
		matches(func(m *model, p *pattern, path string) bool {
			return m.PrefixOrStars(p, path) && (strings.Contains(path, "?") == strings.Contains(strings.Join(p.Parts, "*"), "?"))
		}),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n", "/a?b")},
	{"parameters-in-any-order", "RFC9309-2.2.2-22", "The parameters of a rule may occur in any order in the URL.",
		matches(anyOrder),
		wronglyForbids("User-agent: FooBot\nDisallow: /?a\n", "/?b&a")},
	{"question-mark-any-octet", "RFC9309-2.2.2-22", "A question mark in a rule matches any one octet.",
		matches(glob),
		wronglyForbids("User-agent: FooBot\nDisallow: /a?b\n", "/acb")},
	{"question-mark-is-slash", "RFC9309-2.2.2-22", "The query is compared as a further segment.",
		ruleAndURL(func(s string) string { return strings.Replace(s, "?", "/", 1) }),
		wronglyForbids("User-agent: FooBot\nDisallow: /a/\n", "/a?b")},
	{"root-without-query", "RFC9309-2.2.2-22", "The root page is compared without its query.",
		target(func(t string) string { return cond(strings.HasPrefix(t, "/?"), "/", t) }),
		wronglyAllows("User-agent: FooBot\nDisallow: /?a\n", "/?a")},
	{"semicolon-ends-path", "RFC9309-2.2.2-18", "The URL is cut at a semicolon.",
		target(before(";")),
		wronglyAllows("User-agent: FooBot\nDisallow: /a;b\n", "/a;b")},

	{"path-behind-last-scheme", "RFC9309-1-3", "The authority is searched after the last colon with two slashes.",
		wholeURL(func(url string) string { return plain.PathAndQuery(url[strings.LastIndex(url, "://")+1:]) }),
		wronglyForbids("User-agent: FooBot\nDisallow: /a\n", "/?http://foo.test/a")},
	{"path-behind-last-slashes", "RFC9309-1-3", "The authority is searched after the last two consecutive slashes.",
		wholeURL(func(url string) string { return plain.PathAndQuery(url[max(strings.LastIndex(url, "//"), 0):]) }),
		wronglyForbids("User-agent: FooBot\nDisallow: /a\n", "/b//c/a")},
	{"empty-path", "RFC9309-1-4", "A URL without a path gets no slash.",
		wholeURL(func(url string) string {
			t := plain.PathAndQuery(url)
			return cond(strings.Count(url, "/") > 2, t, strings.TrimPrefix(t, "/"))
		}),
		wronglyAllows("User-agent: FooBot\nDisallow: /\n", "http://foo.test")},
	{"query-behind-host-lost", "RFC9309-1-4", "A query directly after the authority is lost.",
		wholeURL(func(url string) string { return cond(strings.Count(url, "/") > 2, plain.PathAndQuery(url), "/") }),
		wronglyAllows("User-agent: FooBot\nDisallow: /?a\n", "http://foo.test?a")},
	{"port-begins-path", "RFC9309-1-3", "The port is treated as part of the path.",
		wholeURL(portBeginsPath),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n", "http://foo.test:80/a")},
	{"user-is-host", "RFC9309-1-3", "The authority ends at an at sign.",
		wholeURL(func(url string) string {
			if _, rest, ok := strings.Cut(url, "@"); ok {
				return "/" + rest
			}
			return plain.PathAndQuery(url)
		}),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n", "http://x@foo.test/a")},
	{"http-only", "RFC9309-1-3", "Only URLs that begin with http:// or https:// in lower case are read.",
		wholeURL(func(url string) string {
			return cond(strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://"), plain.PathAndQuery(url), "")
		}),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n", "ftp://foo.test/a")},
	{"fragment-is-path", "RFC9309-1-3", "A fragment that begins with a slash is the path.",
		wholeURL(func(url string) string {
			if _, fragment, _ := strings.Cut(url, "#"); strings.HasPrefix(fragment, "/") {
				return fragment
			}
			return plain.PathAndQuery(url)
		}),
		wronglyForbids("User-agent: FooBot\nDisallow: /a\n", "/b#/a")},
}

func anywhere(m *model, p *pattern, path string) bool { return m.Stars(p.Parts, p.End, path) }

func wholeSegments(m *model, p *pattern, path string) bool {
	if !m.PrefixOrStars(p, path) {
		return false
	}
	rest, prefix := strings.CutPrefix(path, p.Parts[0])
	return len(p.Parts) > 1 || strings.HasSuffix(p.Parts[0], "/") || !prefix || rest == "" || rest[0] == '/' || rest[0] == '?'
}

func asDirectory(value string) string {
	last := value[strings.LastIndexByte(value, '/')+1:]
	if last == "" || strings.ContainsAny(last, ".?*$") {
		return value
	}
	return value + "/"
}

// asRegexp matches a pattern as a regular expression. It leaves patterns of ordinary
// octets to the model, because the result is the same.
func asRegexp(m *model, p *pattern, path string) bool {
	text := strings.Join(p.Parts, ".*")
	if regexp.QuoteMeta(text) == text {
		return m.PrefixOrStars(p, path)
	}
	expression, err := regexp.Compile("^" + text + cond(p.End, "$", ""))
	return err == nil && expression.MatchString(path)
}

var withoutQuery = before("?")

// withoutAcute decomposes the accented letters that occur in the cases.
var withoutAcute = replace("\u00E9", "e\u0301", "\u00E1", "a\u0301", "%C3%A9", "e%CC%81", "%C3%A1", "a%CC%81")

func anyOrder(m *model, p *pattern, path string) bool {
	rulePath, ruleQuery, has := strings.Cut(p.Parts[0], "?")
	urlPath, urlQuery, _ := strings.Cut(path, "?")
	if len(p.Parts) > 1 || !has || ruleQuery == "" || p.End {
		return m.PrefixOrStars(p, path)
	}
	given := strings.Split(urlQuery, "&")
	for parameter := range strings.SplitSeq(ruleQuery, "&") {
		if !slices.ContainsFunc(given, func(g string) bool { return strings.HasPrefix(g, parameter) }) {
			return false
		}
	}
	return rulePath == urlPath
}

func glob(m *model, p *pattern, path string) bool {
	rule := p.Parts[0]
	if len(p.Parts) > 1 || p.End || len(path) < len(rule) {
		return m.PrefixOrStars(p, path)
	}
	for i := range len(rule) {
		if rule[i] != '?' && rule[i] != path[i] {
			return false
		}
	}
	return true
}

func portBeginsPath(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	if i := strings.IndexAny(rest, ":/?#@"); i >= 0 && rest[i] == ':' {
		return "/" + rest[i:]
	}
	return plain.PathAndQuery(url)
}
