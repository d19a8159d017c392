package reports

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"strings"
)

//go:embed findings.html.tmpl
var findingsHTML string

var findingsTemplate = template.Must(template.New("findings").Parse(findingsHTML))

// FindingsHTML writes what [FindingsText] does as one page that needs nothing
// else: no script, no picture, no font. It is well-formed XML too.
func FindingsHTML(w io.Writer, r *FindingsReport) error {
	var page bytes.Buffer // what a template wrote before it failed is of no use
	if err := findingsTemplate.Execute(&page, newHTMLReport(r)); err != nil {
		return err
	}
	page.WriteByte('\n')
	_, err := w.Write(page.Bytes())
	return err
}

// An htmlReport is what the template shows, in texts.
type htmlReport struct {
	*FindingsReport
	Heading, Total, StateNote, SetsTitle, SetsNote, SetsMore string
	StateHead                                                []string
	StateRows                                                [][]string
	Lost, Asked                                              []string
	Sections                                                 []htmlSection
	Sets                                                     []htmlSet
}

type htmlSection struct {
	ID, Heading string
	Clusters    []htmlCluster
}

type htmlCluster struct {
	ID, Name, Counts                               string
	Choices                                        []ClusterChoice
	Agent, URL, File, Witness, Hits, Seen, Command string
	Votes                                          []htmlVote
	Said                                           []htmlSaid
}

type htmlVote struct{ Side, Who string }

type htmlSaid struct{ Verdict, Who, Why string }

type htmlSet struct{ ID, Title, Line string }

func newHTMLReport(r *FindingsReport) *htmlReport {
	h := &htmlReport{FindingsReport: r, Heading: r.heading(), Total: r.total(), StateNote: stateNote, SetsTitle: r.setsTitle(), SetsNote: setsNote,
		Lost: lostLines(r.State), Asked: r.askedLines()}
	if r.State != nil {
		h.StateHead, h.StateRows = stateTable(r.State)
	}
	several := r.several()
	for _, s := range r.sections() {
		section := htmlSection{ID: "kind-" + string(s.kind), Heading: s.heading}
		for _, c := range s.clusters {
			section.Clusters = append(section.Clusters, newHTMLCluster(c, several))
		}
		h.Sections = append(h.Sections, section)
	}
	sets, more := r.shownSets()
	for i := range sets {
		h.Sets = append(h.Sets, htmlSet{sets[i].ID, sets[i].Title, sets[i].line()})
	}
	h.SetsMore = more
	return h
}

func newHTMLCluster(c *Cluster, several map[string]bool) htmlCluster {
	h := htmlCluster{ID: c.ID, Name: c.name(), Counts: c.counts(), Choices: c.Choices, File: c.fileLine(), Hits: c.hitsLine(), Seen: c.seen(),
		Command: c.Command, Witness: strings.TrimSuffix(c.witness(), "\n")} // a browser drops the line feed that the template puts before it
	h.Agent, h.URL = c.question()
	for _, v := range c.Votes {
		side, who := c.voteLine(v)
		h.Votes = append(h.Votes, htmlVote{side, who})
	}
	for _, row := range c.saidRows(several) {
		h.Said = append(h.Said, htmlSaid{string(row.verdict), row.who, row.why})
	}
	return h
}
