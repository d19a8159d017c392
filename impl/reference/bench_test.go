package reference_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/repcheck/repcheck/impl/reference"
)

// BenchmarkGrowth measures each kind of input at four sizes, each twice the one
// before. The time must not grow faster than the input, so the ns/octet of one kind
// must be the same at all sizes.
func BenchmarkGrowth(b *testing.B) {
	kinds := []struct {
		name string
		make func(n int) (robots, url string)
	}{
		{"stars", func(n int) (string, string) {
			return "User-agent: *\nDisallow: /" + strings.Repeat("a*", n/2) + "b$\n", "/" + strings.Repeat("a", n)
		}},
		{"star_tail", func(n int) (string, string) {
			return "User-agent: *\nDisallow: /*" + strings.Repeat("a", n/2) + "b\n", "/" + strings.Repeat("a", n)
		}},
		{"rules", func(n int) (string, string) {
			return "User-agent: *\n" + strings.Repeat("Disallow: /a*b\n", n/15), "/aaaaaaaaaa"
		}},
		{"groups", func(n int) (string, string) {
			return strings.Repeat("User-agent: x\nDisallow: /\n", n/26), "/a"
		}},
		{"stacked_agents", func(n int) (string, string) {
			return strings.Repeat("User-agent: x\n", n/14) + "Disallow: /\n", "/a"
		}},
		{"lone_CRs", func(n int) (string, string) { return strings.Repeat("\r", n), "/a" }},
		{"long_line", func(n int) (string, string) {
			return "User-agent: *\nDisallow: /" + strings.Repeat("%", n) + "\n", "/" + strings.Repeat("%", n)
		}},
		{"hashes", func(n int) (string, string) { return "User-agent: *\n" + strings.Repeat("#", n), "/a" }},
		{"colons", func(n int) (string, string) { return "User-agent: *\n" + strings.Repeat(":", n), "/a" }},
		{"slashes", func(n int) (string, string) {
			return "User-agent: *\nDisallow: /a?b=" + strings.Repeat("/", n) + "\n", "/a?b=" + strings.Repeat("/", n)
		}},
		{"no_octet_UTF8", func(n int) (string, string) {
			return "User-agent: *\nDisallow: /" + strings.Repeat("\xFF", n) + "\n", "/" + strings.Repeat("\xFF", n)
		}},
	}
	for name, in := range map[string]reference.Interpretation{
		"rfc9309":    reference.RFC9309(),
		"google":     reference.Google(),
		"all-so-far": reference.With(reference.Change{Point: reference.StackedAgents, Choice: reference.StackedAgentsAllSoFar}),
	} {
		parser := reference.New(in)
		for _, kind := range kinds {
			for _, n := range []int{16 << 10, 32 << 10, 64 << 10, 128 << 10} {
				robots, url := kind.make(n)
				b.Run(fmt.Sprintf("%s/%s/%d", name, kind.name, n), func(b *testing.B) {
					octets := []byte(robots)
					for b.Loop() {
						parser.Parse(octets).Test("x", url)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/octet")
				})
			}
		}
	}
}

// BenchmarkStars matches a rule with 500 stars against a path of 2,000 octets.
func BenchmarkStars(b *testing.B) {
	rules := reference.New(reference.RFC9309()).
		Parse([]byte("User-agent: *\nDisallow: /" + strings.Repeat("a*", 500) + "b$\n")).Rules("x")
	url := "http://x.test/" + strings.Repeat("a", 2000)
	b.ReportAllocs()
	for b.Loop() {
		rules.Test(url)
	}
}
