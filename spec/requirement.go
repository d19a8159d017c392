package spec

import "slices"

// A Requirement is one normative statement of one document, in the words of this
// project.
type Requirement struct {
	// ID is permanent: "RFC9309-2.2.2-4".
	ID string `json:"id"`
	// Document is the source, "RFC 9309".
	Document string `json:"document"`
	// Section is the number of the section in the document, "2.2.2". Productions of
	// the grammar have "2.2".
	Section string           `json:"section"`
	Level   RequirementLevel `json:"level"`
	// Layer is the part of the protocol that the statement is about, such as
	// "path-match".
	Layer string `json:"layer"`
	// Text is the statement.
	Text string `json:"text"`
	// Untested is the reason why no case can test the statement; empty if one can.
	Untested string `json:"untested,omitempty"`
	// Notes are errata and known defects of the text.
	Notes []string `json:"notes,omitempty"`
	// Pos is the position of the data, "spec/requirements/rfc9309.yaml:12".
	Pos string `json:"-"`
}

// URL returns the URL of the section, or of the document if its sections have no
// URLs.
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
	// LevelText is a sentence, a figure, an example or a production that defines the
	// protocol without a BCP 14 keyword.
	LevelText RequirementLevel = "text"
	// LevelAdvice is a lower-case "should".
	LevelAdvice RequirementLevel = "advice"
	// LevelService binds the publisher of the file, not the crawler.
	LevelService RequirementLevel = "service"
)

var requirementLevels = []string{
	string(LevelMust), string(LevelMustNot), string(LevelShould), string(LevelShouldNot),
	string(LevelMay), string(LevelText), string(LevelAdvice), string(LevelService),
}

// layers are the parts of the protocol that requirements belong to.
var layers = []string{
	"line-syntax", "grouping", "agent-match", "path-match", "percent-encoding",
	"special-characters", "limits", "scope", "access", "caching",
}

// CaseLevel returns the level of a case for a requirement of level l, and false if
// there may be no such case. A lower-case "should" is no keyword, so advice is text.
func (l RequirementLevel) CaseLevel() (Level, bool) {
	switch l {
	case LevelMust, LevelMustNot:
		return Must, true
	case LevelText, LevelAdvice:
		return Text, true
	case LevelShould, LevelShouldNot:
		return Should, true
	case LevelMay:
		return May, true
	}
	return "", false
}

// documents maps each document to the interpretations that it applies to.
var documents = map[string][]string{
	"RFC 9309":               {"rfc9309", "google", "koster-rep-00"},
	"Google's documentation": {"google"},
	"Google's parser":        {"google"},
	"draft-koster-rep-00":    {"koster-rep-00"},
	"Koster 1996 draft":      {"koster-1996"},
	"1994 standard":          {"standard-1994"},
}

// AppliesUnder reports whether the requirement's document speaks for the named
// interpretation.
func (q *Requirement) AppliesUnder(interpretation string) bool {
	return slices.Contains(documents[q.Document], interpretation)
}

// RequirementsUnder returns the requirements of a case that apply to verdicts under
// the named interpretation. For example, a requirement of Google's parser does not
// apply under RFC 9309. If none applies, it returns all requirements of the case, as
// its topic. That happens if a case of the RFC has verdicts for an older document.
func (d *Data) RequirementsUnder(c *Case, interpretation string) []string {
	var kept []string
	for _, id := range c.Requirements {
		if q := d.Requirement(id); q != nil && q.AppliesUnder(interpretation) {
			kept = append(kept, id)
		}
	}
	if kept == nil {
		return c.Requirements
	}
	return kept
}

// LevelUnder returns the level of a failure of c under the named interpretation. If
// c has a verdict of that interpretation's own, the level is at most the highest of
// the requirements of its own documents that c names, and text if c names none. So
// under Google's documentation, which has no keywords, nothing is a MUST unless the
// verdict is that of RFC 9309.
func (d *Data) LevelUnder(c *Case, interpretation string) Level {
	if c.Classifies() || !slices.ContainsFunc(c.Expect, func(e Expectation) bool { return e.Under[interpretation] != "" }) {
		return c.Level
	}
	highest := Level("")
	for _, id := range c.Requirements {
		if q := d.Requirement(id); q != nil && q.Document != "RFC 9309" && q.AppliesUnder(interpretation) {
			if level, ok := q.Level.CaseLevel(); ok && level.Weight() > highest.Weight() {
				highest = level
			}
		}
	}
	if highest == "" {
		highest = Text
	}
	if c.Level.Weight() < highest.Weight() {
		return c.Level
	}
	return highest
}
