package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// A Level is the weight of a failed case.
type Level string

const (
	Must Level = "MUST"
	// Text marks a case that a definition, a production of the grammar, a figure or
	// an example decides, without a keyword of BCP 14. RFC 8174 says that such text is
	// no less normative, so it weighs more than SHOULD, which admits exceptions.
	Text   Level = "text"
	Should Level = "SHOULD"
	// May marks a case about optional behaviour: a subject without it still
	// conforms.
	May Level = "MAY"
)

// Levels lists the levels in descending order.
var Levels = []Level{Must, Text, Should, May}

// Weight orders levels: MUST is 4, text 3, SHOULD 2, MAY 1, anything else 0.
func (l Level) Weight() int {
	switch l {
	case Must:
		return 4
	case Text:
		return 3
	case Should:
		return 2
	case May:
		return 1
	}
	return 0
}

// A Case is one robots.txt file with the expected answers to queries about it.
//
// There are two kinds. A judging case has Requirements and a Level, and a Verdict
// in every expectation. A classifying case has a Point that the documents leave
// open, and the verdict of each choice in every expectation.
type Case struct {
	// ID is permanent and never reused: "precedence/longest-wins".
	ID string `json:"id"`
	// Section is the section of RFC 9309 that the case belongs to, "2.2.2".
	Section string `json:"section"`
	// Requirements are the IDs of the requirements that the case tests.
	Requirements []string `json:"requirements,omitempty"`
	// Level is the weight of a failure, that of the sentence which a wrong answer
	// breaks; empty in a classifying case. See [Data.LevelUnder].
	Level Level `json:"level,omitempty"`
	// Point is the interpretation point that the case classifies; empty in a
	// judging case.
	Point string `json:"point,omitempty"`
	// Rationale gives the reason for the verdicts in one sentence.
	Rationale string `json:"rationale"`
	// Robots is the file's octets.
	Robots []byte        `json:"robots_b64"`
	Expect []Expectation `json:"-"`
	// Pos is the position of the case, "spec/cases/2.2.2/precedence.yaml:12".
	Pos string `json:"-"`
}

// Classifies reports whether c is a classifying case.
func (c *Case) Classifies() bool { return c.Point != "" }

// An Expectation is one query about the file of a case, with the expected answer.
type Expectation struct {
	Probe
	// Verdict is the one that RFC 9309 requires, Allow or Disallow. It is empty in
	// a classifying case, and in an expectation for other interpretations only.
	Verdict Verdict
	// Line is the deciding line, 0 if none is defined.
	Line int
	// Under maps the name of an interpretation to its verdict, if that differs or
	// if the interpretation does not inherit the verdicts of RFC 9309.
	Under map[string]Verdict
	// Choices maps, in a classifying case, the ID of each choice of the point to
	// its verdict.
	Choices map[string]Verdict
}

// inherits has the interpretations whose documents are versions of RFC 9309. They
// have its verdicts unless an expectation names them. The documents of 1994 and
// 1996 define other protocols, so only expectations that name them are scored under
// them.
var inherits = map[string]bool{"rfc9309": true, "google": true, "koster-rep-00": true}

// Want returns the verdict that the named interpretation requires, and whether the
// expectation is scored under that interpretation.
func (e *Expectation) Want(interpretation string) (Verdict, bool) {
	if v, ok := e.Under[interpretation]; ok {
		return v, true
	}
	if e.Verdict != "" && inherits[interpretation] {
		return e.Verdict, true
	}
	return "", false
}

// ID identifies the expectation within its case: the agent and the URL.
func (e *Expectation) ID() string { return ProbeID(e.Probe) }

// maxProbeID is the maximum length of a ProbeID, in octets. Only probes with very
// long URLs reach it.
const maxProbeID = 200

// ProbeID returns the name of a probe in baselines and reports: the agent, a blank
// and the URL. Both are in octet notation, and the default origin is omitted. A very
// long ID is cut and ends in a hash.
func ProbeID(p Probe) string {
	id := EncodeInline(p.Agent) + " " + EncodeInline(ShortURL(p.URL))
	if len(id) <= maxProbeID {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	kept := strings.ToValidUTF8(id[:maxProbeID/2], "")
	return kept + "…" + hex.EncodeToString(sum[:6])
}
