package mutant

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/repcheck/repcheck/spec"
)

// decisionFaults concern the choice of the matching rule that decides (RFC 9309
// section 2.2.2).
var decisionFaults = []fault{
	{"shortest-decides", "RFC9309-2.2.2-4", "The least specific match decides.",
		octets(func(r *rule) int { return 1<<20 - len(r.Text) }),
		wronglyForbids("User-agent: FooBot\nDisallow: /\nAllow: /a\n", "/a")},
	{"last-decides", "RFC9309-2.2.2-6", "The last match in the file decides.",
		decide(func(_ *model, _, matching []*rule) bool { return len(matching) == 0 || matching[len(matching)-1].Allow }),
		wronglyForbids("User-agent: FooBot\nAllow: /a\nDisallow: /\n", "/a")},
	{"any-allow-decides", "RFC9309-2.2.2-4", "Any allow rule that matches decides.",
		decide(func(_ *model, _, matching []*rule) bool {
			return len(matching) == 0 || slices.ContainsFunc(matching, allows)
		}),
		wronglyAllows("User-agent: FooBot\nAllow: /\nDisallow: /a\n", "/a")},
	{"most-rules-decide", "RFC9309-2.2.2-4", "The kind of rule of which more rules match decides.",
		decide(func(_ *model, _, matching []*rule) bool { return 2*countAllows(matching) >= len(matching) }),
		wronglyForbids("User-agent: FooBot\nDisallow: /\nDisallow: /a\nAllow: /a/b\n", "/a/b")},
	{"longest-rule-or-none", "RFC9309-2.2.2-4", "Only the longest rule of the group is tried.",
		decide(longestOrNone),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\nAllow: /bbb\n", "/a")},
	{"longest-rule-unmatched", "RFC9309-2.2.2-4", "If any rule matches, the longest rule of the group decides.",
		decide(func(m *model, rules, matching []*rule) bool { return len(matching) == 0 || m.Longest(rules) }),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\nAllow: /bbb\n", "/a")},
	{"segments-counted", "RFC9309-2.2.2-5", "The match with the most slashes is the most specific.",
		octets(func(r *rule) int { return strings.Count(r.Text, "/") }),
		wronglyAllows("User-agent: FooBot\nAllow: /a\nDisallow: /ab\n", "/ab")},
	{"characters-counted", "RFC9309-2.2.2-5", "The characters of a rule are counted instead of its octets.",
		octets(func(r *rule) int { return utf8.RuneCountInString(r.Value) }),
		wronglyForbids("User-agent: FooBot\nAllow: /ツ\nDisallow: /**\n", "/%E3%83%84")},
	{"query-not-counted", "RFC9309-2.2.2-5", "The query of a rule does not count towards its length.",
		octets(func(r *rule) int { return len(withoutQuery(r.Text)) }),
		wronglyAllows("User-agent: FooBot\nAllow: /a\nDisallow: /a?b\n", "/a?b")},
	{"plain-before-wildcard", "RFC9309-2.2.2-4", "A rule with an asterisk decides only if no other rule matches.",
		octets(func(r *rule) int { return len(r.Text) + cond(len(r.Plain.Parts) > 1, 0, 1<<20) }),
		wronglyAllows("User-agent: FooBot\nAllow: /a\nDisallow: /abc*\n", "/abc")},
	{"wildcard-before-plain", "RFC9309-2.2.2-4", "A rule with an asterisk takes precedence over other rules.",
		octets(func(r *rule) int { return len(r.Text) + cond(len(r.Plain.Parts) > 1, 1<<20, 0) }),
		wronglyAllows("User-agent: FooBot\nAllow: /*b\nDisallow: /abcd\n", "/abcd")},
	{"length-in-one-octet", "RFC9309-2.2.2-5", "The length of a rule is kept in one octet.",
		octets(func(r *rule) int { return len(r.Text) & 0xFF }),
		wronglyAllows("User-agent: FooBot\nAllow: /aa\nDisallow: /"+strings.Repeat("a", 255)+"\n", "/"+strings.Repeat("a", 255))},
	{"length-capped", "RFC9309-2.2.2-5", "No rule counts for more than 255 octets.",
		octets(func(r *rule) int { return min(len(r.Text), 255) }),
		wronglyAllows("User-agent: FooBot\nAllow: /"+strings.Repeat("a", 255)+"\nDisallow: /"+strings.Repeat("a", 256)+"\n", "/"+strings.Repeat("a", 256))},

	{"repeated-rules-toggle", "RFC9309-2.2.2-7", "A rule that repeats another cancels it.",
		eachGroup(toggleRules),
		wronglyAllows("User-agent: FooBot\nDisallow: /a\nDisallow: /a\n", "/a")},
	{"repeated-path-replaced", "RFC9309-2.2.2-8", "Only the last of several rules with the same path is kept.",
		eachGroup(lastOfAPath),
		wronglyForbids("User-agent: FooBot\nAllow: /a\nDisallow: /a\n", "/a")},
	{"repeated-rules-outvote", "RFC9309-2.2.2-8", "Between equivalent rules the kind that is repeated more often decides.",
		decide(outvote),
		wronglyForbids("User-agent: FooBot\nAllow: /a\nDisallow: /a\nDisallow: /a\n", "/a")},
	{"tie-last", "RFC9309-2.2.2-8", "Between equivalent rules the last in the file decides.",
		decide(lastOfLongest),
		wronglyForbids("User-agent: FooBot\nAllow: /a\nDisallow: /a\n", "/a")},
	{"tie-of-wildcards", "RFC9309-2.2.2-8", "Between equivalent rules with an asterisk the disallow rule decides.",
		octets(func(r *rule) int { return 2*len(r.Text) + cond(len(r.Plain.Parts) > 1 && !r.Allow, 1, 0) }),
		wronglyForbids("User-agent: FooBot\nDisallow: /*a\nAllow: /*a\n", "/a")},
	{"tie-at-root", "RFC9309-2.2.2-8", "A disallow rule for the whole site outweighs an allow rule for it.",
		octets(func(r *rule) int { return 2*len(r.Text) + cond(r.Text == "/" && !r.Allow, 1, 0) }),
		wronglyForbids("User-agent: FooBot\nDisallow: /\nAllow: /\n", "/")},

	{"unmatched-forbidden", "RFC9309-2.2.2-9", "A URL that no rule matches is forbidden.",
		decide(func(m *model, rules, matching []*rule) bool {
			return len(rules) == 0 || len(matching) > 0 && m.Longest(matching)
		}),
		wronglyForbids("User-agent: FooBot\nDisallow: /b\n", "/a")},
	{"allow-rules-close-the-rest", "RFC9309-2.2.2-9", "In a group of allow rules only, a URL that none of them matches is forbidden.",
		decide(func(m *model, rules, matching []*rule) bool {
			return m.Longest(matching) && (len(rules) == 0 || len(matching) > 0 || countAllows(rules) < len(rules))
		}),
		wronglyForbids("User-agent: FooBot\nAllow: /b\n", "/a")},
	{"empty-disallow-rejects", "RFC9309-ABNF-empty-pattern", "A file with a rule that has no path is refused.",
		refuseWith(func(r record) bool { return r.IsRule() && r.Value == "" }),
		wronglyRejects("User-agent: FooBot\nDisallow:\n", "/a", spec.Allow)},

	{"robots-txt-anywhere", "RFC9309-2.2.2-11", "Every file with the name robots.txt is allowed.",
		exempt(func(path string) bool { return strings.HasSuffix(path, "/robots.txt") }),
		wronglyAllows("User-agent: FooBot\nDisallow: /\n", "/a/robots.txt")},
	{"robots-txt-prefix", "RFC9309-2.2.2-11", "Every path that begins with /robots.txt is allowed.",
		exempt(func(path string) bool { return strings.HasPrefix(path, "/robots.") }),
		wronglyAllows("User-agent: FooBot\nDisallow: /\n", "/robots.html")},
}

func allows(r *rule) bool { return r.Allow }

func countAllows(rules []*rule) int {
	n := 0
	for _, r := range rules {
		if r.Allow {
			n++
		}
	}
	return n
}

func longestOrNone(_ *model, rules, matching []*rule) bool {
	most := 0
	for i := range rules {
		most = max(most, len(rules[i].Text))
	}
	for i := range matching {
		if len(matching[i].Text) == most {
			return matching[i].Allow
		}
	}
	return true
}

func toggleRules(g *group) {
	var kept []*rule
	seen := map[string]bool{} // whether the rule is already kept
	for _, r := range g.Rules {
		key := cond(r.Allow, "+", "-") + r.Text
		seen[key] = !seen[key]
	}
	for _, r := range g.Rules {
		key := cond(r.Allow, "+", "-") + r.Text
		if seen[key] {
			kept, seen[key] = append(kept, r), false
		}
	}
	g.Rules = kept
}

func lastOfAPath(g *group) {
	seen := map[string]bool{}
	var kept []*rule
	for _, r := range slices.Backward(g.Rules) {
		if !seen[r.Text] {
			kept = append(kept, r)
		}
		seen[r.Text] = true
	}
	g.Rules = kept
}

// longestOf returns the most specific matches.
func longestOf(m *model, matching []*rule) []*rule {
	var kept []*rule
	most := -1
	for i := range matching {
		n := m.Octets(matching[i])
		if n > most {
			kept, most = nil, n
		}
		if n == most {
			kept = append(kept, matching[i])
		}
	}
	return kept
}

func outvote(m *model, _, matching []*rule) bool {
	best := longestOf(m, matching)
	return 2*countAllows(best) >= len(best)
}

func lastOfLongest(m *model, _, matching []*rule) bool {
	best := longestOf(m, matching)
	return len(best) == 0 || best[len(best)-1].Allow
}
