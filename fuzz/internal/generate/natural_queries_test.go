package generate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

// asked returns the agents and the URLs without their origin, each once.
func asked(t *testing.T, robots string, d Derivation) (agents, targets []string) {
	t.Helper()
	probes := Natural([]byte(robots), rand.New(rand.NewPCG(1, 2)), d)
	for _, p := range probes {
		if !slices.Contains(agents, p.Agent) {
			agents = append(agents, p.Agent)
		}
		target, ok := strings.CutPrefix(p.URL, spec.Origin)
		if !ok {
			t.Errorf("%s is on another host", p.URL)
		}
		if !slices.Contains(targets, target) {
			targets = append(targets, target)
		}
	}
	if len(probes) != len(agents)*len(targets) {
		t.Errorf("%d probes of %d agents for %d URLs", len(probes), len(agents), len(targets))
	}
	return agents, targets
}

// TestNaturalTargets checks that paths are used as they are, except for what no URL
// contains.
func TestNaturalTargets(t *testing.T) {
	t.Parallel()
	tests := []struct{ record, want string }{
		{"Disallow: /wp-admin/", "/wp-admin/"},
		{"Allow: /A%c3%a9b?x=1&y # comment", "/A%c3%a9b?x=1&y"},
		{"Disallow: /*.pdf$", "/page.pdf"},
		{"Disallow: *.php", "/page.php"},
		{"Disallow: /a/**/b*", "/a/page/b"},
		{"Disallow: /*?", "/page?page"},
		{"Disallow: /*?*", "/page?page"},
		{"Disallow: /*?sort=", "/page?sort="},
		{"Disallow: cgi-bin/", "/cgi-bin/"},
		{"Disallow: /a b/é", "/a%20b/%C3%A9"},
		{"Disallow: https://foo.example/a/b", "/a/b"},
		{"Disallow: /go?to=http://foo.example/", "/go?to=http://foo.example/"},
		{"Sitemap: https://foo.example/sitemap.xml?v=2", "/sitemap.xml?v=2"},
		{"Sitemap: /sitemap.xml", "/sitemap.xml"},
	}
	for _, test := range tests {
		if _, got := asked(t, "User-agent: *\n"+test.record, Derivation{}); !slices.Equal(got, []string{"/", test.want}) {
			t.Errorf("%s: asks for %q, want / and %s", test.record, got, test.want)
		}
	}
	for _, record := range []string{"Disallow: /", "Disallow: *", "Allow: /$", "Disallow:", "Sitemap: sitemap.xml", "Crawl-delay: 10", "# Disallow: /a"} {
		if _, got := asked(t, "User-agent: *\n"+record, Derivation{}); !slices.Equal(got, []string{"/"}) {
			t.Errorf("%s: asks for %q, want / alone", record, got)
		}
	}
}

// TestNaturalAgents checks that agents are whole product tokens or well-known
// crawlers, and never a part of a value.
func TestNaturalAgents(t *testing.T) {
	t.Parallel()
	robots := "User-agent: googlebot\nUser-agent: bingBOT\nUser-agent: archive.org_bot\nUser-agent: MJ12bot\nUser-agent: FooBot\n" +
		"User-agent: BarBot/1.0\nUser-agent: Bar Bot\nUser-agent: Bar*\nUser-agent: *\nUser-agent: 12\nDisallow: /\n"
	agents, _ := asked(t, robots, Derivation{Agents: 6})
	if diff := cmp.Diff([]string{"Googlebot", "bingbot", "archive.org_bot", "MJ12bot", "FooBot"}, agents[:5]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(agents) != 6 || !slices.Contains(crawlers, agents[5]) {
		t.Errorf("%q do not end with one other well-known crawler", agents)
	}
}

// The numbers of crawlers and URLs are bounded.
func TestNaturalBounds(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 200 {
		name := strings.Repeat("x", i+1)
		b.WriteString("User-agent: " + name + "\nDisallow: /" + name + "\nSitemap: http://foo.example/sitemap-" + name + "\n")
	}
	for _, d := range []Derivation{{1, 1}, {2, 3}, {5, 40}} {
		if agents, targets := asked(t, b.String(), d); len(agents) != d.Agents || len(targets) != d.URLs {
			t.Errorf("%d agents and %d URLs, want %+v", len(agents), len(targets), d)
		}
	}
	_, targets := asked(t, b.String(), Derivation{Agents: 5, URLs: 40})
	sitemaps := slices.DeleteFunc(targets, func(target string) bool { return !strings.HasPrefix(target, "/sitemap-") })
	if len(sitemaps) != 6 {
		t.Errorf("%d of 40 URLs are sitemaps, want 6", len(sitemaps))
	}
}
