package access_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/conformance/internal/access"
	"github.com/repcheck/repcheck/spec"
)

func expect(url string, verdict spec.Verdict) spec.Expectation {
	return spec.Expectation{Probe: spec.Probe{Agent: "FooBot", URL: url}, Verdict: verdict}
}

func answers(verdicts ...spec.Verdict) access.StepObservation {
	var o access.StepObservation
	for _, v := range verdicts {
		o.Answers = append(o.Answers, spec.Answer{Verdict: v})
	}
	return o
}

func TestJudge(t *testing.T) {
	t.Parallel()
	google := expect("/private/", "")
	google.Under = map[string]spec.Verdict{"google": spec.Disallow}
	other := expect("/public/", spec.Disallow)
	other.Agent = "BarBot"
	judging := &spec.Scenario{Steps: []spec.Step{
		{
			Expect: []spec.Expectation{expect("/public/", spec.Allow), other, google, expect("{other}/a", spec.Allow)},
			Requests: []spec.RequestCount{
				{Server: "main", Target: "/robots.txt", Most: 1},
				{Server: "main", Target: "/robots.txt", Least: 3, Most: 5},
			},
		},
		{Expect: []spec.Expectation{expect("/b", spec.Disallow), expect("/c", spec.Disallow), expect("/d", spec.Disallow)}},
	}}
	log := []access.Request{
		{Server: "main", Method: "GET", Target: "/robots.txt"},
		{Server: "main", Method: "GET", Target: "/robots.txt"},
		{Server: "main", Target: "/robots.txt"},
		{Server: "other", Method: "GET", Target: "/robots.txt"},
		{Server: "main", Method: "GET", Target: "/", Step: 0},
		{Server: "main", Method: "GET", Target: "/robots.txt", Step: 1},
	}
	observed := &access.Observation{Log: log, Steps: []access.StepObservation{
		answers(spec.Allow, spec.Allow, spec.Disallow),
		answers(spec.Reject, spec.Unsupported, ""),
	}}
	tests := []struct {
		name, interpretation string
		scenario             *spec.Scenario
		observed             *access.Observation
		want                 []access.Check
	}{
		{"RFC 9309", "rfc9309", judging, observed, []access.Check{
			{Step: 0, What: "/public/ for FooBot", Want: "allow", Got: "allow", Status: access.Pass},
			{Step: 0, What: "/public/ for BarBot", Want: "disallow", Got: "allow", Status: access.Fail},
			{Step: 0, What: "/private/", Got: "disallow", Status: access.Unscored},
			{Step: 0, What: "{other}/a", Want: "allow", Got: "no answer", Status: access.NotMeasurable},
			{Step: 0, What: "at most 1 request for {main}/robots.txt", Want: "at most 1 request", Got: "2 requests", Status: access.Fail},
			{Step: 0, What: "3 to 5 requests for {main}/robots.txt", Want: "3 to 5 requests", Got: "2 requests", Status: access.Fail},
			{Step: 1, What: "/b", Want: "disallow", Got: "reject", Status: access.Fail},
			{Step: 1, What: "/c", Want: "disallow", Got: "unsupported", Status: access.NotMeasurable},
			{Step: 1, What: "/d", Want: "disallow", Got: "no answer", Status: access.NotMeasurable},
		}},
		{"Google", "google", &spec.Scenario{Steps: []spec.Step{{Expect: []spec.Expectation{google}}}},
			&access.Observation{Steps: []access.StepObservation{answers(spec.Disallow)}},
			[]access.Check{{What: "/private/", Want: "disallow", Got: "disallow", Status: access.Pass}}},
		{"without verdicts", "standard-1994",
			&spec.Scenario{Steps: []spec.Step{{Expect: []spec.Expectation{expect("/a", spec.Allow)}, Requests: []spec.RequestCount{{Server: "main", Target: "/x", Most: -1, Least: 1}}}}},
			&access.Observation{Steps: []access.StepObservation{answers(spec.Disallow)}},
			[]access.Check{
				{What: "/a", Got: "disallow", Status: access.Unscored},
				{What: "at least 1 request for {main}/x", Got: "0 requests", Status: access.Unscored},
			}},
		{"counts alone", "google",
			&spec.Scenario{Steps: []spec.Step{{Requests: []spec.RequestCount{{Server: "main", Target: "/", Most: 0}, {Server: "main", Target: "/robots.txt", Least: 2, Most: 2}}}}},
			&access.Observation{Log: log, Steps: []access.StepObservation{{}}},
			[]access.Check{
				{What: "no request for {main}/", Want: "no request", Got: "1 request", Status: access.Fail},
				{What: "exactly 2 requests for {main}/robots.txt", Want: "exactly 2 requests", Got: "2 requests", Status: access.Pass},
			}},
		{"step not reached", "rfc9309",
			&spec.Scenario{Steps: []spec.Step{{Expect: []spec.Expectation{expect("/a", spec.Allow)}, Requests: []spec.RequestCount{{Server: "main", Target: "/", Most: 0}}}}},
			&access.Observation{},
			[]access.Check{
				{What: "/a", Want: "allow", Got: "no answer", Status: access.NotMeasurable},
				{What: "no request for {main}/", Want: "no request", Status: access.NotMeasurable},
			}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			noPoint := func(string) *spec.Point { return nil }
			if diff := cmp.Diff(test.want, access.Judge(test.scenario, test.observed, test.interpretation, noPoint)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestJudgeClassifies lists the choices that have the verdict of the answer.
func TestJudgeClassifies(t *testing.T) {
	t.Parallel()
	e := expect("/a", "")
	e.Choices = map[string]spec.Verdict{"as-404": spec.Allow, "as-500": spec.Disallow, "as-200": spec.Allow}
	s := &spec.Scenario{Point: "status-429", Steps: []spec.Step{{
		Expect: []spec.Expectation{e, e, e}, Requests: []spec.RequestCount{{Server: "main", Target: "/a", Most: 0}},
	}}}
	o := &access.Observation{Steps: []access.StepObservation{answers(spec.Allow, spec.Disallow)}}
	point := &spec.Point{Choices: []spec.Choice{{ID: "as-404"}, {ID: "as-500"}, {ID: "as-200"}, {ID: "new"}}}
	tests := []struct {
		name  string
		point *spec.Point
		allow []string
	}{
		{"in the order of the point", point, []string{"as-404", "as-200"}},
		{"without the point", nil, []string{"as-200", "as-404"}},
	}
	for _, test := range tests {
		got := access.Judge(s, o, "rfc9309", func(id string) *spec.Point {
			if id != s.Point {
				t.Errorf("asked for the point %q", id)
			}
			return test.point
		})
		want := []access.Check{
			{What: "/a", Got: "allow", Status: access.Unscored, Choices: test.allow},
			{What: "/a", Got: "disallow", Status: access.Unscored, Choices: []string{"as-500"}},
			{What: "/a", Status: access.Unscored, Choices: []string{}},
			{What: "no request for {main}/a", Got: "0 requests", Status: access.Unscored},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestStatusText(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal([]access.Status{access.Pass, access.Fail, access.Unscored, access.NotMeasurable})
	if err != nil || string(text) != `["pass","fail","unscored","not-measurable"]` {
		t.Errorf("got %s, %v", text, err)
	}
}
