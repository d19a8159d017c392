package mutant

import (
	pathpkg "path"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/impl/reference/plain"
)

// agentFaults concern the groups that apply to a crawler (RFC 9309 section 2.2.1).
var agentFaults = []fault{
	{"prefix-both-ways", "RFC9309-2.2.1-12", "Two names match if either begins with the other.",
		same(func(name, agent string) bool {
			name, agent = plain.Lower(name), plain.Lower(agent)
			return strings.HasPrefix(name, agent) || strings.HasPrefix(agent, name)
		}),
		wronglyForbids("User-agent: FooBot-News\nDisallow: /a\n", "/a")},
	{"file-name-longer", "RFC9309-2.2.1-12", "A name in the file matches if it begins with the name of the crawler.",
		same(func(name, agent string) bool { return strings.HasPrefix(plain.Lower(name), plain.Lower(agent)) }),
		wronglyForbids("User-agent: FooBotX\nDisallow: /a\n", "/a")},
	{"file-name-ends-agent", "RFC9309-2.2.1-12", "A name in the file matches if the name of the crawler ends with it.",
		same(func(name, agent string) bool { return strings.HasSuffix(plain.Lower(agent), plain.Lower(name)) }),
		wronglyForbids("User-agent: Bot\nDisallow: /a\n", "/a")},
	{"agent-cut-at-hyphen", "RFC9309-ABNF-identifier", "Names are compared up to their first hyphen.",
		sameWith(before("-")),
		wronglyForbids("User-agent: FooBot-News\nDisallow: /a\n", "/a")},
	{"agent-cut-at-underscore", "RFC9309-ABNF-identifier", "Names are compared up to their first underscore.",
		sameWith(before("_")),
		wronglyForbids("User-agent: FooBot_News\nDisallow: /a\n", "/a")},
	{"token-of-letters", "RFC9309-ABNF-identifier", "A name in the file ends at its first hyphen or underscore.",
		name(func(v string) string { return cond(v == "*", v, v[:len(v)-len(strings.TrimLeft(v, plain.Letters))]) }),
		wronglyAllows("User-agent: Foo-Bot\nDisallow: /a\n", "/a").by("Foo-Bot")},
	{"hyphen-is-underscore", "RFC9309-ABNF-identifier", "Hyphens and underscores in names are equal.",
		sameWith(replace("_", "-")),
		wronglyForbids("User-agent: Foo-Bot\nDisallow: /a\n", "/a").by("Foo_Bot")},
	{"hyphens-trimmed", "RFC9309-ABNF-identifier", "Hyphens and underscores at either end of a name are dropped.",
		sameWith(func(s string) string { return strings.Trim(s, "-_") }),
		wronglyForbids("User-agent: -FooBot\nDisallow: /a\n", "/a")},
	{"short-name-refused", "RFC9309-ABNF-identifier", "A name of one character matches no crawler.",
		name(func(v string) string {
			return cond(len(plain.LeadingToken(v)) > 1 || v == "*", plain.LeadingToken(v), "")
		}),
		wronglyAllows("User-agent: f\nDisallow: /a\n", "/a").by("f")},
	{"lower-case-in-file-only", "RFC9309-2.2.1-5", "The name in the file is converted to lower case, but the name of the crawler is not.",
		same(func(name, agent string) bool { return plain.Lower(name) == agent }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n", "/a")},
	{"lower-case-of-agent-only", "RFC9309-2.2.1-5", "The name of the crawler is converted to lower case, but the name in the file is not.",
		same(func(name, agent string) bool { return name == plain.Lower(agent) }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n", "/a")},
	{"first-letter-any-case", "RFC9309-2.2.1-5", "Names may differ in the case of their first letter only.",
		sameAs(func(s string) string { return plain.Lower(s[:min(len(s), 1)]) + s[min(len(s), 1):] }),
		wronglyAllows("User-agent: FOOBOT\nDisallow: /a\n", "/a")},
	{"wildcard-in-name", "RFC9309-ABNF-product-token", "An asterisk in a name matches any characters.",
		steps(name(identity), same(func(name, agent string) bool {
			ok, err := pathpkg.Match(plain.Lower(name), plain.Lower(agent))
			return ok && err == nil
		})),
		wronglyForbids("User-agent: Foo*\nDisallow: /a\n", "/a")},

	{"star-unknown", "RFC9309-2.2.1-9", "An asterisk matches no crawler.",
		name(func(v string) string { return cond(v == "*", "", plain.LeadingToken(v)) }),
		wronglyAllows("User-agent: *\nDisallow: /a\n", "/a")},
	{"star-alone", "RFC9309-2.2.1-9", "An asterisk counts only if its header has no other names.",
		eachGroup(func(g *group) {
			if len(g.Names) > 1 {
				g.Names = slices.DeleteFunc(g.Names, plain.IsStar)
			}
		}),
		wronglyAllows("User-agent: *\nUser-agent: BarBot\nDisallow: /a\n", "/a")},
	{"names-beside-star-lost", "RFC9309-2.1-3", "If a header has an asterisk, its other names do not count.",
		eachGroup(func(g *group) {
			if slices.Contains(g.Names, "*") {
				g.Names = []string{"*"}
			}
		}),
		wronglyForbids("User-agent: FooBot\nUser-agent: *\nDisallow: /b\n\nUser-agent: *\nDisallow: /a\n", "/a")},
	{"star-not-last", "RFC9309-2.2.1-9", "A group for the asterisk counts only if it is the last one.",
		groups(func(groups []group) []group {
			for i := range max(len(groups)-1, 0) {
				groups[i].Names = slices.DeleteFunc(groups[i].Names, plain.IsStar)
			}
			return groups
		}),
		wronglyAllows("User-agent: *\nDisallow: /a\n\nUser-agent: BarBot\nDisallow: /b\n", "/a")},
	{"first-fit-of-file", "RFC9309-2.2.1-13", "The first group that matches decides, and an asterisk matches every crawler.",
		fit(func(g []group) group { return g[0] }),
		wronglyForbids("User-agent: *\nDisallow: /\n\nUser-agent: FooBot\nAllow: /\n", "/a")},
	{"last-fit-of-file", "RFC9309-2.2.1-13", "The last group that matches decides, and an asterisk matches every crawler.",
		fit(func(g []group) group { return g[len(g)-1] }),
		wronglyForbids("User-agent: FooBot\nAllow: /\n\nUser-agent: *\nDisallow: /\n", "/a")},
	{"star-first", "RFC9309-2.2.1-13", "A group for the asterisk applies to every crawler, even one with a group of its own.",
		choose(func(m *model, groups []group, agent, path string) ([]*rule, bool) {
			if rules, found := m.RulesFor(groups, plain.IsStar); found {
				return rules, true
			}
			return plain.Combined(m, groups, agent, path)
		}),
		wronglyForbids("User-agent: FooBot\nAllow: /\n\nUser-agent: *\nDisallow: /\n", "/a")},
	{"star-where-no-rule-matches", "RFC9309-2.2.1-11", "If no rule of the crawler's own groups matches, the rules for the asterisk apply.",
		choose(starAsLastResort),
		wronglyForbids("User-agent: FooBot\nDisallow: /b\n\nUser-agent: *\nDisallow: /a\n", "/a")},
	{"star-allows-added", "RFC9309-2.2.1-11", "The allow rules for the asterisk are added to the rules of the crawler's own groups.",
		choose(func(m *model, groups []group, agent, path string) ([]*rule, bool) {
			rules, found := plain.Combined(m, groups, agent, path)
			stars, _ := m.RulesFor(groups, plain.IsStar)
			return append(slices.Clip(rules), slices.DeleteFunc(stars, func(r *rule) bool { return !r.Allow })...), found
		}),
		wronglyAllows("User-agent: FooBot\nDisallow: /\n\nUser-agent: *\nAllow: /a\n", "/a")},
	{"last-group-for-everybody", "RFC9309-2.2.1-6", "The last group of the file applies to every crawler.",
		choose(func(_ *model, groups []group, _, _ string) ([]*rule, bool) {
			if len(groups) == 0 {
				return nil, false
			}
			return groups[len(groups)-1].Rules, true
		}),
		wronglyForbids("User-agent: FooBot\nAllow: /\n\nUser-agent: BarBot\nDisallow: /a\n", "/a")},
	{"all-groups-for-everybody", "RFC9309-2.2.1-6", "All rules of the file apply to every crawler.",
		choose(func(m *model, groups []group, _, _ string) ([]*rule, bool) {
			return m.RulesFor(groups, func(string) bool { return true })
		}),
		wronglyForbids("User-agent: FooBot\nAllow: /\n\nUser-agent: BarBot\nDisallow: /a\n", "/a")},
	{"stranger-forbidden", "RFC9309-2.2.1-10", "A crawler without a group may fetch nothing.",
		noGroup,
		wronglyForbids("User-agent: BarBot\nDisallow: /b\n", "/a")},

	{"neighbours-combined", "RFC9309-2.2.1-7", "Groups of one crawler are combined only if no other group is between them.",
		choose(firstRun),
		wronglyAllows("User-agent: FooBot\nDisallow: /b\n\nUser-agent: BarBot\nAllow: /\n\nUser-agent: FooBot\nDisallow: /a\n", "/a")},
	{"two-groups-combined", "RFC9309-2.2.1-7", "Only the first two groups of a crawler are combined.",
		only(firstTwo),
		wronglyAllows(strings.Repeat("User-agent: FooBot\nDisallow: /b\n\n", 2)+"User-agent: FooBot\nDisallow: /a\n", "/a")},
	{"equal-headers-combined", "RFC9309-2.2.1-7", "Groups are combined only if their headers are equal.",
		only(equalHeaders),
		wronglyAllows("User-agent: FooBot\nDisallow: /b\n\nUser-agent: BarBot\nUser-agent: FooBot\nDisallow: /a\n", "/a")},
	{"equal-spellings-combined", "RFC9309-2.2.1-7", "Groups are combined only if they spell the name in one letter case.",
		only(equalSpellings),
		wronglyAllows("User-agent: FooBot\nDisallow: /b\n\nUser-agent: foobot\nDisallow: /a\n", "/a")},
	{"empty-group-cancels", "RFC9309-2.2.1-7", "A group without rules cancels the rules of the crawler's earlier groups.",
		only(emptyCancels),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n\nUser-agent: FooBot\n", "/a")},
	{"groups-in-turn", "RFC9309-2.2.1-8", "The groups of a crawler are tried in turn, and the first in which a rule matches decides.",
		only(groupsInTurn),
		wronglyForbids("User-agent: FooBot\nDisallow: /a\n\nUser-agent: FooBot\nAllow: /a/b\n", "/a/b")},
}

// sameWith compares names without regard to case after a change to both.
func sameWith(edit func(string) string) change {
	return sameAs(func(s string) string { return plain.Lower(edit(s)) })
}

func sameAs(edit func(string) string) change {
	return same(func(name, agent string) bool { return edit(name) == edit(agent) })
}

// fits reports whether a group names the crawler or "*".
func fits(m *model, g *group, agent string) bool {
	return g.Has(func(name string) bool { return plain.IsStar(name) || m.Names(name, agent) })
}

// fit picks one of the groups that name the crawler or "*".
func fit(pick func(fitting []group) group) change {
	return choose(func(m *model, groups []group, agent, _ string) ([]*rule, bool) {
		fitting := slices.DeleteFunc(slices.Clone(groups), func(g group) bool { return !fits(m, &g, agent) })
		if len(fitting) == 0 {
			return nil, false
		}
		return pick(fitting).Rules, true
	})
}

// own returns the groups that name the crawler.
func own(m *model, groups []group, agent string) []group {
	var own []group
	for _, g := range groups {
		if g.Has(func(name string) bool { return m.Names(name, agent) }) {
			own = append(own, g)
		}
	}
	return own
}

// only uses a choice of the groups that name the crawler.
func only(choice func(m *model, own []group, agent, path string) []group) change {
	return choose(func(m *model, groups []group, agent, path string) ([]*rule, bool) {
		own := own(m, groups, agent)
		if len(own) == 0 {
			return plain.Combined(m, groups, agent, path)
		}
		rules, _ := m.RulesFor(choice(m, own, agent, path), func(string) bool { return true })
		return rules, true
	})
}

func firstRun(m *model, groups []group, agent, path string) ([]*rule, bool) {
	names := func(name string) bool { return m.Names(name, agent) }
	start := slices.IndexFunc(groups, func(g group) bool { return g.Has(names) })
	if start < 0 {
		return plain.Combined(m, groups, agent, path)
	}
	end := start
	for end < len(groups) && groups[end].Has(names) {
		end++
	}
	return m.RulesFor(groups[start:end], names)
}

func firstTwo(_ *model, own []group, _, _ string) []group { return own[:min(len(own), 2)] }

func equalHeaders(_ *model, own []group, _, _ string) []group {
	header := own[0].Names
	return slices.DeleteFunc(own, func(g group) bool { return !slices.Equal(g.Names, header) })
}

func equalSpellings(m *model, own []group, agent, _ string) []group {
	at := slices.IndexFunc(own[0].Names, func(name string) bool { return m.Names(name, agent) })
	spelling := own[0].Names[at]
	return slices.DeleteFunc(own, func(g group) bool { return !slices.Contains(g.Names, spelling) })
}

func emptyCancels(_ *model, own []group, _, _ string) []group {
	for i := range slices.Backward(own) {
		if len(own[i].Rules) == 0 {
			return own[i:]
		}
	}
	return own
}

func groupsInTurn(m *model, own []group, _, path string) []group {
	for i := range own {
		if len(m.Matching(own[i].Rules, path)) > 0 {
			return own[i : i+1]
		}
	}
	return nil
}

func starAsLastResort(m *model, groups []group, agent, path string) ([]*rule, bool) {
	rules, found := plain.Combined(m, groups, agent, path)
	if stars, any := m.RulesFor(groups, plain.IsStar); any && len(m.Matching(rules, path)) == 0 {
		return stars, true
	}
	return rules, found
}
