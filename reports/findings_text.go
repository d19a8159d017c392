package reports

import (
	"cmp"
	"io"
	"strings"
)

// FindingsText writes the report for a person at a terminal: what it was made
// of, the parsers, each finding with its witness, and the sets of several
// choices, a line each.
func FindingsText(w io.Writer, r *FindingsReport, o TextOptions) error {
	p := newPage(w, max(cmp.Or(o.Width, defaultWidth), leastWidth), o.Color)
	p.text("", "  ", bold, r.heading())
	for _, s := range r.Sources {
		p.text("", "  ", dim, strings.TrimPrefix(s.Name+": "+s.Text, ": "))
	}
	for _, note := range r.Notes {
		p.text("", "  ", yellow, note)
	}
	p.line()
	if r.State != nil {
		head, rows := stateTable(r.State)
		for _, row := range rows {
			for i := range 4 {
				row[i] = cutMiddle(row[i], widestName)
			}
		}
		scanTable(p, head, rows)
		for _, line := range lostLines(r.State) {
			p.text("", "  ", red, line)
		}
		p.text("", "", dim, stateNote)
		p.line()
	}
	p.text("", "  ", bold, r.total())
	for _, line := range r.askedLines() {
		p.text("  ", "  ", dim, line)
	}
	p.line()
	several := r.several()
	for _, s := range r.sections() {
		p.line(bold.of(s.heading))
		for _, c := range s.clusters {
			clusterText(p, c, several)
		}
	}
	if shown, more := r.shownSets(); len(shown) > 0 {
		p.line(bold.of(r.setsTitle()))
		p.text("", "", dim, setsNote)
		for i := range shown {
			p.line(dim.of("  "+shown[i].ID+"  "), plain.of(shown[i].Title+"; "+shown[i].line()))
		}
		p.text("", "", dim, more)
	}
	return p.close()
}

// clusterText writes one finding and an empty line.
func clusterText(p *page, c *Cluster, several map[string]bool) {
	p.text("", "  ", yellow, c.ID+"  "+c.name())
	p.text("  ", "  ", plain, c.counts())
	for i := range c.Choices {
		choice := &c.Choices[i]
		p.text("  ", "  ", plain, choice.Point+": "+choice.Question)
		p.text("    ", "  ", plain, choice.Choice+": "+choice.Means)
		p.text("    ", "  ", dim, "RFC 9309 is read as "+choice.Reads+": "+choice.ReadsMeans)
		for _, q := range choice.Requirements {
			p.text("    ", "  ", dim, strings.TrimSpace(q.ID+" "+q.URL))
		}
	}
	agent, url := c.question()
	p.text("  ", "  ", plain, agent+" asks for "+url+", in "+c.fileLine())
	for line := range strings.Lines(c.witness()) {
		p.line(plain.of("    | " + strings.TrimSuffix(line, "\n")))
	}
	for _, v := range c.Votes {
		side, who := c.voteLine(v)
		p.text("  ", "    ", plain, side+": "+who)
	}
	for _, row := range c.saidRows(several) {
		p.text("    ", "  ", dim, string(row.verdict)+": "+row.who+"; "+row.why)
	}
	if len(c.Hits) > 0 {
		p.text("  ", "  ", dim, "answers: "+c.hitsLine())
	}
	p.text("  ", "  ", dim, c.seen())
	p.text("  ", "  ", dim, c.Command)
	p.line()
}
