package complexity

import (
	"bytes"
	"fmt"
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
	// query makes the query of size n.
	query func(n int) spec.Query
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
func (f *Family) Query(n int) spec.Query { return f.query(n) }

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
		{"five-stars", "five stars against a URL of n octets", spec.Allow, 8, func(n int) spec.Query {
			return oneRule("/a*a*a*a*a*b$", "/"+strings.Repeat("a", n))
		}},
		{"stars", "n stars against a URL of 200 octets", spec.Allow, 1, func(n int) spec.Query {
			return oneRule("/"+strings.Repeat("a*", n)+"b$", "/"+run)
		}},
		{"near-misses", "*x n times and y, against 200 times x", spec.Allow, 1, func(n int) spec.Query {
			return oneRule("/"+strings.Repeat("*x", n)+"y", "/"+strings.Repeat("x", fixedRun))
		}},
		{"dollars", "n dollar signs in a rule", spec.Allow, 1, func(n int) spec.Query {
			return oneRule("/a*b"+strings.Repeat("$", n), "/"+run)
		}},
		{"wide-url", "two stars and $ against a URL of n octets", spec.Allow, 64, func(n int) spec.Query {
			return oneRule("/*a*b$", "/"+strings.Repeat("a", n))
		}},
		{"star-run", "n stars in a row, then text that does not match", spec.Allow, 1, func(n int) spec.Query {
			return oneRule("/"+strings.Repeat("*", n)+"b$", "/"+run)
		}},
		{"stars-only", "n stars in a row that match", spec.Disallow, 1, func(n int) spec.Query {
			return oneRule("/"+strings.Repeat("*", n), "/"+run)
		}},

		// Many records.
		{"rules", "n rules in a group", spec.Allow, 64, func(n int) spec.Query {
			return asked(anyone+many(n, "Disallow: /p%d\n"), "/q")
		}},
		{"wildcard-rules", "n rules with wildcards in a group", spec.Allow, 32, func(n int) spec.Query {
			return asked(anyone+many(n, "Disallow: /*/p%d*x$\n"), "/aaaaaaaa/aaaaaaaa/aaaaaaaa/aaaaaaaa")
		}},
		{"groups", "n groups of other agents", spec.Disallow, 32, func(n int) spec.Query {
			return asked(many(n, "User-agent: bot%d\nDisallow: /\n\n")+anyone+"Disallow: /a\n", "/a")
		}},
		{"agents", "n user-agent lines over one rule", spec.Disallow, 64, func(n int) spec.Query {
			return asked(many(n, "User-agent: bot%d\n")+"User-agent: FooBot\nDisallow: /a\n", "/a")
		}},
		{"same-agent", "n groups of the same agent", spec.Allow, 32, func(n int) spec.Query {
			return asked(many(n, "User-agent: FooBot\nDisallow: /p%d\n\n"), "/q")
		}},
		{"agents-rules", "n user-agent lines over n rules", spec.Allow, 32, func(n int) spec.Query {
			return asked(many(n, "User-agent: bot%d\n")+"User-agent: FooBot\n"+many(n, "Disallow: /p%d\n"), "/q")
		}},
		{"same-rule", "n times the same rule", spec.Disallow, 64, func(n int) spec.Query {
			return asked(anyone+strings.Repeat("Disallow: /a\n", n), "/a")
		}},
		{"empty-rules", "n rules without a value", spec.Allow, 64, func(n int) spec.Query {
			return asked(anyone+strings.Repeat("Disallow:\n", n), "/a")
		}},
		{"unknown", "n unknown records", spec.Disallow, 64, func(n int) spec.Query {
			return within(strings.Repeat("X-Unknown: y\n", n))
		}},
		{"sitemaps", "n sitemap records", spec.Disallow, 32, func(n int) spec.Query {
			return within(many(n, "Sitemap: http://foo.test/%d.xml\n"))
		}},
		{"comments", "n lines of comment", spec.Disallow, 64, func(n int) spec.Query {
			return within(strings.Repeat("# comment\n", n))
		}},
		{"blank-lines", "n blank lines", spec.Disallow, 512, func(n int) spec.Query {
			return within(strings.Repeat("\n", n))
		}},

		// Long lines.
		{"long-line", "a line of n letters", spec.Disallow, 512, func(n int) spec.Query {
			return within(strings.Repeat("a", n) + "\n")
		}},
		{"long-rule", "a rule of n octets against a short URL", spec.Allow, 512, func(n int) spec.Query {
			return oneRule("/"+strings.Repeat("a", n)+"b", "/"+run)
		}},
		{"long-match", "a rule of n octets against the same URL", spec.Disallow, 512, func(n int) spec.Query {
			return oneRule("/"+strings.Repeat("a", n), "/"+strings.Repeat("a", n))
		}},
		{"blanks", "a value between n blanks", spec.Disallow, 512, func(n int) spec.Query {
			blanks := strings.Repeat(" ", n)
			return asked(anyone+"Disallow:"+blanks+"/a"+blanks+"\n", "/a")
		}},
		{"inner-blanks", "n blanks within a value", spec.Allow, 512, func(n int) spec.Query {
			return oneRule("/a"+strings.Repeat(" ", n)+"b", "/a")
		}},
		{"hashes", "a line of n times #", spec.Disallow, 512, func(n int) spec.Query {
			return within(strings.Repeat("#", n) + "\n")
		}},
		{"colons", "a line of n colons", spec.Disallow, 512, func(n int) spec.Query {
			return within(strings.Repeat(":", n) + "\n")
		}},
		{"long-agent", "an agent of n octets, in the file and in the query", spec.Disallow, 512, func(n int) spec.Query {
			name := strings.Repeat("a", n)
			w := asked("User-agent: "+name+"\nAllow: /\n\n"+anyone+"Disallow: /a\n", "/a")
			w.Agent = name + "b"
			return w
		}},

		// Unusual bytes.
		{"carriage-returns", "n carriage returns alone", spec.Disallow, 512, func(n int) spec.Query {
			return within(strings.Repeat("\r", n) + "\n")
		}},
		{"nuls", "a line of n octets 00", spec.Disallow, 512, func(n int) spec.Query {
			return within(strings.Repeat("\x00", n) + "\n")
		}},
		{"boms", "n byte order marks in front", spec.Disallow, 512, func(n int) spec.Query {
			return asked(strings.Repeat("\uFEFF", n)+"\n"+anyone+"Disallow: /a\n", "/a")
		}},
		{"invalid-octets", "a line of n octets FF", spec.Disallow, 512, func(n int) spec.Query {
			return within(strings.Repeat("\xFF", n) + "\n")
		}},
		{"invalid-rule", "n octets FF in a rule", spec.Allow, 512, func(n int) spec.Query {
			return oneRule("/a"+strings.Repeat("\xFF", n), "/a")
		}},

		// URLs.
		{"long-url", "a URL of n segments", spec.Allow, 512, func(n int) spec.Query {
			return oneRule("/b", "/"+strings.Repeat("a/", n))
		}},
		{"long-query", "a URL of n parameters", spec.Allow, 256, func(n int) spec.Query {
			return oneRule("/b", "/a?"+strings.Repeat("b=c&", n))
		}},
		{"slashes", "a URL of n slashes", spec.Allow, 512, func(n int) spec.Query {
			return oneRule("/b", strings.Repeat("/", n))
		}},
		{"dot-segments", "n segments and n times ../ in a URL", spec.Allow, 256, func(n int) spec.Query {
			return oneRule("/b", "/"+strings.Repeat("a/", n)+strings.Repeat("../", n)+"c")
		}},
		{"escapes", "n escapes, in the rule and in the URL", spec.Disallow, 256, func(n int) spec.Query {
			return oneRule("/"+strings.Repeat("%C3%A4", n), "/"+strings.Repeat("%C3%A4", n))
		}},
		{"percents", "n percent signs, in the rule and in the URL", spec.Disallow, 512, func(n int) spec.Query {
			return oneRule("/"+strings.Repeat("%", n), "/"+strings.Repeat("%", n))
		}},
	}
}

// asked returns the query of askedAgent for a path.
func asked(robots, path string) spec.Query {
	return spec.Query{Robots: []byte(robots), Probe: spec.Probe{Agent: askedAgent, URL: spec.Origin + path}}
}

// oneRule returns a query about a file with one rule.
func oneRule(rule, path string) spec.Query { return asked(anyone+"Disallow: "+rule+"\n", path) }

// within returns a query about a path that a rule after the lines disallows.
func within(lines string) spec.Query { return asked(anyone+lines+"Disallow: /a\n", "/a") }

// many writes lines with the numbers below n.
func many(n int, format string) string {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}
