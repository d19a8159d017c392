package generate

import (
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/repcheck/repcheck/fuzz/internal/urls"
	"github.com/repcheck/repcheck/spec"
)

// crawlers are the product tokens of well-known crawlers, spelled as documented. The
// first one visits practically every site. Google-Extended visits none: Google asks
// for it what its other crawlers have fetched.
var crawlers = []string{
	"Googlebot", "bingbot", "YandexBot", "Baiduspider", "DuckDuckBot", "Applebot", "PetalBot", "Slurp", "msnbot", "ia_archiver",
	"Googlebot-Image", "AdsBot-Google", "Mediapartners-Google", "Twitterbot", "facebookexternalhit",
	"AhrefsBot", "SemrushBot", "MJ12bot", "DotBot", "CCBot", "Amazonbot", "Bytespider",
	"GPTBot", "ChatGPT-User", "OAI-SearchBot", "ClaudeBot", "anthropic-ai", "PerplexityBot", "Google-Extended",
}

// crawlerNamed holds the crawlers by their tokens in lower case.
var crawlerNamed = func() map[string]string {
	named := map[string]string{}
	for _, crawler := range crawlers {
		named[strings.ToLower(crawler)] = crawler
	}
	return named
}()

// agentName matches a user-agent value that is a product token as crawlers have
// it. Unlike RFC 9309 it accepts digits and dots: MJ12bot is a crawler.
var agentName = regexp.MustCompile(`^[0-9]*[A-Za-z][A-Za-z0-9._-]*$`)

// Natural makes probes that a site could get: URLs and crawlers as they occur.
// Everything that is changed to test a parser is left to Derive.
//
// The crawlers are a well-known one, a sample of those that the file names, and
// further well-known ones. A name is never cut, and a value that is not a product
// token as a whole, such as "FooBot/1.0", is not used. A well-known crawler has its
// own spelling, even if the file spells it differently, because that is what it
// sends.
//
// The URLs are the home page, and a sample of the file's sitemaps and of the paths
// of its rules; see plainPath. The site's host is not known, so a sitemap's URL is
// used on this host. The same file and rng state give the same probes.
func Natural(robots []byte, rng *rand.Rand, d Derivation) []spec.Probe {
	d = d.orDefaults()
	names := reservoir{size: d.Agents - 1}
	sitemaps, paths := reservoir{size: d.URLs / 6}, reservoir{size: d.URLs - 1} // few sitemaps: rules decide more
	eachRecord(robots, func(key, value string) {
		switch {
		case strings.EqualFold(key, "user-agent"):
			if agentName.MatchString(value) {
				names.add(value, rng)
			}
		case strings.EqualFold(key, "sitemap"):
			if target := targetOf(value); strings.HasPrefix(target, "/") {
				sitemaps.add(urls.Legal(target), rng)
			}
		case isRule(key):
			paths.add(plainPath(value), rng)
		}
	})
	agents := distinct{most: d.Agents}
	agents.add(crawlers[0])
	for _, name := range names.sample {
		if crawler, ok := crawlerNamed[strings.ToLower(name)]; ok {
			name = crawler
		}
		agents.add(name)
	}
	for _, i := range rng.Perm(len(crawlers)) {
		agents.add(crawlers[i])
	}
	targets := distinct{most: d.URLs}
	targets.add(spec.Origin + "/")
	for _, path := range append(sitemaps.sample, paths.sample...) {
		targets.add(spec.Origin + path)
	}
	return probesOf(agents.all, targets.all)
}

// stars is a run of wildcards, and word what it is replaced by.
var stars = regexp.MustCompile(`\*+`)

const word = "page"

// plainPath returns the plainest path of a site that a rule is about: that of the
// rule, without an end mark and without a wildcard at the end. A wildcard elsewhere
// becomes the word "page", so that "/*.pdf$" gives "/page.pdf", and the word follows
// a question mark at the end: "/*?" is about URLs with a query, and an empty one is
// rare. Of a URL it is the path, a missing slash is added, and bytes that no URL
// contains are percent-encoded, as crawlers do.
func plainPath(value string) string {
	path := strings.TrimRight(strings.TrimSuffix(targetOf(value), "$"), "*")
	path = stars.ReplaceAllString(path, word)
	if strings.HasSuffix(path, "?") {
		path += word
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return urls.Legal(path)
}

// targetOf returns a URL from its path on, and anything else unchanged.
func targetOf(value string) string {
	if urls.Plain(value) {
		_, value = urls.Cut(value)
	}
	return value
}
