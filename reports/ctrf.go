package reports

import (
	"io"
	"time"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
)

type ctrfReport struct {
	Format      string      `json:"reportFormat"`
	Version     string      `json:"specVersion"`
	Timestamp   time.Time   `json:"timestamp"`
	GeneratedBy string      `json:"generatedBy"`
	Results     ctrfResults `json:"results"`
}

type ctrfResults struct {
	Tool    ctrfTool    `json:"tool"`
	Summary ctrfSummary `json:"summary"`
	Tests   []ctrfTest  `json:"tests"`
	Extra   ctrfExtra   `json:"extra"`
}

type ctrfTool struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type ctrfSummary struct {
	Tests    int   `json:"tests"`
	Passed   int   `json:"passed"`
	Failed   int   `json:"failed"`
	Skipped  int   `json:"skipped"`
	Pending  int   `json:"pending"`
	Other    int   `json:"other"`
	Suites   int   `json:"suites"`
	Start    int64 `json:"start"`
	Stop     int64 `json:"stop"`
	Duration int64 `json:"duration"`
}

type ctrfTest struct {
	Name      string   `json:"name"`
	Status    string   `json:"status"`
	RawStatus string   `json:"rawStatus"`
	Duration  int64    `json:"duration"`
	Suite     []string `json:"suite"`
	Message   string   `json:"message,omitempty"`
	Trace     string   `json:"trace,omitempty"`
	FilePath  string   `json:"filePath,omitempty"`
	Line      int      `json:"line,omitempty"`
	Tags      []string `json:"tags,omitempty"`
}

// A ctrfExtra holds the data for which CTRF has no fields.
type ctrfExtra struct {
	CaseSet        string   `json:"caseSet"`
	Interpretation string   `json:"interpretation"`
	Remarks        []string `json:"remarks,omitempty"`
}

// CTRF writes the result in the Common Test Report Format: one test for each
// subject and case, in the suite of the subject and the section. Known failures
// and classifying cases have the status "other" and a message with the reason.
func CTRF(w io.Writer, r *conformance.Result) error {
	start := r.Started.UnixMilli()
	took := r.Elapsed.Milliseconds()
	out := ctrfReport{
		Format: "CTRF", Version: "0.1.0", Timestamp: r.Started.UTC(), GeneratedBy: "repcheck",
		Results: ctrfResults{
			Tool:    ctrfTool{Name: "repcheck", Version: r.Version},
			Summary: ctrfSummary{Suites: len(r.Subjects), Start: start, Stop: start + took, Duration: took},
			Tests:   []ctrfTest{},
			Extra:   ctrfExtra{CaseSet: r.CaseSet, Interpretation: r.Interpretation},
		},
	}
	results := &out.Results
	at := subjectIndex(r)
	for i := range r.Cases {
		c := &r.Cases[i]
		for k := range c.Outcomes {
			if _, ok := at[c.Outcomes[k].Subject]; ok {
				results.add(ctrfTestOf(r, c, &c.Outcomes[k]))
			}
		}
	}
	if len(r.Baseline) > 0 {
		results.Summary.Suites++
	}
	for _, p := range r.Baseline {
		file, line := position(p.Pos)
		results.add(ctrfTest{
			Name: problemName(p), Status: "failed", RawStatus: p.Kind, Suite: []string{"baseline"},
			Message: doc.OneLine(p.Message), FilePath: doc.OneLine(file), Line: line,
		})
	}
	for _, remark := range remarks(r, false) {
		results.Extra.Remarks = append(results.Extra.Remarks, doc.OneLine(remark.text))
	}
	return WriteJSONLine(w, out)
}

func ctrfTestOf(r *conformance.Result, c *conformance.CaseResult, o *conformance.Outcome) ctrfTest {
	file, line := position(c.Pos)
	t := ctrfTest{
		Name: doc.OneLine(c.ID), RawStatus: o.Status.String(), Duration: o.Elapsed.Milliseconds(),
		Suite: []string{doc.OneLine(o.Subject), doc.OneLine(c.Section)}, FilePath: doc.OneLine(file), Line: line, Tags: c.Requirements,
	}
	switch o.Status {
	case conformance.Pass:
		t.Status = "passed"
	case conformance.Fail, conformance.Broken:
		f := newFailure(r, c, o)
		t.Status, t.Message, t.Trace = "failed", doc.OneLine(failureMessage(&f)), failureBody(&f)
	case conformance.Known, conformance.Classified:
		t.Status, t.Message = "other", doc.OneLine(whySkipped(r, c, o))
	default:
		t.Status, t.Message = "skipped", doc.OneLine(whySkipped(r, c, o))
	}
	return t
}

func (r *ctrfResults) add(t ctrfTest) {
	r.Tests = append(r.Tests, t)
	s := &r.Summary
	s.Tests++
	*map[string]*int{"passed": &s.Passed, "failed": &s.Failed, "skipped": &s.Skipped, "other": &s.Other}[t.Status]++
}
