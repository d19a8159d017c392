package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// mostChanges bounds the changes of one kind that are listed for a subject.
const mostChanges = 10

// Compare reports the differences between two results: what could not be
// compared, each regression with its file, what was fixed, what else changed, the
// counts for each subject, and the verdict. The texts of requirements come from
// d, which may be nil.
func Compare(c *conformance.Comparison, d *spec.Data, o Options) doc.Document {
	report := doc.Document{summary(comparedVerdict(c), c.Regressions() > 0 || len(c.Lost()) > 0)}
	report = append(report, paras(doc.Strong, comparedHeading(c)...)...)
	report = append(report, titled("Not compared", items(doc.Warn, notCompared(c)))...)
	for i := range c.Subjects {
		if s := &c.Subjects[i]; len(s.Broke) > 0 {
			report = append(report, failuresReport(brokeTitle(s), brokeFailures(c, s), d, o)...)
		}
	}
	for i := range c.Subjects {
		report = append(report, changesReport(c, &c.Subjects[i], o)...)
	}
	report = append(report, titled("Cases", caseChanges(c, o))...)
	return append(report, section("Totals"), comparedTable(c), doc.Para{Text: tone(doc.Faint, comparedNote)})
}

// comparedVerdict returns one line that says whether anything regressed.
func comparedVerdict(c *conformance.Comparison) string {
	var against []string
	if n := c.Regressions(); n > 0 {
		against = append(against, count(n, "regression")+orAbove(c.FailOn))
	}
	if lost := c.Lost(); len(lost) > 0 {
		against = append(against, count(len(lost), "parser")+" lost")
	}
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
	lines := []string{of("old", &c.Old), of("new", &c.New), "judged under " + c.Interpretation}
	if len(c.Transforms) > 0 {
		lines[2] += ", transformed by " + strings.Join(c.Transforms, ", ")
	}
	return lines
}

// notCompared lists what could not be compared: the answers of lost subjects,
// timeouts, and anything that only one of the results contains.
func notCompared(c *conformance.Comparison) []string {
	var lines []string
	for i := range c.Subjects {
		s := &c.Subjects[i]
		for _, run := range []struct {
			name string
			*conformance.SubjectRun
		}{{"new", &s.New}, {"old", &s.Old}} {
			if run.Lost == "" {
				continue
			}
			why, _, _ := strings.Cut(run.Lost, "\n") // the stderr that follows is in the report of the run
			line := fmt.Sprintf("%s was lost in the %s result: %s", s.Name, run.name, why)
			if run.Unanswered > 0 {
				line += fmt.Sprintf(" (%s without an answer, not compared)", countOf(int64(run.Unanswered), "query", "queries"))
			}
			lines = append(lines, line)
		}
		if s.Old.Timeouts+s.New.Timeouts > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s in the new result, %d in the old one: not compared", s.Name, count(s.New.Timeouts, "timeout"), s.Old.Timeouts))
		}
		if s.Unasked > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s asked in one of the results only: not compared", s.Name, agree(s.Unasked, "expectation", " was", " were")))
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

func brokeTitle(s *conformance.SubjectComparison) string {
	return fmt.Sprintf("%s: %s broke", s.Name, count(len(s.Broke), "expectation"))
}

// brokeFailures groups regressions by case.
func brokeFailures(c *conformance.Comparison, s *conformance.SubjectComparison) []failure {
	var failures []failure
	for _, change := range s.Broke {
		last := len(failures) - 1
		if last < 0 || failures[last].c.ID != change.Case.ID {
			failures = append(failures, failure{subject: s.Name, c: change.Case, excused: excused(change.Case, c.FailOn)})
			last++
		}
		f := &failures[last]
		f.checks, f.before = append(f.checks, *change.New), append(f.before, *change.Old)
		f.status = max(f.status, change.New.Status, conformance.Fail)
	}
	return failures
}

// changesReport lists the changes of a subject that are not regressions.
func changesReport(c *conformance.Comparison, s *conformance.SubjectComparison, o Options) (report doc.Document) {
	add := func(title string, changes []conformance.Change, answer func(*conformance.Change) string) {
		var all []doc.Item
		for i := range changes {
			change := &changes[i]
			all = append(all, doc.Item{Text: doc.T("%s, %s: %s", change.Case.ID, doc.CutMiddle(spec.ProbeID(change.New.Probe), widestURL), answer(change))})
		}
		report = append(report, firstItems(s.Name+": "+title, all, mostChanges, o.Verbose)...)
	}
	add(count(len(s.Fixed), "expectation")+" fixed", s.Fixed, func(change *conformance.Change) string {
		line := fmt.Sprintf("%s → %s", change.Old.Got.Verdict, change.New.Got.Verdict)
		if change.New.Baseline != "" {
			line += "; the baseline still lists it"
		}
		return line
	})
	add(count(len(s.Changed), "expectation")+" changed", s.Changed, func(change *conformance.Change) string {
		return fmt.Sprintf("%s → %s (%s)", change.Old.Got.Verdict, change.New.Got.Verdict, standing(change.New.Status))
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

// standing returns the word for a status in a list of changes.
func standing(status conformance.Status) string {
	switch {
	case status >= conformance.Known:
		return "fails in both results"
	case status == conformance.Skipped:
		return "skipped now"
	case status == conformance.Classified:
		return "an open point"
	case status == conformance.Pass:
		return "passes now"
	}
	return "not scored"
}

// caseChanges counts the cases that differ between the results.
func caseChanges(c *conformance.Comparison, o Options) (all []doc.Item) {
	for _, l := range []struct {
		ids       []string
		one, many string
	}{
		{c.AddedCases, "is in the new result only", "are in the new result only"},
		{c.RemovedCases, "is in the old result only", "are in the old result only"},
		{c.EditedCases, "was edited: its answers are not compared", "were edited: their answers are not compared"},
	} {
		if len(l.ids) == 0 {
			continue
		}
		line := agree(len(l.ids), "case", " "+l.one, " "+l.many)
		if o.Verbose {
			line += ": " + strings.Join(l.ids, ", ")
		}
		all = append(all, doc.Item{Text: tone(doc.Plain, line)})
	}
	return all
}

const comparedNote = "broke: fails now and did not before; fixed: failed before and passes now; changed: any other new verdict. A known failure counts as failing."

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
		t.Rows = append(t.Rows, row(s.Name, version, strconv.Itoa(s.Compared), strconv.Itoa(len(s.Broke)), strconv.Itoa(len(s.Fixed)),
			strconv.Itoa(len(s.Changed)), strconv.Itoa(len(s.NewFailures))))
	}
	return t
}
