package reports

import "github.com/repcheck/repcheck/spec"

// An Explanation is what repcheck explain shows: a case, a requirement, or the
// points that an ID names. The others are nil.
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
	Point     string `json:"point,omitempty"` // that it classifies
	Rationale string `json:"rationale"`
	// Source is the file and line of the case.
	Source       string                   `json:"source"`
	Requirements []RequirementExplanation `json:"requirements"`
	// Robots is the file in octet notation, RobotsB64 exactly.
	Robots    string                   `json:"robots"`
	RobotsB64 []byte                   `json:"robots_b64"`
	Expect    []ExpectationExplanation `json:"expectations"`
}

// An ExpectationExplanation is one query of a case: what is expected, what the
// reference answers and why, and what every parser answers. Agent and URL are in
// octet notation.
type ExpectationExplanation struct {
	Agent     string       `json:"agent"`
	URL       string       `json:"url"`
	Expected  string       `json:"expected"`
	Reference spec.Verdict `json:"reference"`
	// Line is the one that decides for the reference, 0 if none does.
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

// A CaseLine names a case and says what it is for.
type CaseLine struct {
	ID        string `json:"id"`
	Rationale string `json:"rationale"`
}

// A PointExplanation is an interpretation point with what the named
// interpretations and the parsers choose.
type PointExplanation struct {
	ID              string              `json:"id"`
	Stage           string              `json:"stage"`
	Ambiguities     []string            `json:"ambiguities,omitempty"`
	Question        string              `json:"question"`
	Text            string              `json:"text"`
	Requirements    []string            `json:"requirements,omitempty"`
	Choices         []ChoiceExplanation `json:"choices"`
	Interpretations []InterpretedChoice `json:"interpretations"`
	// Outside says why no parser's choice can be told; then Subjects is empty.
	Outside  string          `json:"outside,omitempty"`
	Subjects []SubjectChoice `json:"subjects,omitempty"`
	Cases    []CaseLine      `json:"cases,omitempty"`
	Links    []string        `json:"links,omitempty"`
	Source   string          `json:"source"`
}

// A ChoiceExplanation is one answer to a point.
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

// A SubjectChoice is what a subject does at a point, and how well that fits its
// answers.
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
