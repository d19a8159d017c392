package spec

import "slices"

// A Requirement is one normative statement of one document, in our words.
type Requirement struct {
	// ID is permanent: "RFC9309-2.2.2-4".
	ID string
	// Document is the source, "RFC 9309".
	Document string
	// Section is the document's own number, "2.2.2"; productions of the
	// grammar have "2.2".
	Section string
	Level   RequirementLevel
	// Layer is the stage of the protocol that the statement is about, one of
	// Layers.
	Layer string
	// Text is the statement.
	Text string
	// Untested says why no case of a parser can test it; empty if one can.
	Untested string
	// Notes are errata and known defects of the text.
	Notes []string
	// Pos is where the data stands, "spec/requirements/rfc9309.yaml:12".
	Pos string
}

// URL leads to the section, or to the document where it has no names for its
// sections.
func (r *Requirement) URL() string {
	switch r.Document {
	case "RFC 9309":
		return "https://www.rfc-editor.org/rfc/rfc9309#section-" + r.Section
	case "draft-koster-rep-00":
		return "https://datatracker.ietf.org/doc/html/draft-koster-rep-00#section-" + r.Section
	case "Koster 1996 draft":
		return "https://www.robotstxt.org/norobots-rfc.txt"
	case "1994 standard":
		return "https://www.robotstxt.org/orig.html"
	case "Google's documentation":
		return "https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt"
	case "Google's parser":
		return "https://github.com/google/robotstxt"
	}
	return ""
}

// A RequirementLevel is the force of a requirement in its document.
type RequirementLevel string

const (
	LevelMust      RequirementLevel = "MUST"
	LevelMustNot   RequirementLevel = "MUST NOT"
	LevelShould    RequirementLevel = "SHOULD"
	LevelShouldNot RequirementLevel = "SHOULD NOT"
	LevelMay       RequirementLevel = "MAY"
	// LevelStatement is a sentence, a figure or a production without a BCP 14
	// keyword that defines what the protocol is. Breaking one is judged like
	// breaking a MUST: what remains is another protocol.
	LevelStatement RequirementLevel = "statement"
	// LevelAdvice is a lower-case "should".
	LevelAdvice RequirementLevel = "advice"
	// LevelService binds the one who publishes the file, not the crawler.
	LevelService RequirementLevel = "service"
)

var requirementLevels = []string{
	string(LevelMust), string(LevelMustNot), string(LevelShould), string(LevelShouldNot),
	string(LevelMay), string(LevelStatement), string(LevelAdvice), string(LevelService),
}

// Layers are the parts of the protocol that requirements belong to.
var Layers = []string{
	"line-syntax", "grouping", "agent-match", "path-match", "percent-encoding",
	"special-characters", "limits", "scope", "access", "caching",
}

// CaseLevel returns the highest level that a case resting on l may have, and
// false if no case may rest on it.
func (l RequirementLevel) CaseLevel() (Level, bool) {
	switch l {
	case LevelMust, LevelMustNot, LevelStatement:
		return Must, true
	case LevelShould, LevelShouldNot, LevelAdvice:
		return Should, true
	case LevelMay:
		return May, true
	}
	return "", false
}

// documents says which interpretations a document speaks for.
var documents = map[string][]string{
	"RFC 9309":               {"rfc9309", "google", "koster-rep-00"},
	"Google's documentation": {"google"},
	"Google's parser":        {"google"},
	"draft-koster-rep-00":    {"koster-rep-00"},
	"Koster 1996 draft":      {"koster-1996"},
	"1994 standard":          {"standard-1994"},
}

// RequirementsUnder returns those requirements of a case that a verdict under
// the named interpretation bears on: who answers as RFC 9309 asks does not by
// that break what only Google's parser does. Where none is left, as in a case of
// the RFC that is extended to an older document, they stand for the topic.
func (d *Data) RequirementsUnder(c *Case, interpretation string) []string {
	var kept []string
	for _, id := range c.Requirements {
		if q := d.Requirement(id); q != nil && slices.Contains(documents[q.Document], interpretation) {
			kept = append(kept, id)
		}
	}
	if kept == nil {
		return c.Requirements
	}
	return kept
}
