package reports

import (
	"fmt"
	"slices"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// news holds the parts of a run that a reader must see first: lost subjects,
// unexpected failures, fixed failures, and other problems of the baseline. Known
// failures follow.
type news struct {
	lost []doc.Item
	// subjects are in the order of the result.
	subjects []subjectNews
	// problems are the baseline entries that are wrong for a reason other than a
	// fixed failure.
	problems []conformance.BaselineProblem
}

// subjectNews holds the failures of one subject by kind. A case with expectations
// of several kinds is in several lists.
type subjectNews struct {
	name                     string
	unexpected, fixed, known []failure
	// entries are the baseline entries of the fixed failures.
	entries []conformance.BaselineProblem
}

func newNews(r *conformance.Result) *news {
	n := &news{lost: remarkItems(remarks(r, false), true), subjects: make([]subjectNews, len(r.Subjects))}
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

// fixes reports whether the problem is a baseline entry whose failure was fixed.
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

// report shows the news, with one line about the known failures of each subject.
func (n *news) report(d *spec.Data, o Options) doc.Document {
	report := titled("Lost", n.lost)
	for i := range n.subjects {
		if s := &n.subjects[i]; len(s.unexpected) > 0 {
			report = append(report, failuresReport(s.unexpectedTitle(), s.unexpected, d, o)...)
		}
	}
	for i := range n.subjects {
		if s := &n.subjects[i]; len(s.fixed) > 0 {
			report = append(report, failuresReport(s.fixedTitle(), s.fixed, d, o)...)
			report = append(report, firstItems("The baseline still lists what is fixed", problemItems(s.entries), mostFailures, o.Verbose)...)
		}
	}
	report = append(report, titled("Wrong entries of the baseline", problemItems(n.problems))...)
	var known []doc.Item
	for i := range n.subjects {
		if s := &n.subjects[i]; len(s.known) > 0 {
			known = append(known, s.knownItem(o))
		}
	}
	return append(report, titled("Known failures", known)...)
}

// problemItems shows the wrong entries of the baseline.
func problemItems(problems []conformance.BaselineProblem) (all []doc.Item) {
	for _, problem := range problems {
		all = append(all, doc.Item{Text: doc.In(doc.Bad, "%s: %s", problem.Kind, problem)})
	}
	return all
}

// knownItem counts the known failures of a subject. If verbose, it lists each
// failure under its reason.
func (s *subjectNews) knownItem(o Options) doc.Item {
	if !o.Verbose {
		return doc.Item{Text: tone(doc.Warn, s.knownTitle()+" (--verbose lists them)")}
	}
	var reasons []doc.Item
	for _, reason := range s.reasons() {
		var all []doc.Item
		for k := range s.known {
			f := &s.known[k]
			for c := range f.checks {
				if check := &f.checks[c]; check.Reason == reason {
					all = append(all, doc.Item{Text: doc.T("%s, %s: %s", f.c.ID, doc.CutMiddle(spec.ProbeID(check.Probe), widestURL), said(f.c.Level, check))})
				}
			}
		}
		reasons = append(reasons, doc.Item{Text: tone(doc.Warn, doc.Cut(doc.OneLine(reason), longestText)), Body: list(all)})
	}
	return doc.Item{Text: tone(doc.Strong, s.knownTitle()), Body: list(reasons)}
}

// reasons returns the reasons of the known failures, in order of appearance.
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
