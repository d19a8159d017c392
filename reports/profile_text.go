package reports

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/conformance"
)

// ProfileText writes which choices each subject takes, as a person reads it in
// a terminal: one subject point by point, with its nearest interpretations and
// its contradictions; several side by side where they deviate from rfc9309.
// Verbose shows each of several in full too; o.Failures has no meaning here.
func ProfileText(w io.Writer, r *conformance.Profiles, o TextOptions) error {
	p := newPage(w, max(cmp.Or(o.Width, defaultWidth), leastWidth), o.Color)
	p.text("", "  ", bold, profileHeading(r))
	if len(r.Subjects) > 1 {
		p.line()
		profilesText(p, r)
	}
	if len(r.Subjects) == 1 || o.Verbose {
		for i := range r.Subjects {
			p.line()
			profileText(p, r, &r.Subjects[i], o.Verbose)
		}
	}
	return p.close()
}

// profileText writes one subject in full.
func profileText(p *page, r *conformance.Profiles, s *conformance.SubjectProfile, all bool) {
	p.text("", "  ", bold, strings.TrimSpace(s.Name+" "+s.Version))
	p.text("", "  ", plain, profileSummary(r, s))
	for _, line := range profileAsides(s) {
		p.text("", "  ", yellow, line)
	}
	p.line()
	choicesText(p, r, s)
	p.text("", "", dim, profileLegend)
	p.line()
	head, rows := profileDistances(s)
	scanTable(p, head, rows)
	p.text("", "", plain, nearest(s))
	contradictionsText(p, s)
	unexplainedText(p, s, all)
}

// choicesText writes the table of points, stage by stage.
func choicesText(p *page, r *conformance.Profiles, s *conformance.SubjectProfile) {
	rows := [][]string{append([]string{"point", "choice", "fit"}, beside...)}
	for i := range s.Points {
		of := &s.Points[i]
		row := []string{of.Point, of.String(), profileFit(of)}
		for _, name := range beside {
			row = append(row, profileOther(&r.Points[i], of, name))
		}
		rows = append(rows, row)
	}
	widths := columnWidths(rows)
	// The choice is the one column that can give way.
	room := p.width - len("≠ ")
	for column, n := range widths {
		if column != 1 {
			room -= n + len(gap)
		}
	}
	widths[1] = min(widths[1], max(room, widestName))
	stage := ""
	for i, row := range rows {
		mark, st := "  ", plain
		switch {
		case i == 0:
			st = bold
		case deviates(&r.Points[i-1], &s.Points[i-1]):
			mark, st = "≠ ", yellow
		}
		if i > 0 && r.Points[i-1].Stage != stage {
			stage = r.Points[i-1].Stage
			p.line(bold.of(stage))
		}
		fit := row[2]
		line := []span{st.of(mark + pad(row[0], widths[0]) + gap + pad(cutMiddle(row[1], widths[1]), widths[1]))}
		if i > 0 && s.Points[i-1].Status == conformance.Inconsistent {
			st = red
		}
		line = append(line, st.of(gap+pad(fit, widths[2])))
		for column := 3; column < len(row); column++ {
			of := dim
			if i == 0 {
				of = bold
			}
			line = append(line, of.of(gap+pad(row[column], widths[column])))
		}
		p.line(line...)
	}
}

func columnWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for column, cell := range row {
			widths[column] = max(widths[column], width(cell))
		}
	}
	return widths
}

// contradictionsText writes two witnesses for each point at which the subject
// contradicts itself.
func contradictionsText(p *page, s *conformance.SubjectProfile) {
	all := contradictions(s)
	if len(all) == 0 {
		return
	}
	p.line()
	p.line(bold.of("Answers that no one choice gives"))
	for _, c := range all {
		p.text("  ", "  ", yellow, c.title)
		witnessesText(p, c.witnesses)
	}
}

// witnessesText writes witnesses as a table.
func witnessesText(p *page, witnesses []conformance.Witness) {
	var rows [][]string
	for _, w := range witnesses {
		rows = append(rows, []string{string(w.Got), w.Case, cutMiddle(w.Probe, p.width/3), witnessFits(w)})
	}
	widths := columnWidths(rows)
	for _, row := range rows {
		line := "    " + pad(row[0], widths[0])
		for column := 1; column < len(row); column++ {
			line += gap + pad(row[column], widths[column])
		}
		p.line(plain.of(line))
	}
}

// witnessFits says which choices give the answer.
func witnessFits(w conformance.Witness) string {
	if len(w.Fits) == 0 {
		return ""
	}
	return "as " + strings.Join(w.Fits, " or ")
}

func unexplainedText(p *page, s *conformance.SubjectProfile, all bool) {
	if len(s.Unexplained) == 0 {
		return
	}
	p.line()
	p.line(bold.of(unexplainedTitle(s)))
	shown := s.Unexplained
	if len(shown) > shownWitnesses && !all {
		shown = shown[:shownWitnesses]
	}
	witnessesText(p, shown)
	if more := len(s.Unexplained) - len(shown); more > 0 {
		p.text("    ", "", dim, "… and "+thousands(int64(more))+" more: --verbose shows all")
	}
}

// profilesText writes several subjects side by side.
func profilesText(p *page, r *conformance.Profiles) {
	head, rows, others := profilesTable(r)
	if len(rows) > 0 {
		profilesColumns(p, slices.Concat([][]string{head}, rows))
		p.text("", "", dim, profilesLegend)
	}
	p.text("", "", plain, profilesOthers(others))
	p.line()
	head, rows = profilesDistances(r)
	scanTable(p, head, rows)
	p.text("", "", dim, profilesDistanceNote)
	for i := range r.Subjects {
		for _, line := range profileAsides(&r.Subjects[i]) {
			p.text("", "  ", yellow, r.Subjects[i].Name+": "+line)
		}
	}
}

// profilesColumns writes the table of choices, in as many blocks of columns as
// the page needs.
func profilesColumns(p *page, rows [][]string) {
	widths := columnWidths(rows)
	for from := 1; from < len(widths); {
		used, to := widths[0], from
		for to < len(widths) && (to == from || used+len(gap)+widths[to] <= p.width) {
			used += len(gap) + widths[to]
			to++
		}
		for i, row := range rows {
			st := plain
			if i == 0 {
				st = bold
			}
			line := pad(row[0], widths[0])
			for column := from; column < to; column++ {
				line += gap + pad(row[column], widths[column])
			}
			p.line(st.of(line))
		}
		p.line()
		from = to
	}
}
