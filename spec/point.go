package spec

import "slices"

// Stages are the stages that a point can belong to: those of the reference in
// the order in which it runs them, then the access to the file over HTTP.
var Stages = []string{"octets", "lines", "records", "groups", "agents", "paths", "patterns", "decision", "access"}

// A Point is a question that the documents leave open or answer differently.
// The reference has a Go constant for each point without Outside and for each
// of its choices; they are generated from the same data.
type Point struct {
	// ID is permanent: "byte-order-mark".
	ID string
	// Stage is one of Stages.
	Stage string
	// Question is the point in one sentence.
	Question string
	// Text says what the documents say of it.
	Text string
	// Ambiguities are the entries of the ambiguity register it covers, "AMB-52".
	Ambiguities []string
	// Requirements are the statements it touches.
	Requirements []string
	// Choices are the possible answers, the default of RFC 9309 first.
	Choices []Choice
	// Interpretations says what each named interpretation chooses, and why.
	Interpretations map[string]Chosen
	// Outside says why the reference has no branch for the point, as with what
	// only HTTP shows; empty if it has one.
	Outside string
	// Links lead to where people have argued about it.
	Links []string
	// Pos is where the data stands.
	Pos string
}

// Choice returns the choice of that ID, or nil.
func (p *Point) Choice(id string) *Choice {
	i := slices.IndexFunc(p.Choices, func(c Choice) bool { return c.ID == id })
	if i < 0 {
		return nil
	}
	return &p.Choices[i]
}

// A Choice is one answer to a Point.
type Choice struct {
	ID string
	// Means says in one sentence what a parser that takes the choice does.
	Means string
	// Forbidden is the ID of the requirement of RFC 9309 that the choice breaks:
	// a MUST, a SHOULD, or a figure, an example or a production that says
	// otherwise. It is empty if RFC 9309 leaves the choice open, in most cases
	// because no sentence is about it, because a lower-case should is all that
	// is against it, or because the line cannot be derived from the grammar.
	Forbidden string
	// Witness shows what a forbidden choice gets wrong; nil for an open one.
	Witness *Witness
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
	Choice string
	// Because names the place in the document, or the reason where it is
	// silent.
	Because string
}
