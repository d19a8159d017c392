package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// mostChanges bounds the changes of one kind that are listed for a subject.
const mostChanges = 10

const comparedNote = "broke: fails now and did not before; fixed: failed before and passes now; changed: any other new verdict. A known failure counts as failing."

// Compare reports the differences between two results: what could not be
// compared, each regression with its file, what was fixed, what else changed, the
// counts for each subject, and the verdict. The texts of requirements come from
// d, which may be nil.
func Compare(c *conformance.Comparison, d *spec.Data, o Options) doc.Document {
	var broke, changes doc.Document
	for i := range c.Subjects {
		s := &c.Subjects[i]
		broke = append(broke, failuresReport(count(len(s.Broke), "expectation")+" broke", brokeFailures(c, s), d, o)...)
		changes = append(changes, changesReport(c, s, o)...)
	}
	return slices.Concat(
		doc.Document{summary(comparedVerdict(c), c.Regressions() > 0 || len(c.Lost()) > 0)}, paras(doc.Strong, comparedHeading(c)...),
		titled("Not compared", items(doc.Warn, notCompared(c))), broke, changes, titled("Cases", items(doc.Plain, caseChanges(c, o))),
		doc.Document{section("Totals"), comparedTable(c), note(comparedNote)})
}

// comparedVerdict returns one line that says whether anything regressed.
func comparedVerdict(c *conformance.Comparison) string {
	var against tally
	against.add(c.Regressions(), "regression"+orAbove(c.FailOn), "regressions"+orAbove(c.FailOn))
	against.add(len(c.Lost()), "parser lost", "parsers lost")
	if len(against) > 0 {
		return "FAILED: " + strings.Join(against, ", ")
	}
	fixed := 0
	for i := range c.Subjects {
		fixed += len(c.Subjects[i].Fixed)
	}
	line := "ok: no regression" + orAbove(c.FailOn)
	if fixed > 0 {
		line += fmt.Sprintf("; %d fixed", fixed)
	}
	return line
}

// comparedHeading names the two results.
func comparedHeading(c *conformance.Comparison) []string {
	of := func(name string, r *conformance.ComparedRun) string {
		line := name + ": "
		if r.File != "" {
			line += r.File + ", "
		}
		line += fmt.Sprintf("repcheck %s, %s, %s of set %s", r.Version, minute(r.Started), count(r.Cases, "case"), r.CaseSet)
		if r.Set != "" {
			line += ", frozen set " + r.Set
		}
		return line
	}
	judged := "judged under " + c.Interpretation
	if len(c.Transforms) > 0 {
		judged += ", transformed by " + strings.Join(c.Transforms, ", ")
	}
	return []string{of("old", &c.Old), of("new", &c.New), judged}
}

// notCompared lists what could not be compared: the answers of lost subjects,
// timeouts, and anything that only one of the results contains.
func notCompared(c *conformance.Comparison) []string {
	var lines []string
	lost := func(subject, result string, run *conformance.SubjectRun) {
		if run.Lost == "" {
			return
		}
		why, _, _ := strings.Cut(run.Lost, "\n") // the stderr that follows is in the report of the run
		if run.Unanswered > 0 {
			why += fmt.Sprintf(" (%s without an answer, not compared)", count(run.Unanswered, "query"))
		}
		lines = append(lines, fmt.Sprintf("%s was lost in the %s result: %s", subject, result, why))
	}
	for i := range c.Subjects {
		s := &c.Subjects[i]
		lost(s.Name, "new", &s.New)
		lost(s.Name, "old", &s.Old)
		if s.Old.Timeouts+s.New.Timeouts > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s in the new result, %d in the old one: not compared", s.Name, count(s.New.Timeouts, "timeout"), s.Old.Timeouts))
		}
		if s.Unasked > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s asked in one of the results only: not compared", s.Name, countOf(s.Unasked, "expectation was", "expectations were")))
		}
	}
	if len(c.RemovedSubjects) > 0 {
		lines = append(lines, "only in the old result: "+strings.Join(c.RemovedSubjects, ", "))
	}
	if len(c.AddedSubjects) > 0 {
		lines = append(lines, "only in the new result: "+strings.Join(c.AddedSubjects, ", "))
	}
	return lines
}

// brokeFailures groups regressions by case.
func brokeFailures(c *conformance.Comparison, s *conformance.SubjectComparison) []failure {
	var failures []failure
	for _, change := range s.Broke {
		failures = addCheck(failures, s.Name, change.Case, change.New, excused(change.Case, c.FailOn))
		f := &failures[len(failures)-1]
		f.before, f.status = append(f.before, *change.Old), max(f.status, conformance.Fail)
	}
	return failures
}

// changesReport lists the changes of a subject that are not regressions.
func changesReport(c *conformance.Comparison, s *conformance.SubjectComparison, o Options) (report doc.Document) {
	add := func(title string, changes []conformance.Change, answer func(*conformance.Change) string) {
		var all []doc.Item
		for i := range changes {
			all = append(all, checkLine(changes[i].Case, changes[i].New, answer(&changes[i])))
		}
		report = append(report, firstItems(fmt.Sprintf("%s: %s", s.Name, title), all, mostChanges, o)...)
	}
	add(count(len(s.Fixed), "expectation")+" fixed", s.Fixed, func(change *conformance.Change) string {
		line := fmt.Sprintf("%s → %s", change.Old.Got.Verdict, change.New.Got.Verdict)
		if change.New.Baseline != "" {
			line += "; the baseline still lists it"
		}
		return line
	})
	add(count(len(s.Changed), "expectation")+" changed", s.Changed, func(change *conformance.Change) string {
		return fmt.Sprintf("%s → %s (%s)", change.Old.Got.Verdict, change.New.Got.Verdict, standings[change.New.Status])
	})
	add(count(len(s.NewFailures), "new failure")+" in added or edited cases", s.NewFailures, func(change *conformance.Change) string {
		kind := "added"
		if slices.Contains(c.EditedCases, change.Case.ID) {
			kind = "edited"
		}
		line := fmt.Sprintf("%s (%s)", said(change.Case.Level, change.New), kind)
		if listed := listedAs(change.New); listed != "" {
			line += "; " + listed
		}
		return line
	})
	return report
}

// standings are the words for statuses in a list of changes.
var standings = map[conformance.Status]string{
	conformance.NotScored:  "not scored",
	conformance.Pass:       "passes now",
	conformance.Classified: "an open point",
	conformance.Skipped:    "skipped now",
	conformance.Known:      "fails in both results",
	conformance.Fail:       "fails in both results",
	conformance.Broken:     "fails in both results",
}

// caseChanges counts the cases that differ between the results.
func caseChanges(c *conformance.Comparison, o Options) (lines []string) {
	add := func(ids []string, one, many string) {
		if len(ids) == 0 {
			return
		}
		line := countOf(len(ids), one, many)
		if o.Verbose {
			line += ": " + strings.Join(ids, ", ")
		}
		lines = append(lines, line)
	}
	add(c.AddedCases, "case is in the new result only", "cases are in the new result only")
	add(c.RemovedCases, "case is in the old result only", "cases are in the old result only")
	add(c.EditedCases, "case was edited: its answers are not compared", "cases were edited: their answers are not compared")
	return lines
}

// comparedTable counts the changes of each subject.
func comparedTable(c *conformance.Comparison) doc.Table {
	t := doc.Table{Columns: columns(2, "parser", "version", "compared", "broke", "fixed", "changed", "new failures")}
	t.Columns[1].Most = widestVersion
	for i := range c.Subjects {
		s := &c.Subjects[i]
		version := s.New.Version
		if s.Old.Version != s.New.Version {
			version = fmt.Sprintf("%s → %s", cmp.Or(s.Old.Version, "?"), cmp.Or(version, "?"))
		}
		t.Rows = append(t.Rows, row(s.Name, version, s.Compared, len(s.Broke), len(s.Fixed), len(s.Changed), len(s.NewFailures)))
	}
	return t
}
