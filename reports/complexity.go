package reports

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/repcheck/repcheck/fuzz/complexity"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

const (
	// leastFamilies is the number of families shown for each parser even if they
	// are not findings.
	leastFamilies = 3
	// widestParser is the width of a name in the table of parsers. It fits the
	// longest name that repcheck ships.
	widestParser = 36
	// mostEnd is the width of an answer that is not a verdict.
	mostEnd = 120
	// mostRule is the width above which a rule or URL is not shown.
	mostRule = 40

	complexityNote = "The time grows as n to the power of the exponent; – where too little of it could be measured. time, n and bytes are those of the largest query. > marks a query that had no answer in its time, and an exponent that follows from that. A finding (!) has such a query, or an exponent above 1.5 and a time of at least 0.030 s."
	commandNote    = "A command prints the smallest slow query, as lines that an adapter reads. With --impl and --family alone complexity measures one parser and family again."
)

// Complexity reports how the running time of each parser grows with the input. A
// table compares the parsers by their worst family; then each parser's findings
// follow, with the smallest slow query.
func Complexity(r *complexity.Result, o Options) doc.Document {
	findings := 0
	// The first table has a row for each parser with its worst family.
	t := doc.Table{Columns: columns(1, "parser", "findings", "worst family", "exponent", "time", "n", "bytes"), Keys: 1}
	t.Columns[0].Most, t.Columns[2].Right = widestParser, false
	var each doc.Document
	for i := range r.Subjects {
		s := &r.Subjects[i]
		n := len(s.Findings())
		findings += n
		worst := row("–", "–", "–", "–", "–")
		if curves := s.Worst(); len(curves) > 0 {
			worst = familyRow(curves[0], r.Stop)[1:]
		}
		t.Rows = append(t.Rows, append(doc.Row{tone(doc.Plain, s.Name), tone(findingTone(n > 0), strconv.Itoa(n))}, worst...))
		each = append(each, complexityOf(r, s, o)...)
	}
	d := doc.Document{title(fmt.Sprintf("Complexity: %s in %s of growing queries, %s, measured in %s", count(findings, "finding"),
		count(len(r.Families), "family"), count(len(r.Subjects), "parser"), duration(r.Elapsed))),
		note("A query had %s, a parser %s for all.", duration(r.Stop), duration(r.Budget))}
	if r.Interrupted {
		d = append(d, paras(doc.Warn, "Interrupted: this is what was finished by then.")...)
	}
	if len(r.Subjects) > 1 {
		d = append(d, t)
	}
	d = append(d, each...)
	if len(r.Subjects) > 0 {
		d = append(d, section("How to read this"), note(complexityNote), note(commandNote))
	}
	return d
}

func findingTone(finding bool) doc.Tone {
	if finding {
		return doc.Bad
	}
	return doc.Plain
}

// complexityOf reports on one parser.
func complexityOf(r *complexity.Result, s *complexity.Subject, o Options) doc.Document {
	families := count(len(s.Curves), "family")
	findings := s.Findings()
	outcome := fmt.Sprintf("%s in %s", count(len(findings), "finding"), families)
	switch {
	case len(s.Curves) == 0:
		outcome = "not measured"
	case len(findings) == 0:
		outcome = "no finding in " + families
	}
	d := doc.Document{section(strings.TrimSpace(s.Name+" "+s.Version) + ": " + outcome)}
	shown, more := first(s.Worst(), max(leastFamilies, len(findings)), o)
	if len(shown) > 0 {
		rows := rowsOf(shown, func(g *complexity.Curve) doc.Row { return familyRow(g, r.Stop) })
		d = append(d, doc.Table{Columns: columns(2, "", "family", "exponent", "time", "n", "bytes"), Keys: 2, Rows: rows})
	}
	d = append(d, paras(doc.Faint, more...)...)
	var all []doc.Item
	for _, g := range findings {
		all = append(all, doc.Item{Text: tone(doc.Bad, slowQuery(r, g)), Body: append(slowRule(g),
			doc.Code{Text: fmt.Sprintf("repcheck complexity --family %s --print-query %d", shellWord(g.Family), g.WitnessN), Shell: true})})
	}
	return append(d, list(append(all, items(doc.Warn, complexityRemarks(r, s))...))...)
}

// familyRow returns the row for a family of a parser: whether it is a finding,
// its name, exponent, time, n and bytes.
func familyRow(g *complexity.Curve, stop time.Duration) doc.Row {
	mark, exponent, took, n, bytes := "", "–", "–", "–", "–"
	if g.Finding() {
		mark = "!"
	}
	if least := g.AtLeast(stop); least > g.Exponent {
		exponent = fmt.Sprintf("> %.2f", least)
	} else if g.Fitted > 0 {
		exponent = fmt.Sprintf("%.2f", g.Exponent)
	}
	switch last := len(g.Timings) - 1; {
	case g.Stopped:
		took, n, bytes = "> "+inSeconds(stop), thousands(g.StoppedAt), thousands(g.StoppedOctets)
	case last >= 0:
		p := g.Timings[last]
		took, n, bytes = inSeconds(p.Time), thousands(p.N), thousands(p.Octets)
	}
	t := findingTone(g.Finding())
	return doc.Row{tone(t, mark), tone(t, g.Family), tone(t, exponent), tone(t, took), tone(t, n), tone(t, bytes)}
}

// inSeconds formats a time with the digits that are not noise.
func inSeconds(d time.Duration) string {
	if s := d.Seconds(); s < 10 {
		return fmt.Sprintf("%.3f s", s)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// slowQuery describes the witness of a finding.
func slowQuery(r *complexity.Result, g *complexity.Curve) string {
	about := g.Family
	for _, f := range r.Families {
		if f.Name == g.Family {
			about = f.About
		}
	}
	took := "no answer in " + inSeconds(r.Stop)
	for _, p := range g.Timings {
		if p.N == g.WitnessN {
			took = inSeconds(p.Time)
		}
	}
	return fmt.Sprintf("%s: n = %s; %s; %s", about, thousands(g.WitnessN), count(g.Witness.Octets(), "byte"), took)
}

// slowRule shows the single rule of the witness and its URL, if both are short.
func slowRule(g *complexity.Curve) doc.Document {
	robots := string(g.Witness.Robots)
	_, rule, ok := strings.Cut(robots, "\nDisallow: ")
	rule, rest, _ := strings.Cut(rule, "\n")
	if !ok || rest != "" || strings.Count(robots, "\n") != 2 || len(rule) > mostRule {
		return nil
	}
	return doc.Document{doc.Para{Text: doc.C("Disallow: "+spec.EncodeInline(rule)).And(doc.T(" against "),
		doc.C(doc.CutMiddle(spec.EncodeInline(g.Witness.URL), mostRule)))}}
}

// complexityRemarks returns remarks about a parser that its figures do not show.
func complexityRemarks(r *complexity.Result, s *complexity.Subject) []string {
	var lines, budget []string
	abandoned := 0
	for i := range s.Curves {
		g := &s.Curves[i]
		abandoned += g.Abandoned
		switch g.Ended {
		case complexity.EndedLargest, complexity.EndedSlow, complexity.EndedStopped:
		case complexity.EndedBudget:
			budget = append(budget, g.Family)
		default:
			at := "its smallest query"
			if last := len(g.Timings) - 1; last >= 0 {
				at = "n = " + thousands(2*g.Timings[last].N)
			}
			lines = append(lines, fmt.Sprintf("%s ends at %s: %s", g.Family, at, doc.Cut(doc.OneLine(g.Ended), mostEnd)))
		}
	}
	if len(budget) > 0 {
		lines = append(lines, "The time for all queries ran out in "+strings.Join(budget, ", ")+": use a larger --budget.")
	}
	if abandoned > 0 {
		lines = append(lines, count(abandoned, "call")+" never returned, and took time from what came after.")
	}
	if s.Lost != "" {
		lines = append(lines, fmt.Sprintf("lost, and not asked %s: %s", count(len(r.Families)-len(s.Curves), "family"), doc.Cut(doc.OneLine(s.Lost), mostEnd)))
	}
	return lines
}
