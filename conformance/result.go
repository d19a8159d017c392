package conformance

import (
	"fmt"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// A Status is the outcome of a check, or of several checks. Statuses are ordered,
// and merging keeps the highest.
type Status uint8

const (
	// NotScored: the expectation has no verdict under the interpretation.
	NotScored Status = iota
	// Pass: the subject answered as expected.
	Pass
	// Classified: the case does not judge; it shows which choice the subject made.
	// If the subject crashed, timed out or rejected a file that no choice rejects,
	// the status is Fail.
	Classified
	// Skipped: the subject does not support the query.
	Skipped
	// Known: the subject failed as the baseline lists.
	Known
	// Fail: the subject failed, and the baseline does not list it.
	Fail
	// Broken: there is no answer to judge, because the subject's process broke the
	// protocol or was lost.
	Broken
)

var statusNames = [...]string{"not-scored", "pass", "classified", "skipped", "known", "fail", "broken"}

// String returns the name of the status in the JSON format, such as "fail".
func (s Status) String() string { return statusNames[s] }

// MarshalText returns the name of the status.
func (s Status) MarshalText() ([]byte, error) { return []byte(statusNames[s]), nil }

// UnmarshalText reads the name of a status.
func (s *Status) UnmarshalText(text []byte) error {
	for i, name := range statusNames {
		if name == string(text) {
			*s = Status(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no status", text)
}

// A Result holds all findings of a run, and everything that a report needs.
type Result struct {
	// Format is the version of the JSON format, ResultFormat.
	Format int `json:"format"`
	// Version is the version of repcheck.
	Version string    `json:"version"`
	Command []string  `json:"command,omitempty"`
	Started time.Time `json:"started"`
	// Elapsed is the time of the whole run in nanoseconds.
	Elapsed        time.Duration `json:"elapsed_ns"`
	Interpretation string        `json:"interpretation"`
	// CaseSet is the hash of all cases, Cases holds those that ran.
	CaseSet string `json:"case_set"`
	// Set is the frozen set that was scored, "" if all cases were.
	Set string `json:"set,omitempty"`
	// FailOn is the lowest level at which a failure counts against the run.
	FailOn   spec.Level      `json:"fail_on"`
	Subjects []SubjectResult `json:"subjects"`
	Cases    []CaseResult    `json:"cases"`
	// Baseline holds the problems of the baseline.
	Baseline []BaselineProblem `json:"baseline,omitempty"`
	// Notes are remarks about the run for the reader.
	Notes []string `json:"notes,omitempty"`
}

// A SubjectResult summarizes a run for one subject.
type SubjectResult struct {
	spec.SubjectInfo
	// Queries counts the queries to the subject, Answered those that it allowed,
	// disallowed or rejected. Elapsed is the total wall time, in nanoseconds.
	Queries  int           `json:"queries"`
	Answered int           `json:"answered"`
	Elapsed  time.Duration `json:"elapsed_ns"`
	// Library is the time spent inside the library itself, in nanoseconds; 0
	// if the subject does not report it.
	Library time.Duration `json:"library_ns,omitempty"`
	// Checks counts the checks by status, Levels the scored ones by level.
	Checks map[Status]int       `json:"checks"`
	Levels map[spec.Level]Tally `json:"levels"`
	// Causes are the choices that explain failures of the subject, those that explain
	// most first, and Explained counts the failures that they explain.
	Causes    []Cause `json:"causes,omitempty"`
	Explained int     `json:"explained,omitempty"`
	// OtherChoices are the choices of a subject with failures that no failure needs: its
	// answers to classifying cases show them.
	OtherChoices []string `json:"other_choices,omitempty"`
	// Faults are errors in the adapter protocol. Lost is the reason why the
	// subject did not start, answered nothing or stopped answering.
	Faults []string `json:"faults,omitempty"`
	Lost   string   `json:"lost,omitempty"`
}

// A Tally counts scored checks.
type Tally struct {
	Pass  int `json:"pass"`
	Total int `json:"total"`
}

// A CaseResult is one case with the outcome for every subject.
type CaseResult struct {
	// ID is the ID of the case, followed by "+" and the ID of the transform if it was
	// transformed.
	ID string `json:"id"`
	// Transform is the ID of the transform, "" if the case is unchanged.
	Transform string `json:"transform,omitempty"`
	// Hash identifies the content of the case (spec.Case.Hash): two results agree on
	// it unless the case was edited between them.
	Hash         string     `json:"hash,omitempty"`
	Section      string     `json:"section"`
	Requirements []string   `json:"requirements,omitempty"`
	Level        spec.Level `json:"level,omitempty"`
	Point        string     `json:"point,omitempty"`
	Rationale    string     `json:"rationale"`
	Pos          string     `json:"pos"`
	// Scenario is set if the case is a scenario; see [Access].
	Scenario bool `json:"scenario,omitempty"`
	// Robots is the file in octet notation. It is left out unless a subject
	// failed the case or a baseline expected a failure.
	Robots   string    `json:"robots,omitempty"`
	Outcomes []Outcome `json:"outcomes"`
}

// An Outcome is the result of one case for one subject: the highest status of its
// checks, and the checks in the order of the case's expectations.
type Outcome struct {
	Subject string `json:"subject"`
	Status  Status `json:"status"`
	// Elapsed is the wall time until the subject had answered all queries of the
	// case, in nanoseconds; the times of concurrent cases overlap.
	Elapsed time.Duration `json:"elapsed_ns,omitempty"`
	Checks  []Check       `json:"checks"`
	// Requests are what the servers of a scenario saw, a line each, and Findings what is
	// odd about them; see [Access].
	Requests []string `json:"requests,omitempty"`
	Findings []string `json:"findings,omitempty"`
}

// A Check is one query with the answer.
type Check struct {
	spec.Probe
	Status Status       `json:"status"`
	Want   spec.Verdict `json:"want,omitempty"`
	Got    spec.Answer  `json:"got"`
	// WantLine is the deciding line, 0 if none is defined.
	WantLine int `json:"want_line,omitempty"`
	// Why explains the expected verdict. It is set for failed checks and for those
	// with Baseline set.
	Why string `json:"why,omitempty"`
	// Causes are the choices that together explain a failure, each as [Cause.String]
	// returns it; none if no choices of the subject do.
	Causes []string `json:"causes,omitempty"`
	// Choices are the choices that the answer fits, in a classifying case.
	Choices []string `json:"choices,omitempty"`
	// Reason is the reason that the baseline gives for a known failure.
	Reason string `json:"reason,omitempty"`
	// Baseline is set if the baseline lists the expectation with a verdict other
	// than the subject's. It is the listed verdict, and Reason the listed reason.
	// The failure was fixed if Status is Pass, and changed otherwise.
	Baseline spec.Verdict `json:"baseline,omitempty"`
	// Fresh is the verdict of a fresh process if it differs: the answer depends on
	// earlier queries.
	Fresh spec.Verdict `json:"fresh,omitempty"`
}

// A BaselineProblem is a wrong entry of the baseline.
type BaselineProblem struct {
	// Kind is "stale" (the subject does not fail, or fails with another
	// verdict), "unmatched" (there is no such case or expectation), "expired",
	// or "version" (the entries are for other versions of the subject).
	Kind string `json:"kind"`
	// Pos is the file and line of the expectation, or of the wrong key.
	Pos         string `json:"pos"`
	Subject     string `json:"subject"`
	Case        string `json:"case,omitempty"`
	Expectation string `json:"expectation,omitempty"`
	// Message says what is wrong and how to fix it.
	Message string `json:"message"`
}

// String returns "<position>: <subject>: <message>".
func (p BaselineProblem) String() string {
	return fmt.Sprintf("%s: %s: %s", p.Pos, p.Subject, p.Message)
}

// Counts reports whether a failure of the case counts against a run that fails on
// the level failOn. A classifying case has no level: it fails only if the subject
// gives no answer that a document allows, which always counts.
func (c *CaseResult) Counts(failOn spec.Level) bool {
	return c.Point != "" || c.Level.Weight() >= failOn.Weight()
}

// Failed reports whether anything in the result counts against the run: a failure
// that no baseline lists and that [CaseResult.Counts], or a problem of the baseline.
func (r *Result) Failed() bool {
	if len(r.Baseline) > 0 {
		return true
	}
	for _, c := range r.Cases {
		for _, o := range c.Outcomes {
			if o.Status >= Fail && c.Counts(r.FailOn) {
				return true
			}
		}
	}
	return false
}

// Lost reports whether any subject was lost.
func (r *Result) Lost() bool {
	for _, s := range r.Subjects {
		if s.Lost != "" {
			return true
		}
	}
	return false
}
