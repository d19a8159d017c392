package spec

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestDefault(t *testing.T) {
	t.Parallel()
	d, err := load(embedded, "spec", nil)
	if err != nil {
		t.Fatal(err)
	}
	if problems := Lint(d); len(problems) > 0 {
		t.Fatal(Problems(problems))
	}
}

const goodCase = `section: "2.2.2"
cases:
  - id: topic/one
    requirements: [RFC9309-2.2.2-1]
    level: MUST
    rationale: It follows.
    robots: |
      User-agent: FooBot
      Disallow: /a
    expect:
      - {url: /a, verdict: disallow, line: 2}
      - {agent: BarBot, url: http://x.test/a, verdict: allow, under: {google: disallow}}
`

func loadOne(yaml string) (*Data, error) {
	return Load(fstest.MapFS{"cases/2.2.2/topic.yaml": {Data: []byte(yaml)}}, "my")
}

func TestLoad(t *testing.T) {
	t.Parallel()
	d, err := loadOne(goodCase)
	if err != nil {
		t.Fatal(err)
	}
	want := []Case{{
		ID: "topic/one", Section: "2.2.2", Requirements: []string{"RFC9309-2.2.2-1"}, Level: Must,
		Rationale: "It follows.", Robots: []byte("User-agent: FooBot\nDisallow: /a\n"),
		Expect: []Expectation{
			{Probe: Probe{Agent: "FooBot", URL: "http://foo.test/a"}, Verdict: Disallow, Line: 2},
			{Probe: Probe{Agent: "BarBot", URL: "http://x.test/a"}, Verdict: Allow, Under: map[string]Verdict{"google": Disallow}},
		},
		Pos: "my/cases/2.2.2/topic.yaml:3",
	}}
	if diff := cmp.Diff(want, d.Cases); diff != "" {
		t.Errorf("cases differ (-want +got):\n%s", diff)
	}
}

func TestLoadParts(t *testing.T) {
	t.Parallel()
	d, err := loadOne(strings.Replace(goodCase, "robots: |\n      User-agent: FooBot\n      Disallow: /a\n",
		"robots: [\"a\\n\", {repeat: \"␍b\", times: 2}, {base64: /w==}]\n", 1))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("a\n\rb\rb\xFF", string(d.Cases[0].Robots)); diff != "" {
		t.Errorf("octets differ (-want +got):\n%s", diff)
	}
}

// TestLoadRefuses compares every message, with the position and the fix that it
// names.
func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, old, new, want string }{
		{"unknown key", "rationale:", "rationael:", `my/cases/2.2.2/topic.yaml:6:5: topic/one: unknown key "rationael" in a case: did you mean "rationale"?`},
		{"unknown key far from any", "rationale:", "zzzzzzzzzz:", `my/cases/2.2.2/topic.yaml:6:5: topic/one: unknown key "zzzzzzzzzz" in a case: use one of agent, expect, id, level, point, rationale, requirements, robots`},
		{"repeated key", "    level: MUST\n", "    level: MUST\n    level: MAY\n", `my/cases/2.2.2/topic.yaml:6:5: topic/one: key "level" is already in line 5`},
		{"unknown requirement", "2.2.2-1]", "2.2.2-99]", `my/cases/2.2.2/topic.yaml:3: topic/one: unknown requirement "RFC9309-2.2.2-99": did you mean "RFC9309-2.2.2-9"?`},
		{"unknown level", "MUST", "must", `my/cases/2.2.2/topic.yaml:5:12: topic/one: "must" is no level of a case: use one of MUST, text, SHOULD, MAY`},
		{"level of no requirement", "2.2.2-1]", "2.2.2-2]", `my/cases/2.2.2/topic.yaml:3: topic/one: level MUST is not that of any of its requirements: give the level of the sentence that a wrong answer breaks`},
		{"unknown verdict", "verdict: allow,", "verdict: alow,", `my/cases/2.2.2/topic.yaml:12:56: topic/one: "alow" is no verdict: did you mean "allow"?`},
		{"unknown interpretation", "{google:", "{gogle:", `my/cases/2.2.2/topic.yaml:12:71: topic/one: unknown key "gogle" in under: did you mean "google"?`},
		{"no verdict", "verdict: disallow, line", "line", `my/cases/2.2.2/topic.yaml:3: topic/one: FooBot /a: the expectation has no verdict, and none under an interpretation`},
		{"line beyond the file", "line: 2", "line: 9", `my/cases/2.2.2/topic.yaml:3: topic/one: FooBot /a: the file has no line 9`},
		{"bad octets", "Disallow: /a", "Disallow: /⟦XY⟧", `my/cases/2.2.2/topic.yaml:7:13: topic/one: bad octet notation in robots: line 2: ⟦XY⟧ is neither octets (⟦E2 80⟧), a code point (⟦U+2028⟧), ⟦BOM⟧ nor ⟦NBSP⟧`},
		{"invisible octet", "Disallow: /a\n", "Disallow: /a \n", `my/cases/2.2.2/topic.yaml:7:13: topic/one: bad octet notation in robots: line 2: a blank at the end of a line cannot be seen: write ␠`},
		{"id of another file", "topic/one", "other/one", `my/cases/2.2.2/topic.yaml:3: other/one: the id must be topic/<name> in lower-case letters, digits and hyphens, after the file's name`},
		{"section of another folder", `"2.2.2"`, `"2.2.3"`, `my/cases/2.2.2/topic.yaml:3: topic/one: section "2.2.3" is in the folder "2.2.2": move the file or change the section`},
		{"repeated id", "cases:\n", "cases:\n  - {id: topic/one, requirements: [RFC9309-2.2.2-1], level: MUST, rationale: x, robots: \"\", expect: [{url: /, verdict: allow}]}\n",
			`my/cases/2.2.2/topic.yaml:4: topic/one: the id is used in my/cases/2.2.2/topic.yaml:3 already: ids are permanent and unique, choose another`},
		{"judged and classified", "cases:\n", "cases:\n  - {id: topic/open, point: tie, rationale: x, robots: \"User-agent: FooBot\\nDisallow: /a\\n\", expect: [{url: /a, choices: {allow: allow, disallow: disallow}}]}\n",
			`my/cases/2.2.2/topic.yaml:3: topic/open: FooBot /a: topic/one judges this query: if the document leaves it open, delete it there, otherwise here`},
		{"asked twice", "{agent: BarBot, url: http://x.test/a", "{url: /a", `my/cases/2.2.2/topic.yaml:3: topic/one: FooBot /a is asked twice`},
		{"no YAML", "cases:", "cases", `my/cases/2.2.2/topic.yaml:2: not YAML: could not find expected ':'`},
		{"unknown point", "level: MUST", "point: byte-order-marks", `my/cases/2.2.2/topic.yaml:3: topic/one: unknown point "byte-order-marks": did you mean "byte-order-mark"?`},
		{"no rationale", "    rationale: It follows.\n", "", `my/cases/2.2.2/topic.yaml:3: topic/one: the case has no rationale: say in one sentence why its verdicts follow`},
		{"body without end", "robots: |\n      User-agent: FooBot\n      Disallow: /a\n", "robots: [{repeat: aaaaaaaaaa, times: 9999999}]\n",
			`my/cases/2.2.2/topic.yaml:7:14: topic/one: robots is longer than 16777216 bytes: lower times`},
		{"times that no int multiplies", "robots: |\n      User-agent: FooBot\n      Disallow: /a\n", "robots: [{repeat: aaaaaaaa, times: 2305843009213693952}]\n",
			`my/cases/2.2.2/topic.yaml:7:14: topic/one: robots is longer than 16777216 bytes: lower times`},
		{"the greatest times", "robots: |\n      User-agent: FooBot\n      Disallow: /a\n", "robots: [a, {repeat: a, times: 9223372036854775807}]\n",
			`my/cases/2.2.2/topic.yaml:7:17: topic/one: robots is longer than 16777216 bytes: lower times`},
		{"parts of parts", "robots: |\n      User-agent: FooBot\n      Disallow: /a\n",
			"robots: [" + strings.Repeat("{repeat: [", 5) + "{repeat: a, times: 16000000}" + strings.Repeat("]}", 5) + "]\n",
			`my/cases/2.2.2/topic.yaml:7:24: topic/one: the bodies of this file are longer than 67108864 bytes together: lower times, or split the file`},
		{"deep nesting", "robots: |\n      User-agent: FooBot\n      Disallow: /a\n",
			"robots: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\n",
			`my/cases/2.2.2/topic.yaml:7:42: nested more than 32 levels deep`},
		{"an alias", "cases:\n", "x: &x [a]\ncases:\n", `my/cases/2.2.2/topic.yaml:2:4: anchors and aliases are not supported: write the value out`},
		{"a second document", "cases:\n", "---\ncases:\n", `my/cases/2.2.2/topic.yaml:2:1: a second YAML document: a file holds one, so put its entries into the first`},
		{"an empty second document", "verdict: allow, under: {google: disallow}}\n", "verdict: allow, under: {google: disallow}}\n---\n",
			`my/cases/2.2.2/topic.yaml:13:1: a second YAML document: a file holds one, so put its entries into the first`},
		{"a broken second document", "verdict: allow, under: {google: disallow}}\n", "verdict: allow, under: {google: disallow}}\n---\n[\n",
			`my/cases/2.2.2/topic.yaml:14: not YAML: did not find expected node content`},
		{"a large file", "section:", "# " + strings.Repeat("a", 1<<20) + "\nsection:",
			`my/cases/2.2.2/topic.yaml: the file is larger than 1048576 bytes: split it, and write long bodies with repeat`},
		{"a long word", "RFC9309-2.2.2-1]", strings.Repeat("a", 1000) + "]",
			`my/cases/2.2.2/topic.yaml:3: topic/one: unknown requirement "` + strings.Repeat("a", 1000) + `": see repcheck list --what requirements`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			broken := strings.Replace(goodCase, tt.old, tt.new, 1)
			if broken == goodCase {
				t.Fatalf("%q is not in the good case", tt.old)
			}
			_, err := loadOne(broken)
			if err == nil {
				t.Fatal("accepted")
			}
			first, _, _ := strings.Cut(err.Error(), "\n")
			if diff := cmp.Diff(tt.want, first); diff != "" {
				t.Errorf("first message differs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLoadManyProblems: the number of messages about one file is limited.
func TestLoadManyProblems(t *testing.T) {
	t.Parallel()
	_, err := loadOne("cases: [" + strings.Repeat("{x: 1},", 10_000) + "]\n")
	var problems Problems
	if !errors.As(err, &problems) {
		t.Fatalf("%v is no list of problems", err)
	}
	if len(problems) > 300 {
		t.Errorf("%d problems are reported", len(problems))
	}
	if !slices.ContainsFunc(problems, func(p Problem) bool { return strings.HasPrefix(p.Message, "more than 100 problems") }) {
		t.Error("no message says that there are more")
	}
}

// TestLoadNoFile: only regular files are read, because others may never end.
func TestLoadNoFile(t *testing.T) {
	t.Parallel()
	for _, mode := range []fs.FileMode{fs.ModeNamedPipe, fs.ModeDevice, fs.ModeSocket} {
		_, err := Load(fstest.MapFS{"cases/2.2.2/topic.yaml": {Data: []byte(goodCase), Mode: mode}}, "my")
		if err == nil || !strings.Contains(err.Error(), "cases/2.2.2/topic.yaml is not a regular file") {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

func TestLoadNothing(t *testing.T) {
	t.Parallel()
	_, err := Load(fstest.MapFS{"README": {}}, "my")
	if err == nil {
		t.Fatal("accepted")
	}
	if diff := cmp.Diff("no cases in my: expected files cases/<section>/<topic>.yaml", err.Error()); diff != "" {
		t.Errorf("message differs (-want +got):\n%s", diff)
	}
}

func TestSelection(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern, name string
		want          bool
	}{
		{"a/b", "a/b", true}, {"a/b", "a/bc", false}, {"*", "a", true}, {"*", "a/b", false},
		{"**", "a/b/c", true}, {"a/*", "a/b", true}, {"a/*", "a/b/c", false}, {"a/**", "a/b/c", true},
		{"**/c", "a/b/c", true}, {"**/c", "c", false}, {"*b*/c*", "abc/cd", true}, {"**b*", "a/b/c", false},
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"a*a", "a", false}, {"**/*-x/*z", "q/r/m-x/yz", true},
		{"RFC9309-2.2.2-*", "RFC9309-2.2.2-4", true},
	}
	for _, tt := range tests {
		if got := NewSelection([]string{tt.pattern}).Match(tt.name); got != tt.want {
			t.Errorf("%q on %q: %v, want %v", tt.pattern, tt.name, got, tt.want)
		}
	}
}

func TestSelect(t *testing.T) {
	t.Parallel()
	cases := []Case{{ID: "a/x", Section: "2.1"}, {ID: "a/y", Section: "2.1"}, {ID: "b/x", Section: "2.2", Requirements: []string{"R-1"}}}
	ids := func(run, skip []string) string {
		chosen, err := Select(cases, NewSelection(run), NewSelection(skip))
		if err != nil {
			return err.Error()
		}
		var all []string
		for _, c := range chosen {
			all = append(all, c.ID)
		}
		return strings.Join(all, " ")
	}
	tests := []struct {
		run, skip []string
		want      string
	}{
		{nil, nil, "a/x a/y b/x"},
		{[]string{"a/*"}, []string{"*/y"}, "a/x"},
		{[]string{"2.2/**", "R-1"}, nil, "b/x"},
		{[]string{"a/z"}, nil, `--run "a/z" matches no case (did you mean "a/x"?): repcheck list shows the names, * matches anything except slashes, ** anything`},
		{nil, []string{"**"}, "no case is left to run: loosen --run, --skip or --level"},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, ids(tt.run, tt.skip)); diff != "" {
			t.Errorf("run %v skip %v (-want +got):\n%s", tt.run, tt.skip, diff)
		}
	}
}

// BenchmarkLoad reads and checks the whole specification.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := load(embedded, "spec", nil); err != nil {
			b.Fatal(err)
		}
	}
}

func TestRequirementsUnder(t *testing.T) {
	t.Parallel()
	d := Default()
	c := d.Case("google/index-html")
	for interpretation, want := range map[string][]string{
		"rfc9309": {"RFC9309-2.2.2-4", "RFC9309-2.2.2-18"},
		"google":  {"RFC9309-2.2.2-4", "RFC9309-2.2.2-18", "GCC-IX-1"},
		// The case cites no requirement of the draft, so the result is all of its
		// requirements.
		"koster-1996": {"RFC9309-2.2.2-4", "RFC9309-2.2.2-18", "GCC-IX-1"},
	} {
		if diff := cmp.Diff(want, d.RequirementsUnder(c, interpretation)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", interpretation, diff)
		}
	}
}
