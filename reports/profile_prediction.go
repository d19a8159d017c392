package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
)

const (
	// explained is the percentage of held-out answers that the choices must
	// predict to describe a parser. Below it, the report shows the answers that
	// they miss.
	explained = 99
	// mostGaps bounds the groups of missed answers that are shown for each of
	// several parsers.
	mostGaps = 5
)

// predictions compares how much the choices of several parsers predict, and shows
// which parsers answer alike.
func predictions(r *conformance.Profiles, o Options) doc.Document {
	heads := []string{"parser", "held out"}
	for _, s := range r.Sources {
		if s.HeldFiles > 0 {
			heads = append(heads, s.Source.String())
		}
	}
	t := doc.Table{Columns: columns(1, append(heads, "topics", "no answer", "points", "nearest relative", "distance")...), Keys: 1}
	for _, s := range byShare(r) {
		p, style := s.Prediction, doc.Plain
		if !reached(p.Held) {
			style = doc.Warn
		}
		cells := doc.Row{tone(style, s.Name), tone(style, share(p.Held))}
		unanswered := -p.Held.Answered
		for i, source := range r.Sources {
			unanswered += source.HeldQueries
			if source.HeldFiles > 0 {
				cells = append(cells, tone(doc.Plain, share(p.Sources[i])))
			}
		}
		relative, distance := "-", "-"
		if s.Relative != "" {
			relative, distance = s.Relative, apart(s.RelativeDistance)
		}
		t.Rows = append(t.Rows, append(cells, row(share(p.TopicsPredicted()), thousands(int64(unanswered)), strconv.Itoa(asserted(s)), relative, distance)...))
	}
	d := doc.Document{section("What the choices predict"), t}
	d = append(d, paras(doc.Faint, "Held out: answers about files that the search did not use. Topics: answers about the cases of one section, over all sections, by a search without these that starts from the choices found with them. Queries without an answer count in no share.")...)
	d = append(d, paras(doc.Plain, predictedCount(r))...)
	return append(d, tree(r, o)...)
}

// asserted counts the deviations that are not refuted.
func asserted(s *conformance.SubjectProfile) (n int) {
	for _, d := range s.Deviations {
		if !d.Refuted {
			n++
		}
	}
	return n
}

// byShare returns the parsers sorted by the share of their held-out answers that
// is predicted.
func byShare(r *conformance.Profiles) []*conformance.SubjectProfile {
	all := make([]*conformance.SubjectProfile, len(r.Subjects))
	for i := range r.Subjects {
		all[i] = &r.Subjects[i]
	}
	slices.SortStableFunc(all, func(a, b *conformance.SubjectProfile) int {
		one, other := a.Prediction.Held, b.Prediction.Held
		return cmp.Compare(int64(other.Predicted)*int64(max(one.Answered, 1)), int64(one.Predicted)*int64(max(other.Answered, 1)))
	})
	return all
}

// predictedCount says how many of several parsers their choices describe.
func predictedCount(r *conformance.Profiles) string {
	held, topics := 0, 0
	for i := range r.Subjects {
		p := r.Subjects[i].Prediction
		if reached(p.Held) {
			held++
		}
		if reached(p.TopicsPredicted()) {
			topics++
		}
	}
	return fmt.Sprintf("Of %s, %d%% of the answers or more are predicted for %d about held-out files, and for %d about topics.", count(len(r.Subjects), "parser"), explained, held, topics)
}

// share formats a share in percent with two decimals, rounded down, so that
// 99.00% is never less than 99. It is "-" if there are no answers.
func share(p conformance.Predicted) string {
	if p.Answered == 0 {
		return "-"
	}
	n := int64(p.Predicted) * 10_000 / int64(p.Answered)
	return fmt.Sprintf("%d.%02d%%", n/100, n%100)
}

func reached(p conformance.Predicted) bool {
	return p.Answered > 0 && p.Predicted*100 >= p.Answered*explained
}

// apart formats a distance in percent.
func apart(d float64) string { return fmt.Sprintf("%.1f%%", 100*d) }

// predictionSummary states the share of a parser's answers that is predicted.
func predictionSummary(r *conformance.Profiles, p *conformance.Prediction) string {
	if p.Held.Answered == 0 {
		return "It answered no query about the files that the search has not seen."
	}
	var sources []string
	for i, s := range r.Sources {
		if s.HeldFiles > 0 {
			sources = append(sources, fmt.Sprintf("%s about %s files", share(p.Sources[i]), s.Source))
		}
	}
	line := fmt.Sprintf("They predict %s of %s about files that the search has not seen (%s), and %s of those about files that it has. A search without the cases of a section, which starts from these choices, predicts %s of the answers about them.",
		share(p.Held), countOf(int64(p.Held.Answered), "answer", "answers"), strings.Join(sources, ", "), share(p.Seen), share(p.TopicsPredicted()))
	if p.AtRandom() {
		line += " That is hardly more than always answering the same: the choices describe nothing."
	}
	return line
}

// evidence shows the points at which a parser deviates from RFC 9309 with the
// answers for and against, and the choices that were refuted.
func evidence(r *conformance.Profiles, s *conformance.SubjectProfile) doc.Document {
	if len(s.Deviations) == 0 {
		return nil
	}
	heads := []string{"", "point", "choice", "own cases"}
	for _, source := range r.Sources {
		heads = append(heads, source.Source.String())
	}
	t := doc.Table{Columns: append(columns(3, heads...), doc.Column{Head: "witness", Rest: true}), Keys: 3}
	refuted := ""
	for _, d := range s.Deviations {
		mark, style, witness := "", doc.Plain, "-"
		if d.Refuted {
			mark, style = "✗", doc.Warn
			refuted = " ✗ The parser does not make the choice: one kind of answers refutes it."
		}
		if d.Witness != nil {
			witness = sampled(d.Witness)
		}
		cells := doc.Row{tone(style, mark), tone(style, d.Point), tone(style, d.Choice), tone(style, fmt.Sprintf("%d:%d", d.Own.For, d.Own.Against))}
		for _, e := range d.Evidence {
			cells = append(cells, tone(style, fmt.Sprintf("%d:%d", e.For, e.Against)))
		}
		t.Rows = append(t.Rows, append(cells, tone(doc.Plain, witness)))
	}
	return append(doc.Document{section("Evidence for the deviations"), t}, paras(doc.Faint,
		"a:b counts the answers that are predicted because of the choice, and those that RFC 9309's choice would predict instead, with all other choices unchanged; own cases are those written for the point."+refuted)...)
}

// topicsTable shows what a search without the cases of a section predicts of them.
func topicsTable(p *conformance.Prediction) doc.Document {
	t := doc.Table{Columns: append(columns(1, "section", "answers", "predicted"), doc.Column{Head: "missed as if", Rest: true}), Keys: 1}
	for _, topic := range p.Topics {
		var gaps []string
		for _, g := range topic.Gaps {
			gaps = append(gaps, fmt.Sprintf("%s (%d)", gapName(&g), g.Answers))
		}
		t.Rows = append(t.Rows, row(topic.Section, thousands(int64(topic.Answered)), share(topic.Predicted), strings.Join(gaps, ", ")))
	}
	return doc.Document{doc.Heading{Level: 3, Text: doc.T("Answers about the cases of a section, predicted without these")}, t}
}

func gapName(g *conformance.Gap) string {
	if g.Point == "" {
		return "no choice at one point"
	}
	return g.Point + "=" + g.Choice
}

// missed shows the groups of held-out answers that are not predicted.
func missed(p *conformance.Prediction, all bool) doc.Document {
	if len(p.Missed) == 0 {
		return nil
	}
	d := doc.Document{doc.Heading{Level: 3, Text: tone(doc.Warn, fmt.Sprintf("What is missed: %s of %s", thousands(int64(len(p.Missed))), countOf(int64(p.Held.Answered), "answer", "answers")))}}
	var groups []doc.Item
	more := ""
	for i := range p.Gaps {
		if i == mostGaps && !all {
			more = "… and " + count(len(p.Gaps)-i, "more group") + ": --verbose shows all"
			break
		}
		groups = append(groups, gapItem(&p.Gaps[i], all))
	}
	return append(append(d, list(groups)...), paras(doc.Faint, more)...)
}

// gapItem shows a group of missed answers with its witnesses, or with the first
// witness.
func gapItem(g *conformance.Gap, all bool) doc.Item {
	item := doc.Item{Text: tone(doc.Plain, countOf(int64(g.Answers), "answer", "answers")+" as if "+gapName(g))}
	if g.Point == "" {
		item.Text = tone(doc.Plain, countOf(int64(g.Answers), "answer", "answers")+" that no choice at one point gives")
	}
	for k := range g.Witnesses {
		if k > 0 && !all {
			break
		}
		m := &g.Witnesses[k]
		item.Body = append(item.Body, paras(doc.Faint, fmt.Sprintf("%s, not %s: %s", m.Got, m.Predicted, sampled(&m.SampleQuery)))...)
		if all && m.Robots != "" {
			item.Body = append(item.Body, doc.Code{Text: m.Robots})
		}
	}
	return item
}

// sampled names a query of the files of a profile.
func sampled(q *conformance.SampleQuery) string {
	name := q.File
	if len(name) == 64 && !strings.Contains(name, " ") { // the hash of a real file
		name = name[:12]
	}
	return q.Probe + " of " + q.Source.String() + " " + name
}
