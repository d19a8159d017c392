package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// ProfileJSON writes all profiles, indented.
func ProfileJSON(w io.Writer, r *conformance.Profiles) error {
	return WriteJSON(w, r)
}

// profileHeading says what was asked.
func profileHeading(r *conformance.Profiles) string {
	asked := countOf(int64(r.Questions), "question", "questions") + " of " + countOf(int64(r.Cases), "case", "cases")
	if len(r.Subjects) != 1 {
		asked += " to each of " + count(len(r.Subjects), "subject")
	}
	return fmt.Sprintf("%s in %s, case set %s", asked, duration(r.Elapsed), r.CaseSet)
}

// profileSummary says how well the choices describe a subject.
func profileSummary(r *conformance.Profiles, s *conformance.SubjectProfile) string {
	return fmt.Sprintf("The choices below predict %s of its %s (%s%%). At %s of %s they are not those of rfc9309.",
		thousands(int64(s.Predicted)), countOf(int64(s.Asked), "answer", "answers"), percent(int64(s.Predicted), int64(s.Asked)),
		thousands(int64(deviating(r, s))), count(len(r.Points), "point"))
}

// deviating counts the points at which a subject deviates from rfc9309.
func deviating(r *conformance.Profiles, s *conformance.SubjectProfile) int {
	n := 0
	for i := range s.Points {
		if deviates(&r.Points[i], &s.Points[i]) {
			n++
		}
	}
	return n
}

// deviates reports whether the choice of rfc9309 is not among those that fit.
func deviates(p *conformance.ProfiledPoint, of *conformance.PointProfile) bool {
	return len(of.Choices) > 0 && !of.Takes(p.Named[spec.Interpretations[0]])
}

// profileAsides are what a reader must know beside the choices.
func profileAsides(s *conformance.SubjectProfile) []string {
	var lines []string
	for _, v := range []spec.Verdict{spec.Crash, spec.Timeout, spec.ProtocolError, spec.Reject, spec.Unsupported} {
		if n := s.Verdicts[v]; n > 0 {
			lines = append(lines, fmt.Sprintf("%s answered by %s.", agree(n, "question", " was", " were"), v))
		}
	}
	if s.Lost != "" {
		lines = append(lines, "Lost: "+s.Lost)
	}
	return lines
}

// profileFit is how many of the answers the choice gives; ! marks those that no
// choice gives all of.
func profileFit(of *conformance.PointProfile) string {
	switch {
	case len(of.Choices) == 0:
		return ""
	case of.Status == conformance.Inconsistent:
		return fmt.Sprintf("%d/%d !", of.Agree, of.Total)
	}
	return fmt.Sprintf("%d/%d", of.Agree, of.Total)
}

// profileOther is what an interpretation chooses where a subject does not; else
// it is empty.
func profileOther(p *conformance.ProfiledPoint, of *conformance.PointProfile, interpretation string) string {
	if named := p.Named[interpretation]; len(of.Choices) > 0 && !of.Takes(named) {
		return named
	}
	return ""
}

// beside are the interpretations whose other choices stand beside the
// subject's.
var beside = []string{"rfc9309", "google"}

const profileLegend = "≠ differs from rfc9309. Fit: how many of the answers that bear witness to the point the choice gives; ! no choice gives them all. " +
	"Of choices joined by \"or\" each gives the same answers."

// profileDistances is the table of named interpretations, with the subject's
// own choices on top.
func profileDistances(s *conformance.SubjectProfile) (head []string, rows [][]string) {
	head = []string{"interpretation", "same answers", "share", "points that differ"}
	line := func(name string, same, points int) {
		rows = append(rows, []string{name, thousands(int64(same)), percent(int64(same), int64(s.Asked)) + "%", fmt.Sprint(points)})
	}
	line("its own choices", s.Predicted, 0)
	for _, d := range s.Distances {
		line(d.Interpretation, d.Same, len(d.Points))
	}
	return head, rows
}

// nearest says at which points the nearest interpretation differs.
func nearest(s *conformance.SubjectProfile) string {
	if len(s.Distances) == 0 {
		return ""
	}
	d := &s.Distances[0]
	if len(d.Points) == 0 {
		return "Nearest is " + d.Interpretation + "."
	}
	return fmt.Sprintf("Nearest is %s, but for %s.", d.Interpretation, strings.Join(d.Points, ", "))
}

// A contradiction is a point at which a subject contradicts itself.
type contradiction struct {
	title string
	// witnesses are two, or one where no two contradict each other.
	witnesses []conformance.Witness
}

// contradictions are those of a subject, in the order of the points.
func contradictions(s *conformance.SubjectProfile) []contradiction {
	var all []contradiction
	for i := range s.Points {
		p := &s.Points[i]
		if p.Status != conformance.Inconsistent || len(p.Against) == 0 {
			continue
		}
		c := contradiction{witnesses: p.Against[:1]}
		if one, other, ok := p.Contradiction(); ok {
			c.witnesses = []conformance.Witness{one, other}
		}
		c.title = fmt.Sprintf("%s: %s gives %d of %s", p.Point, p, p.Agree, countOf(int64(p.Total), "answer", "answers"))
		all = append(all, c)
	}
	return all
}

// unexplainedTitle heads the answers that no choice gives.
func unexplainedTitle(s *conformance.SubjectProfile) string {
	return countOf(int64(len(s.Unexplained)), "answer that no choice explains", "answers that no choice explains") +
		": a defect, or a point nobody has described"
}

const (
	// shownWitnesses is how many unexplained answers are shown.
	shownWitnesses = 10
	// widestChoice is where the choices in a table of several subjects are
	// cut: two of the longer ones.
	widestChoice = 24
)

const profilesLegend = "· as rfc9309, or not told apart from it. | either. ! no choice gives all answers. – masked by what the subject does elsewhere. ? no answer."

// profileCell is what a subject chooses at a point, in a table of several.
func profileCell(p *conformance.ProfiledPoint, of *conformance.PointProfile) string {
	cell := "·"
	switch {
	case of.Status == conformance.Masked:
		return "–"
	case of.Status == conformance.Unanswered:
		return "?"
	case deviates(p, of):
		cell = cutMiddle(strings.Join(of.Choices, "|"), widestChoice)
	}
	if of.Status == conformance.Inconsistent {
		cell += " !"
	}
	return cell
}

// profilesTable is the table of points at which a subject deviates from
// rfc9309, and the points at which none does.
func profilesTable(r *conformance.Profiles) (head []string, rows [][]string, others []string) {
	head = []string{"point"}
	for i := range r.Subjects {
		head = append(head, cutMiddle(printable(r.Subjects[i].Name), widestName))
	}
	for i := range r.Points {
		p := &r.Points[i]
		row := []string{p.ID}
		any := false
		for k := range r.Subjects {
			of := &r.Subjects[k].Points[i]
			any = any || deviates(p, of)
			row = append(row, profileCell(p, of))
		}
		if any {
			rows = append(rows, row)
		} else {
			others = append(others, p.ID)
		}
	}
	return head, rows, others
}

// profilesOthers says at which points nobody deviates.
func profilesOthers(others []string) string {
	if len(others) == 0 {
		return ""
	}
	return "Nobody deviates from rfc9309 at " + strings.Join(others, ", ") + "."
}

const profilesDistanceNote = "Percent of the answers that the interpretation's reference gives too, and the number of points at which the subject chooses otherwise."

// profilesDistances is the table of named interpretations for several subjects.
func profilesDistances(r *conformance.Profiles) (head []string, rows [][]string) {
	head = []string{"interpretation"}
	own := []string{"its own choices"}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		head = append(head, cutMiddle(printable(s.Name), widestName))
		own = append(own, percent(int64(s.Predicted), int64(s.Asked))+"  0")
	}
	rows = append(rows, own)
	for _, name := range spec.Interpretations {
		row := []string{name}
		for i := range r.Subjects {
			s := &r.Subjects[i]
			cell := ""
			for _, d := range s.Distances {
				if d.Interpretation == name {
					cell = fmt.Sprintf("%s %2d", percent(int64(d.Same), int64(s.Asked)), len(d.Points))
				}
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return head, rows
}
