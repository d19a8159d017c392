package mutant

import (
	"slices"
	"strings"

	"github.com/repcheck/repcheck/impl/reference/plain"
)

// groupFaults concern the assignment of rules to names (RFC 9309 sections 2.1 and
// 2.2.4).
var groupFaults = []fault{
	{"first-rule-only", "RFC9309-2.1-3", "Only the first rule of a group counts.",
		eachGroup(func(g *group) { g.Rules = g.Rules[:min(len(g.Rules), 1)] }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\nDisallow: /b\n", "/b")},
	{"last-rule-only", "RFC9309-2.1-3", "Only the last rule of a group counts.",
		eachGroup(func(g *group) { g.Rules = g.Rules[max(len(g.Rules)-1, 0):] }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\nDisallow: /b\n", "/a")},
	{"last-rule-of-a-kind", "RFC9309-2.1-3", "Only the last allow rule and the last disallow rule of a group count.",
		eachGroup(lastOfAKind),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\nDisallow: /b\n", "/a")},
	{"first-agent-of-header", "RFC9309-2.1-3", "Only the first user-agent line of a header counts.",
		eachGroup(func(g *group) { g.Names = g.Names[:1] }),
		wronglyAllows("User-agent: BarBot\nUser-agent: FooBot\nDisallow: /a\n", "/a")},
	{"last-agent-of-header", "RFC9309-2.1-3", "Only the last user-agent line of a header counts.",
		eachGroup(func(g *group) { g.Names = g.Names[len(g.Names)-1:] }),
		wronglyAllows("User-agent: FooBot\nUser-agent: BarBot\nDisallow: /a\n", "/a")},
	{"two-agents-of-header", "RFC9309-2.1-3", "Only the first two user-agent lines of a header count.",
		eachGroup(func(g *group) { g.Names = g.Names[:min(len(g.Names), 2)] }),
		wronglyAllows("User-agent: A\nUser-agent: B\nUser-agent: FooBot\nDisallow: /a\n", "/a")},
	{"sixteen-agents-of-header", "RFC9309-2.1-3", "Only the first sixteen user-agent lines of a header count.",
		eachGroup(func(g *group) { g.Names = g.Names[:min(len(g.Names), 16)] }),
		wronglyAllows(strings.Repeat("User-agent: BarBot\n", 16)+"User-agent: FooBot\nDisallow: /a\n", "/a")},
	{"repeated-agent-toggles", "RFC9309-2.1-3", "A name that occurs twice in a header does not count.",
		eachGroup(toggleNames),
		wronglyAllows("User-agent: FooBot\nUser-agent: FooBot\nDisallow: /a\n", "/a")},

	{"agents-gather", "RFC9309-2.1-4", "A user-agent line after rules joins the group instead of ending it.",
		records(oneHeader),
		wronglyForbids("User-agent: FooBot\nAllow: /\nUser-agent: BarBot\nDisallow: /a\n", "/a")},
	{"blank-line-parts-groups", "RFC9309-2.1-4", "A user-agent line after rules opens a group only if a blank line precedes it.",
		records(agentNeedsBlankLine),
		wronglyAllows("User-agent: BarBot\nDisallow: /b\nUser-agent: FooBot\nDisallow: /a\n", "/a")},
	{"blank-line-behind-rules-ends-group", "RFC9309-ABNF-group", "A blank line after a rule ends the group.",
		records(blankBehindRule),
		wronglyAllows("User-agent: FooBot\nDisallow: /b\n\nDisallow: /a\n", "/a")},
	{"line-of-blanks-ends-group", "RFC9309-ABNF-emptyline", "A line of spaces or tabs ends the group, while an empty one does not.",
		steps(
			eachLine(func(l string) string { return cond(l != "" && strings.Trim(l, " \t") == "", "BLANKS:", l) }),
			endGroupBehind(func(r record) bool { return r.Key == "blanks" })),
		wronglyAllows("User-agent: FooBot\n \t\nDisallow: /a\n", "/a")},
	{"comment-line-ends-group", "RFC9309-ABNF-emptyline", "A comment on a line of its own ends the group.",
		endGroupBehind(isKind(plain.Comment)),
		wronglyAllows("User-agent: FooBot\n# rules\nDisallow: /a\n", "/a")},
	{"last-group-lost", "RFC9309-2.1-4", "A group is kept when the next one begins, so the last group is lost.",
		groups(func(g []group) []group { return g[:max(len(g)-1, 0)] }),
		wronglyAllows("User-agent: BarBot\nAllow: /\n\nUser-agent: FooBot\nDisallow: /a\n", "/a")},
	{"last-group-needs-rules", "RFC9309-2.1-5", "A last group without rules is not kept.",
		groups(lastNeedsRules),
		wronglyForbids("User-agent: *\nDisallow: /\n\nUser-agent: FooBot\n", "/a")},
	{"empty-group-forbids", "RFC9309-2.2.2-10", "A group without rules forbids everything.",
		decide(func(m *model, rules, matching []*rule) bool { return len(rules) > 0 && m.Longest(matching) }),
		wronglyForbids("User-agent: FooBot\n", "/a")},

	{"rules-before-groups-bind", "RFC9309-2.2.2-20", "Rules above the first user-agent line belong to the first group.",
		records(orphansJoin),
		wronglyForbids("Disallow: /a\nUser-agent: FooBot\nDisallow: /b\n", "/a")},

	{"sitemap-ends-group", "RFC9309-2.2.4-4", "A sitemap line ends the group.",
		endGroupBehind(isSitemap),
		wronglyAllows("User-agent: FooBot\nSitemap: http://foo.test/s\nDisallow: /a\n", "/a")},
	{"sitemap-ends-header", "RFC9309-2.2.4-4", "After a sitemap line a user-agent line opens a group, even if no rule came before.",
		insertBehind(isSitemap, plain.EndsHeader),
		wronglyAllows("User-agent: FooBot\nSitemap: http://foo.test/s\nUser-agent: BarBot\nDisallow: /a\n", "/a")},
	{"other-record-ends-group", "RFC9309-2.2.4-3", "A record with an unknown key other than sitemap ends the group.",
		endGroupBehind(func(r record) bool { return r.Kind == plain.Other && r.Key != "sitemap" }),
		wronglyAllows("User-agent: FooBot\nHost: x.test\nDisallow: /a\n", "/a")},
	{"sitemap-closes-what-it-names", "RFC9309-2.2.4-3", "The path of a sitemap is forbidden.",
		records(sitemapForbids),
		wronglyForbids("User-agent: FooBot\nDisallow: /b\nSitemap: http://foo.test/a\n", "/a")},
	{"empty-record-ends-group", "RFC9309-2.2.4-3", "A record with an unknown key and no value ends the group.",
		endGroupBehind(func(r record) bool { return r.Kind == plain.Other && r.Value == "" }),
		wronglyAllows("User-agent: FooBot\nHost:\nDisallow: /a\n", "/a")},
}

func isSitemap(r record) bool { return r.Key == "sitemap" }

func lastOfAKind(g *group) {
	var kept []*rule
	for _, r := range slices.Backward(g.Rules) {
		if !slices.ContainsFunc(kept, func(k *rule) bool { return k.Allow == r.Allow }) {
			kept = append(kept, r)
		}
	}
	g.Rules = kept
}

func toggleNames(g *group) {
	var kept []string
	for _, name := range g.Names {
		if i := slices.Index(kept, name); i >= 0 {
			kept = slices.Delete(kept, i, i+1)
		} else {
			kept = append(kept, name)
		}
	}
	g.Names = kept
}

// oneHeader moves all user-agent lines to the front, which makes one group of all.
func oneHeader(records []record) []record {
	slices.SortStableFunc(records, func(a, b record) int {
		return cond(b.Kind == plain.UserAgent, 1, 0) - cond(a.Kind == plain.UserAgent, 1, 0)
	})
	return records
}

// agentNeedsBlankLine drops user-agent lines that follow a rule without a blank line
// between them.
func agentNeedsBlankLine(records []record) []record {
	rules := false
	return slices.DeleteFunc(records, func(r record) bool {
		switch {
		case r.IsRule():
			rules = true
		case r.Kind == plain.Blank:
			rules = false
		}
		return r.Kind == plain.UserAgent && rules
	})
}

func blankBehindRule(records []record) []record {
	var out []record
	rules := false
	for _, r := range records {
		switch {
		case r.Kind == plain.Blank && rules:
			out = append(out, record{Kind: plain.EndsGroup})
			rules = false
		case r.Kind == plain.UserAgent || r.IsRule():
			rules = r.IsRule()
		}
		out = append(out, r)
	}
	return out
}

func lastNeedsRules(groups []group) []group {
	if n := len(groups); n > 0 && len(groups[n-1].Rules) == 0 {
		return groups[:n-1]
	}
	return groups
}

// orphansJoin moves the rules above the first header to below that header.
func orphansJoin(records []record) []record {
	first := slices.IndexFunc(records, func(r record) bool { return r.Kind == plain.UserAgent })
	if first < 0 {
		return records
	}
	behind := first + slices.IndexFunc(records[first:], func(r record) bool { return r.Kind != plain.UserAgent })
	if behind < first {
		behind = len(records)
	}
	return slices.Concat(records[first:behind], records[:first], records[behind:])
}

func sitemapForbids(records []record) []record {
	for i := range records {
		if r := &records[i]; r.Key == "sitemap" {
			r.Kind, r.Value = plain.Disallow, plain.PathAndQuery(r.Value)
		}
	}
	return records
}
