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
	ID        string `json:"id"`
	Section   string `json:"section"`
	Level     string `json:"level,omitempty"`
	Point     string `json:"point,omitempty"` // the point that it classifies
	Rationale string `json:"rationale"`
	// Source is the file and line of the case.
	Source       string                   `json:"source"`
	Requirements []RequirementExplanation `json:"requirements"`
	// Robots is the file in octet notation, RobotsB64 its exact bytes.
	Robots    string                   `json:"robots"`
	RobotsB64 []byte                   `json:"robots_b64"`
	Expect    []ExpectationExplanation `json:"expectations"`
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
	ID       string                `json:"id"`
	Document string                `json:"document"`
	Section  string                `json:"section"`
	URL      string                `json:"url"`
	Level    spec.RequirementLevel `json:"level"`
	Layer    string                `json:"layer"`
	Text     string                `json:"text"`
	Notes    []string              `json:"notes,omitempty"`
	Untested string                `json:"untested,omitempty"`
	Source   string                `json:"source"`
	Cases    []CaseLine            `json:"cases,omitempty"`
}

// A CaseLine is the name of a case and its purpose.
type CaseLine struct {
	ID        string `json:"id"`
	Rationale string `json:"rationale"`
}

// A PointExplanation is an interpretation point with the choices of the named
// interpretations and of the parsers.
type PointExplanation struct {
	ID              string              `json:"id"`
	Stage           string              `json:"stage"`
	Ambiguities     []string            `json:"ambiguities,omitempty"`
	Question        string              `json:"question"`
	Text            string              `json:"text"`
	Requirements    []string            `json:"requirements,omitempty"`
	Choices         []ChoiceExplanation `json:"choices"`
	Interpretations []InterpretedChoice `json:"interpretations"`
	// Outside is the reason why no parser's choice can be determined; Subjects is
	// then empty.
	Outside  string          `json:"outside,omitempty"`
	Subjects []SubjectChoice `json:"subjects,omitempty"`
	Cases    []CaseLine      `json:"cases,omitempty"`
	Links    []string        `json:"links,omitempty"`
	Source   string          `json:"source"`
}

// A ChoiceExplanation is one choice at a point.
type ChoiceExplanation struct {
	ID    string `json:"id"`
	Means string `json:"means"`
}

// An InterpretedChoice is the choice of a named interpretation.
type InterpretedChoice struct {
	Interpretation string `json:"interpretation"`
	Choice         string `json:"choice"`
	Because        string `json:"because"`
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
	return RequirementExplanation{ID: q.ID, Document: q.Document, Section: q.Section, URL: q.URL(), Level: q.Level,
		Layer: q.Layer, Text: q.Text, Notes: q.Notes, Untested: q.Untested, Source: q.Pos}
}
