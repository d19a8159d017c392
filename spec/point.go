package spec

import "slices"

// Stages are the stages that a point can belong to: the stages of the reference, in
// the order in which they run, and then the access to the file over HTTP.
var Stages = []string{"octets", "lines", "records", "groups", "agents", "paths", "patterns", "decision", "access"}

// A Point is a question that the documents leave open or answer differently. The
// reference has a Go constant for each point whose Outside is empty, and for each of
// its choices. The constants are generated from the same data.
type Point struct {
	// ID is permanent: "byte-order-mark".
	ID string `json:"id"`
	// Stage is one of Stages.
	Stage string `json:"stage"`
	// Question states the point in one sentence.
	Question string `json:"question"`
	// Text quotes or summarizes the documents about the point.
	Text string `json:"text"`
	// Ambiguities are the entries of the ambiguity register that the point covers,
	// "AMB-52".
	Ambiguities []string `json:"ambiguities,omitempty"`
	// Requirements are the IDs of the statements that the point concerns.
	Requirements []string `json:"requirements,omitempty"`
	// Choices are the possible answers, the default of RFC 9309 first.
	Choices []Choice `json:"choices"`
	// Interpretations maps each named interpretation to its choice, with the reason.
	Interpretations map[string]Chosen `json:"-"`
	// Outside is the reason why the reference parser has no branch for the point,
	// for example because it concerns HTTP; empty if the parser has one.
	Outside string `json:"outside,omitempty"`
	// Links are the URLs of discussions about the point.
	Links []string `json:"links,omitempty"`
	// Pos is the position of the data.
	Pos string `json:"-"`
}

// Choice returns the choice with the ID, or nil.
func (p *Point) Choice(id string) *Choice {
	i := slices.IndexFunc(p.Choices, func(c Choice) bool { return c.ID == id })
	if i < 0 {
		return nil
	}
	return &p.Choices[i]
}

// A Choice is one answer to a Point.
type Choice struct {
	ID string `json:"id"`
	// Means describes in one sentence the behaviour of a parser with this choice.
	Means string `json:"means"`
	// Forbidden is the ID of the requirement of RFC 9309 that the choice breaks: a
	// MUST, a SHOULD, or a figure, an example or a production that contradicts the
	// choice. It is empty if RFC 9309 leaves the choice open. In most cases that is
	// because no sentence is about it, because only a lower-case should is against
	// it, or because the line cannot be derived from the grammar.
	Forbidden string `json:"-"`
	// Witness is a query that a forbidden choice answers wrongly; nil for an open
	// choice.
	Witness *Witness `json:"-"`
}

// A Witness is a query that a wrong parser answers differently from RFC 9309.
type Witness struct {
	Robots []byte
	Probe
	// Want is the verdict of RFC 9309, Allow or Disallow; Got is that of the
	// wrong parser, which may also be Reject.
	Want, Got Verdict
}

// Chosen is the choice of one named interpretation.
type Chosen struct {
	Choice string `json:"choice"`
	// Because names the passage in the document, or gives the reason if the document
	// has no such passage.
	Because string `json:"because"`
}
