package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/repcheck/repcheck/spec"
)

// ResultFormat is the version of the JSON format in which results are written.
// [ReadResult] reads it and every earlier version.
//
// Format 1 repeated the query, the subject's name and the explanation in every
// check: 28 MB for 38 parsers. Format 2 lists each query of a case once, with
// the different answers to it and the subjects that gave each.
const ResultFormat = 2

// A plainResult is a Result without its methods.
type plainResult Result

// A resultJSON is a Result in format 2.
type resultJSON struct {
	plainResult
	// Cases replaces the cases of the Result.
	Cases []caseJSON `json:"cases"`
}

type plainCase CaseResult

// A caseJSON is a CaseResult in format 2.
type caseJSON struct {
	plainCase
	// Outcomes hides the outcomes of the CaseResult.
	Outcomes *struct{} `json:"outcomes,omitempty"`
	// Elapsed is Outcome.Elapsed of each subject, in the order of the subjects.
	Elapsed []time.Duration `json:"elapsed_ns,omitempty"`
	// Visits are those of a scenario, in the order of the subjects.
	Visits []visitJSON `json:"visits,omitempty"`
	// Queries are in the order of the case's expectations.
	Queries []queryJSON `json:"queries"`
}

// A visitJSON holds [Outcome.Requests] and [Outcome.Findings].
type visitJSON struct {
	Requests []string `json:"requests,omitempty"`
	Findings []string `json:"findings,omitempty"`
}

// A queryJSON is one query of a case with the different answers to it.
type queryJSON struct {
	// Agent and URL are in octet notation, because they may not be UTF-8.
	Agent string `json:"agent"`
	URL   string `json:"url"`
	// Want is the expected verdict, empty if the case classifies or the
	// interpretation expects none.
	Want spec.Verdict `json:"want,omitempty"`
	// WantLine is the deciding line, 0 if none is defined.
	WantLine int          `json:"want_line,omitempty"`
	Answers  []answerJSON `json:"answers"`
}

type plainCheck Check

// An answerJSON is a Check without its query, for all subjects that gave the
// same answer.
type answerJSON struct {
	plainCheck
	// These hide the fields that the query has.
	Agent    *struct{} `json:"agent,omitempty"`
	URL      *struct{} `json:"url,omitempty"`
	Want     *struct{} `json:"want,omitempty"`
	WantLine *struct{} `json:"want_line,omitempty"`
	// Subjects are the indices, in the result's list of subjects, of the subjects
	// that gave this answer.
	Subjects []int `json:"subjects"`
}

// key returns a string that identifies an answer.
func (a answerJSON) key() (string, error) {
	a.Subjects = nil
	text, err := json.Marshal(a)
	return string(text), err
}

// MarshalJSON writes the result in the format ResultFormat. For each case, every
// subject must have the same queries, or none.
func (r Result) MarshalJSON() ([]byte, error) {
	r.Format = ResultFormat
	out := resultJSON{plainResult: plainResult(r), Cases: make([]caseJSON, len(r.Cases))}
	at := make(map[string]int, len(r.Subjects))
	for i := range r.Subjects {
		at[r.Subjects[i].Name] = i
	}
	for i := range r.Cases {
		var err error
		if out.Cases[i], err = r.Cases[i].encode(at, len(r.Subjects)); err != nil {
			return nil, fmt.Errorf("case %s: %w", r.Cases[i].ID, err)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(out)
	return b.Bytes(), err
}

// encode turns the outcomes of a case into its queries. at maps the name of each
// subject to its index.
func (c *CaseResult) encode(at map[string]int, subjects int) (caseJSON, error) {
	out := caseJSON{plainCase: plainCase(*c), Queries: []queryJSON{}}
	var groups []map[string]int // by query: the index of an answer by its key
	for _, o := range c.Outcomes {
		subject, ok := at[o.Subject]
		if !ok {
			return out, fmt.Errorf("the result has no subject %q", o.Subject)
		}
		if o.Elapsed > 0 {
			if out.Elapsed == nil {
				out.Elapsed = make([]time.Duration, subjects)
			}
			out.Elapsed[subject] = o.Elapsed
		}
		if len(o.Requests)+len(o.Findings) > 0 {
			if out.Visits == nil {
				out.Visits = make([]visitJSON, subjects)
			}
			out.Visits[subject] = visitJSON{o.Requests, o.Findings}
		}
		for k, check := range o.Checks {
			q := queryJSON{Agent: spec.EncodeInline(check.Agent), URL: spec.EncodeInline(check.URL), Want: check.Want, WantLine: check.WantLine}
			if k == len(out.Queries) {
				out.Queries = append(out.Queries, q)
				groups = append(groups, map[string]int{})
			}
			into := &out.Queries[k]
			if q.Agent != into.Agent || q.URL != into.URL || q.Want != into.Want || q.WantLine != into.WantLine {
				return out, fmt.Errorf("%s was not asked the same queries as the other subjects", o.Subject)
			}
			a := answerJSON{plainCheck: plainCheck(check)}
			key, err := a.key()
			if err != nil {
				return out, err
			}
			place, ok := groups[k][key]
			if !ok {
				place = len(into.Answers)
				groups[k][key] = place
				into.Answers = append(into.Answers, a)
			}
			into.Answers[place].Subjects = append(into.Answers[place].Subjects, subject)
		}
	}
	return out, nil
}

// decode turns the queries of a case into outcomes, one for each subject.
func (c *caseJSON) decode(subjects []SubjectResult) (CaseResult, error) {
	out := CaseResult(c.plainCase)
	if len(c.Elapsed) > 0 && len(c.Elapsed) != len(subjects) {
		return out, fmt.Errorf("elapsed_ns has %d times for %d subjects", len(c.Elapsed), len(subjects))
	}
	if len(c.Visits) > 0 && len(c.Visits) != len(subjects) {
		return out, fmt.Errorf("visits has %d entries for %d subjects", len(c.Visits), len(subjects))
	}
	out.Outcomes = make([]Outcome, len(subjects))
	for i := range subjects {
		out.Outcomes[i] = Outcome{Subject: subjects[i].Name, Checks: []Check{}}
		if len(c.Elapsed) > 0 {
			out.Outcomes[i].Elapsed = c.Elapsed[i]
		}
		if len(c.Visits) > 0 {
			out.Outcomes[i].Requests, out.Outcomes[i].Findings = c.Visits[i].Requests, c.Visits[i].Findings
		}
	}
	for _, q := range c.Queries {
		probe, err := decodeProbe(q.Agent, q.URL)
		if err != nil {
			return out, err
		}
		for _, a := range q.Answers {
			for _, subject := range a.Subjects {
				if subject < 0 || subject >= len(subjects) {
					return out, fmt.Errorf("subject %d of %d", subject, len(subjects))
				}
				o := &out.Outcomes[subject]
				o.Status = max(o.Status, a.Status)
				check := Check(a.plainCheck)
				check.Probe, check.Want, check.WantLine = probe, q.Want, q.WantLine
				o.Checks = append(o.Checks, check)
			}
		}
	}
	return out, nil
}

// decodeProbe reads an agent and a URL in octet notation.
func decodeProbe(agent, url string) (spec.Probe, error) {
	name, err := spec.DecodeOctets(agent)
	if err != nil {
		return spec.Probe{}, fmt.Errorf("agent %q: %w", agent, err)
	}
	target, err := spec.DecodeOctets(url)
	if err != nil {
		return spec.Probe{}, fmt.Errorf("url %q: %w", url, err)
	}
	return spec.Probe{Agent: string(name), URL: string(target)}, nil
}

// UnmarshalJSON reads a check of format 1, which has agent and URL in octet
// notation.
func (c *Check) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, (*plainCheck)(c)); err != nil {
		return err
	}
	var err error
	c.Probe, err = decodeProbe(c.Agent, c.URL)
	return err
}

// UnmarshalJSON reads a result of any format up to ResultFormat.
func (r *Result) UnmarshalJSON(text []byte) error {
	var kind struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(text, &kind); err != nil {
		return err
	}
	switch kind.Format {
	case 1:
		if err := json.Unmarshal(text, (*plainResult)(r)); err != nil {
			return err
		}
	case ResultFormat:
		var in resultJSON
		if err := json.Unmarshal(text, &in); err != nil {
			return err
		}
		*r = Result(in.plainResult)
		r.Cases = make([]CaseResult, len(in.Cases))
		for i := range in.Cases {
			var err error
			if r.Cases[i], err = in.Cases[i].decode(r.Subjects); err != nil {
				return fmt.Errorf("case %s: %w", in.Cases[i].ID, err)
			}
		}
	default:
		return fmt.Errorf("format %d: this repcheck reads the formats 1 to %d", kind.Format, ResultFormat)
	}
	r.Format = ResultFormat
	return nil
}

// ReadResult reads a result in JSON, written by this version of repcheck or an
// earlier one.
func ReadResult(octets []byte) (*Result, error) {
	var r Result
	if err := json.Unmarshal(octets, &r); err != nil {
		return nil, fmt.Errorf("not a result of repcheck run --format json: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if r.Interpretation == "" {
		return nil, errors.New("not a result of repcheck run --format json: it names no interpretation")
	}
	return &r, nil
}
