package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl/fingerprint"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// profiled returns profiles without deviations.
func profiled(names ...string) *conformance.Profiles {
	named := func(rfc9309, google string) map[string]string {
		return map[string]string{"rfc9309": rfc9309, "google": google, "koster-rep-00": rfc9309, "koster-1996": rfc9309, "standard-1994": rfc9309}
	}
	r := &conformance.Profiles{
		Format: 2, CaseSet: "0123456789ab", Elapsed: 412 * time.Millisecond,
		Sources: []conformance.ProfileSource{{Source: fingerprint.Case, SeenFiles: 634, SeenQueries: 2023}},
		Points: []conformance.ProfiledPoint{
			{ID: "byte-order-mark", Stage: "octets", Choices: []string{"strip-one", "keep", "strip-partial"}, Named: named("strip-one", "strip-partial")},
			{ID: "invalid-utf8", Stage: "records", Choices: []string{"keep", "refuse-line", "latin-1", "drop"}, Named: named("keep", "keep")},
			{ID: "keys", Stage: "records", Choices: []string{"exact", "google"}, Named: named("exact", "google")},
			{ID: "url-escapes", Stage: "paths", Choices: []string{"decode-unreserved", "keep", "decode-all-but-slash"}, Named: named("decode-unreserved", "keep")},
			{ID: "specificity", Stage: "decision", Choices: []string{"rule-octets", "as-written"}, Named: named("rule-octets", "rule-octets")},
			{ID: "tie", Stage: "decision", Choices: []string{"allow", "disallow", "first"}, Named: named("allow", "allow")},
		},
	}
	for _, name := range names {
		s := conformance.SubjectProfile{
			SubjectInfo: spec.SubjectInfo{Name: name, Version: "v1.0.0"},
			Verdicts:    map[spec.Verdict]int{spec.Allow: 1000, spec.Disallow: 1023},
			Asked:       2023, Predicted: 2023,
		}
		for _, p := range r.Points {
			s.Points = append(s.Points, conformance.PointProfile{Point: p.ID, Status: conformance.Clear, Choices: p.Choices[:1], Agree: 12, Total: 12})
		}
		for i, interpretation := range spec.Interpretations {
			s.Distances = append(s.Distances, conformance.Distance{Interpretation: interpretation, Same: 2023 - 199*i, Points: []string{}})
		}
		r.Subjects = append(r.Subjects, s)
	}
	return r
}

// profiledEvery returns profiles with every status, for one subject or several.
func profiledEvery(names ...string) *conformance.Profiles {
	r := profiled(names...)
	s := &r.Subjects[len(r.Subjects)-1]
	s.Predicted, s.Asked = 1937, 2013
	s.Verdicts = map[spec.Verdict]int{spec.Allow: 900, spec.Disallow: 1037, spec.Crash: 14, spec.Reject: 1, spec.Unsupported: 10}
	s.Lost = "the process ended 3 times in a row: exit status 1"
	s.Distances[0], s.Distances[1] = s.Distances[1], s.Distances[0]
	s.Distances[1].Same = 1700
	s.Distances[0].Points = []string{"byte-order-mark", "url-escapes", "tie"}
	s.Points[0].Choices = []string{"keep"}
	s.Points[1].Choices, s.Points[1].Status, s.Points[1].Silent = nil, conformance.Unanswered, 7
	s.Points[2] = conformance.PointProfile{
		Point: "keys", Status: conformance.Inconsistent, Choices: []string{"exact"}, Agree: 18, Total: 20,
		Decisive: []conformance.Witness{{Case: "lines/key-dissallow", Probe: "FooBot /a", Got: spec.Allow, Fits: []string{"exact"}}},
		Against: []conformance.Witness{
			{Case: "lines/key-useragent", Probe: "FooBot /a|`b`*", Got: spec.Disallow, Fits: []string{"google"}},
			{Case: "google/agent-keys", Probe: "FooBot /a", Got: spec.Disallow, Fits: []string{"google"}},
		},
	}
	s.Points[3] = conformance.PointProfile{
		Point: "url-escapes", Status: conformance.Inconsistent, Choices: []string{"keep", "decode-all-but-slash"}, Agree: 4, Total: 6,
		Against: []conformance.Witness{
			{Case: "percent/a", Probe: "FooBot /" + strings.Repeat("long/", 30), Got: spec.Disallow, Fits: []string{"keep"}},
			{Case: "percent/b", Probe: "FooBot /b", Got: spec.Disallow, Fits: []string{"decode-unreserved", "decode-all-but-slash"}},
		},
	}
	s.Points[4].Status, s.Points[4].Choices = conformance.Undistinguished, []string{"rule-octets", "as-written"}
	s.Deviations = []conformance.Deviation{
		{Point: "byte-order-mark", Choice: "keep", Own: fingerprint.Count{For: 3}, Evidence: []fingerprint.Count{{For: 5, Against: 1}}},
		{Point: "keys", Choice: "google", Refuted: true, Own: fingerprint.Count{Against: 2}, Evidence: []fingerprint.Count{{For: 9, Against: 4}}},
	}
	s.Points[5] = conformance.PointProfile{Point: "tie", Status: conformance.Masked, MaskedBy: "allow-lines"}
	for i := range 12 {
		s.Unexplained = append(s.Unexplained, conformance.Witness{Case: fmt.Sprintf("precedence/empty-%d", i), Probe: "FooBot /", Got: spec.Disallow})
	}
	return r
}

var profiles = []struct {
	name   string
	result func() *conformance.Profiles
}{
	{"every", func() *conformance.Profiles { return profiledEvery("slyrz") }},
	{"fine", func() *conformance.Profiles { return profiled("reference") }},
	{"several", func() *conformance.Profiles {
		return profiledEvery("reference", "temoto", "grobotstxt", "python-urllib", "rust-crate-with-a-name-that-goes-on", "slyrz")
	}},
	{"nothing", func() *conformance.Profiles { return &conformance.Profiles{} }},
}

func TestProfile(t *testing.T) {
	t.Parallel()
	for _, p := range profiles {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			goldenDocument(t, "profile-"+p.name, p.name == "every", func(o Options) doc.Document { return Profile(p.result(), o) })
		})
	}
}

func TestProfileJSON(t *testing.T) {
	t.Parallel()
	for _, p := range profiles {
		var out bytes.Buffer
		if err := WriteJSON(&out, p.result()); err != nil {
			t.Fatal(err)
		}
		var back conformance.Profiles
		if err := json.Unmarshal(out.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p.result(), &back); diff != "" {
			t.Errorf("%s differs (-written +read):\n%s", p.name, diff)
		}
	}
}
