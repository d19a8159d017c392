package reports

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/repcheck/repcheck/conformance"
)

// ProfileMarkdown writes what [ProfileText] does as GitHub Flavored Markdown,
// each of several subjects in full too.
func ProfileMarkdown(w io.Writer, r *conformance.Profiles) error {
	out := bufio.NewWriter(w)
	if len(r.Subjects) > 1 {
		fmt.Fprintf(out, "## Profiles\n\n%s\n\n", md(profileHeading(r)))
		head, rows, others := profilesTable(r)
		if len(rows) > 0 {
			mdTable(out, head, len(head), mdCells(rows))
			fmt.Fprintf(out, "%s\n\n", md(profilesLegend))
		}
		if line := profilesOthers(others); line != "" {
			fmt.Fprintf(out, "%s\n\n", md(line))
		}
		head, rows = profilesDistances(r)
		mdTable(out, head, 1, mdCells(rows))
		fmt.Fprintf(out, "%s\n\n", md(profilesDistanceNote))
	} else {
		fmt.Fprintf(out, "%s\n\n", md(profileHeading(r)))
	}
	for i := range r.Subjects {
		profileMarkdown(out, r, &r.Subjects[i])
	}
	return out.Flush()
}

func profileMarkdown(w io.Writer, r *conformance.Profiles, s *conformance.SubjectProfile) {
	fmt.Fprintf(w, "## %s\n\n%s\n\n", md(strings.TrimSpace(s.Name+" "+s.Version)), md(profileSummary(r, s)))
	for _, line := range profileAsides(s) {
		fmt.Fprintf(w, "%s\n\n", md(line))
	}
	var table [][]string
	stage := ""
	for i := range s.Points {
		p, of := &r.Points[i], &s.Points[i]
		if p.Stage != stage {
			stage = p.Stage
			table = append(table, []string{"**" + md(stage) + "**", "", "", "", ""})
		}
		choice := md(of.String())
		if deviates(p, of) {
			choice = "**" + choice + "**"
		}
		row := []string{md(of.Point), choice, md(profileFit(of))}
		for _, name := range beside {
			row = append(row, md(profileOther(p, of, name)))
		}
		table = append(table, row)
	}
	mdTable(w, append([]string{"point", "choice", "fit"}, beside...), 5, table)
	fmt.Fprintf(w, "%s\n\n", md(profileLegend))
	head, rows := profileDistances(s)
	mdTable(w, head, 1, mdCells(rows))
	fmt.Fprintf(w, "%s\n\n", md(nearest(s)))
	if all := contradictions(s); len(all) > 0 {
		fmt.Fprint(w, "### Answers that no one choice gives\n\n")
		for _, c := range all {
			fmt.Fprintf(w, "- %s\n", md(c.title))
			witnessesMarkdown(w, "  ", c.witnesses)
		}
		fmt.Fprint(w, "\n")
	}
	if len(s.Unexplained) > 0 {
		fmt.Fprintf(w, "### %s\n\n", mdSentence(unexplainedTitle(s)))
		witnessesMarkdown(w, "", s.Unexplained)
		fmt.Fprint(w, "\n")
	}
}

func witnessesMarkdown(w io.Writer, indent string, witnesses []conformance.Witness) {
	for _, one := range witnesses {
		fmt.Fprintf(w, "%s- %s, %s: %s", indent, md(one.Case), mdCode(one.Probe), one.Got)
		if fits := witnessFits(one); fits != "" {
			fmt.Fprintf(w, " %s", md(fits))
		}
		fmt.Fprint(w, "\n")
	}
}
