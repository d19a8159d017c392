package reference_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/repcheck/repcheck/impl/reference"
)

// TestEntryPoints: File.Test, Rules.Test and Explain give the same decision
// under RFC 9309, every named interpretation and every single deviation.
func TestEntryPoints(t *testing.T) {
	t.Parallel()
	const files = 400
	for name, in := range deviations(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parser := reference.New(in)
			rng := rand.New(rand.NewPCG(9309, 1))
			for range files {
				robots := randomFile(rng)
				file := parser.Parse([]byte(robots))
				for _, agent := range []string{"FooBot", "Other", "FooBot/1.0"} {
					rules := file.Rules(agent)
					for range 4 {
						url := pick(rng, "http://foo.test", "") + randomPath(rng)
						want := file.Test(agent, url)
						got, trace := rules.Test(url), rules.Explain(url)
						if !same(want, got) || !same(want, trace.Decision) {
							t.Fatalf("%s of %s: File.Test %s, Rules.Test %s, Explain %s in\n%s", url, agent, show(want), show(got), show(trace.Decision), robots)
						}
					}
				}
			}
		})
	}
}

// deviations returns the named interpretations and all interpretations that differ
// from RFC 9309 in a single choice.
func deviations(t *testing.T) map[string]reference.Interpretation {
	all := map[string]reference.Interpretation{}
	for _, name := range reference.Names() {
		in, err := reference.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = in
	}
	for p := range reference.RFC9309() {
		for c, name := range reference.Point(p).Choices() {
			in := reference.RFC9309()
			in[p] = reference.Choice(c)
			all[reference.Point(p).String()+"="+name] = in
		}
	}
	return all
}

func same(a, b reference.Decision) bool {
	return a.Allow == b.Allow && a.Reason == b.Reason && show(a) == show(b)
}

func show(d reference.Decision) string {
	verdict := "disallow"
	if d.Allow {
		verdict = "allow"
	}
	if d.Rule == nil {
		return verdict
	}
	return verdict + " by " + d.Rule.Value() + " compared as " + d.Rule.Compared()
}

func pick(rng *rand.Rand, from ...string) string { return from[rng.IntN(len(from))] }

// randomFile returns a file of a few random lines that together exercise every
// point.
func randomFile(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString(pick(rng, "", "", "\uFEFF", "<html>\n"))
	for range 2 + rng.IntN(10) {
		switch rng.IntN(8) {
		case 0, 1:
			b.WriteString(pick(rng, "User-agent: ", "user-agent:", "User-agent : ", "Useragent: ") +
				pick(rng, "FooBot", "*", "Foo", "foobot", "Other", "Foo*", "* x", "FooBot/1.0", "Other, FooBot", ""))
		case 2:
			b.WriteString(pick(rng, "", " ", "# note", "Crawl-delay: 1", "Sitemap: /s", "what?", "\x00", "  folded"))
		default:
			b.WriteString(pick(rng, "Disallow: ", "Allow: ", "Disallow:", "disalow: ", "Disallow ", " Allow:") + randomRule(rng) +
				pick(rng, "", "", " # note", "\x01", " x"))
		}
		b.WriteString(pick(rng, "\n", "\n", "\r\n", "\r"))
	}
	return b.String()
}

func randomRule(rng *rand.Rand) string {
	switch rng.IntN(10) {
	case 0:
		return pick(rng, "", "*", "$", "a", "/$", "http://foo.test/a", "*.gif$", "/robots.txt")
	case 1:
		return randomPath(rng) + "$"
	case 2:
		return randomPath(rng) + "*" + randomPath(rng)
	}
	return randomPath(rng)
}

func randomPath(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteByte('/')
	for range rng.IntN(5) {
		b.WriteString(pick(rng, "a", "b", "/", "A", "index.html", "%61", "%2F", "%2a", "*", "$", "?", "=", "&", ":", "\u00E9", "%C3%A9", "%", "%2561", "..", "//", ".gif", "\xFF", ";", "#"))
	}
	return b.String()
}
