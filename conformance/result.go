package conformance

import (
	"fmt"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// A Status is what came of one check, or of several: the statuses are ordered,
// and merging keeps the highest.
type Status uint8

const (
	// NotScored: the interpretation asks nothing of this expectation.
	NotScored Status = iota
	// Pass: the subject answered as expected.
	Pass
	// Classified: the case judges nothing; it says which choice was taken.
	Classified
	// Skipped: the subject cannot be asked this.
	Skipped
	// Known: the subject failed as the baseline says it does.
	Known
	// Fail: the subject failed, and no baseline explains it.
	Fail
	// Broken: the harness got no answer that it could judge, as the subject's
	// process broke the protocol or was lost.
	Broken
)

var statusNames = [...]string{"not-scored", "pass", "classified", "skipped", "known", "fail", "broken"}

func (s Status) String() string { return statusNames[s] }

// MarshalText writes the status's name.
func (s Status) MarshalText() ([]byte, error) { return []byte(statusNames[s]), nil }

// UnmarshalText reads the status's name.
func (s *Status) UnmarshalText(text []byte) error {
	for i, name := range statusNames {
		if name == string(text) {
			*s = Status(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no status", text)
}

// A Result is everything that a run found, and all that a report needs.
type Result struct {
	// Format is the version of the form in JSON, ResultFormat.
	Format int `json:"format"`
	// Version is repcheck's.
	Version string    `json:"version"`
	Command []string  `json:"command,omitempty"`
	Started time.Time `json:"started"`
	// Elapsed is the time of the whole run in nanoseconds.
	Elapsed        time.Duration `json:"elapsed_ns"`
	Interpretation string        `json:"interpretation"`
	// CaseSet is the hash of all cases, Cases those that ran.
	CaseSet string `json:"case_set"`
	// Set is the frozen set that was scored, "" if every case was.
	Set string `json:"set,omitempty"`
	// FailOn is the least level at which a failure counts against the run.
	FailOn   spec.Level      `json:"fail_on"`
	Subjects []SubjectResult `json:"subjects"`
	Cases    []CaseResult    `json:"cases"`
	// Baseline is what is wrong with the baseline.
	Baseline []BaselineProblem `json:"baseline,omitempty"`
	// Notes are things that a reader should know of the run.
	Notes []string `json:"notes,omitempty"`
}

// A SubjectResult is what is said of a subject as a whole.
type SubjectResult struct {
	spec.SubjectInfo
	// Queries counts the queries that the subject was asked, Answered those that
	// it allowed, disallowed or rejected. Elapsed is the wall time of all, in
	// nanoseconds.
	Queries  int           `json:"queries"`
	Answered int           `json:"answered"`
	Elapsed  time.Duration `json:"elapsed_ns"`
	// Library is the time spent inside the library itself, in nanoseconds; 0
	// if the subject does not tell.
	Library time.Duration `json:"library_ns,omitempty"`
	// Checks counts the checks by status, Levels the scored ones by level.
	Checks map[Status]int       `json:"checks"`
	Levels map[spec.Level]Tally `json:"levels"`
	// Faults are breaches of the adapter protocol. Lost says why the subject
	// did not start, answered nothing or could answer no more.
	Faults []string `json:"faults,omitempty"`
	Lost   string   `json:"lost,omitempty"`
}

// A Tally counts scored checks.
type Tally struct {
	Pass  int `json:"pass"`
	Total int `json:"total"`
}

// A CaseResult is one case with what every subject made of it.
type CaseResult struct {
	// ID is that of the case; of a transformed one with a "+" and the transform
	// behind it.
	ID string `json:"id"`
	// Transform is the ID of the transform, "" for the case as it stands.
	Transform string `json:"transform,omitempty"`
	// Hash identifies what the case asks (spec.Case.Hash): two results agree on
	// it unless the case was edited between them.
	Hash         string     `json:"hash,omitempty"`
	Section      string     `json:"section"`
	Requirements []string   `json:"requirements,omitempty"`
	Level        spec.Level `json:"level,omitempty"`
	Point        string     `json:"point,omitempty"`
	Rationale    string     `json:"rationale"`
	Pos          string     `json:"pos"`
	// Robots is the file in octet notation; it is left out unless a subject
	// failed the case or a baseline expected it to.
	Robots   string    `json:"robots,omitempty"`
	Outcomes []Outcome `json:"outcomes"`
}

// An Outcome is what one subject made of one case: the highest status of its
// checks, in the order of the case's expectations.
type Outcome struct {
	Subject string `json:"subject"`
	Status  Status `json:"status"`
	// Elapsed is the wall time until the subject had answered all queries of the
	// case, in nanoseconds; those of cases asked at the same time overlap.
	Elapsed time.Duration `json:"elapsed_ns,omitempty"`
	Checks  []Check       `json:"checks"`
}

// A Check is one question with the answer.
type Check struct {
	spec.Probe
	Status Status       `json:"status"`
	Want   spec.Verdict `json:"want,omitempty"`
	Got    spec.Answer  `json:"got"`
	// WantLine is the deciding line, 0 if none is defined.
	WantLine int `json:"want_line,omitempty"`
	// Why says why the wanted verdict follows, for a failed check and for one
	// that Baseline is set on.
	Why string `json:"why,omitempty"`
	// Choices are, in a classifying case, the choices that the answer fits.
	Choices []string `json:"choices,omitempty"`
	// Reason is why a known failure is known.
	Reason string `json:"reason,omitempty"`
	// Baseline is the verdict that an entry of the baseline expects here, where
	// the subject gives another one, and Reason is then the entry's: the failure
	// was fixed if Status is Pass, and has another form otherwise.
	Baseline spec.Verdict `json:"baseline,omitempty"`
	// Fresh is the verdict of a fresh process where it is another one: the
	// answer depends on what was asked before.
	Fresh spec.Verdict `json:"fresh,omitempty"`
}

// A BaselineProblem is an entry of the baseline that is wrong.
type BaselineProblem struct {
	// Kind is "stale" (the subject does not fail, or fails with another
	// verdict), "unmatched" (there is no such case or expectation), "expired",
	// or "version" (the entries are for other versions of the subject).
	Kind string `json:"kind"`
	// Pos is the file and line of the expectation, or of the key that is wrong.
	Pos         string `json:"pos"`
	Subject     string `json:"subject"`
	Case        string `json:"case,omitempty"`
	Expectation string `json:"expectation,omitempty"`
	// Message says what is wrong and how to fix it.
	Message string `json:"message"`
}

func (p BaselineProblem) String() string {
	return fmt.Sprintf("%s: %s: %s", p.Pos, p.Subject, p.Message)
}

// Failed reports whether anything in the result counts against the run: a
// failure of the level FailOn or above that no baseline explains, or a
// baseline that is wrong.
func (r *Result) Failed() bool {
	if len(r.Baseline) > 0 {
		return true
	}
	for _, c := range r.Cases {
		for _, o := range c.Outcomes {
			if o.Status >= Fail && c.Level.Weight() >= r.FailOn.Weight() {
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
