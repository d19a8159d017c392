package mutant

import (
	pathpkg "path"
	"slices"
	"strings"
)

// agentFaults concern which groups hold for a crawler (RFC 9309 section 2.2.1).
var agentFaults = []fault{
	{"prefix-both-ways", "RFC9309-2.2.1-12", "Two names match if either begins with the other.",
		func(m *model) {
			m.same = func(name, agent string) bool {
				name, agent = lower(name), lower(agent)
				return strings.HasPrefix(name, agent) || strings.HasPrefix(agent, name)
			}
		},
		wronglyForbids("User-agent: FooBot-News\nDisallow: /a\n", "/a")},
	{"file-name-longer", "RFC9309-2.2.1-12", "A name in the file matches if it begins with that of the crawler.",
		func(m *model) {
			m.same = func(name, agent string) bool { return strings.HasPrefix(lower(name), lower(agent)) }
		},
		wronglyForbids("User-agent: FooBotX\nDisallow: /a\n", "/a")},
	{"file-name-ends-agent", "RFC9309-2.2.1-12", "A name in the file matches if that of the crawler ends with it.",
		func(m *model) {
			m.same = func(name, agent string) bool { return strings.HasSuffix(lower(agent), lower(name)) }
		},
		wronglyForbids("User-agent: Bot\nDisallow: /a\n", "/a")},
	{"agent-cut-at-hyphen", "RFC9309-ABNF-identifier", "Names are compared up to their first hyphen.",
		func(m *model) { m.same = sameWith(func(s string) string { s, _, _ = strings.Cut(s, "-"); return s }) },
		wronglyForbids("User-agent: FooBot-News\nDisallow: /a\n", "/a")},
	{"agent-cut-at-underscore", "RFC9309-ABNF-identifier", "Names are compared up to their first underscore.",
		func(m *model) { m.same = sameWith(func(s string) string { s, _, _ = strings.Cut(s, "_"); return s }) },
		wronglyForbids("User-agent: FooBot_News\nDisallow: /a\n", "/a")},
	{"token-of-letters", "RFC9309-ABNF-identifier", "A name in the file ends at its first hyphen or underscore.",
		func(m *model) {
			m.name = func(v string) string { return cond(v == "*", v, v[:len(v)-len(strings.TrimLeft(v, letters))]) }
		},
		wronglyAllows("User-agent: Foo-Bot\nDisallow: /a\n", "/a").by("Foo-Bot")},
	{"hyphen-is-underscore", "RFC9309-ABNF-identifier", "Hyphen and underscore are alike in names.",
		func(m *model) { m.same = sameWith(func(s string) string { return strings.ReplaceAll(s, "_", "-") }) },
		wronglyForbids("User-agent: Foo-Bot\nDisallow: /a\n", "/a").by("Foo_Bot")},
	{"hyphens-trimmed", "RFC9309-ABNF-identifier", "Hyphens and underscores at either end of a name are dropped.",
		func(m *model) { m.same = sameWith(func(s string) string { return strings.Trim(s, "-_") }) },
		wronglyForbids("User-agent: -FooBot\nDisallow: /a\n", "/a")},
	{"short-name-refused", "RFC9309-ABNF-identifier", "A name of one character names nobody.",
		func(m *model) {
			m.name = func(v string) string { return cond(len(leadingToken(v)) > 1 || v == "*", leadingToken(v), "") }
		},
		wronglyAllows("User-agent: f\nDisallow: /a\n", "/a").by("f")},
	{"lower-case-in-file-only", "RFC9309-2.2.1-5", "The name in the file is put in lower case, and that of the crawler is not.",
		func(m *model) { m.same = func(name, agent string) bool { return lower(name) == agent } },
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n", "/a")},
	{"lower-case-of-agent-only", "RFC9309-2.2.1-5", "The name of the crawler is put in lower case, and that in the file is not.",
		func(m *model) { m.same = func(name, agent string) bool { return name == lower(agent) } },
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n", "/a")},
	{"first-letter-any-case", "RFC9309-2.2.1-5", "Names may differ in the case of their first letter only.",
		func(m *model) {
			m.same = sameAs(func(s string) string { return lower(s[:min(len(s), 1)]) + s[min(len(s), 1):] })
		},
		wronglyAllows("User-agent: FOOBOT\nDisallow: /a\n", "/a")},
	{"wildcard-in-name", "RFC9309-ABNF-product-token", "An asterisk in a name stands for any characters.",
		func(m *model) {
			m.name = func(v string) string { return v }
			m.same = func(name, agent string) bool {
				ok, err := pathpkg.Match(lower(name), lower(agent))
				return ok && err == nil
			}
		},
		wronglyForbids("User-agent: Foo*\nDisallow: /a\n", "/a")},

	{"star-unknown", "RFC9309-2.2.1-9", "An asterisk names nobody.",
		func(m *model) { m.name = func(v string) string { return cond(v == "*", "", leadingToken(v)) } },
		wronglyAllows("User-agent: *\nDisallow: /a\n", "/a")},
	{"star-alone", "RFC9309-2.2.1-9", "An asterisk counts only if no name stands beside it.",
		func(m *model) {
			m.groups = eachGroup(func(g *group) {
				if len(g.names) > 1 {
					g.names = slices.DeleteFunc(g.names, isStar)
				}
			})
		},
		wronglyAllows("User-agent: *\nUser-agent: BarBot\nDisallow: /a\n", "/a")},
	{"names-beside-star-lost", "RFC9309-2.1-3", "Where an asterisk stands in a header, the names beside it do not count.",
		func(m *model) {
			m.groups = eachGroup(func(g *group) {
				if slices.Contains(g.names, "*") {
					g.names = []string{"*"}
				}
			})
		},
		wronglyForbids("User-agent: FooBot\nUser-agent: *\nDisallow: /b\n\nUser-agent: *\nDisallow: /a\n", "/a")},
	{"star-not-last", "RFC9309-2.2.1-9", "A group for the asterisk counts only if it is the last one.",
		func(m *model) {
			m.groups = func(groups []group) []group {
				for i := range max(len(groups)-1, 0) {
					groups[i].names = slices.DeleteFunc(groups[i].names, isStar)
				}
				return groups
			}
		},
		wronglyAllows("User-agent: *\nDisallow: /a\n\nUser-agent: BarBot\nDisallow: /b\n", "/a")},
	{"first-fit-of-file", "RFC9309-2.2.1-13", "The first group that fits decides, and an asterisk fits everybody.",
		func(m *model) { m.choose = firstFit },
		wronglyForbids("User-agent: *\nDisallow: /\n\nUser-agent: FooBot\nAllow: /\n", "/a")},
	{"last-fit-of-file", "RFC9309-2.2.1-13", "The last group that fits decides, and an asterisk fits everybody.",
		func(m *model) { m.choose = lastFit },
		wronglyForbids("User-agent: FooBot\nAllow: /\n\nUser-agent: *\nDisallow: /\n", "/a")},
	{"star-first", "RFC9309-2.2.1-13", "Where there is a group for the asterisk, it holds for everybody.",
		func(m *model) {
			m.choose = func(m *model, groups []group, agent, path string) ([]*rule, bool) {
				if rules, found := m.rulesFor(groups, isStar); found {
					return rules, true
				}
				return combined(m, groups, agent, path)
			}
		},
		wronglyForbids("User-agent: FooBot\nAllow: /\n\nUser-agent: *\nDisallow: /\n", "/a")},
	{"star-where-no-rule-matches", "RFC9309-2.2.1-11", "Where no rule of its own groups matches, those for the asterisk bind the crawler.",
		func(m *model) { m.choose = starAsLastResort },
		wronglyForbids("User-agent: FooBot\nDisallow: /b\n\nUser-agent: *\nDisallow: /a\n", "/a")},
	{"star-allows-added", "RFC9309-2.2.1-11", "The allow rules for the asterisk are added to those of the crawler's own groups.",
		func(m *model) {
			m.choose = func(m *model, groups []group, agent, path string) ([]*rule, bool) {
				rules, found := combined(m, groups, agent, path)
				stars, _ := m.rulesFor(groups, isStar)
				return append(slices.Clip(rules), slices.DeleteFunc(stars, func(r *rule) bool { return !r.allow })...), found
			}
		},
		wronglyAllows("User-agent: FooBot\nDisallow: /\n\nUser-agent: *\nAllow: /a\n", "/a")},
	{"last-group-for-everybody", "RFC9309-2.2.1-6", "The last group of the file holds for every crawler.",
		func(m *model) {
			m.choose = func(_ *model, groups []group, _, _ string) ([]*rule, bool) {
				if len(groups) == 0 {
					return nil, false
				}
				return groups[len(groups)-1].rules, true
			}
		},
		wronglyForbids("User-agent: FooBot\nAllow: /\n\nUser-agent: BarBot\nDisallow: /a\n", "/a")},
	{"all-groups-for-everybody", "RFC9309-2.2.1-6", "All rules of the file hold for every crawler.",
		func(m *model) {
			m.choose = func(m *model, groups []group, _, _ string) ([]*rule, bool) {
				return m.rulesFor(groups, func(string) bool { return true })
			}
		},
		wronglyForbids("User-agent: FooBot\nAllow: /\n\nUser-agent: BarBot\nDisallow: /a\n", "/a")},
	{"stranger-forbidden", "RFC9309-2.2.1-10", "A crawler for which there is no group is forbidden everything.",
		func(m *model) { m.nobody = false },
		wronglyForbids("User-agent: BarBot\nDisallow: /b\n", "/a")},

	{"neighbours-combined", "RFC9309-2.2.1-7", "Groups of one crawler are combined only if no other stands between them.",
		func(m *model) { m.choose = firstRun },
		wronglyAllows("User-agent: FooBot\nDisallow: /b\n\nUser-agent: BarBot\nAllow: /\n\nUser-agent: FooBot\nDisallow: /a\n", "/a")},
	{"two-groups-combined", "RFC9309-2.2.1-7", "Of the groups of one crawler only the first two are combined.",
		func(m *model) { m.choose = firstTwo },
		wronglyAllows(strings.Repeat("User-agent: FooBot\nDisallow: /b\n\n", 2)+"User-agent: FooBot\nDisallow: /a\n", "/a")},
	{"equal-headers-combined", "RFC9309-2.2.1-7", "Groups are combined only if their headers are equal.",
		func(m *model) { m.choose = equalHeaders },
		wronglyAllows("User-agent: FooBot\nDisallow: /b\n\nUser-agent: BarBot\nUser-agent: FooBot\nDisallow: /a\n", "/a")},
	{"equal-spellings-combined", "RFC9309-2.2.1-7", "Groups are combined only if they spell the name in one letter case.",
		func(m *model) { m.choose = equalSpellings },
		wronglyAllows("User-agent: FooBot\nDisallow: /b\n\nUser-agent: foobot\nDisallow: /a\n", "/a")},
	{"empty-group-cancels", "RFC9309-2.2.1-7", "A group without rules takes back those of the groups before it.",
		func(m *model) { m.choose = emptyCancels },
		wronglyAllows("User-agent: FooBot\nDisallow: /a\n\nUser-agent: FooBot\n", "/a")},
	{"groups-in-turn", "RFC9309-2.2.1-8", "The groups of a crawler are tried in turn, and the first in which a rule matches decides.",
		func(m *model) { m.choose = groupsInTurn },
		wronglyForbids("User-agent: FooBot\nDisallow: /a\n\nUser-agent: FooBot\nAllow: /a/b\n", "/a/b")},
}

// sameWith compares names without regard to case after a change to both.
func sameWith(change func(string) string) func(name, agent string) bool {
	return sameAs(func(s string) string { return lower(change(s)) })
}

func sameAs(change func(string) string) func(name, agent string) bool {
	return func(name, agent string) bool { return change(name) == change(agent) }
}

// fits reports whether a group names the crawler or everybody.
func (m *model) fits(g *group, agent string) bool {
	return g.has(func(name string) bool { return isStar(name) || m.names(name, agent) })
}

func firstFit(m *model, groups []group, agent, _ string) ([]*rule, bool) {
	for i := range groups {
		if m.fits(&groups[i], agent) {
			return groups[i].rules, true
		}
	}
	return nil, false
}

func lastFit(m *model, groups []group, agent, _ string) ([]*rule, bool) {
	for i := range slices.Backward(groups) {
		if m.fits(&groups[i], agent) {
			return groups[i].rules, true
		}
	}
	return nil, false
}

// own returns the groups that name the crawler.
func (m *model) own(groups []group, agent string) []group {
	var own []group
	for _, g := range groups {
		if g.has(func(name string) bool { return m.names(name, agent) }) {
			own = append(own, g)
		}
	}
	return own
}

// only makes of a choice among the crawler's own groups a choose of a model.
func only(m *model, groups []group, agent, path string, choice func(own []group) []group) ([]*rule, bool) {
	own := m.own(groups, agent)
	if len(own) == 0 {
		return combined(m, groups, agent, path)
	}
	rules, _ := m.rulesFor(choice(own), func(string) bool { return true })
	return rules, true
}

func firstRun(m *model, groups []group, agent, path string) ([]*rule, bool) {
	names := func(name string) bool { return m.names(name, agent) }
	start := slices.IndexFunc(groups, func(g group) bool { return g.has(names) })
	if start < 0 {
		return combined(m, groups, agent, path)
	}
	end := start
	for end < len(groups) && groups[end].has(names) {
		end++
	}
	return m.rulesFor(groups[start:end], names)
}

func firstTwo(m *model, groups []group, agent, path string) ([]*rule, bool) {
	return only(m, groups, agent, path, func(own []group) []group { return own[:min(len(own), 2)] })
}

func equalHeaders(m *model, groups []group, agent, path string) ([]*rule, bool) {
	return only(m, groups, agent, path, func(own []group) []group {
		header := own[0].names
		return slices.DeleteFunc(own, func(g group) bool { return !slices.Equal(g.names, header) })
	})
}

func equalSpellings(m *model, groups []group, agent, path string) ([]*rule, bool) {
	return only(m, groups, agent, path, func(own []group) []group {
		at := slices.IndexFunc(own[0].names, func(name string) bool { return m.names(name, agent) })
		spelling := own[0].names[at]
		return slices.DeleteFunc(own, func(g group) bool { return !slices.Contains(g.names, spelling) })
	})
}

func emptyCancels(m *model, groups []group, agent, path string) ([]*rule, bool) {
	return only(m, groups, agent, path, func(own []group) []group {
		for i := range slices.Backward(own) {
			if len(own[i].rules) == 0 {
				return own[i:]
			}
		}
		return own
	})
}

func groupsInTurn(m *model, groups []group, agent, path string) ([]*rule, bool) {
	return only(m, groups, agent, path, func(own []group) []group {
		for i := range own {
			if len(m.matching(own[i].rules, path)) > 0 {
				return own[i : i+1]
			}
		}
		return nil
	})
}

func starAsLastResort(m *model, groups []group, agent, path string) ([]*rule, bool) {
	rules, found := combined(m, groups, agent, path)
	if stars, any := m.rulesFor(groups, isStar); any && len(m.matching(rules, path)) == 0 {
		return stars, true
	}
	return rules, found
}
