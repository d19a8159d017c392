package reports

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// mostChanges bounds how many changes of one kind are listed of a subject.
const mostChanges = 10

// CompareText writes a comparison for a terminal: what could not be compared,
// what broke with its file, what was fixed, what else changed, the numbers of
// each subject, and the verdict in the last line. Requirements' texts come from
// d, which may be nil.
func CompareText(w io.Writer, c *conformance.Comparison, d *spec.Data, o TextOptions) error {
	p := newPage(w, max(cmp.Or(o.Width, defaultWidth), leastWidth), o.Color)
	for _, line := range comparedHeading(c) {
		p.text("", "  ", bold, line)
	}
	p.line()
	missing := notCompared(c)
	for _, line := range missing {
		p.text("", "  ", yellow, line)
	}
	if len(missing) > 0 {
		p.line()
	}
	for i := range c.Subjects {
		if s := &c.Subjects[i]; len(s.Broke) > 0 {
			p.text("", "  ", bold, brokeTitle(s))
			p.line()
			failuresText(p, brokeFailures(c, s), d, cmp.Or(max(o.Failures, 0), defaultFailures), o.Verbose)
		}
	}
	for i := range c.Subjects {
		for _, l := range changeLists(c, &c.Subjects[i]) {
			p.text("", "  ", bold, l.title)
			for k, line := range l.lines {
				if k == mostChanges && !o.Verbose {
					p.line(plain.of(fmt.Sprintf("  … and %d more: --verbose shows all", len(l.lines)-k)))
					break
				}
				p.text("  ", "    ", plain, line)
			}
			p.line()
		}
	}
	changes := caseChanges(c)
	for _, l := range changes {
		line := l.title
		if o.Verbose {
			line += ": " + strings.Join(l.lines, ", ")
		}
		p.text("", "  ", plain, line)
	}
	if len(changes) > 0 {
		p.line()
	}
	t := comparedTable(c)
	t.text(p)
	p.text("", "  ", dim, t.note)
	p.line()
	st := green
	if c.Regressions() > 0 || len(c.Lost()) > 0 {
		st = red
	}
	p.text("", "  ", st, comparedVerdict(c))
	return p.close()
}

// comparedVerdict says in one line whether anything regressed.
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

// comparedHeading says what is compared.
func comparedHeading(c *conformance.Comparison) []string {
	of := func(name string, r *conformance.ComparedRun) string {
		line := name + ": "
		if r.File != "" {
			line += printable(r.File) + ", "
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
// timeouts, and what only one of the results has.
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
			why, _, _ := strings.Cut(run.Lost, "\n") // the stderr behind it is in the report of the run
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

// brokeFailures groups what broke by its case.
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

// A titled is a list of lines with a title.
type titled struct {
	title string
	lines []string
}

// changeLists are the changes of a subject that are not regressions, one line
// each.
func changeLists(c *conformance.Comparison, s *conformance.SubjectComparison) []titled {
	var lists []titled
	add := func(title string, changes []conformance.Change, answer func(*conformance.Change) string) {
		if len(changes) == 0 {
			return
		}
		l := titled{title: fmt.Sprintf("%s: %s", s.Name, title)}
		for i := range changes {
			change := &changes[i]
			l.lines = append(l.lines, fmt.Sprintf("%s, %s: %s", printable(change.Case.ID), cut(spec.ProbeID(change.New.Probe), defaultWidth), answer(change)))
		}
		lists = append(lists, l)
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
	return lists
}

// standing says what a changed verdict counts as.
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

// caseChanges are the cases that are not the same in both results.
func caseChanges(c *conformance.Comparison) []titled {
	var lists []titled
	for _, l := range []struct {
		ids       []string
		one, many string
	}{
		{c.AddedCases, "is in the new result only", "are in the new result only"},
		{c.RemovedCases, "is in the old result only", "are in the old result only"},
		{c.EditedCases, "was edited: its answers are not compared", "were edited: their answers are not compared"},
	} {
		if len(l.ids) > 0 {
			lists = append(lists, titled{agree(len(l.ids), "case", " "+l.one, " "+l.many), l.ids})
		}
	}
	return lists
}

// comparedTable counts the changes of each subject.
func comparedTable(c *conformance.Comparison) table {
	t := table{
		head: []string{"parser", "version", "compared", "broke", "fixed", "changed", "new failures"}, right: 2,
		note: "broke: fails now and did not before; fixed: failed before and passes now; changed: any other new verdict. A known failure counts as failing.",
	}
	for i := range c.Subjects {
		s := &c.Subjects[i]
		version := printable(s.New.Version)
		if s.Old.Version != s.New.Version {
			version = fmt.Sprintf("%s → %s", cmp.Or(printable(s.Old.Version), "?"), cmp.Or(version, "?"))
		}
		t.rows = append(t.rows, []string{
			printable(s.Name), version, strconv.Itoa(s.Compared), strconv.Itoa(len(s.Broke)), strconv.Itoa(len(s.Fixed)),
			strconv.Itoa(len(s.Changed)), strconv.Itoa(len(s.NewFailures)),
		})
	}
	return t
}
