package mutant

import (
	"slices"
	"strings"

	"github.com/repcheck/repcheck/impl/reference/plain"
)

// patternFaults concern the special characters of a rule (RFC 9309 section
// 2.2.3).
var patternFaults = []fault{
	{"star-one-octet-or-more", "RFC9309-2.2.3-3", "An asterisk matches at least one octet.",
		search(anyOctet, 1, -1),
		wronglyAllows("User-agent: FooBot\nDisallow: /a*b\n", "/ab")},
	{"star-one-octet", "RFC9309-2.2.3-3", "An asterisk matches exactly one octet.",
		search(anyOctet, 1, 1),
		wronglyAllows("User-agent: FooBot\nDisallow: /a*d\n", "/abcd")},
	{"star-no-slash", "RFC9309-2.2.3-3", "An asterisk matches any octets except slashes.",
		search(except('/'), 0, -1),
		wronglyAllows("User-agent: FooBot\nDisallow: /a*b\n", "/a/b")},
	{"star-no-question-mark", "RFC9309-2.2.3-3", "An asterisk matches any octets of the path, but none of the query.",
		search(except('?'), 0, -1),
		wronglyAllows("User-agent: FooBot\nDisallow: /a*b\n", "/a?b")},
	{"star-no-escape", "RFC9309-2.2.3-3", "An asterisk matches no percent sign, and so no escape.",
		search(except('%'), 0, -1),
		wronglyAllows("User-agent: FooBot\nDisallow: /a*b\n", "/a%20b")},
	{"star-takes-first", "RFC9309-2.2.3-3", "The part after an asterisk is searched once, from the left.",
		takeOnce(strings.Index),
		wronglyAllows("User-agent: FooBot\nDisallow: /*b$\n", "/bb")},
	{"star-takes-last", "RFC9309-2.2.3-3", "The part after an asterisk is searched once, from the right.",
		takeOnce(strings.LastIndex),
		wronglyAllows("User-agent: FooBot\nDisallow: /*a*b\n", "/aba")},
	{"star-octet-by-octet", "RFC9309-2.2.3-3", "An asterisk matches up to the first octet that equals the next octet of the rule.",
		stars(octetByOctet),
		wronglyAllows("User-agent: FooBot\nDisallow: /*ab\n", "/aab")},
	{"star-gives-up", "RFC9309-2.2.3-3", "A comparison stops after ten thousand steps and counts as a match.",
		stars(giveUp),
		wronglyForbids("User-agent: FooBot\nDisallow: /"+strings.Repeat("a*", 25)+"b$\n", "/"+strings.Repeat("a", 100))},
	{"first-star-only", "RFC9309-2.2.3-3", "Only the first asterisk of a rule is special.",
		stars(func(parts []string, end bool, path string) bool {
			return plain.InOrder([]string{strings.Join(parts, "%2A")}, end, path)
		}),
		wronglyAllows("User-agent: FooBot\nDisallow: /*a*b\n", "/xaxb")},
	{"star-at-end-only", "RFC9309-2.2.3-3", "Only an asterisk at the end of a rule is special.",
		stars(func(parts []string, _ bool, _ string) bool { return len(parts) == 1 && parts[0] == "" }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a*c\n", "/abc")},
	{"star-not-at-end", "RFC9309-2.2.3-3", "An asterisk at the end of a rule is an ordinary character.",
		stars(func(parts []string, end bool, path string) bool {
			if last := len(parts) - 1; parts[last] == "" {
				if last == 0 {
					return strings.HasPrefix(path, "%2A")
				}
				parts = append(parts[:last-1:last-1], parts[last-1]+"%2A")
			}
			return plain.InOrder(parts, end, path)
		}),
		wronglyAllows("User-agent: FooBot\nDisallow: /a*\n", "/ab")},
	{"star-dropped", "RFC9309-2.2.3-3", "Asterisks are dropped from rules.",
		spellRule(func(v string) string { return plain.Spell(strings.ReplaceAll(v, "*", ""), "") }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a*c\n", "/abc")},
	{"star-cuts-rule", "RFC9309-2.2.3-3", "A rule ends at its first asterisk.",
		stars(func([]string, bool, string) bool { return true }),
		wronglyForbids("User-agent: FooBot\nDisallow: /a*c\n", "/ab")},
	{"star-demands-end", "RFC9309-2.2.3-3", "A rule with an asterisk matches whole URLs only.",
		stars(func(parts []string, _ bool, path string) bool { return plain.InOrder(parts, true, path) }),
		wronglyAllows("User-agent: FooBot\nDisallow: /*b\n", "/abc")},
	{"star-not-anchored", "RFC9309-2.2.2-3", "A rule with an asterisk matches wherever its first part occurs.",
		matches(func(m *model, p *pattern, path string) bool {
			return m.PrefixOrStars(p, path) || len(p.Parts) > 1 && m.Stars(p.Parts, p.End, path)
		}),
		wronglyForbids("User-agent: FooBot\nDisallow: /a*\n", "/b/a")},
	{"parts-overlap", "RFC9309-2.2.3-3", "The parts of a rule may share octets of the URL.",
		matches(overlapping),
		wronglyForbids("User-agent: FooBot\nDisallow: /a*a$\n", "/a")},
	{"parts-in-any-order", "RFC9309-2.2.3-3", "The parts between asterisks may occur in any order.",
		stars(inAnyOrder),
		wronglyForbids("User-agent: FooBot\nDisallow: /*a*b\n", "/ba")},
	{"slash-between-stars-dropped", "RFC9309-2.2.3-3", "A slash between two asterisks is dropped with one of them.",
		value(replace("*/*", "*")),
		wronglyForbids("User-agent: FooBot\nDisallow: /*/*/a\n", "/b/a")},
	{"stars-in-a-row-refused", "RFC9309-2.2.3-3", "A rule with two consecutive asterisks is ignored.",
		value(func(v string) string { return cond(strings.Contains(v, "**"), "", v) }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a**b\n", "/ab")},
	{"allow-without-stars", "RFC9309-2.2.3-3", "Asterisks are special in disallow rules only.",
		eachGroup(plainAllow),
		wronglyForbids("User-agent: FooBot\nDisallow: /\nAllow: /a*c\n", "/abc")},
	{"pattern-longer-than-url", "RFC9309-2.2.3-3", "A rule that is longer than the URL does not match.",
		matches(func(m *model, p *pattern, path string) bool {
			return len(strings.Join(p.Parts, "*")) <= len(path) && m.PrefixOrStars(p, path)
		}),
		wronglyAllows("User-agent: FooBot\nDisallow: /***a\n", "/a")},

	{"dollar-dropped", "RFC9309-2.2.3-2", "A dollar sign at the end of a rule is dropped.",
		compile(func(text string) (pattern, bool) { p, ok := plain.Compile(text); p.End = false; return p, ok }),
		wronglyForbids("User-agent: FooBot\nDisallow: /a$\n", "/ab")},
	{"dollar-before-query", "RFC9309-2.2.3-2", "A dollar sign marks the end of the path, and a query may follow.",
		matches(func(m *model, p *pattern, path string) bool {
			return m.PrefixOrStars(p, path) || p.End && m.PrefixOrStars(p, withoutQuery(path))
		}),
		wronglyForbids("User-agent: FooBot\nDisallow: /a$\n", "/a?b")},
	{"dollar-before-slash", "RFC9309-2.2.3-2", "A slash may follow the end that a dollar sign marks.",
		matches(func(m *model, p *pattern, path string) bool {
			return m.PrefixOrStars(p, path) || p.End && m.PrefixOrStars(p, strings.TrimSuffix(path, "/"))
		}),
		wronglyForbids("User-agent: FooBot\nDisallow: /a$\n", "/a/")},
	{"dollar-needs-star", "RFC9309-2.2.3-2", "A dollar sign is special only in a rule with an asterisk.",
		dollarWhere(true),
		wronglyAllows("User-agent: FooBot\nDisallow: /a$\n", "/a")},
	{"dollar-without-star", "RFC9309-2.2.3-2", "A dollar sign is special only in a rule without an asterisk.",
		dollarWhere(false),
		wronglyAllows("User-agent: FooBot\nDisallow: /*a$\n", "/a")},
	{"dollar-and-sign", "RFC9309-2.2.3-2", "A dollar sign at the end marks the end of the URL or matches a dollar sign.",
		matches(func(m *model, p *pattern, path string) bool {
			return m.PrefixOrStars(p, path) || p.End && strings.HasPrefix(path, strings.Join(p.Parts, "*")+"%24")
		}),
		wronglyForbids("User-agent: FooBot\nDisallow: /a$\n", "/a$b")},
	{"dollar-behind-star-lost", "RFC9309-2.2.3-2", "A dollar sign directly after an asterisk matches a dollar sign.",
		compile(func(text string) (pattern, bool) {
			if before, ok := strings.CutSuffix(text, "*$"); ok {
				text = before + "*%24"
			}
			return plain.Compile(text)
		}),
		wronglyAllows("User-agent: FooBot\nDisallow: /a*$\n", "/ab")},
	{"dollar-at-root-lost", "RFC9309-2.2.3-2", "The rule for the root page only is treated as a rule for the whole site.",
		value(func(v string) string { return cond(v == "/$", "/", v) }),
		wronglyForbids("User-agent: FooBot\nDisallow: /$\n", "/a")},
	{"allow-without-dollar", "RFC9309-2.2.3-2", "A dollar sign is special in disallow rules only.",
		eachGroup(func(g *group) {
			for _, r := range g.Rules {
				if r.Allow && r.Plain.End {
					r.Plain = pattern{Parts: []string{strings.Join(r.Plain.Parts, "*") + "%24"}}
					r.Data = r.Plain
				}
			}
		}),
		wronglyForbids("User-agent: FooBot\nDisallow: /\nAllow: /a$\n", "/a")},
}

func anyOctet(byte) bool { return true }

func except(octet byte) func(byte) bool { return func(c byte) bool { return c != octet } }

// search compares so that an asterisk matches least to most octets for
// which takes is true, or any number if most is less than 0. It tries each position
// in the rule at most once for each position in the path.
func search(takes func(byte) bool, least, most int) change {
	return stars(func(parts []string, end bool, path string) bool {
		starts := make([]bool, len(path)+1) // where the asterisk may begin
		starts[0] = true
		for i, part := range parts {
			next := make([]bool, len(path)+1)
			for start := range starts {
				if !starts[start] {
					continue
				}
				for n := 0; most < 0 || n <= most; n++ {
					at := start + n
					if at > len(path) || n > 0 && !takes(path[at-1]) {
						break
					}
					if n >= least && strings.HasPrefix(path[at:], part) {
						next[at+len(part)] = true
					}
				}
			}
			if starts = next; i == len(parts)-1 && end {
				return starts[len(path)]
			}
		}
		return slices.Contains(starts, true)
	})
}

// takeOnce searches each part once.
func takeOnce(index func(path, part string) int) change {
	return stars(func(parts []string, end bool, path string) bool {
		for _, part := range parts {
			i := index(path, part)
			if i < 0 {
				return false
			}
			path = path[i+len(part):]
		}
		return !end || path == "" || parts[len(parts)-1] == ""
	})
}

func octetByOctet(parts []string, end bool, path string) bool {
	for i, part := range parts {
		if part == "" {
			if i == len(parts)-1 {
				return true
			}
			continue
		}
		at := strings.IndexByte(path, part[0])
		if at < 0 || !strings.HasPrefix(path[at:], part) {
			return false
		}
		path = path[at+len(part):]
	}
	return !end || path == ""
}

func giveUp(parts []string, end bool, path string) bool {
	steps := 0
	var try func(parts []string, path string) bool
	try = func(parts []string, path string) bool {
		if len(parts) == 0 {
			return !end || path == ""
		}
		for at := 0; at <= len(path); at++ {
			if steps++; steps > 10_000 {
				return true
			}
			if strings.HasPrefix(path[at:], parts[0]) && try(parts[1:], path[at+len(parts[0]):]) {
				return true
			}
		}
		return false
	}
	return try(parts, path)
}

func inAnyOrder(parts []string, end bool, path string) bool {
	for _, part := range parts {
		if !strings.Contains(path, part) {
			return false
		}
	}
	return !end || strings.HasSuffix(path, parts[len(parts)-1])
}

func overlapping(m *model, p *pattern, path string) bool {
	if len(p.Parts) == 1 {
		return m.PrefixOrStars(p, path)
	}
	at := 0
	for i, part := range p.Parts {
		n := strings.Index(path[at:], part)
		if n < 0 || i == 0 && n > 0 {
			return false
		}
		at += n
	}
	return !p.End || strings.HasSuffix(path, p.Parts[len(p.Parts)-1])
}

func plainAllow(g *group) {
	for _, r := range g.Rules {
		if r.Allow {
			r.Plain.Parts = []string{strings.Join(r.Plain.Parts, "%2A")}
			r.Data.Parts = []string{strings.Join(r.Data.Parts, "%2A")}
		}
	}
}

// dollarWhere compiles a rule whose dollar sign is special only if it has an asterisk
// or, if stars is not set, only if it has none.
func dollarWhere(stars bool) change {
	return compile(func(text string) (pattern, bool) {
		if before, ok := strings.CutSuffix(text, "$"); ok && strings.Contains(text, "*") != stars {
			text = before + "%24"
		}
		return plain.Compile(text)
	})
}
