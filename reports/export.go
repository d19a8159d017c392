package reports

import (
	"bufio"
	"io"
	"unicode/utf8"

	"github.com/repcheck/repcheck/spec"
)

// ExportFormat is the version of the format of an [Export].
const ExportFormat = 1

// An Export is the specification as plain data. It suffices to run the cases
// without repcheck.
type Export struct {
	Format       int                 `json:"format"`
	Version      string              `json:"version"`
	CaseSet      string              `json:"case_set"`
	Requirements []ExportRequirement `json:"requirements,omitempty"`
	Points       []ExportPoint       `json:"points,omitempty"`
	Cases        []ExportCase        `json:"cases,omitempty"`
}

// An ExportRequirement is a [spec.Requirement].
type ExportRequirement struct {
	Kind string `json:"kind"` // "requirement"
	*spec.Requirement
}

// An ExportPoint is a [spec.Point].
type ExportPoint struct {
	Kind         string   `json:"kind"` // "point"
	ID           string   `json:"id"`
	Stage        string   `json:"stage"`
	Question     string   `json:"question"`
	Text         string   `json:"text,omitempty"`
	Requirements []string `json:"requirements,omitempty"`
	// Choices maps each choice to its meaning, and Interpretations each
	// interpretation to its choice.
	Choices         map[string]string `json:"choices"`
	Interpretations map[string]string `json:"interpretations,omitempty"`
}

// An ExportCase is a [spec.Case]. Its file is in base64.
type ExportCase struct {
	Kind string `json:"kind"` // "case"
	*spec.Case
	Expect []ExportExpect `json:"expect"`
}

// An ExportExpect is a query with the expected answers. As in the adapter
// protocol, an agent or URL that is not UTF-8 is in base64.
type ExportExpect struct {
	Agent    *string `json:"agent,omitempty"`
	AgentB64 []byte  `json:"agent_b64,omitempty"`
	URL      *string `json:"url,omitempty"`
	URLB64   []byte  `json:"url_b64,omitempty"`
	// Verdicts are by interpretation. The query is not part of the suite under an
	// interpretation that is missing.
	Verdicts map[string]spec.Verdict `json:"verdicts,omitempty"`
	// Choices are the verdicts by choice, in a classifying case.
	Choices map[string]spec.Verdict `json:"choices,omitempty"`
	// Line is the deciding line under rfc9309, 0 if none is defined.
	Line int `json:"line,omitempty"`
}

// NewExport returns the requirements and points of the data, and the cases.
func NewExport(data *spec.Data, cases []spec.Case, version string) *Export {
	e := &Export{Format: ExportFormat, Version: version, CaseSet: data.Hash}
	for i := range data.Requirements {
		e.Requirements = append(e.Requirements, ExportRequirement{"requirement", &data.Requirements[i]})
	}
	for _, p := range data.Points {
		out := ExportPoint{
			Kind: "point", ID: p.ID, Stage: p.Stage, Question: p.Question, Text: p.Text, Requirements: p.Requirements,
			Choices: map[string]string{}, Interpretations: map[string]string{},
		}
		for _, c := range p.Choices {
			out.Choices[c.ID] = c.Means
		}
		for name, c := range p.Interpretations {
			out.Interpretations[name] = c.Choice
		}
		e.Points = append(e.Points, out)
	}
	for _, c := range cases {
		c.Robots = append([]byte{}, c.Robots...) // never null
		out := ExportCase{Kind: "case", Case: &c}
		for i := range c.Expect {
			out.Expect = append(out.Expect, exportExpect(&c.Expect[i]))
		}
		e.Cases = append(e.Cases, out)
	}
	return e
}

func exportExpect(e *spec.Expectation) ExportExpect {
	out := ExportExpect{Choices: e.Choices, Line: e.Line, Verdicts: map[string]spec.Verdict{}}
	out.Agent, out.AgentB64 = textOrBytes(e.Agent)
	out.URL, out.URLB64 = textOrBytes(e.URL)
	for _, name := range spec.Interpretations {
		if verdict, ok := e.Want(name); ok {
			out.Verdicts[name] = verdict
		}
	}
	return out
}

func textOrBytes(s string) (*string, []byte) {
	if utf8.ValidString(s) {
		return &s, nil
	}
	return nil, []byte(s)
}

// JSONL writes one line for the export as a whole, then one for each requirement,
// point and case.
func (e *Export) JSONL(w io.Writer) error {
	out := bufio.NewWriter(w)
	lines := []any{struct {
		Kind string `json:"kind"`
		Export
	}{"export", Export{Format: e.Format, Version: e.Version, CaseSet: e.CaseSet}}}
	for i := range e.Requirements {
		lines = append(lines, &e.Requirements[i])
	}
	for i := range e.Points {
		lines = append(lines, &e.Points[i])
	}
	for i := range e.Cases {
		lines = append(lines, &e.Cases[i])
	}
	for _, line := range lines {
		if err := WriteJSONLine(out, line); err != nil {
			return err
		}
	}
	return out.Flush()
}
