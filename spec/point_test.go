package spec_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

const goodPoint = `points:
  - id: first-octet
    stage: patterns
    question: What if a path has no slash in front?
    text: The grammar has one.
    ambiguities: [AMB-1]
    requirements: [RFC9309-2.2.2-1]
    choices:
      - {id: ignore-rule, means: The rule is ignored.}
      - {id: keep, means: It is compared as it is.}
      - id: add-slash
        means: It gets one.
        forbidden: RFC9309-2.2.2-2
        witness: {robots: "User-agent: FooBot\nDisallow: a␍\n", url: /a, want: allow, got: disallow}
    interpretations:
      rfc9309: {choice: ignore-rule, because: Section 2.2.}
      google: {choice: keep, because: Its parser.}
      koster-rep-00: {choice: ignore-rule, because: Section 2.2.}
      koster-1996: {choice: ignore-rule, because: Section 3.3.}
      standard-1994: {choice: keep, because: Silent.}
    links: []
`

func loadPoint(yaml string) (*spec.Data, error) {
	const someCase = `section: "2.2.2"
cases:
  - id: topic/one
    requirements: [RFC9309-2.2.2-1]
    level: MUST
    rationale: It follows.
    robots: ""
    expect: [{url: /a, verdict: allow}]
`
	return spec.Load(fstest.MapFS{
		"points/patterns.yaml":   {Data: []byte(yaml)},
		"cases/2.2.2/topic.yaml": {Data: []byte(someCase)},
	}, "my")
}

func TestLoadPoint(t *testing.T) {
	t.Parallel()
	d, err := loadPoint(goodPoint)
	if err != nil {
		t.Fatal(err)
	}
	want := []spec.Choice{
		{ID: "ignore-rule", Means: "The rule is ignored."},
		{ID: "keep", Means: "It is compared as it is."},
		{ID: "add-slash", Means: "It gets one.", Forbidden: "RFC9309-2.2.2-2", Witness: &spec.Witness{
			Robots: []byte("User-agent: FooBot\nDisallow: a\r\n"), Probe: spec.Probe{Agent: "FooBot", URL: "http://foo.test/a"},
			Want: spec.Allow, Got: spec.Disallow,
		}},
	}
	p := d.Point("first-octet")
	if diff := cmp.Diff(want, p.Choices); diff != "" {
		t.Errorf("choices differ (-want +got):\n%s", diff)
	}
	if p.Choice("keep") != &p.Choices[1] || p.Choice("kept") != nil {
		t.Error("a choice is not found by its id, or one is found that does not exist")
	}
}

// TestPointRefused compares the first message about each broken point.
func TestPointRefused(t *testing.T) {
	t.Parallel()
	const pos = "my/points/patterns.yaml:2: first-octet: "
	const noWitness = pos + `choice "add-slash": a forbidden choice needs the requirement that forbids it, and a witness with robots, url and different verdicts under want and got`
	tests := []struct{ name, old, new, want string }{
		{"unknown key", "means: It gets one.", "meens: It gets one.", `my/points/patterns.yaml:12:9: first-octet: unknown key "meens" in a choice: did you mean "means"?`},
		{"unknown stage", "stage: patterns", "stage: pattern", `my/points/patterns.yaml:3:12: first-octet: "pattern" is no stage: did you mean "patterns"?`},
		{"no question", "    question: What if a path has no slash in front?\n", "", pos + "the point has no question"},
		{"id that names no constant", "- id: first-octet", "- id: first_octet",
			"my/points/patterns.yaml:2: first_octet: the id must begin with a letter and have only lower-case letters, digits and single hyphens"},
		{"choice that names no constant", "id: keep", "id: 2-keep", pos + `choice "2-keep": the id must begin with a letter and have only lower-case letters, digits and single hyphens`},
		{"repeated choice", "id: add-slash", "id: keep", pos + `choice "keep" needs an id of its own and a meaning`},
		{"no meaning", "means: It is compared as it is.", `means: ""`, pos + `choice "keep" needs an id of its own and a meaning`},
		{"unknown choice of an interpretation", "google: {choice: keep", "google: {choice: kept", pos + "interpretation google needs one of the choices and a because"},
		{"no reason", "because: Its parser.", `because: ""`, pos + "interpretation google needs one of the choices and a because"},
		{"unknown interpretation", "google:", "gogle:", `my/points/patterns.yaml:17:7: first-octet: unknown key "gogle" in interpretations: did you mean "google"?`},
		{"unknown requirement", "[RFC9309-2.2.2-1]", "[RFC9309-2.2.2-99]", pos + `unknown requirement "RFC9309-2.2.2-99": did you mean "RFC9309-2.2.2-9"?`},
		{"default that is not first", "rfc9309: {choice: ignore-rule", "rfc9309: {choice: keep", pos + `choice "keep" is that of rfc9309: put it first`},
		{"forbidden by an unknown requirement", "forbidden: RFC9309-2.2.2-2\n", "forbidden: RFC9309-2.2.2-99\n", pos + `unknown requirement "RFC9309-2.2.2-99": did you mean "RFC9309-2.2.2-9"?`},
		{"forbidden by a permission", "forbidden: RFC9309-2.2.2-2\n", "forbidden: RFC9309-2.2.2-21\n",
			pos + `choice "add-slash": RFC9309-2.2.2-21 cannot forbid it: name a testable MUST, SHOULD or text of RFC 9309`},
		{"forbidden by another document", "forbidden: RFC9309-2.2.2-2\n", "forbidden: GCC-IX-1\n",
			pos + `choice "add-slash": GCC-IX-1 cannot forbid it: name a testable MUST, SHOULD or text of RFC 9309`},
		{"forbidden without a witness", "        witness: {robots: \"User-agent: FooBot\\nDisallow: a␍\\n\", url: /a, want: allow, got: disallow}\n", "", noWitness},
		{"witness without a requirement", "        forbidden: RFC9309-2.2.2-2\n", "", noWitness},
		{"witness that shows nothing", "got: disallow", "got: allow", noWitness},
		{"witness without a file", `robots: "User-agent: FooBot\nDisallow: a␍\n", `, "", noWitness},
		{"unknown verdict", "got: disallow", "got: disalow", `my/points/patterns.yaml:14:92: first-octet: "disalow" is no verdict: did you mean "disallow"?`},
		{"invisible octet", "a␍", `a\r`, `my/points/patterns.yaml:14:27: first-octet: bad octet notation in robots: line 2: U+000D cannot be seen: write ␍`},
		{"forbidden outside the reference", "    links: []", "    outside: Only HTTP shows it.",
			pos + `choice "add-slash": neither the choice of rfc9309 nor one that is outside the reference can be forbidden`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			broken := strings.Replace(goodPoint, tt.old, tt.new, 1)
			if broken == goodPoint {
				t.Fatalf("%q is not in the good point", tt.old)
			}
			_, err := loadPoint(broken)
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
