package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// A Level says how much a failed case weighs.
type Level string

const (
	Must   Level = "MUST"
	Should Level = "SHOULD"
	// May marks a case of something permitted: a subject that does not do it
	// conforms all the same.
	May Level = "MAY"
)

// Levels lists the levels, the heaviest first.
var Levels = []Level{Must, Should, May}

// Weight orders levels: MUST is 3, SHOULD 2, MAY 1, anything else 0.
func (l Level) Weight() int {
	switch l {
	case Must:
		return 3
	case Should:
		return 2
	case May:
		return 1
	}
	return 0
}

// A Case is one robots.txt file with what must be answered about it.
//
// A case either judges, and then names Requirements and a Level and every
// expectation has a Verdict; or it classifies, and then names a Point that the
// documents leave open and every expectation has the verdict of each choice.
type Case struct {
	// ID is permanent and never reused: "precedence/longest-wins".
	ID string
	// Section is the RFC 9309 section the case belongs to, "2.2.2".
	Section string
	// Requirements are the IDs of what the case tests.
	Requirements []string
	// Level is the weight of a failure; empty in a classifying case.
	Level Level
	// Point is the interpretation point that the case classifies; empty in a
	// judging case.
	Point string
	// Rationale says in one sentence why the verdicts are what they are.
	Rationale string
	// Robots is the file's octets.
	Robots []byte
	Expect []Expectation
	// Pos is where the case stands, "spec/cases/2.2.2/precedence.yaml:12".
	Pos string
}

// Classifies reports whether the case classifies instead of judging.
func (c *Case) Classifies() bool { return c.Point != "" }

// An Expectation is one question about the file of a case, with the answer.
type Expectation struct {
	Probe
	// Verdict is what RFC 9309 asks for, Allow or Disallow; empty in a
	// classifying case, and where only other interpretations are asked.
	Verdict Verdict
	// Line is the deciding line, 0 if none is defined.
	Line int
	// Under holds the verdicts of interpretations that differ, or that the
	// case is extended to, by the name of the interpretation.
	Under map[string]Verdict
	// Choices holds, in a classifying case, the verdict of each choice of the
	// point, by the ID of the choice.
	Choices map[string]Verdict
}

// inherits are the interpretations whose document is a text of RFC 9309 in
// another state, so that they answer like it where a case says nothing of
// them. The documents of 1994 and 1996 define protocols of their own: a case
// must name them to be scored under them.
var inherits = map[string]bool{"rfc9309": true, "google": true, "koster-rep-00": true}

// Want returns the verdict that the named interpretation asks for, and whether
// the expectation is scored under it at all.
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

// maxProbeID bounds the length of a ProbeID, in octets. Only probes about very
// long URLs come near it.
const maxProbeID = 200

// ProbeID returns the form in which a probe is named in baselines and
// reports: the agent, a blank and the URL, both in octet notation, with the
// default origin left off. A very long one is cut and ends in a hash.
func ProbeID(p Probe) string {
	id := EncodeInline(p.Agent) + " " + EncodeInline(ShortURL(p.URL))
	if len(id) <= maxProbeID {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	kept := strings.ToValidUTF8(id[:maxProbeID/2], "")
	return kept + "…" + hex.EncodeToString(sum[:6])
}
