package fuzz

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	const (
		first    = "User-agent: *\nDisallow: /\nAllow: /a\n"
		typo     = "User-agent: *\nDissallow /\n"
		typoCase = "User-agent: *\nDissallow /A\n"
	)
	typoSets := []string{
		"separator=two-words + keys=google", "separator=colon-or-blank + keys=google",
		"separator=two-words + keys=misspelled", "separator=colon-or-blank + keys=misspelled",
	}
	var typoCaseSets []string
	for _, set := range typoSets {
		typoCaseSets = append(typoCaseSets, set+" + path-case=insensitive")
	}
	tests := []struct {
		name, robots, path string
		verdict            spec.Verdict
		known              string
		want               []string // nil if nothing explains it
	}{
		{"the reference agrees", "User-agent: *\nDisallow: /\n", "/", spec.Disallow, "", []string{}},
		{"it agrees independent of known choices", "User-agent: *\nDisallow: /\n", "/", spec.Disallow, "tie=disallow", []string{}},
		{"first match", first, "/a", spec.Disallow, "", []string{"allow-lines=unknown", "precedence=first", "precedence=any-disallow"}},
		{
			"what is known goes first", first, "/a", spec.Disallow, "path-case=insensitive precedence=any-disallow",
			[]string{"precedence=any-disallow", "allow-lines=unknown", "precedence=first"},
		},
		{"case of the agent", "User-agent: foobot\nDisallow: /\n", "/", spec.Allow, "", []string{"agent-case=sensitive"}},
		{"the file is refused", "Disallow: /\n", "/", spec.Reject, "", []string{"orphan-rules=reject-file"}},
		{"two choices", typo, "/", spec.Disallow, "", typoSets},
		{"a set is in the order of the points", typo, "/", spec.Disallow, "keys=google", typoSets},
		{"three choices, none known", typoCase, "/a", spec.Disallow, "", typoCaseSets},
		{"three choices, another known", typoCase, "/a", spec.Disallow, "tie=disallow", typoCaseSets},
		{"three choices, one known", typoCase, "/a", spec.Disallow, "path-case=insensitive", typoCaseSets},
		{"three choices, two known", typoCase, "/a", spec.Disallow, "path-case=insensitive separator=two-words", typoCaseSets},
		{
			"three choices, two of a dozen known", typoCase, "/a", spec.Disallow,
			"line-ends=lf-only nul=line-end byte-order-mark=keep tie=disallow precedence=first agent-case=sensitive path-case=insensitive separator=two-words blank-line=ends-record",
			typoCaseSets,
		},
		{"a crash", "User-agent: *\n", "/", spec.Crash, "", nil},
		{"no choice does that", "User-agent: *\nDisallow: /a\n", "/b", spec.Disallow, "precedence=first", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := Witness{Robots: []byte(tt.robots), Probe: spec.Probe{Agent: "FooBot", URL: spec.LongURL(tt.path)}}
			got := causeTexts(Explain(w, tt.verdict, cause(t, tt.known)))
			if len(tt.want) == len(typoSets) { // the order of the search is not under test
				slices.Sort(got)
				tt.want = slices.Sorted(slices.Values(tt.want))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Among sets of one size, those of known choices come first.
func TestExplainKnownSetsFirst(t *testing.T) {
	t.Parallel()
	// A rule without a group, for "/x" and with a misspelled key, applies under
	// many pairs of choices.
	w := Witness{Robots: []byte("User-agent:\nDisallow: x\n"), Probe: spec.Probe{Agent: "FooBot", URL: "http://foo.test/x"}}
	all := Explain(w, spec.Disallow, nil)
	if len(all) < 2 || len(all[0]) != 2 {
		t.Fatalf("%v: the test needs several pairs", all)
	}
	for _, c := range all {
		got := Explain(w, spec.Disallow, c)
		if len(got) < 2 || !slices.Equal(got[0], c) {
			t.Errorf("%s is known, and the causes are %v", c, got)
		}
		for _, known := range c {
			if got := Explain(w, spec.Disallow, Cause{known}); !slices.Contains(got[0], known) {
				t.Errorf("%s is known, and the causes are %v", known, got)
			}
		}
	}
}

// Of many sets that explain an answer, five are returned, each once; those of
// known choices come before others of their size.
func TestExplainManySets(t *testing.T) {
	t.Parallel()
	for size, robots := range map[int]string{
		2: "User-agent:\nDisallow: x\n\nUser-agent: *\nDissallow /\n",
		3: "User-agent:\nDisallow: X\n\nUser-agent: *\nDissallow /X\n",
	} {
		w := Witness{Robots: []byte(robots), Probe: spec.Probe{Agent: "FooBot", URL: "http://foo.test/x"}}
		const late = "first-octet=reduce-url" // in none of the first five
		all := Explain(w, spec.Disallow, nil)
		texts := slices.Compact(slices.Sorted(slices.Values(causeTexts(all))))
		if len(all) != maxSets || len(texts) != maxSets || slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, late) }) {
			t.Errorf("%d choices: %v", size, all)
		}
		known := Explain(w, spec.Disallow, cause(t, late))
		if len(known) != maxSets || len(known[0]) != size || !strings.Contains(known[0].String(), late) {
			t.Errorf("%d choices, of which %s is known: %v", size, late, known)
		}
	}
}

// The number of times a file is read is limited.
func TestExplanationIsBounded(t *testing.T) {
	t.Parallel()
	x := newExplanation(Witness{Robots: []byte("User-agent: *\n"), Probe: spec.Probe{Agent: "FooBot", URL: "/"}})
	x.left = 2*len(x.Robots) + 2
	var got []bool
	for range 4 {
		got = append(got, x.gives(spec.Allow, reading.Parser(reference.RFC9309())))
	}
	if diff := cmp.Diff([]bool{true, true, false, false}, got); diff != "" {
		t.Error(diff)
	}
	if seen := x.sight(); seen != "" {
		t.Errorf("it was read again: %q", seen)
	}
}

// cause parses changes separated by blanks.
func cause(t *testing.T, text string) Cause {
	t.Helper()
	var c Cause
	for _, word := range strings.Fields(text) {
		var f Change
		if err := f.UnmarshalText([]byte(word)); err != nil {
			t.Fatal(err)
		}
		c = append(c, f)
	}
	return c
}

// causeTexts returns the causes as text, nil for nil.
func causeTexts(causes []Cause) []string {
	if causes == nil {
		return nil
	}
	texts := []string{}
	for _, c := range causes {
		texts = append(texts, c.String())
	}
	return texts
}

func TestCauseText(t *testing.T) {
	t.Parallel()
	want := Cause{{Point: reference.Precedence, Choice: reference.PrecedenceFirst}, {Point: reference.Tie, Choice: reference.TieDisallow}}
	text, err := json.Marshal(want)
	if err != nil || string(text) != `["precedence=first","tie=disallow"]` {
		t.Fatalf("%s, %v", text, err)
	}
	var got Cause
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, wrong := range []string{"precedence", "precedence=last", "=first", "order=first"} {
		var f Change
		if err := f.UnmarshalText([]byte(wrong)); err == nil || !strings.Contains(err.Error(), "point=choice") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// Every choice that changes an eighth of the verdicts or more is a blanket, and none
// that changes less than a sixteenth is; one that refuses files changes none.
func TestBlankets(t *testing.T) {
	t.Parallel()
	turned, questions := map[Change]int{}, 0
	g := NewGenerator(1)
	for range max(generated(2000), 500) { // 100 are too few to tell 9 percent from an eighth
		in := g.Next()
		r := reading.New(in.Robots)
		for _, p := range in.Probes {
			questions++
			verdict := r.Verdict(reference.RFC9309(), p)
			for _, c := range reference.AllDeviations() {
				if v := r.Verdict(reference.With(c), p); v != verdict && v != spec.Reject {
					turned[c]++
				}
			}
		}
	}
	for _, c := range reference.AllDeviations() {
		often, seldom := 8*turned[c] >= questions, 16*turned[c] < questions
		if often && !blanket(c) || seldom && blanket(c) {
			t.Errorf("%s turns %d of %d verdicts, blanket is %v", c, turned[c], questions, blanket(c))
		}
	}
}

// For a large file few sets are tried, including those of known choices and those
// about its size.
func TestExplainLarge(t *testing.T) {
	t.Parallel()
	robots := "User-agent: *\n#" + strings.Repeat("a", reference.ParsingLimit) + "\nDissallow: /\n"
	known := cause(t, "byte-order-mark=keep markup=stripped line-ends=lf-only nul=line-end control-octets=keep keys=google agent-value=whole path-case=insensitive tie=disallow precedence=first agent-case=sensitive")
	w := Witness{Robots: []byte(robots), Probe: fooBot("/")}
	causes := Explain(w, spec.Disallow, known)
	if len(causes) == 0 || causes[0].String() != "size-limit=none + keys=google" {
		t.Errorf("%v", causes)
	}
}
