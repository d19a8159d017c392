package generate

import (
	"strings"

	"github.com/repcheck/repcheck/spec"
)

var agentCounts = countsOf("agents", count{1, 1}, count{1, 2}, count{1, 3})

var tokens = textsOf("token",
	text{1, "FooBot"}, text{1, "BarBot"}, text{1, "foo"}, text{1, "FooBot-News"}, text{1, "Foo_Bot"}, text{1, "a"}, text{1, "Kooky"},
)

var askers = tableOf("asker",
	entry[func(string) string]{82, "token", func(a string) string { return a }},
	entry[func(string) string]{2, "version", func(a string) string { return a + "/1.0" }},
	entry[func(string) string]{2, "longer", func(a string) string { return a + "-Images" }},
	entry[func(string) string]{2, "shorter", func(a string) string { return a[:(len(a)+1)/2] }},
	entry[func(string) string]{2, "upper", strings.ToUpper},
	entry[func(string) string]{2, "lower", strings.ToLower},
	entry[func(string) string]{1, "browser", func(a string) string { return "Mozilla/5.0 (compatible; " + a + "/0.1)" }},
	entry[func(string) string]{1, "words", func(a string) string { return a + " bar" }},
	entry[func(string) string]{1, "kelvin", func(string) string { return "\u212Aooky" }},
	entry[func(string) string]{1, "star", func(string) string { return "*" }},
	entry[func(string) string]{1, "empty", func(string) string { return "" }},
)

var urlOfRule = oddsOf("url-of-rule", 1, 4)

// urlForms make a URL from a path.
var urlForms = tableOf("url",
	entry[func(string) string]{120, "plain", func(path string) string { return spec.Origin + fill(path, "") }},
	entry[func(string) string]{6, "robots.txt", func(string) string { return spec.Origin + "/robots.txt" }},
	entry[func(string) string]{3, "robots.txt-empty-query", func(string) string { return spec.Origin + "/robots.txt?" }},
	entry[func(string) string]{3, "robots.txt-query", func(string) string { return spec.Origin + "/robots.txt?x=1" }},
	entry[func(string) string]{4, "path-only", func(path string) string { return path }},
	entry[func(string) string]{1, "no-slash", func(path string) string { return strings.TrimPrefix(path, "/") }},
	entry[func(string) string]{1, "no-scheme", func(path string) string { return "//foo.test" + path }},
	entry[func(string) string]{1, "host-only", func(path string) string { return "foo.test" + path }},
	entry[func(string) string]{1, "mailto", func(path string) string { return "mailto:" + path }},
	entry[func(string) string]{1, "port", func(path string) string { return "HTTPS://foo.test:443" + path }},
	entry[func(string) string]{1, "query-only", func(path string) string { return spec.Origin + "?" + path }},
	entry[func(string) string]{1, "parameter-only", func(path string) string { return spec.Origin + ";" + path }},
	entry[func(string) string]{1, "empty-path", func(string) string { return spec.Origin }},
	entry[func(string) string]{4, "fragment", func(path string) string { return spec.Origin + path + "#f" }},
	entry[func(string) string]{1, "user", func(path string) string { return "http://u:p@foo.test" + path }},
	entry[func(string) string]{1, "backslash", func(path string) string { return spec.Origin + strings.ReplaceAll(path, "/", "\\") }},
	entry[func(string) string]{1, "vertical-tab", func(path string) string { return spec.Origin + inMiddle(path, "\v") }},
	entry[func(string) string]{1, "form-feed", func(path string) string { return spec.Origin + path + "\f" }},
	entry[func(string) string]{1, "nul", func(path string) string { return spec.Origin + inMiddle(path, "\x00") }},
	entry[func(string) string]{1, "blank", func(path string) string { return spec.Origin + inMiddle(path, " ") }},
	entry[func(string) string]{1, "raw-octet", func(path string) string { return spec.Origin + inMiddle(path, "\xFF") }},
)

func inMiddle(path, octet string) string { return path[:len(path)/2] + octet + path[len(path)/2:] }

var lineEnds = textsOf("line-end", text{12, "\n"}, text{6, "\r\n"}, text{1, "\r"})

// oddEnd decides whether a line ends differently than the rest of its file.
var oddEnd = oddsOf("odd-end", 1, 100)

var oddEnds = textsOf("odd-line-end",
	text{3, "\n"}, text{3, "\r"}, text{2, "\r\n"}, text{2, "\r\r\n"}, text{1, "\n\r"}, text{1, "\u2028"}, text{1, "\u0085"}, text{1, "\v"}, text{1, "\f"},
	text{1, "\x00"}, text{1, "\x1E"}, text{1, "\\n"}, text{1, " \n "},
)

var starts = textsOf("start",
	text{60, ""}, text{3, "\uFEFF"}, text{3, "# robots\n"}, text{1, "\xEF\xBB"}, text{1, "\xEF"}, text{1, "\uFEFF\uFEFF"}, text{1, "\n\uFEFF"}, text{1, "\uFEFF\n"}, text{1, "\n\n"},
	text{1, "\xFF\xFE"}, text{1, "\xFE\xFF"}, text{1, "ï»¿"}, text{1, "<!DOCTYPE html>\n"}, text{1, "<pre>"}, text{3, "Disallow: /orphan\n"}, text{1, "\x00"},
)

var groupCounts = countsOf("groups", count{1, 1}, count{1, 2}, count{1, 3}, count{1, 4})

var headerCounts = countsOf("header-lines", count{3, 1}, count{2, 2}, count{1, 3})

var ruleCounts = countsOf("rules", count{2, 0}, count{2, 1}, count{2, 2}, count{2, 3}, count{2, 4}, count{1, 8})

var (
	noLastEnd     = oddsOf("no-last-end", 1, 6)
	headerBetween = oddsOf("header-between", 1, 5)
	ruleBetween   = oddsOf("rule-between", 1, 4)
	groupBlank    = oddsOf("group-blank", 1, 2)
)

var agentKeys = textsOf("agent-key",
	text{30, "User-agent"}, text{8, "User-Agent"}, text{3, "user-agent"}, text{2, "USER-AGENT"}, text{1, "Useragent"}, text{1, "User agent"}, text{1, "User-agents"},
)

var ruleKeys = textsOf("rule-key",
	text{24, "Disallow"}, text{12, "Allow"}, text{2, "disallow"}, text{2, "ALLOW"}, text{1, "Dissallow"}, text{1, "Disallowed"}, text{1, "Alow"}, text{1, "Disallow /x"},
)

var leads = textsOf("lead", text{80, ""}, text{4, " "}, text{2, "\t"}, text{1, "\u00A0"}, text{1, "\uFEFF"}, text{1, "\v"}, text{1, "\x00"})

var colons = textsOf("colon",
	text{40, ": "}, text{8, ":"}, text{2, " : "}, text{1, ":\t"}, text{1, " "}, text{1, "::"}, text{1, "="}, text{1, ":\u00A0"}, text{1, ";"},
	text{1, " \v"}, text{1, "\f "}, text{1, ":\v"},
)

var trails = textsOf("trail",
	text{80, ""}, text{6, " "}, text{4, " # c"}, text{4, "#c"}, text{2, "\t"}, text{2, " x"}, text{2, "\x00y"}, text{2, "\v"}, text{2, "\u2028z"},
	text{1, "\f"}, text{1, "\u00A0"}, text{1, "\x1F"}, text{1, "\x7F"}, text{1, "\x00"}, text{1, "\u0085"}, text{1, "\xFF"},
)

var headerValues = tableOf("agent-value",
	entry[func(*Generator) string]{4, "token", (*Generator).agent},
	entry[func(*Generator) string]{3, "star", func(*Generator) string { return "*" }},
	entry[func(*Generator) string]{1, "upper", func(g *Generator) string { return strings.ToUpper(g.agent()) }},
	entry[func(*Generator) string]{1, "odd", func(g *Generator) string { return choose(g, oddAgents) }},
)

var oddAgents = textsOf("odd-agent",
	text{4, "FooBot/1.0"}, text{3, "Foo"}, text{2, "FooBot Images"}, text{2, "FooBot, BarBot"}, text{2, ""}, text{1, "123"}, text{2, "MJ12bot"},
	text{1, "*Bot"}, text{1, "* foo"}, text{1, "**"}, text{1, "*,"}, text{1, "FooBot*"}, text{1, "Foo.Bot"}, text{1, "\u212Aooky"}, text{1, "Mozilla/5.0 (compatible; FooBot/0.1)"},
	text{1, "FooBot\xFF"}, text{1, "Foo\x00Bot"}, text{1, "\"FooBot\""},
)

var between = tableOf("between",
	entry[func(*Generator)]{6, "blank", (*Generator).end},
	entry[func(*Generator)]{3, "comment", func(g *Generator) { g.file.WriteString("# comment"); g.end() }},
	entry[func(*Generator)]{2, "sitemap", func(g *Generator) { g.line("Sitemap", "http://foo.test/s.xml") }},
	entry[func(*Generator)]{2, "crawl-delay", func(g *Generator) { g.line("Crawl-delay", "5") }},
	entry[func(*Generator)]{1, "noindex", func(g *Generator) { g.line("Noindex", "/a") }},
	entry[func(*Generator)]{1, "host", func(g *Generator) { g.line("Host", "foo.test") }},
	entry[func(*Generator)]{1, "garbage", func(g *Generator) { g.file.WriteString("garbage"); g.end() }},
	entry[func(*Generator)]{1, "blanks", func(g *Generator) { g.file.WriteString(" \t "); g.end() }},
	entry[func(*Generator)]{1, "no-key", func(g *Generator) { g.file.WriteString(": /a"); g.end() }},
)

var ruleValues = tableOf("rule-value",
	entry[func(*Generator) string]{18, "path", func(g *Generator) string { return g.path(true) }},
	entry[func(*Generator) string]{2, "empty", func(*Generator) string { return "" }},
	entry[func(*Generator) string]{2, "slash", func(*Generator) string { return "/" }},
	entry[func(*Generator) string]{1, "star", func(*Generator) string { return "*" }},
	entry[func(*Generator) string]{1, "url", func(g *Generator) string { return spec.Origin + g.path(true) }},
)

var pieceCounts = countsOf("pieces", count{2, 0}, count{4, 1}, count{4, 2}, count{4, 3}, count{4, 4}, count{1, 8})

var (
	noSlash    = oddsOf("no-slash", 1, 12)
	ruleStar   = oddsOf("rule-star", 1, 4)
	ruleDollar = oddsOf("rule-dollar", 1, 6)
)

var pieces = textsOf("piece",
	text{8, "a"}, text{6, "b"}, text{4, "ab"}, text{6, "/"}, text{3, "?"}, text{2, "x=1"}, text{2, "&"}, text{2, "="}, text{3, ".html"}, text{1, "index.html"}, text{1, "robots.txt"},
	text{2, "%61"}, text{2, "%2F"}, text{1, "%2f"}, text{1, "%2A"}, text{1, "%24"}, text{1, "%3D"}, text{1, "%3F"}, text{1, "%"}, text{1, "%zz"}, text{1, "%25"}, text{1, "%2561"}, text{1, "%E3%83%84"}, text{1, "%e3%83%84"},
	text{1, "ツ"}, text{1, "é"}, text{1, "\xFF"}, text{1, ":"}, text{1, ";"}, text{1, "//"}, text{1, "http://c"}, text{1, "|"}, text{1, "~"}, text{1, "$"}, text{1, "**"}, text{1, "A"}, text{1, "../"},
	text{1, "./"}, text{1, "%2E"}, text{1, "%00"}, text{1, "%23"}, text{1, "+"}, text{1, "%20"}, text{1, "index.php"},
)

// damages change bytes of a file in ways that no line of the grammar does.
var damages = tableOf("damage",
	entry[func(*Generator, []byte) []byte]{44, "none", func(_ *Generator, robots []byte) []byte { return robots }},
	entry[func(*Generator, []byte) []byte]{1, "octet", func(g *Generator, robots []byte) []byte {
		if len(robots) > 0 {
			robots[g.rng.IntN(len(robots))] = byte(g.rng.IntN(256))
		}
		return robots
	}},
	entry[func(*Generator, []byte) []byte]{1, "special", func(g *Generator, robots []byte) []byte {
		if len(robots) > 0 {
			robots[g.rng.IntN(len(robots))] = choose(g, damageOctets)[0]
		}
		return robots
	}},
	entry[func(*Generator, []byte) []byte]{1, "double", func(g *Generator, robots []byte) []byte {
		if len(robots) == 0 {
			return robots
		}
		from, to := g.spot(robots)
		return append(robots[:to:to], robots[from:]...)
	}},
	entry[func(*Generator, []byte) []byte]{1, "drop", func(g *Generator, robots []byte) []byte {
		if len(robots) == 0 {
			return robots
		}
		from, to := g.spot(robots)
		return append(robots[:from:from], robots[to:]...)
	}},
)

var damageOctets = textsOf("damage-octet",
	text{2, "\x00"}, text{2, "\r"}, text{1, "\n"}, text{1, "\t"}, text{1, ":"}, text{1, "#"}, text{1, "*"}, text{1, "$"}, text{1, "%"}, text{1, " "}, text{1, "\xFF"}, text{1, "\x1F"},
)
