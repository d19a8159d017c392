package transform_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/conformance/internal/transform"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

func transformNamed(t *testing.T, id string) *transform.Transform {
	t.Helper()
	found, err := transform.Find([]string{id}, "rfc9309")
	if err != nil {
		t.Fatal(err)
	}
	return found[0]
}

// TestTransformsAreRequired holds the table of transforms to the specification.
func TestTransformsAreRequired(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, change := range transform.All() {
		if seen[change.ID] || change.ID == transform.AllName {
			t.Errorf("%s: the ID is taken", change.ID)
		}
		seen[change.ID] = true
		if spec.Default().Requirement(change.Requirement) == nil {
			t.Errorf("%s: there is no requirement %s", change.ID, change.Requirement)
		}
		if !change.HoldsUnder("rfc9309") {
			t.Errorf("%s: it does not hold under rfc9309, by which its requirement speaks", change.ID)
		}
		for _, name := range change.Interpretations {
			if !slices.Contains(spec.Interpretations, name) {
				t.Errorf("%s: there is no interpretation %s", change.ID, name)
			}
		}
	}
}

// plainFile is changed by most transforms.
const plainFile = "User-agent: FooBot\nUser-agent: BarBot\nDisallow: /a # ours\nAllow: /a/b\n\nUser-agent: *\nDisallow:\n"

func TestApply(t *testing.T) {
	t.Parallel()
	tests := []struct {
		transform, name string
		robots, want    string
		why             string // in place of want
	}{
		{"line-ends-lf", "all three", "a\r\nb\rc\n\r\nd", "a\nb\nc\n\nd", ""},
		{"line-ends-lf", "LF CR is two", "a\n\rb\r\r\n", "a\n\nb\n\n", ""},
		{"line-ends-lf", "LF", "a\nb\n", "", "there is nothing to change"},
		{"line-ends-crlf", "plain", "a\nb\n", "a\r\nb\r\n", ""},
		{"line-ends-crlf", "last line without end", "a\nb", "a\r\nb", ""},
		{"line-ends-crlf", "mixed", "a\r\nb\r\n\nc\r", "a\r\nb\r\n\r\nc\r\n", ""},
		{"line-ends-cr", "plain", "a\n\nb\r\n", "a\r\rb\r", ""},
		{"line-ends-cr", "NUL", "a\x00\n", "", "it holds a NUL, which may end its line or the file"},

		{"comment-lines", "plain", "a\nb\r\nc", "a\n# Disallow: /\nb\r\n# Disallow: /\r\nc", ""},
		{"comment-lines", "one line", "a\n", "", "there is nothing to change"},
		{"comment-lines", "byte order mark", "\uFEFFa\rb\r", "\uFEFFa\r# Disallow: /\rb\r", ""},

		{"trailing-comments", "plain", plainFile,
			"User-agent: FooBot # Disallow: /\nUser-agent: BarBot # Disallow: /\nDisallow: /a # ours\nAllow: /a/b # Disallow: /\n\n" +
				"User-agent: * # Disallow: /\nDisallow: # Disallow: /\n", ""},
		{"trailing-comments", "other lines", "Sitemap: http://x.test/\nDisallow\n# c\n \n\uFEFF\nAllow: /a b", "Sitemap: http://x.test/ # Disallow: /\nDisallow\n# c\n \n\uFEFF\nAllow: /a b # Disallow: /", ""},
		{"trailing-comments", "at the line limit", "Allow: /" + strings.Repeat("a", 16_650) + "\n", "", "there is nothing to change"},

		{"blank-lines", "plain", "a\nb\r\nc\nd", "a\n \t\nb\r\n\r\nc\n \t\nd", ""},

		{"key-case-upper", "plain", plainFile, "USER-AGENT: FooBot\nUSER-AGENT: BarBot\nDISALLOW: /a # ours\nALLOW: /a/b\n\nUSER-AGENT: *\nDISALLOW:\n", ""},
		{"key-case-upper", "others stay", "useragent: a\nDisalow: /\n#allow: /\n \tallow\t: /x\nallow /x\nsitemap: x", "useragent: a\nDisalow: /\n#allow: /\n \tALLOW\t: /x\nallow /x\nsitemap: x", ""},
		{"key-case-upper", "byte order mark", "\uFEFFallow: /\nallow: /", "\uFEFFallow: /\nALLOW: /", ""},
		{"key-case-lower", "plain", "User-Agent: FooBot\nDISALLOW: /A\n", "user-agent: FooBot\ndisallow: /A\n", ""},
		{"key-case-mixed", "plain", "User-Agent: FooBot\nDISALLOW: /A\n", "uSeR-AgEnT: FooBot\ndIsAlLoW: /A\n", ""},

		{"colon-space-before", "plain", "User-agent: a\nAllow:/b:c\nHost:x\n", "User-agent \t: a\nAllow \t:/b:c\nHost \t:x\n", ""},
		{"colon-space-before", "a second colon", "Allow::/b\nAllow: :/b\nAllow:/::\n", "Allow::/b\nAllow: :/b\nAllow \t:/::\n", ""},
		{"colon-space-after", "plain", "User-agent: a\nAllow:/b:c\nDisallow:\nAllow:# d", "User-agent: \t a\nAllow: \t/b:c\nDisallow: \t\nAllow: \t# d", ""},

		{"unrelated-group-first", "plain", "Sitemap: x\r\nUser-agent: *\r\n", "User-agent: zzyzx\r\nDisallow: /\r\n\r\nSitemap: x\r\nUser-agent: *\r\n", ""},
		{"unrelated-group-first", "empty file", "", "User-agent: zzyzx\nDisallow: /\n\n", ""},
		{"unrelated-group-first", "byte order mark", "\uFEFFUser-agent: *\n", "", "it may begin with a byte order mark, which must stay first"},
		{"unrelated-group-first", "a part of a mark", "\xEF", "", "it may begin with a byte order mark, which must stay first"},
		{"unrelated-group-first", "orphans", "Allow: /\nUser-agent: *\n", "", "it has rules before the first group"},
		{"unrelated-group-first", "a misspelled rule", "Disalow: /\nUser-agent: *\n", "", "it holds a line that parsers read differently"},
		{"unrelated-group-first", "an unusable name", "User-agent:\nDisallow: /\n", "", "it holds a line that parsers read differently"},

		{"unrelated-group-last", "plain", "User-agent: *\nAllow: /a\n# end\n\n", "User-agent: *\nAllow: /a\n# end\n\n\nUser-agent: zzyzx\nDisallow: /\n", ""},
		{"unrelated-group-last", "a header at the end", "User-agent: *\n#\n", "", "a group has no rule, and may merge with the next one"},
		{"unrelated-group-last", "a rule without a path", "User-agent: *\nDisallow:\n", "", "it holds a line that parsers read differently"},
		{"unrelated-group-last", "no end", "User-agent: *\nDisallow: /", "", "its last line has no line end, and a parser may drop it"},

		{"groups-permuted", "plain", "# c\nUser-agent: a\nUser-agent: b\nDisallow: /a\n\nUser-agent: *\nDisallow:\nDisallow: /b\n#\nUser-agent: c\rSitemap: x\nAllow: /\n",
			"# c\nUser-agent: c\rSitemap: x\nAllow: /\nUser-agent: *\nDisallow:\nDisallow: /b\n#\nUser-agent: a\nUser-agent: b\nDisallow: /a\n\n", ""},
		{"groups-permuted", "two for *", "User-agent: *\nAllow: /a\nUser-agent: *\nUser-agent: a\nAllow: /\n", "", "it has several groups for *, and a parser need not merge them"},
		{"groups-permuted", "a group without rules", "User-agent: a\nAllow: /\nUser-agent: b\n", "", "a group has no rule, and may merge with the next one"},
		{"groups-permuted", "only a rule without a path", "User-agent: a\nDisallow:\nUser-agent: b\nAllow: /\n", "", "a group has no rule, and may merge with the next one"},
		{"groups-permuted", "a record in a header", "User-agent: a\nHost: x\nUser-agent: b\nAllow: /\nUser-agent: c\nAllow: /\n", "", "it has other records between the user-agent lines of a group"},
		{"groups-permuted", "an odd line", "User-agent: a\nAllow: /\nUser agent: x\nUser-agent: b\nAllow: /\n", "", "it holds a line that parsers read differently"},
		{"groups-permuted", "no end", "User-agent: a\nAllow: /\nUser-agent: b\nAllow: /", "", "its last line has no line end, and a parser may drop it"},
		{"groups-permuted", "orphans", "Allow: /\nUser-agent: a\nAllow: /\nUser-agent: b\nAllow: /\n", "", "it has rules before the first group"},

		{"rules-permuted", "plain", "User-agent: a\nDisallow: /a # 1\nHost: x\r\nAllow: /b\r\nDisallow: /c\nUser-agent: *\nAllow: /d\nAllow: /e\n",
			"User-agent: a\nDisallow: /c\nHost: x\r\nAllow: /b\r\nDisallow: /a # 1\nUser-agent: *\nAllow: /e\nAllow: /d\n", ""},
		{"rules-permuted", "blank and odd lines", "User-agent: a\nAllow: /a\n\nAllow: /b\nUseragent: c\nAllow: /c\n", "", "there is nothing to change"},
		{"rules-permuted", "no end", "User-agent: a\nAllow: /a\nAllow: /b\nAllow: /c", "User-agent: a\nAllow: /b\nAllow: /a\nAllow: /c", ""},

		{"agent-case-file", "plain", "User-agent: FooBot/1.0 # Foo\nUser-agent: *\nAllow: /a\nuser-agent:a_b-C", "User-agent: fOObOT/1.0 # Foo\nUser-agent: *\nAllow: /a\nuser-agent:A_B-c", ""},
		{"agent-case-file", "other letters", "User-agent: Föß\u212A\n", "User-agent: föß\u212A\n", ""},

		{"split-groups", "plain", "User-agent: a\n# c\r\nUser-agent: b #\rAllow: /a\n#\nDisallow: /b\nDisallow:\nHost: x\nAllow: /c",
			"User-agent: a\n# c\r\nUser-agent: b #\rAllow: /a\n#\nUser-agent: a\nUser-agent: b #\rDisallow: /b\nDisallow:\nHost: x\nUser-agent: a\nUser-agent: b #\rAllow: /c", ""},
		{"split-groups", "for *", "User-agent: *\nAllow: /a\nAllow: /b\n", "", "there is nothing to change"},
		{"split-groups", "a blank line inside", "User-agent: a\nAllow: /a\n\nAllow: /b\n", "", "there is nothing to change"},

		{"merged-groups", "plain", "User-agent: a\nAllow: /a\n#\n\n \nUser-agent: A\nAllow: /b\n\nUser-agent: b\nAllow: /c\n", "User-agent: a\nAllow: /a\n#\nAllow: /b\n\nUser-agent: b\nAllow: /c\n", ""},
		{"merged-groups", "three", "User-agent: a\nAllow: /a\nUser-agent: a\nAllow: /b\nUser-agent: a\nAllow: /c", "User-agent: a\nAllow: /a\nAllow: /b\nAllow: /c", ""},
		{"merged-groups", "two headers", "User-agent: a\nAllow: /a\nUser-agent: a\nUser-agent: b\nAllow: /b\n", "", "there is nothing to change"},
		{"merged-groups", "for *", "User-agent: *\nAllow: /a\nUser-agent: *\nAllow: /b\n", "", "there is nothing to change"},
		{"merged-groups", "a blank line inside", "User-agent: a\nAllow: /a\nUser-agent: a\n\nAllow: /b\n", "", "there is nothing to change"},

		{"trailing-unknown-record", "plain", "User-agent: *\r", "User-agent: *\rx-unknown: /\r", ""},
		{"trailing-unknown-record", "empty file", "", "x-unknown: /\n", ""},
		{"trailing-unknown-record", "no end", "User-agent: *", "", "its last line has no line end, and a parser may drop it"},

		{"duplicate-rules", "plain", plainFile,
			"User-agent: FooBot\nUser-agent: BarBot\nDisallow: /a # ours\nDisallow: /a # ours\nAllow: /a/b\nAllow: /a/b\n\nUser-agent: *\nDisallow:\nDisallow:\n", ""},
		{"duplicate-rules", "no end", "Allow: /a\r\nAllow: /b", "Allow: /a\r\nAllow: /a\r\nAllow: /b", ""},

		{"padding", "byte order mark", "\uFEFFUser-agent: *\n", "", "it may begin with a byte order mark, which must stay first"},
		{"padding", "large", strings.Repeat("\n", 300_000), "", "it exceeds the size that every parser must read, or would exceed it"},
		{"key-case-upper", "larger than the limit", strings.Repeat("allow: /a\n", 60_000), "", "it exceeds the size that every parser must read, or would exceed it"},
		{"duplicate-rules", "larger than the limit then", strings.Repeat("allow: /a\n", 30_000), "", "it exceeds the size that every parser must read, or would exceed it"},
	}
	covered := map[string]bool{"agent-case-probe": true}
	for _, tt := range tests {
		covered[tt.transform] = true
		t.Run(tt.transform+"/"+tt.name, func(t *testing.T) {
			t.Parallel()
			probes := []spec.Probe{{Agent: "FooBot", URL: "http://x.test/"}}
			robots := []byte(tt.robots)
			got, asked, why := transformNamed(t, tt.transform).Apply(robots, probes, 0)
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
			if why != tt.why {
				t.Errorf("the reason is %q, want %q", why, tt.why)
			}
			if why == "" && !slices.Equal(asked, probes) {
				t.Errorf("the probes became %v", asked)
			}
			if string(robots) != tt.robots {
				t.Error("the file that was given is changed")
			}
		})
	}
	for _, id := range transform.Names() {
		if !covered[id] {
			t.Errorf("%s is not tested", id)
		}
	}
}

func TestApplyPadding(t *testing.T) {
	t.Parallel()
	change := transformNamed(t, "padding")
	for _, file := range []string{"", "a", "User-agent: *\r\nDisallow: /\r\n", strings.Repeat("a\r\n", 61)} {
		// Every length of the last comment, up to the longest.
		for more := range 8010 {
			if more > 20 && more < 7980 && more%97 != 0 {
				continue
			}
			robots := []byte(file + strings.Repeat("b", more))
			got, _, why := change.Apply(robots, nil, 0)
			if why != "" {
				t.Fatal(why)
			}
			if len(got) != reference.ParsingLimit-1 || !bytes.HasSuffix(got, robots) {
				t.Fatalf("%d octets before are %d after", len(robots), len(got))
			}
			comments := got[:len(got)-len(robots)]
			for line := range bytes.Lines(comments) {
				if line[0] != '#' || len(line) > 8000 || line[len(line)-1] != '\n' {
					t.Fatalf("with %d octets more: a line of %d octets begins with %q", more, len(line), line[0])
				}
			}
		}
	}
}

func TestApplyToProbes(t *testing.T) {
	t.Parallel()
	probes := []spec.Probe{{Agent: "FooBot/1.0", URL: "http://x.test/A"}, {Agent: "*", URL: "/"}}
	robots := []byte("User-agent: FooBot\n")
	changed, asked, why := transformNamed(t, "agent-case-probe").Apply(robots, probes, 0)
	if why != "" || string(changed) != string(robots) {
		t.Errorf("%q %s", changed, why)
	}
	if diff := cmp.Diff([]spec.Probe{{Agent: "fOObOT/1.0", URL: "http://x.test/A"}, {Agent: "*", URL: "/"}}, asked); diff != "" {
		t.Error(diff)
	}
	if probes[0].Agent != "FooBot/1.0" {
		t.Error("the probes that were given are changed")
	}
	if _, _, why := transformNamed(t, "agent-case-probe").Apply(robots, probes[1:], 0); why != "there is nothing to change" {
		t.Errorf("a name without letters: %q", why)
	}
}

// TestStranger: no name of the unrelated group is near to a crawler's.
func TestStranger(t *testing.T) {
	t.Parallel()
	tests := []struct {
		agents []string
		want   string // the name, "" if there is none
	}{
		{[]string{"FooBot", "BarBot/2.1 (+http://bar.test)"}, "zzyzx"},
		{nil, "zzyzx"},
		{[]string{"FooBot", "ZZYZX"}, "qwkbfq"},
		{[]string{"xzzyzxx"}, "qwkbfq"},
		{[]string{"z"}, "qwkbfq"},
		{[]string{"FooBot z"}, "qwkbfq"},
		{[]string{"z/1.0", "q"}, "vjhnpd"},
		{[]string{"z", "q", "v"}, ""},
		{[]string{""}, ""},
		{[]string{"*"}, ""},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.agents, ","), func(t *testing.T) {
			t.Parallel()
			var probes []spec.Probe
			for _, agent := range tt.agents {
				probes = append(probes, spec.Probe{Agent: agent})
			}
			for _, id := range []string{"unrelated-group-first", "unrelated-group-last"} {
				got, _, why := transformNamed(t, id).Apply(nil, probes, 0)
				if tt.want == "" && why != "every unrelated name matches the agent of a query" {
					t.Errorf("%s: %q, %q", id, got, why)
				}
				if !strings.Contains(string(got), tt.want) {
					t.Errorf("%s: %q", id, got)
				}
			}
		})
	}
}

// TestApplySeeds: a seed other than 0 makes other permutations, always the same.
func TestApplySeeds(t *testing.T) {
	t.Parallel()
	robots := []byte("User-agent: a\n")
	for _, path := range "abcdefgh" {
		robots = append(robots, "Disallow: /"+string(path)+"\n"...)
	}
	change := transformNamed(t, "rules-permuted")
	seen := map[string]bool{}
	for seed := range uint64(20) {
		once, _, _ := change.Apply(robots, nil, seed)
		again, _, _ := change.Apply(robots, nil, seed)
		if string(once) != string(again) {
			t.Errorf("seed %d gives two permutations", seed)
		}
		if len(once) != len(robots) || string(once) == string(robots) {
			t.Errorf("seed %d gives no permutation: %q", seed, once)
		}
		seen[string(once)] = true
	}
	if len(seen) < 15 {
		t.Errorf("20 seeds give %d permutations", len(seen))
	}
}

func TestTransformCase(t *testing.T) {
	t.Parallel()
	judging := spec.Case{
		ID: "x/y", Section: "2.1", Requirements: []string{"RFC9309-2.1-2"}, Level: spec.Must, Rationale: "It is so.",
		Robots: []byte("User-agent: FooBot\nDisallow: /a\n"), Pos: "x.yaml:1",
		Expect: []spec.Expectation{{Probe: spec.Probe{Agent: "FooBot", URL: "/a"}, Verdict: spec.Disallow, Line: 2, Under: map[string]spec.Verdict{"google": spec.Allow}}},
	}
	got, why := transformNamed(t, "agent-case-probe").Case(&judging)
	if why != "" {
		t.Fatal(why)
	}
	want := judging
	want.ID = "x/y+agent-case-probe"
	want.Requirements = []string{"RFC9309-2.2.1-5", "RFC9309-2.1-2"}
	want.Rationale = "It is so. Transformed: The letters of the crawler's name are in the other case."
	want.Expect = []spec.Expectation{{Probe: spec.Probe{Agent: "fOObOT", URL: "/a"}, Verdict: spec.Disallow, Under: map[string]spec.Verdict{"google": spec.Allow}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if judging.Expect[0].Line != 2 || judging.Expect[0].Agent != "FooBot" {
		t.Error("the case that was given is changed")
	}

	classifying := judging
	for _, tt := range []struct {
		point, transform, why string
	}{
		{"tie", "line-ends-crlf", ""},
		{"blank-in-path", "line-ends-crlf", ""},
		{"last-line", "line-ends-crlf", "the change may affect the point that it classifies"},
		{"size-limit", "line-ends-crlf", "the change may affect the point that it classifies"},
		{"agent-case", "agent-case-file", "the change may affect the point that it classifies"},
		{"path-case", "agent-case-file", ""},
		{"blank-line", "comment-lines", "the change may affect the point that it classifies"},
		{"agent-value", "comment-lines", ""},
		{"none-such", "comment-lines", "the point that it classifies is not one of the reference's"},
	} {
		classifying.Point = tt.point
		if _, why := transformNamed(t, tt.transform).Case(&classifying); why != tt.why {
			t.Errorf("%s of a case of %s: %q, want %q", tt.transform, tt.point, why, tt.why)
		}
	}
}

func TestFindTransforms(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		names          []string
		interpretation string
		want           int
		err            string
	}{
		{"none", nil, "rfc9309", 0, ""},
		{"one", []string{"padding"}, "rfc9309", 1, ""},
		{"twice", []string{"padding", "all", "padding"}, "rfc9309", len(transform.All()), ""},
		{"all that hold", []string{"all"}, "standard-1994", len(transform.All()) - 6, ""},
		{"misspelled", []string{"paddin"}, "rfc9309", 0, `"paddin" is not one of all, line-ends-lf, line-ends-crlf,`},
		{"a hint", []string{"paddin"}, "rfc9309", 0, `(did you mean "padding"?)`},
		{"does not hold", []string{"blank-lines"}, "koster-1996", 0, "blank-lines may change verdicts under koster-1996: it holds under rfc9309, google, koster-rep-00"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found, err := transform.Find(tt.names, tt.interpretation)
			if len(found) != tt.want || (err == nil) != (tt.err == "") {
				t.Errorf("%d transforms, want %d; error %v", len(found), tt.want, err)
			}
			if err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("the error is %q, want %q in it", err, tt.err)
			}
		})
	}
}
