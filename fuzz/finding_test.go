package fuzz

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// finding makes a finding about a crash of the named subject.
func finding(name, robots string, hits int) Finding {
	return Finding{
		Kind: CrashFound, Lineage: name, Detail: "panic",
		Witness:  Witness{Robots: []byte(robots), Probe: spec.Probe{Agent: "FooBot", URL: "http://foo.test/"}},
		Expected: spec.Allow,
		Answers:  []SubjectAnswer{{Subject: name, Version: "v1", Answer: spec.Answer{Verdict: spec.Crash, Detail: "panic"}}},
		Causes:   map[string][]Cause{},
		Hits:     map[string]int{name: hits}, First: noon, Last: noon,
	}
}

// disagreement makes a finding about an answer of the named subjects, each of its
// own code base, with that cause.
func disagreement(t *testing.T, flips string, hits map[string]int) Finding {
	f := finding("", "User-agent: *\nDisallow: /\nAllow: /\n", 0)
	f.Kind, f.Lineage, f.Detail = Disagreement, "", ""
	f.Cause, f.Hits = cause(t, flips), hits
	f.Answers = []SubjectAnswer{{Subject: "reference", Answer: spec.Answer{Verdict: spec.Allow, Line: 3, Pattern: "/"}}}
	for name := range hits {
		f.Answers = append(f.Answers, SubjectAnswer{Subject: name, Lineage: name, Answer: spec.Answer{Verdict: spec.Disallow}})
		f.Causes[name] = []Cause{f.Cause}
	}
	slices.SortFunc(f.Answers, func(a, b SubjectAnswer) int { return strings.Compare(a.Subject, b.Subject) })
	return f
}

// oneOfEach makes a finding of every kind.
func oneOfEach(t *testing.T) []Finding {
	all := []Finding{disagreement(t, "precedence=first", map[string]int{"b": 2})}
	for _, k := range Kinds {
		if k == Disagreement {
			continue
		}
		f := finding("b", "a\n", 3)
		f.Kind = k
		all = append(all, f)
	}
	return all
}

// The ID of a finding depends only on what it is about. IDs must not change,
// because they are the names of files that people keep.
func TestFindingID(t *testing.T) {
	t.Parallel()
	f := finding("b", "a\n", 1)
	again := finding("b", "another\nfile\n", 7)
	again.Expected, again.Causes, again.Answers = spec.Disallow, nil, nil
	again.Beyond, again.First, again.Last, again.Seed, again.Input = map[string]int{"b": 1}, noon.Add(1), noon.Add(2), 3, 4
	if f.ID() != again.ID() {
		t.Error("a finding seen again has another name")
	}
	if got, want := f.ID(), "12443116fc74"; got != want {
		t.Errorf("the ID is %s, want %s", got, want)
	}
	others := oneOfEach(t)
	for _, change := range []func(*Finding){
		func(f *Finding) { f.Lineage = "c" },
		func(f *Finding) { f.Detail = "panic: c" },
		func(f *Finding) { f.Kind, f.Witness.Robots = UnexplainedAnswer, []byte("b\n") },
		func(f *Finding) { f.Kind, f.Witness.Agent = UnexplainedAnswer, "BarBot" },
		func(f *Finding) { f.Kind, f.Witness.URL = UnexplainedAnswer, "http://foo.test/b" },
		func(f *Finding) { *f = disagreement(t, "precedence=any-disallow", nil) },
		func(f *Finding) { *f = disagreement(t, "precedence=first tie=disallow", nil) },
	} {
		f := finding("b", "a\n", 1)
		change(&f)
		others = append(others, f)
	}
	ids := map[string]string{}
	for _, f := range others {
		if other, ok := ids[f.ID()]; ok {
			t.Errorf("%q and %q have one ID", other, f.Title())
		}
		ids[f.ID()] = f.Title()
	}
}

func TestFindingTitle(t *testing.T) {
	t.Parallel()
	var got []string
	for _, f := range oneOfEach(t) {
		got = append(got, f.Title())
	}
	want := []string{
		"b: precedence=first",
		"b: panic, unexplained",
		"b crashes: panic",
		"b gives no answer in time",
		"b is slow: panic",
		"b refuses the file: panic",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Failures are shown next to answers, and one lineage counts once.
func TestFindingVotes(t *testing.T) {
	t.Parallel()
	var f Finding
	for _, a := range []struct {
		name, lineage string
		verdict       spec.Verdict
	}{
		{"z", "", spec.Crash}, {"b", "google", spec.Disallow}, {"a", "google", spec.Disallow},
		{"c", "", spec.Disallow}, {"r", "", spec.Allow}, {"u", "", spec.Unsupported}, {"t", "", spec.Timeout},
	} {
		f.Answers = append(f.Answers, SubjectAnswer{Subject: a.name, Lineage: a.lineage, Answer: spec.Answer{Verdict: a.verdict}})
	}
	want := []Vote{
		{Verdict: spec.Allow, Subjects: []string{"r"}, Lineages: 1},
		{Verdict: spec.Disallow, Subjects: []string{"a", "b", "c"}, Lineages: 2},
		{Verdict: spec.Crash, Subjects: []string{"z"}, Lineages: 1},
		{Verdict: spec.Timeout, Subjects: []string{"t"}, Lineages: 1},
	}
	if diff := cmp.Diff(want, f.Votes()); diff != "" {
		t.Error(diff)
	}
}

func TestFindingLineages(t *testing.T) {
	t.Parallel()
	f := Finding{
		Answers: []SubjectAnswer{
			{Subject: "port1", Lineage: "google"}, {Subject: "port2", Lineage: "google"}, {Subject: "own"}, {Subject: "other", Lineage: "other-lineage"},
		},
		Hits: map[string]int{"port1": 2, "port2": 3, "own": 5, "gone": 7},
	}
	if diff := cmp.Diff([]string{"gone", "google", "own"}, f.Lineages()); diff != "" {
		t.Error(diff)
	}
	if got := f.Count(); got != 17 {
		t.Errorf("%d hits, want 17", got)
	}
	var none Finding
	if none.Count() != 0 || len(none.Lineages()) != 0 {
		t.Errorf("a finding without hits counts %d of %v", none.Count(), none.Lineages())
	}
}

// The result of a merge does not depend on the order, and neither argument
// changes.
func TestFindingMerge(t *testing.T) {
	t.Parallel()
	small, large := finding("b", "a\n", 2), finding("b", "a\nb\n", 3)
	small.Seed, large.Seed = 1, 2
	small.First, small.Last = noon.Add(time.Hour), noon.Add(2*time.Hour)
	large.First, large.Last = noon, noon.Add(time.Hour)
	large.Hits["c"], large.Beyond = 4, map[string]int{"c": 1}
	want := small
	want.Hits, want.Beyond = map[string]int{"b": 5, "c": 4}, map[string]int{"c": 1}
	want.First = noon
	for range 2 {
		if diff := cmp.Diff(want, merge(small, large)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(want, merge(large, small)); diff != "" {
			t.Error(diff)
		}
	}
}

// Encoding and decoding gives the same finding, for any bytes of the witness.
func TestFindingJSON(t *testing.T) {
	t.Parallel()
	for _, f := range oneOfEach(t) {
		t.Run(string(f.Kind), func(t *testing.T) {
			t.Parallel()
			f.Witness = Witness{Robots: []byte("\uFEFFa \r\n\x00\xFF<&>⟦\n"), Probe: spec.Probe{Agent: "\xFF x", URL: "http://foo.test/\n⟦"}}
			f.Beyond = map[string]int{"b": 1}
			f.Causes["c"], f.Causes["d"] = []Cause{cause(t, "tie=disallow"), cause(t, "line-ends=lf-only nul=line-end")}, nil
			f.Seed, f.Input = 1<<63, 1<<63+1
			text, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			var got Finding
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(f, got); diff != "" {
				t.Error(diff)
			}
			again, err := json.Marshal(got)
			if diff := cmp.Diff(string(text), string(again)); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
}

func TestFindingContradicts(t *testing.T) {
	f := finding("x", "a\n", 1)
	text, _ := json.Marshal(f)
	for _, change := range [][2]string{
		{`"subjects":["x"]`, `"subjects":["y"]`}, {`"expected":"allow"`, `"expected":"perhaps"`}, {`"url":"http://foo.test/"`, `"url":"http://foo.test/","nonsense":1`},
		{`"hits":{"x":1}`, `"hits":{"x":-1}`},
	} {
		changed := strings.Replace(string(text), change[0], change[1], 1)
		var g Finding
		if err := json.Unmarshal([]byte(changed), &g); changed == string(text) || err == nil {
			t.Errorf("%s is read: %v %s", change[1], err, text)
		}
	}
}
