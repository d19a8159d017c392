package access

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/repcheck/repcheck/spec"
)

// An Observation is what one crawler or fetcher did in one run of a scenario. It holds
// no verdict, so that it can be judged under any interpretation.
type Observation struct {
	Steps []StepObservation `json:"steps"`
	Log   []Request         `json:"log"`
	// Ended says how a crawler ended: "exit 0", "timeout", "killed: memory". It is empty
	// for a fetcher.
	Ended string `json:"ended,omitempty"`
	// Exceeded is the result of [Origin.Exceeded].
	Exceeded string `json:"exceeded,omitempty"`
}

// A StepObservation has one answer for each expectation of the step, in their order. An
// answer without a verdict could not be observed.
type StepObservation struct {
	Answers []spec.Answer `json:"answers"`
}

// A Status is the outcome of a check.
type Status uint8

const (
	// Pass: the observation is as expected.
	Pass Status = iota + 1
	// Fail: it is not.
	Fail
	// Unscored: the interpretation expects nothing, or the scenario classifies.
	Unscored
	// NotMeasurable: there is nothing to compare.
	NotMeasurable
)

var statusNames = [...]string{"", "pass", "fail", "unscored", "not-measurable"}

// String returns the name of the status, such as "not-measurable".
func (s Status) String() string { return statusNames[s] }

// MarshalText returns the name of the status.
func (s Status) MarshalText() ([]byte, error) { return []byte(statusNames[s]), nil }

// A Check compares one answer or one number of requests with the scenario.
type Check struct {
	Step int `json:"step"` // index of the step
	// What is the URL of the answer as the scenario writes it, or says what is counted:
	// "at most 6 requests for {main}/robots.txt".
	What string `json:"what"`
	// Want and Got are verdicts, or numbers of requests in words. Want is empty if the
	// check is not scored.
	Want   string `json:"want,omitempty"`
	Got    string `json:"got,omitempty"`
	Status Status `json:"status"`
	// Choices are, in a scenario that classifies, the choices of the point that have the
	// verdict of the answer.
	Choices []string `json:"choices,omitempty"`
}

// Judge compares an observation with the scenario under a named interpretation. For each
// step, it returns one check for each expectation, then one for each count of requests.
// point returns the interpretation point with the ID, or nil.
func Judge(s *spec.Scenario, o *Observation, interpretation string, point func(id string) *spec.Point) []Check {
	var checks []Check
	scored := scoresCounts(s, interpretation)
	for n := range s.Steps {
		step := &s.Steps[n]
		var answers []spec.Answer
		reached := n < len(o.Steps)
		if reached {
			answers = o.Steps[n].Answers
		}
		for i := range step.Expect {
			e := &step.Expect[i]
			c := Check{Step: n, What: what(step, e)}
			var got spec.Verdict
			if i < len(answers) {
				got = answers[i].Verdict
				c.Got = string(got)
			}
			want, ok := e.Want(interpretation)
			switch {
			case s.Classifies():
				c.Status, c.Choices = Unscored, choices(e, got, point(s.Point))
			case !ok:
				c.Status = Unscored
			default:
				c.Want = string(want)
				c.Status = verdictStatus(got, want)
			}
			if got == "" && c.Status != Unscored {
				c.Got = "no answer"
			}
			checks = append(checks, c)
		}
		for _, count := range step.Requests {
			checks = append(checks, judgeCount(n, count, o.Log, reached, scored))
		}
	}
	return checks
}

func verdictStatus(got, want spec.Verdict) Status {
	switch got {
	case "", spec.Unsupported:
		return NotMeasurable
	case want:
		return Pass
	}
	return Fail
}

// what names an expectation: its URL, with the agent if the step asks about the URL for
// several.
func what(step *spec.Step, e *spec.Expectation) string {
	if slices.ContainsFunc(step.Expect, func(o spec.Expectation) bool { return o.URL == e.URL && o.Agent != e.Agent }) {
		return spec.EncodeInline(e.URL) + " for " + spec.EncodeInline(e.Agent)
	}
	return spec.EncodeInline(e.URL)
}

// choices returns the choices with the verdict, in the order of the point.
func choices(e *spec.Expectation, got spec.Verdict, point *spec.Point) []string {
	ids := slices.Sorted(maps.Keys(e.Choices))
	if point != nil {
		ids = nil
		for _, choice := range point.Choices {
			ids = append(ids, choice.ID)
		}
	}
	return slices.DeleteFunc(ids, func(id string) bool { return got == "" || e.Choices[id] != got })
}

// scoresCounts reports whether the counts of requests hold under the interpretation. They
// have no verdicts of their own, so they hold wherever the scenario has any, or, if it
// asks about no page, wherever the verdicts of RFC 9309 hold.
func scoresCounts(s *spec.Scenario, interpretation string) bool {
	if s.Classifies() {
		return false
	}
	expects := false
	for i := range s.Steps {
		for k := range s.Steps[i].Expect {
			expects = true
			if _, ok := s.Steps[i].Expect[k].Want(interpretation); ok {
				return true
			}
		}
	}
	_, rfc9309 := (&spec.Expectation{Verdict: spec.Allow}).Want(interpretation)
	return !expects && rfc9309
}

func judgeCount(n int, count spec.RequestCount, log []Request, reached, scored bool) Check {
	seen := 0
	for i := range log {
		if r := &log[i]; r.Method != "" && r.Step == n && r.Server == count.Server && r.Target == count.Target {
			seen++
		}
	}
	want := bounds(count)
	c := Check{Step: n, What: want + " for {" + count.Server + "}" + count.Target, Got: requests(seen), Status: Unscored}
	if !scored {
		return c
	}
	c.Want, c.Status = want, Pass
	switch {
	case !reached:
		c.Got, c.Status = "", NotMeasurable
	case seen < count.Least || count.Most >= 0 && seen > count.Most:
		c.Status = Fail
	}
	return c
}

func bounds(c spec.RequestCount) string {
	switch {
	case c.Most == 0:
		return "no request"
	case c.Most < 0:
		return "at least " + requests(c.Least)
	case c.Least == 0:
		return "at most " + requests(c.Most)
	case c.Least == c.Most:
		return "exactly " + requests(c.Most)
	}
	return fmt.Sprintf("%d to %s", c.Least, requests(c.Most))
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return strconv.Itoa(n) + " requests"
}
