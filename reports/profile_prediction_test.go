package reports

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// predicted returns profiles of n subjects with files besides the cases. The first
// is predicted and the second is not; the third was lost and resembles no other.
func predicted(n int) *conformance.Profiles {
	r := profiled("one", "two", "three")
	query := conformance.SampleQuery{Source: fingerprint.Generated, File: "file 7 of seed 1", Robots: "User-agent: FooBot\nDisallow: /a\n", Probe: "FooBot /a"}
	long := query
	long.Source, long.File, long.Robots, long.Probe = fingerprint.Real, strings.Repeat("0123456789abcdef", 4), "", "RepcheckBot /"+strings.Repeat("x", 200)
	missed := conformance.Missed{SampleQuery: query, Got: spec.Allow, Predicted: spec.Disallow}
	other := conformance.Missed{SampleQuery: long, Got: spec.Reject, Predicted: spec.Allow}
	r.Seed, r.Corpus, r.Elapsed = 1, "seeds", 1234*time.Millisecond
	r.Sources = append(r.Sources,
		conformance.ProfileSource{Source: fingerprint.Real, SeenFiles: 10, SeenQueries: 100, HeldFiles: 11, HeldQueries: 110},
		conformance.ProfileSource{Source: fingerprint.Generated, SeenFiles: 90, SeenQueries: 900, HeldFiles: 89, HeldQueries: 890})
	topics := []conformance.Topic{
		{Section: "2.2.2", Predicted: conformance.Predicted{Answered: 300, Predicted: 300}},
		{Section: "google", Predicted: conformance.Predicted{Answered: 200, Predicted: 193}, Gaps: []conformance.Gap{{Point: "keys", Choice: "google", Answers: 5}, {Answers: 2}}},
	}
	one, two, three := &r.Subjects[0], &r.Subjects[1], &r.Subjects[2]
	one.Lineage, one.Relative, one.RelativeDistance = "x", "two", .0123
	one.Deviations = []conformance.Deviation{
		{Point: "tie", Choice: "first", Own: fingerprint.Count{For: 4}, Evidence: []fingerprint.Count{{For: 12}, {For: 7}, {For: 1234, Against: 2}}, Witness: &query},
		{Point: "keys", Choice: "misspelled", Evidence: []fingerprint.Count{{For: 3}, {}, {}}, Witness: &long},
		{Point: "dollar", Choice: "literal", Refuted: true, Own: fingerprint.Count{For: 1, Against: 3}, Evidence: []fingerprint.Count{{For: 2, Against: 3}, {}, {For: 40}}},
	}
	one.Prediction = &conformance.Prediction{
		Seen: conformance.Predicted{Answered: 3000, Predicted: 2999}, Held: conformance.Predicted{Answered: 1000, Predicted: 990},
		Sources:  []conformance.Predicted{{}, {Answered: 110, Predicted: 110}, {Answered: 890, Predicted: 880}},
		Constant: 600, Missed: make([]conformance.Missed, 10), Topics: topics,
		Gaps: []conformance.Gap{{Point: "keys", Choice: "google", Answers: 10, Witnesses: []conformance.Missed{missed}}},
	}
	two.Lineage, two.Relative, two.RelativeDistance = "x", "one", .0123
	two.Verdicts = map[spec.Verdict]int{spec.Allow: 900, spec.Crash: 1, spec.Reject: 7, spec.Unsupported: 21}
	two.Prediction = &conformance.Prediction{
		Seen: conformance.Predicted{Answered: 3000, Predicted: 2900}, Held: conformance.Predicted{Answered: 978, Predicted: 968},
		Sources:  []conformance.Predicted{{}, {Answered: 110, Predicted: 100}, {Answered: 868, Predicted: 868}},
		Constant: 600, Missed: make([]conformance.Missed, 10), Topics: topics[:1],
		Gaps: []conformance.Gap{
			{Point: "keys", Choice: "google", Answers: 4, Witnesses: []conformance.Missed{missed, other}},
			{Answers: 2, Witnesses: []conformance.Missed{other}},
			{Point: "nul", Choice: "octet", Answers: 1, Witnesses: []conformance.Missed{missed}},
			{Point: "tie", Choice: "first", Answers: 1, Witnesses: []conformance.Missed{missed}},
			{Point: "markup", Choice: "text", Answers: 1, Witnesses: []conformance.Missed{missed}},
			{Point: "comment", Choice: "anywhere", Answers: 1, Witnesses: []conformance.Missed{missed}},
		},
	}
	three.Verdicts, three.Lost = map[spec.Verdict]int{spec.Timeout: 1000}, "it ended: exit status 1"
	three.Relative, three.RelativeDistance = "one", 1
	three.Prediction = &conformance.Prediction{Sources: make([]conformance.Predicted, 3)}
	r.Tree = &conformance.Tree{Newick: "((one:0.006,two:0.006):0.5,three:0.5);", Merges: []conformance.Merge{{One: 0, Other: 1, Distance: .0123}, {One: 3, Other: 2, Distance: 1}}}
	r.Lineages = []conformance.LineageDistance{{Lineage: "x", Subjects: []string{"one", "two"}, Widest: .0123, Nearest: 1, Inside: "one", Outside: "three"}}
	if r.Subjects = r.Subjects[:n]; n == 1 {
		r.Tree, r.Lineages, one.Relative = nil, nil, ""
	}
	return r
}

func TestProfilePrediction(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int{"one": 1, "all": 3} {
		goldenDocument(t, "prediction-"+name, n > 1, func(o Options) doc.Document { return Profile(predicted(n), o) })
	}
}

func TestNewick(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := Newick(&out, predicted(3)); err != nil || out.String() != "((one:0.006,two:0.006):0.5,three:0.5);\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	if err := Newick(io.Discard, predicted(1)); err == nil {
		t.Error("one subject makes a tree")
	}
}
