package reports

import (
	"io"
	"time"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
)

// An object is a JSON object.
type object map[string]any

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

// CTRF writes the result in the Common Test Report Format: one test for each
// subject and case, in the suite of the subject and the section. Known failures
// and classifying cases have the status "other" and a message with the reason.
func CTRF(w io.Writer, r *conformance.Result) error {
	start, took := r.Started.UnixMilli(), r.Elapsed.Milliseconds()
	totals := map[string]int64{
		"tests": 0, "passed": 0, "failed": 0, "skipped": 0, "pending": 0, "other": 0,
		"suites": 0, "start": start, "stop": start + took, "duration": took,
	}
	tests := []ctrfTest{}
	for i, suite := range testsOf(r) {
		if i < len(r.Subjects) || len(suite) > 0 {
			totals["suites"]++
		}
		for _, t := range suite {
			file, line := position(t.pos)
			out := ctrfTest{
				Name: t.name, Status: "skipped", RawStatus: t.result, Duration: t.took.Milliseconds(), Message: t.message,
				Trace: t.body, FilePath: doc.OneLine(file), Line: line, Tags: t.requirements,
			}
			for _, name := range t.suite {
				out.Suite = append(out.Suite, doc.OneLine(name))
			}
			switch t.status {
			case conformance.Pass:
				out.Status = "passed"
			case conformance.Fail, conformance.Broken:
				out.Status = "failed"
			case conformance.Known, conformance.Classified:
				out.Status = "other"
			}
			tests = append(tests, out)
			totals["tests"]++
			totals[out.Status]++
		}
	}
	// CTRF has no fields for the data in extra.
	extra, lines := object{"caseSet": r.CaseSet, "interpretation": r.Interpretation}, []string(nil)
	for i := range r.Subjects {
		for _, line := range remarks(&r.Subjects[i]) {
			lines = append(lines, doc.OneLine(line))
		}
	}
	if lines != nil {
		extra["remarks"] = lines
	}
	return WriteJSONLine(w, struct {
		Format      string    `json:"reportFormat"`
		Version     string    `json:"specVersion"`
		Timestamp   time.Time `json:"timestamp"`
		GeneratedBy string    `json:"generatedBy"`
		Results     object    `json:"results"`
	}{"CTRF", "0.1.0", r.Started.UTC(), "repcheck", object{"tool": toolObject(r), "summary": totals, "tests": tests, "extra": extra}})
}

// toolObject names repcheck, with its version if that is known.
func toolObject(r *conformance.Result) object {
	tool := object{"name": "repcheck"}
	if r.Version != "" {
		tool["version"] = r.Version
	}
	return tool
}
