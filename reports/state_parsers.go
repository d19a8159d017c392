package reports

import (
	"cmp"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/reports/doc"
)

// mostStateWitness bounds the length, in characters, of a witness in one line.
const mostStateWitness = 90

// parserBehaviours lists the behaviours of each parser, and a witness of each behaviour.
func parserBehaviours(r *FindingsReport, all []behaviour) doc.Document {
	of, unexplained := map[string][]string{}, map[string]int{}
	witnesses := doc.Table{Columns: append(columns(1, "behaviour"), doc.Column{Head: "witness", Rest: true, Wrap: true}), Keys: 1}
	slices.SortStableFunc(all, func(a, b behaviour) int { return cmp.Compare(a.choice(), b.choice()) })
	for i := range all {
		b := &all[i]
		for _, parser := range b.parsers {
			of[parser] = append(of[parser], b.choice())
		}
		line := b.Agent + " " + b.URL + "  " + strings.ReplaceAll(strings.TrimSpace(b.Robots), "\n", " ⏎ ")
		witnesses.Rows = append(witnesses.Rows, []doc.Text{doc.T(b.choice()), doc.C(doc.CutMiddle(line, mostStateWitness))})
	}
	for i := range r.Clusters {
		if c := &r.Clusters[i]; c.Kind == fuzz.UnexplainedAnswer {
			for _, h := range c.Hits {
				unexplained[h.Subject]++
			}
		}
	}
	parsers := doc.Table{Columns: append(columns(1, "parser", "unexplained"), doc.Column{Head: "behaviours", Rest: true, Wrap: true}), Keys: 1}
	for _, a := range r.Asked {
		if len(of[a.Name]) > 0 || unexplained[a.Name] > 0 {
			parsers.Rows = append(parsers.Rows, append(row(a.Name, unexplained[a.Name]), doc.T(strings.Join(of[a.Name], ", "))))
		}
	}
	if len(parsers.Rows) == 0 {
		return nil
	}
	d := append(doc.Document{section("The behaviours of each parser"), parsers},
		paras(doc.Faint, "Unexplained counts the findings about the parser that no choice explains.")...)
	return append(d, section("A witness of each behaviour"), witnesses)
}
