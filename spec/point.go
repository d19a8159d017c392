package spec

// A Point is a question that the documents leave open or answer differently.
type Point struct {
	// ID is permanent: "byte-order-mark".
	ID string
	// Stage is the stage of the reference that the point steers.
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

// A Choice is one answer to a Point.
type Choice struct {
	ID string
	// Means says in one sentence what a parser that takes the choice does.
	Means string
}

// Chosen is the choice of one named interpretation.
type Chosen struct {
	Choice string
	// Because names the place in the document, or the reason where it is
	// silent.
	Because string
}
