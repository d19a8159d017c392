package reports

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// fingerprinted returns the fingerprints of n subjects. The first is explained
// and the second is not; the third was lost and resembles no other.
func fingerprinted(n int) *conformance.Fingerprints {
	question := conformance.SampleQuestion{Kind: "generated", File: "file 7 of seed 1", Robots: "User-agent: FooBot\nDisallow: /a\n", Probe: "FooBot /a"}
	long := question
	long.Kind, long.File, long.Robots, long.Probe = "real", strings.Repeat("0123456789abcdef", 4), "", "RepcheckBot /"+strings.Repeat("x", 200)
	missed := conformance.Missed{SampleQuestion: question, Got: spec.Allow, Predicted: spec.Disallow}
	other := conformance.Missed{SampleQuestion: long, Got: spec.Reject, Predicted: spec.Allow}
	r := &conformance.Fingerprints{
		Format: 1, Seed: 1, Source: "seeds", Elapsed: 1234 * time.Millisecond,
		Sample: []conformance.SampleKind{
			{Kind: "case", SeenFiles: 600, SeenQuestions: 2000},
			{Kind: "real", SeenFiles: 10, SeenQuestions: 100, HeldFiles: 11, HeldQuestions: 110},
			{Kind: "generated", SeenFiles: 90, SeenQuestions: 900, HeldFiles: 89, HeldQuestions: 890},
		},
		Subjects: []conformance.Fingerprint{
			{
				SubjectInfo: spec.SubjectInfo{Name: "one", Version: "v1", Lineage: "x"},
				Deviations: []conformance.Deviation{
					{Point: "tie", Choice: "first", For: 1234, Against: 2, Witness: &question},
					{Point: "keys", Choice: "misspelled", For: 3, Witness: &long},
					{Point: "dollar", Choice: "literal", Against: 1},
				},
				Seen: conformance.Predicted{Answered: 3000, Predicted: 2999}, Held: conformance.Predicted{Answered: 1000, Predicted: 990},
				Kinds:    []conformance.Predicted{{}, {Answered: 110, Predicted: 110}, {Answered: 890, Predicted: 880}},
				Constant: 600, Missed: make([]conformance.Missed, 10),
				Gaps:    []conformance.Gap{{Point: "keys", Choice: "google", Answers: 10, Witnesses: []conformance.Missed{missed}}},
				Nearest: "google", NearestPredicted: 900, Relative: "two", RelativeDistance: .0123,
			},
			{
				SubjectInfo: spec.SubjectInfo{Name: "two", Version: "v2", Lineage: "x"},
				Verdicts:    map[spec.Verdict]int{spec.Allow: 900, spec.Crash: 1, spec.Reject: 7, spec.Unsupported: 21},
				Seen:        conformance.Predicted{Answered: 3000, Predicted: 2900}, Held: conformance.Predicted{Answered: 978, Predicted: 968},
				Kinds:    []conformance.Predicted{{}, {Answered: 110, Predicted: 100}, {Answered: 868, Predicted: 868}},
				Constant: 600, Missed: make([]conformance.Missed, 10),
				Gaps: []conformance.Gap{
					{Point: "keys", Choice: "google", Answers: 4, Witnesses: []conformance.Missed{missed, other}},
					{Answers: 2, Witnesses: []conformance.Missed{other}},
					{Point: "nul", Choice: "octet", Answers: 1, Witnesses: []conformance.Missed{missed}},
					{Point: "tie", Choice: "first", Answers: 1, Witnesses: []conformance.Missed{missed}},
					{Point: "markup", Choice: "text", Answers: 1, Witnesses: []conformance.Missed{missed}},
					{Point: "comment", Choice: "anywhere", Answers: 1, Witnesses: []conformance.Missed{missed}},
				},
				Nearest: "rfc9309", NearestPredicted: 800, Relative: "one", RelativeDistance: .0123,
			},
			{
				SubjectInfo: spec.SubjectInfo{Name: "three"}, Deviations: []conformance.Deviation{},
				Verdicts: map[spec.Verdict]int{spec.Timeout: 1000}, Lost: "it ended: exit status 1",
				Kinds: make([]conformance.Predicted, 3), Nearest: "rfc9309", Relative: "one", RelativeDistance: 1,
			},
		},
		Tree:     &conformance.Tree{Newick: "((one:0.006,two:0.006):0.5,three:0.5);", Merges: []conformance.Merge{{One: 0, Other: 1, Distance: .0123}, {One: 3, Other: 2, Distance: 1}}},
		Lineages: []conformance.LineageDistance{{Lineage: "x", Subjects: []string{"one", "two"}, Widest: .0123, Nearest: 1, Inside: "one", Outside: "three"}},
	}
	if r.Subjects = r.Subjects[:n]; n == 1 {
		r.Tree, r.Lineages, r.Subjects[0].Relative = nil, nil, ""
	}
	return r
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int{"one": 1, "all": 3} {
		goldenDocument(t, "fingerprint-"+name, n > 1, func(o Options) doc.Document { return Fingerprint(fingerprinted(n), o) })
	}
}

func TestFingerprintNewick(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := FingerprintNewick(&out, fingerprinted(3)); err != nil || out.String() != "((one:0.006,two:0.006):0.5,three:0.5);\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	if err := FingerprintNewick(io.Discard, fingerprinted(1)); err == nil {
		t.Error("one subject makes a tree")
	}
}
