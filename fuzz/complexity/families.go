package complexity

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/repcheck/repcheck/spec"
)

// A Family is a series of queries that grow with n.
type Family struct {
	// Name is lower-case without blanks; it is never reused for another family.
	Name string
	// About says what grows.
	About string
	// Verdict is the reference's verdict under RFC 9309, for every n.
	Verdict spec.Verdict
	// first is the smallest n to measure.
	first int
	// query is the query of any size: a part of its texts in parentheses occurs n
	// times, with the number of the occurrence in place of %d.
	query spec.Query
}

const (
	// mostFile is the size of a query, in bytes, up to which a family is
	// measured: the size that RFC 9309 section 2.5 requires to be parsed. A
	// parser may stop reading there, and its time would no longer grow.
	mostFile = 500 << 10
	// mostArgument bounds agent and URL, in bytes. Linux gives a command no
	// argument longer than 128 KiB, and a subject may be a command.
	mostArgument = 120_000
	// MostN is the largest possible n: every unit of every family has at least a
	// byte.
	MostN = mostFile
)

// Query returns the query of size n, at least 1, always the same one.
func (f *Family) Query(n int) spec.Query {
	q := f.query
	q.Robots, q.Agent, q.URL = []byte(grow(string(q.Robots), n)), grow(q.Agent, n), grow(q.URL, n)
	return q
}

// part matches the parts that occur n times.
var part = regexp.MustCompile(`\([^)]*\)`)

// grow returns a text of Family.query for size n.
func grow(text string, n int) string {
	return part.ReplaceAllStringFunc(text, func(part string) string {
		part = part[1 : len(part)-1]
		if !strings.Contains(part, "%d") {
			return strings.Repeat(part, n)
		}
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(part, "%d", strconv.Itoa(i)))
		}
		return b.String()
	})
}

// fits reports whether a query is within the size limits.
func (f *Family) fits(w spec.Query) bool {
	return w.Octets() <= mostFile && len(w.Agent) <= mostArgument && len(w.URL) <= mostArgument
}

// FindFamily returns the family of that name, or an error that lists the valid
// names.
func FindFamily(name string) (*Family, error) {
	var names []string
	for _, f := range Families() {
		if f.Name == name {
			return &f, nil
		}
		names = append(names, f.Name)
	}
	return nil, fmt.Errorf("no family is named %q: there are %s", name, strings.Join(names, ", "))
}

const (
	askedAgent = "FooBot"
	anyone     = "User-agent: *\n"
	// fixedRun is the path of the families whose rule grows: 200 bytes, the
	// length of an ordinary URL, against which five stars take some parsers
	// longer than a crawler waits.
	fixedRun = 200
)

// Families returns all families, in the order in which they are measured.
//
// Each is made so that time in proportion to n is enough: a parser that takes
// more does unnecessary work. Matching one rule with wildcards against one URL
// takes, with the obvious algorithm, time in proportion to the product of their
// lengths, and testing a URL takes that for each rule. That is by design and not
// a finding, so in a family only one of the two grows: stars against a URL of
// fixed length, a URL against a fixed number of stars, rules against a fixed URL.
// In families in which rule and URL grow together (long-match, escapes,
// percents), the rule has no wildcard, and comparing ends with the shorter of
// them. Reading is one pass over any bytes. Finding the groups of a crawler is
// one pass over the user-agent lines, and merging groups processes each rule
// once; if many agents share many rules (agents-rules), no copy of the rules is
// needed for each of them.
func Families() []Family {
	run := strings.Repeat("a", fixedRun)
	return []Family{
		// Rules with wildcards. Backtracking takes time to the power of the
		// number of stars.
		{"five-stars", "five stars against a URL of n octets", spec.Allow, 8, oneRule("/a*a*a*a*a*b$", "/(a)")},
		{"stars", "n stars against a URL of 200 octets", spec.Allow, 1, oneRule("/(a*)b$", "/"+run)},
		{"near-misses", "*x n times and y, against 200 times x", spec.Allow, 1, oneRule("/(*x)y", "/"+strings.Repeat("x", fixedRun))},
		{"dollars", "n dollar signs in a rule", spec.Allow, 1, oneRule("/a*b($)", "/"+run)},
		{"wide-url", "two stars and $ against a URL of n octets", spec.Allow, 64, oneRule("/*a*b$", "/(a)")},
		{"star-run", "n stars in a row, then text that does not match", spec.Allow, 1, oneRule("/(*)b$", "/"+run)},
		{"stars-only", "n stars in a row that match", spec.Disallow, 1, oneRule("/(*)", "/"+run)},

		// Many records.
		{"rules", "n rules in a group", spec.Allow, 64, asked(anyone+"(Disallow: /p%d\n)", "/q")},
		{"wildcard-rules", "n rules with wildcards in a group", spec.Allow, 32,
			asked(anyone+"(Disallow: /*/p%d*x$\n)", "/aaaaaaaa/aaaaaaaa/aaaaaaaa/aaaaaaaa")},
		{"groups", "n groups of other agents", spec.Disallow, 32,
			asked("(User-agent: bot%d\nDisallow: /\n\n)"+anyone+"Disallow: /a\n", "/a")},
		{"agents", "n user-agent lines over one rule", spec.Disallow, 64,
			asked("(User-agent: bot%d\n)User-agent: FooBot\nDisallow: /a\n", "/a")},
		{"same-agent", "n groups of the same agent", spec.Allow, 32, asked("(User-agent: FooBot\nDisallow: /p%d\n\n)", "/q")},
		{"agents-rules", "n user-agent lines over n rules", spec.Allow, 32,
			asked("(User-agent: bot%d\n)User-agent: FooBot\n(Disallow: /p%d\n)", "/q")},
		{"same-rule", "n times the same rule", spec.Disallow, 64, asked(anyone+"(Disallow: /a\n)", "/a")},
		{"empty-rules", "n rules without a value", spec.Allow, 64, asked(anyone+"(Disallow:\n)", "/a")},
		{"unknown", "n unknown records", spec.Disallow, 64, within("(X-Unknown: y\n)")},
		{"sitemaps", "n sitemap records", spec.Disallow, 32, within("(Sitemap: http://foo.test/%d.xml\n)")},
		{"comments", "n lines of comment", spec.Disallow, 64, within("(# comment\n)")},
		{"blank-lines", "n blank lines", spec.Disallow, 512, within("(\n)")},

		// Long lines.
		{"long-line", "a line of n letters", spec.Disallow, 512, within("(a)\n")},
		{"long-rule", "a rule of n octets against a short URL", spec.Allow, 512, oneRule("/(a)b", "/"+run)},
		{"long-match", "a rule of n octets against the same URL", spec.Disallow, 512, oneRule("/(a)", "/(a)")},
		{"blanks", "a value between n blanks", spec.Disallow, 512, asked(anyone+"Disallow:( )/a( )\n", "/a")},
		{"inner-blanks", "n blanks within a value", spec.Allow, 512, oneRule("/a( )b", "/a")},
		{"hashes", "a line of n times #", spec.Disallow, 512, within("(#)\n")},
		{"colons", "a line of n colons", spec.Disallow, 512, within("(:)\n")},
		{"long-agent", "an agent of n octets, in the file and in the query", spec.Disallow, 512,
			query("(a)b", "User-agent: (a)\nAllow: /\n\n"+anyone+"Disallow: /a\n", "/a")},

		// Unusual bytes.
		{"carriage-returns", "n carriage returns alone", spec.Disallow, 512, within("(\r)\n")},
		{"nuls", "a line of n octets 00", spec.Disallow, 512, within("(\x00)\n")},
		{"boms", "n byte order marks in front", spec.Disallow, 512, asked("(\uFEFF)\n"+anyone+"Disallow: /a\n", "/a")},
		{"invalid-octets", "a line of n octets FF", spec.Disallow, 512, within("(\xFF)\n")},
		{"invalid-rule", "n octets FF in a rule", spec.Allow, 512, oneRule("/a(\xFF)", "/a")},

		// URLs.
		{"long-url", "a URL of n segments", spec.Allow, 512, oneRule("/b", "/(a/)")},
		{"long-query", "a URL of n parameters", spec.Allow, 256, oneRule("/b", "/a?(b=c&)")},
		{"slashes", "a URL of n slashes", spec.Allow, 512, oneRule("/b", "(/)")},
		{"dot-segments", "n segments and n times ../ in a URL", spec.Allow, 256, oneRule("/b", "/(a/)(../)c")},
		{"escapes", "n escapes, in the rule and in the URL", spec.Disallow, 256, oneRule("/(%C3%A4)", "/(%C3%A4)")},
		{"percents", "n percent signs, in the rule and in the URL", spec.Disallow, 512, oneRule("/(%)", "/(%)")},
	}
}

func query(agent, robots, path string) spec.Query {
	return spec.Query{Robots: []byte(robots), Probe: spec.Probe{Agent: agent, URL: spec.Origin + path}}
}

// asked returns the query of askedAgent for a path.
func asked(robots, path string) spec.Query { return query(askedAgent, robots, path) }

// oneRule returns a query about a file with one rule.
func oneRule(rule, path string) spec.Query { return asked(anyone+"Disallow: "+rule+"\n", path) }

// within returns a query about a path that a rule after the lines disallows.
func within(lines string) spec.Query { return asked(anyone+lines+"Disallow: /a\n", "/a") }
