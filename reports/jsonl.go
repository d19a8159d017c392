package reports

import (
	"io"
	"strconv"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// A RunRow is the result for one parser, case and query: a line of JSON Lines or
// a row of CSV. A classifying case has a point and no level. Agent and URL are in
// octet notation.
type RunRow struct {
	Parser       string             `json:"parser"`
	Version      string             `json:"version,omitempty"`
	Case         string             `json:"case"`
	Section      string             `json:"section"`
	Level        spec.Level         `json:"level,omitempty"`
	Requirements []string           `json:"requirements,omitempty"`
	Point        string             `json:"point,omitempty"`
	Agent        string             `json:"agent"`
	URL          string             `json:"url"`
	Status       conformance.Status `json:"status"`
	Want         spec.Verdict       `json:"want,omitempty"`
	Verdict      spec.Verdict       `json:"verdict"`
	WantLine     int                `json:"want_line,omitempty"`
	Line         int                `json:"line,omitempty"`
	Pattern      string             `json:"pattern,omitempty"`
	Choices      []string           `json:"choices,omitempty"`
	Fresh        spec.Verdict       `json:"fresh,omitempty"`
	Causes       []string           `json:"causes,omitempty"`
	Reason       string             `json:"reason,omitempty"`
	Why          string             `json:"why,omitempty"`
	Detail       string             `json:"detail,omitempty"`
}

func (r *RunRow) cells() []string {
	return []string{
		r.Parser, r.Version, r.Case, r.Section, string(r.Level), strings.Join(r.Requirements, " "), r.Point, r.Agent, r.URL,
		r.Status.String(), string(r.Want), string(r.Verdict), number(r.WantLine), number(r.Line), r.Pattern,
		strings.Join(r.Choices, " "), string(r.Fresh), strings.Join(r.Causes, " with "), r.Reason, r.Why, r.Detail,
	}
}

// number formats n; 0 means none and gives "".
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// JSONL writes a [RunRow] per line, by case and subject.
func JSONL(w io.Writer, r *conformance.Result) error { return writeRows(w, "jsonl", r) }

// CSV writes a [RunRow] per row, below a header with the names of JSONL.
// Requirements and choices are separated by spaces.
func CSV(w io.Writer, r *conformance.Result) error { return writeRows(w, "csv", r) }

func writeRows(w io.Writer, format string, r *conformance.Result) error {
	out, err := newRowWriter(w, format, (*RunRow).cells)
	if err != nil {
		return err
	}
	versions := map[string]string{}
	for i := range r.Subjects {
		versions[r.Subjects[i].Name] = r.Subjects[i].Version
	}
	for i := range r.Cases {
		c := &r.Cases[i]
		for _, o := range c.Outcomes {
			for _, check := range o.Checks {
				if err := out.write(&RunRow{
					Parser: o.Subject, Version: versions[o.Subject], Case: c.ID, Section: c.Section, Level: c.Level,
					Requirements: c.Requirements, Point: c.Point, Agent: spec.EncodeInline(check.Agent), URL: spec.EncodeInline(check.URL),
					Status: check.Status, Want: check.Want, Verdict: check.Got.Verdict, WantLine: check.WantLine, Line: check.Got.Line,
					Pattern: check.Got.Pattern, Choices: check.Choices, Fresh: check.Fresh, Causes: check.Causes, Reason: check.Reason, Why: check.Why, Detail: check.Got.Detail,
				}); err != nil {
					return err
				}
			}
		}
	}
	return out.flush()
}
