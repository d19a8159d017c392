package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
)

// mostWitnesses is the number of unexplained answers shown.
const mostWitnesses = 10

// beside are the interpretations whose choices are shown next to the parser's if
// they differ.
var beside = []string{"rfc9309", "google"}

// profileOf reports on one parser: its choices, its distance to the named
// interpretations, and the answers that no choice gives.
func profileOf(r *conformance.Profiles, s *conformance.SubjectProfile, o Options) doc.Document {
	deviating := 0
	for i := range s.Points {
		if deviates(&r.Points[i], &s.Points[i]) {
			deviating++
		}
	}
	d := doc.Document{section(strings.TrimSpace(s.Name + " " + s.Version))}
	d = append(d, paras(doc.Plain, fmt.Sprintf("The choices below predict %s of its %s (%s%%). At %s of %s they are not those of rfc9309.",
		thousands(int64(s.Predicted)), countOf(int64(s.Asked), "answer", "answers"), percent(int64(s.Predicted), int64(s.Asked)),
		thousands(int64(deviating)), count(len(r.Points), "point")))...)
	if s.Prediction != nil {
		d = append(d, paras(doc.Plain, predictionSummary(r, s.Prediction))...)
	}
	d = append(d, paras(doc.Warn, withoutVerdict(s.Verdicts, s.Lost)...)...)
	d = append(d, choicesTable(r, s))
	d = append(d, paras(doc.Faint, `≠ differs from rfc9309. Fit: how many of the answers that depend on the point the choice gives; ! no choice gives them all. Choices joined by "or" give the same answers.`)...)
	distances := doc.Table{Columns: columns(1, "interpretation", "same answers", "share", "points that differ")}
	line := func(name string, same, points int) {
		distances.Rows = append(distances.Rows, row(name, thousands(int64(same)), percent(int64(same), int64(s.Asked))+"%", strconv.Itoa(points)))
	}
	line("its own choices", s.Predicted, 0)
	nearest := ""
	for i, to := range s.Distances {
		line(to.Interpretation, to.Same, len(to.Points))
		switch {
		case i > 0:
		case len(to.Points) == 0:
			nearest = "The nearest is " + to.Interpretation + "."
		default:
			nearest = fmt.Sprintf("The nearest is %s, which differs at %s.", to.Interpretation, strings.Join(to.Points, ", "))
		}
	}
	d = append(append(d, distances), paras(doc.Plain, nearest)...)
	d = append(d, evidence(r, s)...)
	d = append(d, contradictions(s)...)
	d = append(d, unexplained(s, o)...)
	if p := s.Prediction; p != nil && p.Held.Answered > 0 {
		d = append(d, topicsTable(p)...)
		if o.Verbose || !reached(p.Held) {
			d = append(d, missed(p, true)...)
		}
	}
	return d
}

// choicesTable returns a table with a row for each point, stage by stage.
func choicesTable(r *conformance.Profiles, s *conformance.SubjectProfile) doc.Table {
	t := doc.Table{Columns: columns(9, append([]string{"", "point", "choice", "fit"}, beside...)...), Keys: 2}
	t.Columns[2].Rest = true
	stage := ""
	for i := range s.Points {
		p, of := &r.Points[i], &s.Points[i]
		if p.Stage != stage {
			stage = p.Stage
			t.Rows = append(t.Rows, row(stage))
		}
		mark, style, fit := "", doc.Plain, ""
		if deviates(p, of) {
			mark, style = "≠", doc.Warn
		}
		cells := doc.Row{tone(style, mark), tone(style, of.Point), tone(style, of.String())}
		if len(of.Choices) > 0 {
			fit = fmt.Sprintf("%d/%d", of.Agree, of.Total)
		}
		if of.Status == conformance.Inconsistent {
			fit, style = fit+" !", doc.Bad
		}
		cells = append(cells, tone(style, fit))
		for _, name := range beside {
			other := p.Named[name]
			if len(of.Choices) == 0 || of.Takes(other) {
				other = ""
			}
			cells = append(cells, tone(doc.Faint, other))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// contradictions shows the points at which a parser contradicts itself, each with
// two witnesses, or with one if no two contradict each other.
func contradictions(s *conformance.SubjectProfile) doc.Document {
	var all []doc.Item
	for i := range s.Points {
		p := &s.Points[i]
		if p.Status != conformance.Inconsistent || len(p.Against) == 0 {
			continue
		}
		witnesses := p.Against[:1]
		if one, other, ok := p.Contradiction(); ok {
			witnesses = []conformance.Witness{one, other}
		}
		all = append(all, doc.Item{
			Text: tone(doc.Warn, fmt.Sprintf("%s: %s gives %d of %s", p.Point, p, p.Agree, countOf(int64(p.Total), "answer", "answers"))),
			Body: doc.Document{witnessesTable(witnesses)},
		})
	}
	if all == nil {
		return nil
	}
	return doc.Document{section("Answers that no single choice gives"), doc.List{Items: all}}
}

// witnessesTable shows answers with the choices that give them, if there are any.
func witnessesTable(witnesses []conformance.Witness) doc.Table {
	t := doc.Table{Columns: columns(2, "answer", "case"), Keys: 2}
	fits := slices.ContainsFunc(witnesses, func(w conformance.Witness) bool { return len(w.Fits) > 0 })
	if fits {
		t.Columns = append(t.Columns, doc.Column{Head: "as with"})
	}
	t.Columns = append(t.Columns, doc.Column{Head: "query", Rest: true})
	for _, w := range witnesses {
		cells := row(string(w.Got), w.Case)
		if fits {
			cells = append(cells, tone(doc.Plain, strings.Join(w.Fits, " or ")))
		}
		t.Rows = append(t.Rows, append(cells, doc.C(w.Probe)))
	}
	return t
}

// unexplained shows the answers that no choice gives.
func unexplained(s *conformance.SubjectProfile, o Options) doc.Document {
	if len(s.Unexplained) == 0 {
		return nil
	}
	shown, more := s.Unexplained, ""
	if len(shown) > mostWitnesses && !o.Verbose {
		shown, more = shown[:mostWitnesses], "… and "+thousands(int64(len(shown)-mostWitnesses))+" more: --verbose shows all"
	}
	title := countOf(int64(len(s.Unexplained)), "answer that no choice explains", "answers that no choice explains") +
		": a bug, or an interpretation point not described yet"
	return append(doc.Document{section(title), witnessesTable(shown)}, paras(doc.Faint, more)...)
}
