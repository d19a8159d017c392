package reports

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// A ClusterChoice describes, from the specification, a choice that explains a
// finding.
type ClusterChoice struct {
	Point    string `json:"point"`
	Choice   string `json:"choice"`
	Question string `json:"question"`
	Means    string `json:"means"`
	// Reads is the choice of RFC 9309, and ReadsMeans its meaning.
	Reads      string `json:"reads"`
	ReadsMeans string `json:"reads_means"`
	// Place links to the point in the repository.
	Place        Place                `json:"place"`
	Requirements []ClusterRequirement `json:"requirements"`
	// Cases are the first few cases that distinguish the choices of the point.
	// CasesMore counts the others.
	Cases     []Place `json:"cases,omitempty"`
	CasesMore int     `json:"cases_more,omitempty"`
}

// A ClusterRequirement is a requirement that a point affects.
type ClusterRequirement struct {
	ID    string                `json:"id"`
	Level spec.RequirementLevel `json:"level"`
	Text  string                `json:"text"`
	// Section is, for example, "RFC 9309 section 2.2.2", and URL links to it.
	// Both are "" for other documents.
	Section string `json:"section"`
	URL     string `json:"url,omitempty"`
	Place   Place  `json:"place"`
}

// A Place is a position in a file of the repository.
type Place struct {
	Name string `json:"name"`
	// Link is relative to the report: "../spec/points/lines.yaml#L12"; "" if
	// the place is not known.
	Link string `json:"link,omitempty"`
}

// maxCases is the number of cases named for each point.
const maxCases = 3

// A choiceBook looks up choices and caches them.
type choiceBook struct {
	data  *spec.Data
	root  string
	cases map[string][]*spec.Case // by point
	known map[fuzz.Change]*ClusterChoice
}

func newChoiceBook(s *FindingsSources) *choiceBook {
	b := &choiceBook{data: s.Data, root: s.Root, cases: map[string][]*spec.Case{}, known: map[fuzz.Change]*ClusterChoice{}}
	for i := range s.Data.Cases {
		if c := &s.Data.Cases[i]; c.Point != "" {
			b.cases[c.Point] = append(b.cases[c.Point], c)
		}
	}
	return b
}

// of returns the choice, nil if it is not in the specification.
func (b *choiceBook) of(change fuzz.Change) *ClusterChoice {
	if c, ok := b.known[change]; ok {
		return c
	}
	c := b.read(change)
	b.known[change] = c
	return c
}

func (b *choiceBook) read(change fuzz.Change) *ClusterChoice {
	p := b.data.Point(change.Point.String())
	if p == nil {
		return nil
	}
	c := &ClusterChoice{
		Point: p.ID, Choice: change.ID(), Question: p.Question, Means: meaning(p, change.ID()), Place: b.place(p.ID, p.Pos),
		Reads: p.Interpretations[spec.Interpretations[0]].Choice,
	}
	c.ReadsMeans = meaning(p, c.Reads)
	for _, id := range p.Requirements {
		if q := b.data.Requirement(id); q != nil {
			c.Requirements = append(c.Requirements, b.requirement(q))
		}
	}
	cases := b.cases[p.ID]
	for _, of := range cases[:min(maxCases, len(cases))] {
		c.Cases = append(c.Cases, b.place(of.ID, of.Pos))
	}
	c.CasesMore = max(0, len(cases)-maxCases)
	return c
}

func meaning(p *spec.Point, choice string) string {
	i := slices.IndexFunc(p.Choices, func(c spec.Choice) bool { return c.ID == choice })
	if i < 0 {
		return ""
	}
	return p.Choices[i].Means
}

func (b *choiceBook) requirement(q *spec.Requirement) ClusterRequirement {
	return ClusterRequirement{ID: q.ID, Level: q.Level, Text: doc.OneLine(q.Text), Section: q.Document + " section " + q.Section, URL: q.URL(), Place: b.place(q.ID, q.Pos)}
}

// place makes a link from a position such as "spec/points/lines.yaml:12".
func (b *choiceBook) place(name, pos string) Place {
	file, line, ok := strings.Cut(pos, ":")
	if !ok || path.IsAbs(file) {
		return Place{Name: name}
	}
	link := url.URL{Path: path.Join(b.root, file), Fragment: "L" + line}
	return Place{Name: name, Link: link.String()}
}
