package reports

import (
	"cmp"
	"fmt"
	"slices"
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
	var kinds tally
	gaps := map[string]string{}
	found := map[string]int{}
	var all []doc.Item
	for _, problem := range problems {
		gaps[problem.ID] = problem.Kind
		found[problem.Kind]++
		all = append(all, doc.Item{Text: doc.T("%s %s", problem.Kind, problem)})
	}
	kinds.add(found["survivor"], "surviving mutant", "surviving mutants")
	kinds.add(found["vacuous"], "vacuous case", "vacuous cases")
	kinds.add(found["untested"], "untested requirement", "untested requirements")
	kinds.add(found["one-sided"], "one-sided requirement", "one-sided requirements")
	verdict := "ok: no mutant survives, no case is vacuous, and each testable requirement is tested both ways"
	if len(problems) > 0 {
		verdict = "gaps: " + strings.Join(kinds, ", ")
	}
	heading := fmt.Sprintf("%s: %s and %s on %s of set %s, %.2f s", tool(r.Version), count(len(r.Mutants), "mutant"),
		count(len(r.Nulls), "null model"), count(len(r.Cases), "judging case"), r.CaseSet, r.Elapsed.Seconds())
	return slices.Concat(doc.Document{summary(verdict, len(problems) > 0)}, paras(doc.Strong, heading),
		documentsReport(r), requirementsReport(r, gaps, o), mutantsReport(r, o), nullsReport(r), titled("Gaps", all))
}

// CoverageData returns the whole result together with the gaps, for JSON.
func CoverageData(r *conformance.CoverageResult) any {
	return struct {
		*conformance.CoverageResult
		Problems []conformance.CoverageProblem `json:"problems"`
	}{r, r.Problems()}
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
		n := counts[q.Document]
		if n == nil {
			n = new([5]int)
			documents, counts[q.Document] = append(documents, q.Document), n
		}
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
		n := counts[name]
		t.Rows = append(t.Rows, row(name, n[0], n[1], n[2], n[3], n[4]))
	}
	return table("Documents", t, "")
}

// requirementsReport shows the requirements with a gap, or all. gaps holds the
// kind of the gap by requirement.
func requirementsReport(r *conformance.CoverageResult, gaps map[string]string, o Options) doc.Document {
	t := doc.Table{Columns: wide(columns(2, "requirement", "level", "judging", "open", "allow", "disallow", "mutants", "remark"))}
	for i := range r.Requirements {
		if q := &r.Requirements[i]; gaps[q.ID] != "" || o.Verbose {
			t.Rows = append(t.Rows, row(q.ID, q.Level, len(q.Judging), len(q.Classifying), q.Allows, q.Disallows, len(q.Mutants), cmp.Or(gaps[q.ID], q.Untested)))
		}
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
		if m := &r.Mutants[i]; m.Kills <= thinKills || o.Verbose {
			first := strings.Join(m.Cases[:min(len(m.Cases), firstCases)], ", ")
			t.Rows = append(t.Rows, row(m.ID, m.Breaks, m.Kills, cmp.Or(first, "none: it survives")))
		}
	}
	note := ""
	if rest := len(r.Mutants) - len(t.Rows); rest > 0 {
		note = "Not shown: " + count(rest, "mutant") + " that two cases fail or more."
	}
	return table("Mutants", t, note)
}

func nullsReport(r *conformance.CoverageResult) doc.Document {
	rows := rowsOf(r.Nulls, func(n conformance.MutantCoverage) doc.Row { return row(n.ID, n.Kills, n.Means) })
	return table("Null models", doc.Table{Columns: wide(columns(1, "model", "cases", "means")), Rows: rows}, "Cases are those that fail it.")
}
