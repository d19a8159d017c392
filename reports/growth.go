package reports

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/repcheck/repcheck/fuzz/complexity"
	"github.com/repcheck/repcheck/spec"
)

// GrowthJSON writes how the time of each subject grows, indented.
func GrowthJSON(w io.Writer, r *complexity.Result) error {
	return WriteJSON(w, r)
}

// growthHeading says what was measured.
func growthHeading(r *complexity.Result) string {
	findings := 0
	for i := range r.Subjects {
		findings += len(r.Subjects[i].Findings())
	}
	families := countOf(int64(len(r.Families)), "family", "families")
	return fmt.Sprintf("%s of growing questions, %s, %s in %s", families, count(len(r.Subjects), "subject"),
		count(findings, "finding"), scanTime(r.Elapsed))
}

// growthAsides say what a reader must know to judge the figures.
func growthAsides(r *complexity.Result) []string {
	lines := []string{fmt.Sprintf("A question had %s, a subject %s for all.", scanTime(r.Stop), scanTime(r.Budget))}
	if r.Interrupted {
		lines = append(lines, "Interrupted: this is what was finished by then.")
	}
	return lines
}

const (
	// growthNote explains the columns of growthRows.
	growthNote = "The time grows as n to the power of the exponent; – where too little of it could be measured. time, n and octets are those of the largest question. > marks a question that had no answer in its time, and an exponent that follows from that. A finding (!) has such a question, or an exponent above 1.5 and a time of at least 0.030 s."
	// growthCommandNote explains the commands.
	growthCommandNote = "A command prints the smallest slow question, as lines that an adapter reads. With --impl and --family alone complexity measures one subject and family again."

	// leastGrowths is how many families of a subject are shown even if they are
	// no findings.
	leastGrowths = 3
)

// growthSummary is the table of subjects: a heading, and a row for each with its
// worst family. It has no rows where there is one subject.
func growthSummary(r *complexity.Result) (head []string, rows [][]string) {
	if len(r.Subjects) < 2 {
		return nil, nil
	}
	head = []string{"subject", "findings", "worst family", "exponent", "time", "n", "octets"}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		row := []string{cutMiddle(printable(s.Name), widestSubject), strconv.Itoa(len(s.Findings()))}
		if worst := s.Worst(); len(worst) > 0 {
			rows = append(rows, append(row, growthRow(worst[0], r.Stop)[1:]...))
			continue
		}
		rows = append(rows, append(row, "–", "–", "–", "–", "–"))
	}
	return head, rows
}

// widestSubject is where the name of a subject is cut in growthSummary. There is
// room for the longest that comes along.
const widestSubject = 36

// growthTitle says who was measured, and what came of it.
func growthTitle(s *complexity.Subject) string {
	name := strings.TrimSpace(s.Name + " " + s.Version)
	if len(s.Curves) == 0 {
		return name + ": not measured"
	}
	if n := len(s.Findings()); n > 0 {
		return fmt.Sprintf("%s: %s in %s", name, count(n, "finding"), countOf(int64(len(s.Curves)), "family", "families"))
	}
	return fmt.Sprintf("%s: no finding in %s", name, countOf(int64(len(s.Curves)), "family", "families"))
}

// growthShown are the families of a subject that are shown: the findings and, if
// they are few, the worst of the others. The second result counts what is left.
func growthShown(s *complexity.Subject, all bool) ([]*complexity.Curve, int) {
	worst := s.Worst()
	shown := max(leastGrowths, len(s.Findings()))
	if all || shown > len(worst) {
		shown = len(worst)
	}
	return worst[:shown], len(worst) - shown
}

// growthHead is the heading of growthRow.
var growthHead = []string{"", "family", "exponent", "time", "n", "octets"}

// growthRow is a family of a subject in the columns of growthHead.
func growthRow(g *complexity.Curve, stop time.Duration) []string {
	row := []string{"", printable(g.Family), "–", "–", "–", "–"}
	if g.Finding() {
		row[0] = "!"
	}
	if least := g.AtLeast(stop); least > g.Exponent {
		row[2] = "> " + growthExponent(least)
	} else if g.Fitted > 0 {
		row[2] = growthExponent(g.Exponent)
	}
	switch last := len(g.Timings) - 1; {
	case g.Stopped:
		row[3], row[4] = "> "+growthTime(stop), thousands(int64(g.StoppedAt))
		row[5] = thousands(int64(g.StoppedOctets))
	case last >= 0:
		p := g.Timings[last]
		row[3], row[4], row[5] = growthTime(p.Time), thousands(int64(p.N)), thousands(int64(p.Octets))
	}
	return row
}

func growthExponent(k float64) string { return strconv.FormatFloat(k, 'f', 2, 64) }

// growthTime is a time in seconds, as far as it can be told apart from noise.
func growthTime(d time.Duration) string {
	if s := d.Seconds(); s < 10 {
		return strconv.FormatFloat(s, 'f', 3, 64) + " s"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

// growthWitness describes the witness of a finding.
func growthWitness(r *complexity.Result, g *complexity.Curve) string {
	about := g.Family
	for _, f := range r.Families {
		if f.Name == g.Family {
			about = f.About
		}
	}
	took := "no answer in " + growthTime(r.Stop)
	for _, p := range g.Timings {
		if p.N == g.WitnessN {
			took = growthTime(p.Time)
		}
	}
	return fmt.Sprintf("%s: n = %s; %s; %s", about, thousands(int64(g.WitnessN)),
		countOf(int64(g.Witness.Octets()), "octet", "octets"), took)
}

// growthCommand prints the witness.
func growthCommand(g *complexity.Curve) string {
	return fmt.Sprintf("repcheck complexity --family %s --print-query %d", shellWord(g.Family), g.WitnessN)
}

// growthRule is the one rule of the witness and its URL, where both are short.
func growthRule(g *complexity.Curve) string {
	const short = 40
	robots := string(g.Witness.Robots)
	_, rule, ok := strings.Cut(robots, "\nDisallow: ")
	rule, rest, _ := strings.Cut(rule, "\n")
	if !ok || rest != "" || strings.Count(robots, "\n") != 2 || len(rule) > short {
		return ""
	}
	return fmt.Sprintf("Disallow: %s against %s", spec.EncodeInline(rule), cutMiddle(spec.EncodeInline(g.Witness.URL), short))
}

// growthRemarks are what is to be said of a subject besides its figures.
func growthRemarks(r *complexity.Result, s *complexity.Subject) []string {
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
			lines = append(lines, fmt.Sprintf("%s ends at %s: %s", g.Family, growthReached(g), cut(oneLine(g.Ended), widestEnd)))
		}
	}
	if len(budget) > 0 {
		lines = append(lines, "The time for all questions ran out in "+strings.Join(budget, ", ")+": a larger --budget asks on.")
	}
	if abandoned > 0 {
		lines = append(lines, countOf(int64(abandoned), "call", "calls")+" never returned, and took time from what came after.")
	}
	if s.Lost != "" {
		lines = append(lines, fmt.Sprintf("lost, and not asked %s: %s", countOf(int64(len(r.Families)-len(s.Curves)), "family", "families"), cut(oneLine(s.Lost), widestEnd)))
	}
	return lines
}

// widestEnd is where what a subject said at the end is cut.
const widestEnd = 120

// growthReached is the size at which a family ended.
func growthReached(g *complexity.Curve) string {
	if len(g.Timings) == 0 {
		return "its smallest question"
	}
	return "n = " + thousands(int64(2*g.Timings[len(g.Timings)-1].N))
}
