package reports

import (
	"fmt"
	"slices"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// news is what a reader of a run has to see first: lost subjects, unexpected
// failures, fixed failures, and what else is wrong with the baseline. Known
// failures follow.
type news struct {
	lost []string
	// subjects are in the order of the result.
	subjects []subjectNews
	// problems are the baseline entries that are wrong for another reason than
	// a fixed failure.
	problems []conformance.BaselineProblem
}

// subjectNews holds the failures of one subject by kind. A case whose
// expectations are of several kinds is in several lists.
type subjectNews struct {
	name                     string
	unexpected, fixed, known []failure
	// entries are the baseline entries of the fixed failures.
	entries []conformance.BaselineProblem
}

func newNews(r *conformance.Result) *news {
	n := &news{lost: textsOf(remarks(r, false), true), subjects: make([]subjectNews, len(r.Subjects))}
	failing, passing, listed := unexpected(r), fixedFailures(r), knownFailures(r)
	for i := range r.Subjects {
		s := &r.Subjects[i]
		if s.Lost != "" {
			failing[i] = withoutBroken(failing[i])
		}
		n.subjects[i] = subjectNews{name: s.Name, unexpected: failing[i], fixed: passing[i], known: listed[i]}
	}
	at := subjectIndex(r)
	for _, problem := range r.Baseline {
		k, ok := at[problem.Subject]
		if ok && n.subjects[k].fixes(&problem) {
			n.subjects[k].entries = append(n.subjects[k].entries, problem)
		} else {
			n.problems = append(n.problems, problem)
		}
	}
	return n
}

// withoutBroken drops the queries without an answer. For a lost subject, one
// line reports all of them.
func withoutBroken(failures []failure) []failure {
	for i := range failures {
		f := &failures[i]
		f.checks = slices.DeleteFunc(f.checks, func(c conformance.Check) bool { return c.Status == conformance.Broken })
		f.status = conformance.Fail
	}
	return slices.DeleteFunc(failures, func(f failure) bool { return len(f.checks) == 0 })
}

// fixes reports whether the problem is an entry whose failure was fixed.
func (s *subjectNews) fixes(problem *conformance.BaselineProblem) bool {
	return slices.ContainsFunc(s.fixed, func(f failure) bool {
		return f.c.ID == problem.Case && slices.ContainsFunc(f.checks, func(c conformance.Check) bool {
			return spec.ProbeID(c.Probe) == problem.Expectation
		})
	})
}

// unexpectedTitle, fixedTitle and knownTitle head the failures of a subject.
func (s *subjectNews) unexpectedTitle() string {
	return fmt.Sprintf("%s: %s in %s", s.name, count(countChecks(s.unexpected), "unexpected failure"), count(len(s.unexpected), "case"))
}

func (s *subjectNews) fixedTitle() string {
	return fmt.Sprintf("%s: %s in %s", s.name, agree(countChecks(s.fixed), "known failure", " is fixed", " are fixed"), count(len(s.fixed), "case"))
}

func (s *subjectNews) knownTitle() string {
	return fmt.Sprintf("%s: %s in %s", s.name, count(countChecks(s.known), "known failure"), count(len(s.known), "case"))
}

// newsText writes the news, and a line about the known failures of each subject.
func newsText(p *page, n *news, d *spec.Data, most int, verbose bool) {
	for _, line := range n.lost {
		p.remark("", red, line)
	}
	if len(n.lost) > 0 {
		p.line()
	}
	for i := range n.subjects {
		if s := &n.subjects[i]; len(s.unexpected) > 0 {
			p.text("", "  ", bold, s.unexpectedTitle())
			p.line()
			failuresText(p, s.unexpected, d, most, verbose)
		}
	}
	for i := range n.subjects {
		if s := &n.subjects[i]; len(s.fixed) > 0 {
			p.text("", "  ", bold, s.fixedTitle())
			p.line()
			failuresText(p, s.fixed, d, most, verbose)
			problemsText(p, "The baseline still lists what is fixed", s.entries, most, verbose)
		}
	}
	problemsText(p, "Wrong entries of the baseline", n.problems, len(n.problems), verbose)
	knownText(p, n, verbose)
}

// problemsText writes the entries of the baseline that are wrong, or the first
// of them.
func problemsText(p *page, title string, problems []conformance.BaselineProblem, most int, verbose bool) {
	if len(problems) == 0 {
		return
	}
	p.line(bold.of(title))
	for i, problem := range problems {
		if i == most && !verbose {
			p.line(plain.of(fmt.Sprintf("  … and %d more: --verbose shows all", len(problems)-i)))
			break
		}
		p.text("  ", "    ", red, fmt.Sprintf("%s: %s", problem.Kind, problem))
	}
	p.line()
}

// knownText writes a line for each subject with known failures, or, if verbose,
// every known failure under its reason.
func knownText(p *page, n *news, verbose bool) {
	any := false
	for i := range n.subjects {
		s := &n.subjects[i]
		if len(s.known) == 0 {
			continue
		}
		any = true
		if !verbose {
			p.text("", "  ", yellow, s.knownTitle()+" (--verbose lists them)")
			continue
		}
		p.text("", "  ", bold, s.knownTitle())
		for _, reason := range s.reasons() {
			p.text("  ", "  ", yellow, reason)
			for k := range s.known {
				f := &s.known[k]
				for c := range f.checks {
					if check := &f.checks[c]; check.Reason == reason {
						p.text("    ", "  ", plain, fmt.Sprintf("%s, %s: %s", f.c.ID, cutMiddle(spec.ProbeID(check.Probe), p.width/2), said(f.c.Level, check)))
					}
				}
			}
		}
	}
	if any {
		p.line()
	}
}

// reasons are those of the known failures, in the order in which they appear.
func (s *subjectNews) reasons() []string {
	var reasons []string
	for i := range s.known {
		for _, check := range s.known[i].checks {
			if !slices.Contains(reasons, check.Reason) {
				reasons = append(reasons, check.Reason)
			}
		}
	}
	return reasons
}
