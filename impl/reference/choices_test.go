package reference_test

import (
	"strings"
	"testing"

	"github.com/repcheck/repcheck/impl/reference"
)

// TestChoices: what the witness of a choice in spec/points leaves open.
func TestChoices(t *testing.T) {
	t.Parallel()
	// A file that begins with a comment line of so many octets.
	after := func(octets int) string {
		return "#" + strings.Repeat("-", octets-1) + "\nUser-agent: FooBot\nDisallow: /a\n"
	}
	for _, tt := range []struct {
		choice, robots, url string
		allow               bool
	}{
		{"line-limit=ends-file", after(64<<10 - 1), "/a", false},
		{"line-limit=ends-file", after(64 << 10), "/a", true},
		{"keys=case-sensitive", "User-agent: FooBot\nDisallow: /a\n", "/a", false},
		{"keys=case-sensitive", "User-Agent: FooBot\nDisallow: /a\n", "/a", true},
		{"wildcard-search=pattern-anywhere", "User-agent: FooBot\nDisallow: /a$\n", "/x/a", false},
		{"wildcard-search=pattern-anywhere", "User-agent: FooBot\nDisallow: /a$\n", "/x/a/b", true},
		{"agent-groups=next-fit", "User-agent: FooBot\nDisallow: /a\n\nUser-agent: FooBot\nDisallow: /b\n", "/b", false},
		{"hex-case=rule-spoiled", "User-agent: FooBot\nDisallow: /%c3\n", "/%C3", true},
		{"hex-case=rule-spoiled", "User-agent: FooBot\nDisallow: /%cf\n", "/%CF", false},
		{"index-html=google", "User-agent: FooBot\nDisallow: /\nAllow: /a/index.html\n", "/a/", true},
		{"index-html=google", "User-agent: FooBot\nDisallow: /\nAllow: /a/index.html\n", "/a/b", false},
	} {
		var change reference.Change
		if err := change.UnmarshalText([]byte(tt.choice)); err != nil {
			t.Fatal(err)
		}
		file := reference.New(reference.With(change)).Parse([]byte(tt.robots))
		if got := file.Test("FooBot", tt.url).Allow; got != tt.allow {
			t.Errorf("%s: %s is allowed: %t, want %t", tt.choice, tt.url, got, tt.allow)
		}
	}
}

// TestManyGroups: groups that share the names above them take no more memory than
// others, and have these names.
func TestManyGroups(t *testing.T) {
	t.Parallel()
	const groups = 100_000
	shared := reference.Change{Point: reference.StackedAgents, Choice: reference.StackedAgentsAllSoFar}
	unlimited := reference.Change{Point: reference.SizeLimit, Choice: reference.SizeLimitNone}
	file := reference.New(reference.With(shared, unlimited)).Parse([]byte("User-agent: FooBot\nAllow: /a\n" +
		strings.Repeat("User-agent: x\nAllow: /x\n", groups) + "User-agent: BarBot\nDisallow: /b\n"))
	for agent, allow := range map[string]bool{"FooBot": false, "x": false, "BarBot": false, "BazBot": true} {
		if got := file.Test(agent, "/b").Allow; got != allow {
			t.Errorf("%s is allowed: %t, want %t", agent, got, allow)
		}
	}
	if lines := file.Rules("FooBot").HeaderLines(); len(lines) != groups+2 {
		t.Errorf("%d lines apply to FooBot, want %d", len(lines), groups+2)
	}
}
