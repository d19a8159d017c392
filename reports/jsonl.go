package reports

import (
	"bufio"
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
	Reason       string             `json:"reason,omitempty"`
	Why          string             `json:"why,omitempty"`
	Detail       string             `json:"detail,omitempty"`
}

var runHeader = []string{
	"parser", "version", "case", "section", "level", "requirements", "point", "agent", "url", "status", "want", "verdict",
	"want_line", "line", "pattern", "choices", "fresh", "reason", "why", "detail",
}

func (r *RunRow) cells() []string {
	return []string{
		r.Parser, r.Version, r.Case, r.Section, string(r.Level), strings.Join(r.Requirements, " "), r.Point, r.Agent, r.URL,
		r.Status.String(), string(r.Want), string(r.Verdict), number(r.WantLine), number(r.Line), r.Pattern,
		strings.Join(r.Choices, " "), string(r.Fresh), r.Reason, r.Why, r.Detail,
	}
}

// number formats n; 0 means none and gives "".
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// rows calls each for every check of the result, by case and subject.
func rows(r *conformance.Result, each func(*RunRow) error) error {
	versions := map[string]string{}
	for i := range r.Subjects {
		versions[r.Subjects[i].Name] = r.Subjects[i].Version
	}
	for i := range r.Cases {
		c := &r.Cases[i]
		for _, o := range c.Outcomes {
			for _, check := range o.Checks {
				row := RunRow{
					Parser: o.Subject, Version: versions[o.Subject], Case: c.ID, Section: c.Section, Level: c.Level,
					Requirements: c.Requirements, Point: c.Point, Agent: spec.EncodeInline(check.Agent), URL: spec.EncodeInline(check.URL),
					Status: check.Status, Want: check.Want, Verdict: check.Got.Verdict, WantLine: check.WantLine, Line: check.Got.Line,
					Pattern: check.Got.Pattern, Choices: check.Choices, Fresh: check.Fresh, Reason: check.Reason, Why: check.Why, Detail: check.Got.Detail,
				}
				if err := each(&row); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// JSONL writes a [RunRow] per line.
func JSONL(w io.Writer, r *conformance.Result) error {
	out := bufio.NewWriter(w)
	if err := rows(r, func(row *RunRow) error { return WriteJSONLine(out, row) }); err != nil {
		return err
	}
	return out.Flush()
}

// CSV writes a [RunRow] per row, below a header with the names of JSONL.
// Requirements and choices are separated by spaces.
func CSV(w io.Writer, r *conformance.Result) error {
	out, err := newCSV(w, runHeader)
	if err != nil {
		return err
	}
	if err := rows(r, func(row *RunRow) error { return out.Write(csvRow(row.cells()...)) }); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}
