package reports

import (
	"fmt"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
)

// fingerprintOf reports on one parser, in full or only the missed answers.
func fingerprintOf(r *conformance.Fingerprints, s *conformance.Fingerprint, full bool, o Options) doc.Document {
	d := doc.Document{section(strings.TrimSpace(s.Name + " " + s.Version))}
	if full {
		d = append(d, paras(doc.Plain, fingerprintSummary(r, s))...)
	}
	d = append(d, paras(doc.Warn, withoutVerdict(s.Verdicts, s.Lost)...)...)
	if full {
		d = append(d, deviations(s)...)
	}
	if o.Verbose || !reached(s.Held) {
		d = append(d, missed(s, full)...)
	}
	return d
}

// fingerprintSummary states the share of a parser's answers that is predicted.
func fingerprintSummary(r *conformance.Fingerprints, s *conformance.Fingerprint) string {
	if s.Held.Answered == 0 {
		return "It answered no query about the files that the search has not seen."
	}
	var kinds []string
	for i, k := range r.Sample {
		if k.HeldFiles > 0 {
			kinds = append(kinds, fmt.Sprintf("%s about %s files", share(s.Kinds[i]), k.Kind))
		}
	}
	line := fmt.Sprintf("The choices below predict %s of %s about files that the search has not seen (%s), and %s of those about files that it has. Nearest named interpretation: %s, which predicts %s.",
		share(s.Held), countOf(int64(s.Held.Answered), "answer", "answers"), strings.Join(kinds, ", "), share(s.Seen),
		s.Nearest, share(conformance.Predicted{Answered: s.Held.Answered, Predicted: s.NearestPredicted}))
	if s.AtRandom() {
		line += " That is hardly more than always answering the same: the choices describe nothing."
	}
	return line
}

// deviations shows the points at which a parser deviates from RFC 9309, and the
// evidence.
func deviations(s *conformance.Fingerprint) doc.Document {
	switch {
	case s.Held.Answered == 0:
		return nil
	case len(s.Deviations) == 0:
		return paras(doc.Plain, "It deviates from RFC 9309 at no point.")
	}
	t := doc.Table{Columns: columns(2, "point", "choice", "for", "against", "witness"), Keys: 2}
	t.Columns[4] = doc.Column{Head: "witness", Rest: true}
	for _, d := range s.Deviations {
		witness := "-"
		if d.Witness != nil {
			witness = sampled(d.Witness)
		}
		t.Rows = append(t.Rows, row(d.Point, d.Choice, thousands(int64(d.For)), thousands(int64(d.Against)), witness))
	}
	return append(doc.Document{t}, paras(doc.Faint, "For counts the answers in the searched half that are predicted because of the choice, against those that RFC 9309's choice would predict instead, with all other choices unchanged.")...)
}

// missed shows the groups of answers that are not predicted.
func missed(s *conformance.Fingerprint, all bool) doc.Document {
	if len(s.Missed) == 0 {
		return nil
	}
	d := doc.Document{doc.Heading{Level: 3, Text: tone(doc.Warn, fmt.Sprintf("What is missed: %s of %s", thousands(int64(len(s.Missed))), countOf(int64(s.Held.Answered), "answer", "answers")))}}
	var groups []doc.Item
	more := ""
	for i := range s.Gaps {
		if i == mostGaps && !all {
			more = "… and " + count(len(s.Gaps)-i, "more group") + ": --verbose shows all"
			break
		}
		groups = append(groups, gapItem(&s.Gaps[i], all))
	}
	return append(append(d, list(groups)...), paras(doc.Faint, more)...)
}

// gapItem shows a group of missed answers with its witnesses, or with the first
// witness.
func gapItem(g *conformance.Gap, all bool) doc.Item {
	item := doc.Item{}
	n := countOf(int64(g.Answers), "answer", "answers")
	if g.Point == "" {
		item.Text = tone(doc.Plain, n+" that no choice at one point gives")
	} else {
		item.Text = tone(doc.Plain, fmt.Sprintf("%s as if %s were %s", n, g.Point, g.Choice))
	}
	for k := range g.Witnesses {
		if k > 0 && !all {
			break
		}
		m := &g.Witnesses[k]
		item.Body = append(item.Body, paras(doc.Faint, fmt.Sprintf("%s, not %s: %s", m.Got, m.Predicted, sampled(&m.SampleQuestion)))...)
		if all && m.Robots != "" {
			item.Body = append(item.Body, doc.Code{Text: m.Robots})
		}
	}
	return item
}

// sampled names a query of the sample.
func sampled(q *conformance.SampleQuestion) string {
	name := q.File
	if len(name) == 64 && !strings.Contains(name, " ") { // the hash of a real file
		name = name[:12]
	}
	return q.Probe + " of " + q.Kind + " " + name
}
