package reports

import "github.com/repcheck/repcheck/spec"

// An Explanation is the result of repcheck explain: a case, a requirement, or the
// points that an ID names. The other fields are nil.
type Explanation struct {
	Case        *CaseExplanation        `json:"case,omitempty"`
	Requirement *RequirementExplanation `json:"requirement,omitempty"`
	Points      []PointExplanation      `json:"points,omitempty"`
}

// A CaseExplanation is a case with the answers to its expectations.
type CaseExplanation struct {
	*spec.Case
	// Source is the file and line of the case.
	Source       string                   `json:"source"`
	Requirements []RequirementExplanation `json:"requirements"`
	// Text is the file in octet notation.
	Text   string                   `json:"robots"`
	Expect []ExpectationExplanation `json:"expectations"`
}

// An ExpectationExplanation explains one query of a case: the expected verdict,
// the reference's answer and the reason for it, and the answer of every parser.
// Agent and URL are in octet notation.
type ExpectationExplanation struct {
	Agent     string       `json:"agent"`
	URL       string       `json:"url"`
	Expected  string       `json:"expected"`
	Reference spec.Verdict `json:"reference"`
	// Line is the line that decides for the reference, 0 if none does.
	Line    int             `json:"line,omitempty"`
	Why     string          `json:"why"`
	Answers []SubjectAnswer `json:"answers"`
}

// A SubjectAnswer is a subject with its answer to one query.
type SubjectAnswer struct {
	spec.SubjectInfo
	Answer spec.Answer `json:"answer"`
}

// A RequirementExplanation is a requirement with the cases that test it.
type RequirementExplanation struct {
	*spec.Requirement
	URL    string     `json:"url"`
	Source string     `json:"source"`
	Cases  []CaseLine `json:"cases,omitempty"`
}

// A CaseLine is the name of a case and its purpose.
type CaseLine struct {
	ID        string `json:"id"`
	Rationale string `json:"rationale"`
}

// A PointExplanation is an interpretation point with the choices of the named
// interpretations and of the parsers.
type PointExplanation struct {
	*spec.Point
	Interpretations []InterpretedChoice `json:"interpretations"`
	// Subjects is empty if no parser's choice can be determined.
	Subjects []SubjectChoice `json:"subjects,omitempty"`
	Cases    []CaseLine      `json:"cases,omitempty"`
	Source   string          `json:"source"`
}

// An InterpretedChoice is the choice of a named interpretation.
type InterpretedChoice struct {
	Interpretation string `json:"interpretation"`
	spec.Chosen
}

// A SubjectChoice is the choice of a subject at a point, and how well it fits the
// subject's answers.
type SubjectChoice struct {
	Subject string `json:"subject"`
	Choice  string `json:"choice"`
	Fit     string `json:"fit,omitempty"`
}

// NewRequirementExplanation explains a requirement, without cases.
func NewRequirementExplanation(q *spec.Requirement) RequirementExplanation {
	return RequirementExplanation{Requirement: q, URL: q.URL(), Source: q.Pos}
}
