package complexity

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

// Decoding an encoded curve gives the same curve, including the witness of a
// curve that is not a finding, which is not written in full.
func TestCurveJSON(t *testing.T) {
	t.Parallel()
	stars, octets := families(t, "stars")[0], families(t, "invalid-rule")[0]
	for _, want := range []Curve{
		{
			Subject: "a", Version: "1", Lineage: "l", Family: "stars",
			Timings:  []Timing{{N: 1, Octets: 250, Time: time.Millisecond}, {N: 2, Octets: 252, Time: 2 * time.Millisecond}},
			Exponent: 1.25, Fitted: 3, InLibrary: true, Ended: EndedLargest, Witness: stars.Query(2), WitnessN: 2,
		},
		{
			Subject: "a", Family: "invalid-rule", Stopped: true, StoppedAt: 9, StoppedOctets: octets.Query(9).Octets(), Abandoned: 1,
			Ended: EndedStopped, Witness: octets.Query(9), WitnessN: 9,
		},
		{
			// A witness that its family would generate differently.
			Subject: "a", Family: "stars", Timings: []Timing{{N: 4, Octets: 9, Time: time.Second}}, Exponent: 3, Fitted: 4, Ended: EndedSlow,
			Witness: spec.Query{Robots: []byte("\xFF<&>"), Probe: spec.Probe{Agent: "\x00", URL: "/\xFE"}}, WitnessN: 4,
		},
		{
			Subject: "a", Family: "stars", Stopped: true, StoppedAt: 900, StoppedOctets: 2048, Ended: EndedStopped,
			Witness: stars.Query(900), WitnessN: 900,
		},
		{Subject: "a", Family: "stars", Ended: EndedBudget},
	} {
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		short := want.Witness.Octets() <= shortWitness
		if full := strings.Contains(string(text), "robots_b64"); full != (short && want.Finding()) {
			t.Errorf("a witness of %d octets is written in full: %v; finding: %v", want.Witness.Octets(), full, want.Finding())
		}
		var got Curve
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("a curve differs after a round trip (-want +got):\n%s", diff)
		}
	}
}

func TestCurveJSONRefuses(t *testing.T) {
	t.Parallel()
	const good = `{"subject":"a","family":"stars","finding":false,"exponent":1,"fitted":3,"in_library":true,"ended":"largest","points":null,"witness":{"n":1,"octets":252}}`
	var c Curve
	if err := json.Unmarshal([]byte(good), &c); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ old, new, want string }{
		{`"finding":false`, `"finding":true`, "contradicts"},
		{`"ended"`, `"stopped":true,"ended"`, "contradicts"},
		{`"stars"`, `"starz"`, `"starz"`},
		{`"n":1`, `"n":-1`, "n -1"},
		{`"n":1`, `"n":900000000`, "n 900000000"},
		{`252`, `253`, "253"},
		{`"octets":252`, `"octets":252,"size":1`, "size"},
		{`"octets":252`, `"octets":252,"robots_b64":"%"`, "robots_b64"},
		{`"octets":252`, `"octets":252,"robots_b64":"","url":"⟦"`, "url"},
		{`"octets":252`, `"octets":252,"robots_b64":"","agent":"⟦"`, "agent"},
	} {
		err := json.Unmarshal([]byte(strings.Replace(good, test.old, test.new, 1)), &c)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s for %s: error is %v, want one with %q", test.new, test.old, err, test.want)
		}
	}
}

// The worst curves come first: stopped ones by size, then by exponent, then by
// time.
func TestCurveWorst(t *testing.T) {
	t.Parallel()
	small, large := spec.Query{Robots: make([]byte, 9)}, spec.Query{Robots: make([]byte, 99)}
	s := Subject{Curves: []Curve{
		{Family: "linear", Exponent: 1.1, Timings: series(time.Second)},
		{Family: "unmeasured"},
		{Family: "stopped-late", Stopped: true, Exponent: 5, Witness: large},
		{Family: "cubic", Exponent: 3, Timings: series(time.Second)},
		{Family: "linear-and-slow", Exponent: 1.1, Timings: series(2 * time.Second)},
		{Family: "stopped-soon", Stopped: true, Witness: small},
	}}
	names := func(curves []*Curve) (names []string) {
		for _, c := range curves {
			names = append(names, c.Family)
		}
		return names
	}
	if diff := cmp.Diff([]string{"stopped-soon", "stopped-late", "cubic", "linear-and-slow", "linear", "unmeasured"}, names(s.Worst())); diff != "" {
		t.Errorf("Worst differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"stopped-soon", "stopped-late", "cubic"}, names(s.Findings())); diff != "" {
		t.Errorf("Findings differs (-want +got):\n%s", diff)
	}
}
