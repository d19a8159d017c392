package reports

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// FindingsMarkdown writes what [FindingsText] does as GitHub Flavored Markdown,
// with links to the documents and into the repository.
func FindingsMarkdown(w io.Writer, r *FindingsReport) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# %s\n\n", md(r.heading()))
	for _, s := range r.Sources {
		if s.Name == "" {
			fmt.Fprintf(out, "  %s\n", md(s.Text))
			continue
		}
		fmt.Fprintf(out, "- **%s**: %s\n", md(s.Name), md(s.Text))
	}
	fmt.Fprint(out, "\n")
	for _, note := range r.Notes {
		fmt.Fprintf(out, "%s\n\n", md(note))
	}
	if r.State != nil {
		fmt.Fprint(out, "## Parsers\n\n")
		head, rows := stateTable(r.State)
		mdTable(out, head, 4, mdCells(rows))
		for _, line := range lostLines(r.State) {
			fmt.Fprintf(out, "- %s\n\n", md(line))
		}
		fmt.Fprintf(out, "%s\n\n", md(stateNote))
	}
	fmt.Fprintf(out, "## %s\n\n", md(r.total()))
	if lines := r.askedLines(); len(lines) > 0 {
		fmt.Fprint(out, "Asked:\n\n")
		for _, line := range lines {
			fmt.Fprintf(out, "- %s\n", md(line))
		}
		fmt.Fprint(out, "\n")
	}
	several := r.several()
	for _, s := range r.sections() {
		fmt.Fprintf(out, "## %s\n\n", md(s.heading))
		for _, c := range s.clusters {
			clusterMarkdown(out, c, several)
		}
	}
	if shown, more := r.shownSets(); len(shown) > 0 {
		fmt.Fprintf(out, "## %s\n\n%s\n\n", md(r.setsTitle()), md(setsNote))
		for i := range shown {
			fmt.Fprintf(out, "- `%s` %s; %s\n", shown[i].ID, md(shown[i].Title), md(shown[i].line()))
		}
		fmt.Fprint(out, "\n")
		if more != "" {
			fmt.Fprintf(out, "%s\n", md(more))
		}
	}
	return out.Flush()
}

func clusterMarkdown(w io.Writer, c *Cluster, several map[string]bool) {
	fmt.Fprintf(w, "### %s\n\n`%s`: %s.\n\n", md(c.name()), c.ID, md(c.counts()))
	for i := range c.Choices {
		choiceMarkdown(w, &c.Choices[i])
	}
	agent, url := c.question()
	fmt.Fprintf(w, "%s asks for %s, in %s", mdCode(agent), mdCode(url), md(c.fileLine()))
	if text := c.witness(); text != "" {
		fmt.Fprint(w, ":\n\n")
		mdBlock(w, "", text)
		fmt.Fprint(w, "\n")
	} else {
		fmt.Fprint(w, ".\n\n")
	}
	for _, v := range c.Votes {
		side, who := c.voteLine(v)
		fmt.Fprintf(w, "- **%s**: %s\n", md(side), md(who))
	}
	if len(c.Votes) > 0 {
		fmt.Fprint(w, "\n")
	}
	var rows [][]string
	for _, row := range c.saidRows(several) {
		rows = append(rows, []string{md(string(row.verdict)), md(row.who), md(row.why)})
	}
	if rows != nil {
		mdTable(w, []string{"answer", "parsers", "why"}, 3, rows)
	}
	if len(c.Hits) > 0 {
		fmt.Fprintf(w, "Answers: %s. ", md(c.hitsLine()))
	}
	fmt.Fprintf(w, "%s. Ask again: %s\n\n", mdSentence(c.seen()), mdCode(c.Command))
}

func choiceMarkdown(w io.Writer, c *ClusterChoice) {
	fmt.Fprintf(w, "%s: %s\n\n", mdLink(c.Place), md(c.Question))
	fmt.Fprintf(w, "- **%s**: %s\n", md(c.Choice), md(c.Means))
	fmt.Fprintf(w, "- RFC 9309 is read as **%s**: %s\n", md(c.Reads), md(c.ReadsMeans))
	for _, q := range c.Requirements {
		section := md(q.Section)
		if q.URL != "" {
			section = fmt.Sprintf("[%s](%s)", section, q.URL)
		}
		fmt.Fprintf(w, "- %s, %s, %s: %s\n", mdLink(q.Place), section, md(string(q.Level)), md(q.Text))
	}
	if len(c.Cases) > 0 {
		var links []string
		for _, of := range c.Cases {
			links = append(links, mdLink(of))
		}
		if c.CasesMore > 0 {
			links = append(links, fmt.Sprintf("%d more", c.CasesMore))
		}
		fmt.Fprintf(w, "- Cases: %s\n", strings.Join(links, ", "))
	}
	fmt.Fprint(w, "\n")
}

// mdLink is a link to a place, or its name if it leads nowhere.
func mdLink(p Place) string {
	if p.Link == "" {
		return md(p.Name)
	}
	return fmt.Sprintf("[%s](<%s>)", md(p.Name), p.Link)
}
