package generate

import (
	"strings"

	"github.com/repcheck/repcheck/corpus"
	"github.com/repcheck/repcheck/spec"
)

// ratesOf makes a table from the rates of a property in real files, with the
// value to generate for each of its answers. An answer for which makes has no
// value is a mistake in the table and panics.
func ratesOf[T any](question string, makes map[string]T) *table[T] {
	rates := corpus.RealRates()
	var entries []entry[T]
	for _, answer := range rates.Answers(question) {
		made, ok := makes[answer]
		if !ok {
			panic("generate: real files have " + question + "/" + answer + ", which natural files cannot")
		}
		entries = append(entries, entry[T]{uint32(rates[question][answer]), answer, made})
	}
	return tableOf("real-"+question, entries...)
}

// numbers is a range of numbers.
type numbers struct{ low, high int }

func (n numbers) of(g *Generator) int { return n.low + g.rng.IntN(n.high-n.low+1) }

// rangesOf makes a table of the ranges that are the answers of a property, up to
// the range that ends at most.
func rangesOf(question string, most int) *table[numbers] {
	rates := corpus.RealRates()
	var entries []entry[numbers]
	for _, answer := range rates.Answers(question) {
		low, high, err := corpus.RangeOf(answer)
		if err != nil {
			panic("generate: " + question + ": " + err.Error())
		}
		if high <= most {
			entries = append(entries, entry[numbers]{uint32(rates[question][answer]), answer, numbers{low, high}})
		}
	}
	return tableOf("real-"+question, entries...)
}

// yesOf makes a table of yes and no.
func yesOf(question string) *table[bool] {
	return ratesOf(question, map[string]bool{"no": false, "yes": true})
}

// A naturalStart is how a file begins, and whether there is nothing else in it.
type naturalStart struct {
	text string
	all  bool
}

var naturalStarts = ratesOf("start", map[string]naturalStart{
	"plain": {}, "space": {text: "\n"}, "byte-order-mark": {text: "\uFEFF"}, "empty": {all: true}, "blank": {"\n \r\n", true},
	"markup": {"<!DOCTYPE html>\n<html><head><title>Not found</title></head>\n<body>\n<p>User-agent: *<br>\nDisallow: /\n</p></body></html>\n", true},
})

// naturalEnds are the line ends of a file: none if it has only one line.
var naturalEnds = ratesOf("line-ends", map[string][]string{
	"lf": {"\n"}, "crlf": {"\r\n"}, "cr": {"\r"}, "mixed": {"\n", "\r\n"}, "none": nil,
})

var naturalLastLines = ratesOf("last-line", map[string]string{"open": "open", "ended": "ended"})

// naturalOctets are bytes, in a comment, that give a file its class.
var naturalOctets = ratesOf("octets", map[string]string{"ascii": "", "utf-8": "é ツ", "not-utf-8": "\xE9", "nul": "\x00"})

var naturalOrphans = yesOf("rule-without-group")

var (
	naturalGroups  = rangesOf("groups-per-file", 64)
	naturalHeaders = rangesOf("agents-per-group", 64)
	naturalRules   = rangesOf("rules-per-group", 128)
)

var naturalAgents = ratesOf("agent-value", map[string]func(*Generator) string{
	"token": (*Generator).agent, "star": func(*Generator) string { return "*" }, "empty": func(*Generator) string { return "" },
	"words":         func(g *Generator) string { return g.agent() + " Images" },
	"version":       func(g *Generator) string { return g.agent() + "/1.0" },
	"star-and-more": func(g *Generator) string { return g.agent() + "*" },
	"other":         func(g *Generator) string { return g.agent() + "2" },
})

// naturalRuleKinds are the keys of rules.
var naturalRuleKinds = func() *table[string] {
	of := corpus.RealRates()["line"]
	return textsOf("real-rule-key", text{uint32(of["disallow"]), "disallow"}, text{uint32(of["allow"]), "allow"})
}()

// naturalAgain decides whether a rule has the path of another one: without it,
// contradicting rules would be rarer than in real files.
var naturalAgain = oddsOf("real-path-again", 1, 10)

// fillers are the lines between records; together with the tables below they
// match the lines that corpus.Rates count.
var fillers = []struct {
	kind  string
	write func(*Generator)
}{
	{"blank", func(*Generator) {}},
	{"comment", func(g *Generator) { g.file.WriteString("# " + choose(g, naturalComments)) }},
	{"sitemap", func(g *Generator) { g.file.WriteString("Sitemap: http://foo.test/sitemap.xml") }},
	{"crawl-delay", func(g *Generator) { g.file.WriteString("Crawl-delay: 10") }},
	{"host", func(g *Generator) { g.file.WriteString("Host: foo.test") }},
	{"other-key", func(g *Generator) { g.file.WriteString(choose(g, naturalOthers)) }},
	{"no-colon", func(g *Generator) { g.file.WriteString("Disallow /a") }},
}

var naturalComments = textsOf("real-comment",
	text{4, "all crawlers"}, text{2, "Directories"}, text{1, "Disallow: /a"}, text{1, "-----------------------------------"}, text{1, "see http://www.robotstxt.org/"},
)

var naturalOthers = textsOf("real-other-key",
	text{4, "Noindex: /a"}, text{4, "Clean-param: id /"}, text{2, "Disalow: /a"}, text{2, "Request-rate: 1/5"}, text{2, "Useragent: *"}, text{1, "http://foo.test/a"},
)

// naturalBetween and naturalInside are the fillers before user-agent lines and at
// the end of the file, and before rules. The nil ends them.
var naturalBetween, naturalInside = func() (between, inside *table[func(*Generator)]) {
	rates := corpus.RealRates()
	of := rates["line"]
	tableOfPlace := func(name, place string, records int64) *table[func(*Generator)] {
		entries := []entry[func(*Generator)]{{uint32(records), "none", nil}}
		for _, f := range fillers {
			entries = append(entries, entry[func(*Generator)]{uint32(of[f.kind+place]), f.kind, f.write})
		}
		return tableOf(name, entries...)
	}
	return tableOfPlace("real-between", "", of["user-agent"]+rates.All("line-ends")),
		tableOfPlace("real-inside", "-inside", of["allow"]+of["disallow"])
}()

var naturalLeads = yesOf("space-in-front")

// naturalKeys give the spellings of a key that is given in lower case.
var naturalKeys = map[string]*table[func(string) string]{
	"user-agent": naturalKey("key-user-agent"),
	"disallow":   naturalKey("key-disallow"),
	"allow":      naturalKey("key-allow"),
}

func naturalKey(question string) *table[func(string) string] {
	return ratesOf(question, map[string]func(string) string{
		"usual": func(key string) string { return usualKeys[key] },
		"title": func(string) string { return "User-Agent" },
		"lower": func(key string) string { return key },
		"upper": strings.ToUpper,
		"other": func(key string) string { return key[:1] + strings.ToUpper(key[1:]) },
	})
}

var usualKeys = map[string]string{"user-agent": "User-agent", "disallow": "Disallow", "allow": "Allow"}

var naturalColons = ratesOf("colon", map[string]string{"space": ": ", "none": ":", "tab": ":\t", "more": ":  ", "space-before": " : "})

var naturalTrails = ratesOf("behind", map[string]string{"nothing": "", "space": " ", "comment": " # c"})

var naturalValues = ratesOf("rule-value", map[string]func(*Generator) string{
	"empty": func(*Generator) string { return "" }, "slash": func(*Generator) string { return "/" }, "star": func(*Generator) string { return "*" },
	"path":      func(g *Generator) string { return g.naturalPath("/") },
	"star-path": func(g *Generator) string { return g.naturalPath("*") },
	"url":       func(g *Generator) string { return spec.Origin + g.naturalPath("/") },
	"no-slash":  func(g *Generator) string { return g.naturalPath("a") },
})

var (
	naturalLengths = rangesOf("path-length", 256)
	naturalSlashes = rangesOf("path-slashes", 16)
	naturalStars   = rangesOf("path-stars", 16)
	naturalEscapes = rangesOf("path-escapes", 8)
)

var escapedOctets = textsOf("real-escape", text{4, "%20"}, text{3, "%2F"}, text{2, "%2f"}, text{2, "%3F"}, text{2, "%C3%A9"}, text{2, "%61"}, text{1, "%2A"}, text{1, "%25"})

var naturalPathOctets = ratesOf("path-octets", map[string]string{"ascii": "", "utf-8": "é", "not-utf-8": "\xE9", "nul": "\x00"})

var naturalQuery = ratesOf("path-query", map[string]string{"no": "", "yes": "?"})

var naturalSpace = ratesOf("path-space", map[string]string{"no": "", "yes": " "})

var naturalDollars = ratesOf("path-dollar", map[string]string{"none": "", "end": "end", "inside": "inside"})

var naturalOtherWord = oddsOf("real-other-word", 1, 3)
