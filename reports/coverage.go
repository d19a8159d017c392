package reports

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
)

const (
	// thinKills is the largest number of failing cases with which a mutant is
	// shown without Verbose. If one of so few cases were lost, the mutant might
	// survive.
	thinKills = 1
	// firstCases is the number of cases shown for each mutant that they fail.
	firstCases = 3
)

// Coverage reports how thorough the cases are: the requirements by document, the
// mutants with the cases that fail them, and the gaps. If verbose, it shows every
// requirement and mutant; otherwise only those with a gap or with very few cases.
func Coverage(r *conformance.CoverageResult, o Options) doc.Document {
	problems := r.Problems()
	report := doc.Document{summary(coverageVerdict(problems), len(problems) > 0), doc.Para{Text: tone(doc.Strong, coverageHeading(r))}}
	report = append(report, documentsReport(r)...)
	report = append(report, requirementsReport(r, problems, o)...)
	report = append(report, mutantsReport(r, o)...)
	report = append(report, nullsReport(r)...)
	var gaps []doc.Item
	for _, problem := range problems {
		gaps = append(gaps, doc.Item{Text: doc.T("%s %s", problem.Kind, problem)})
	}
	return append(report, titled("Gaps", gaps)...)
}

// CoverageData returns the whole result together with the gaps, for JSON.
func CoverageData(r *conformance.CoverageResult) any {
	return struct {
		*conformance.CoverageResult
		Problems []conformance.CoverageProblem `json:"problems"`
	}{r, r.Problems()}
}

func coverageHeading(r *conformance.CoverageResult) string {
	return fmt.Sprintf("%s: %s and %s on %s of set %s, %.2f s", tool(r.Version), count(len(r.Mutants), "mutant"),
		count(len(r.Nulls), "null model"), count(len(r.Cases), "judging case"), r.CaseSet, r.Elapsed.Seconds())
}

func coverageVerdict(problems []conformance.CoverageProblem) string {
	if len(problems) == 0 {
		return "ok: no mutant survives, no case is vacuous, and each testable requirement is tested both ways"
	}
	var kinds []string
	for _, k := range []struct{ kind, noun string }{
		{"survivor", "surviving mutant"}, {"vacuous", "vacuous case"}, {"untested", "untested requirement"}, {"one-sided", "one-sided requirement"},
	} {
		n := 0
		for _, p := range problems {
			if p.Kind == k.kind {
				n++
			}
		}
		if n > 0 {
			kinds = append(kinds, count(n, k.noun))
		}
	}
	return "gaps: " + strings.Join(kinds, ", ")
}

// table returns a table with a heading and a note. Without rows it returns only
// those two.
func table(title string, t doc.Table, note string) doc.Document {
	report := doc.Document{section(title)}
	if len(t.Rows) > 0 {
		report = append(report, t)
	}
	return append(report, paras(doc.Faint, note)...)
}

// documentsReport counts the requirements of each document.
func documentsReport(r *conformance.CoverageResult) doc.Document {
	var documents []string
	counts := map[string]*[5]int{}
	for i := range r.Requirements {
		q := &r.Requirements[i]
		if counts[q.Document] == nil {
			documents, counts[q.Document] = append(documents, q.Document), new([5]int)
		}
		n := counts[q.Document]
		n[0]++
		switch {
		case q.Untested != "":
			n[4]++
		case q.Tested():
			n[1]++
		case len(q.Judging)+len(q.Classifying) > 0:
			n[2]++
		default:
			n[3]++
		}
	}
	t := doc.Table{Columns: columns(1, "document", "requirements", "both ways", "one-sided", "without case", "not testable")}
	for _, name := range documents {
		cells := []string{name}
		for _, n := range counts[name] {
			cells = append(cells, strconv.Itoa(n))
		}
		t.Rows = append(t.Rows, row(cells...))
	}
	return table("Documents", t, "")
}

// requirementsReport shows the requirements with a gap, or all.
func requirementsReport(r *conformance.CoverageResult, problems []conformance.CoverageProblem, o Options) doc.Document {
	gaps := map[string]string{}
	for _, p := range problems {
		gaps[p.ID] = p.Kind
	}
	t := doc.Table{Columns: wide(columns(2, "requirement", "level", "judging", "open", "allow", "disallow", "mutants", "remark"))}
	for i := range r.Requirements {
		q := &r.Requirements[i]
		if gaps[q.ID] == "" && !o.Verbose {
			continue
		}
		t.Rows = append(t.Rows, row(q.ID, string(q.Level), strconv.Itoa(len(q.Judging)), strconv.Itoa(len(q.Classifying)),
			strconv.Itoa(q.Allows), strconv.Itoa(q.Disallows), strconv.Itoa(len(q.Mutants)), cmp.Or(gaps[q.ID], q.Untested)))
	}
	note := "Judging and open (classifying) cases rest on it; allow and disallow are the verdicts they ask for; mutants fail the judging ones."
	if len(t.Rows) == 0 {
		note = "No requirement has a gap."
	}
	return table("Requirements", t, note)
}

// mutantsReport shows the mutants that very few cases fail, or all mutants.
func mutantsReport(r *conformance.CoverageResult, o Options) doc.Document {
	t := doc.Table{Columns: wide(columns(2, "mutant", "breaks", "cases", "first of them"))}
	t.Columns[3].Wrap = false
	for i := range r.Mutants {
		m := &r.Mutants[i]
		if m.Kills > thinKills && !o.Verbose {
			continue
		}
		first := strings.Join(m.Cases[:min(len(m.Cases), firstCases)], ", ")
		t.Rows = append(t.Rows, row(m.ID, m.Breaks, strconv.Itoa(m.Kills), cmp.Or(first, "none: it survives")))
	}
	note := ""
	if rest := len(r.Mutants) - len(t.Rows); rest > 0 {
		note = "Not shown: " + count(rest, "mutant") + " that two cases fail or more."
	}
	return table("Mutants", t, note)
}

func nullsReport(r *conformance.CoverageResult) doc.Document {
	t := doc.Table{Columns: wide(columns(1, "model", "cases", "means"))}
	for i := range r.Nulls {
		n := &r.Nulls[i]
		t.Rows = append(t.Rows, row(n.ID, strconv.Itoa(n.Kills), n.Means))
	}
	return table("Null models", t, "Cases are those that fail it.")
}

// wide lets the last column fill the remaining width with text.
func wide(columns []doc.Column) []doc.Column {
	last := &columns[len(columns)-1]
	last.Right, last.Rest, last.Wrap = false, true, true
	return columns
}
