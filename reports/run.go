package reports

import (
	"fmt"
	"slices"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
	"github.com/repcheck/repcheck/spec"
)

// mostFaults bounds the protocol errors shown for one subject. An adapter that
// breaks the protocol once tends to break it always, and repcheck check shows all
// errors.
const mostFaults = 5

// Run reports on a run of the suite. The news comes first: lost parsers,
// unexpected failures with their files, and fixed failures. Then come the known
// failures, the matrix of requirements and parsers, the choices that explain failures,
// the totals, and the verdict.
// The texts of requirements come from d, which may be nil.
//
// Unless o.Verbose is set, the report is short: it shows at most five unexpected
// and five fixed cases of each parser, one line about the known failures, and
// only the requirements that a parser fails.
func Run(r *conformance.Result, d *spec.Data, o Options) doc.Document {
	run := newDigest(r)
	var totals doc.Document
	if len(r.Subjects) > 0 {
		totals = slices.Concat(doc.Document{section("Totals")}, countsTable(r), levelsTable(r))
	}
	var faults []doc.Item
	for i := range r.Subjects {
		s := &r.Subjects[i]
		shown, more := first(s.Faults, mostFaults, o)
		for _, fault := range append(shown, more...) {
			faults = append(faults, remarkItem("", doc.Warn, s.Name+": "+fault))
		}
	}
	return slices.Concat(
		doc.Document{summary(run.verdict(), run.bad())}, paras(doc.Strong, run.heading()),
		run.news(d, o), run.matrix(d, o), run.causes(d, o), totals,
		titled("Adapter faults", faults), titled("Notes", items(doc.Plain, slices.Concat(r.Notes, run.asides()))))
}

// lostBecause says that a subject was lost and why; empty if it was not.
func lostBecause(s *conformance.SubjectResult) string {
	if s.Lost == "" {
		return ""
	}
	line := s.Name + " was lost"
	if n := s.Checks[conformance.Broken]; n > 0 {
		line += fmt.Sprintf(" (%s without an answer)", count(n, "query"))
	}
	return line + ": " + s.Lost
}

// remarks returns what is to be said about a subject as a whole: that it was lost,
// and how its adapter broke the protocol.
func remarks(s *conformance.SubjectResult) (lines []string) {
	if s.Lost != "" {
		lines = append(lines, lostBecause(s))
	}
	for _, fault := range s.Faults {
		lines = append(lines, s.Name+": "+fault)
	}
	return lines
}

func remarkItem(mark string, t doc.Tone, text string) doc.Item {
	first, rest := shownLines(text, t, 0)
	return doc.Item{Mark: mark, Text: first, Body: rest}
}

// news shows what a reader must see first, with one line about the known failures
// of each subject.
func (d *digest) news(data *spec.Data, o Options) doc.Document {
	var lost, known []doc.Item
	var unexpected, fixed doc.Document
	for i := range d.subjects {
		s := &d.subjects[i]
		if text := lostBecause(s.SubjectResult); text != "" {
			lost = append(lost, remarkItem("!", doc.Bad, text))
		}
		failed := s.unexpected
		if s.Lost != "" {
			failed = withoutBroken(failed)
		}
		unexpected = append(unexpected, failuresReport(inCases(count(countChecks(failed), "unexpected failure"), failed), failed, data, o)...)
		is := countOf(countChecks(s.fixed), "known failure is fixed", "known failures are fixed")
		fixed = append(fixed, failuresReport(inCases(is, s.fixed), s.fixed, data, o)...)
		if len(s.fixed) > 0 {
			fixed = append(fixed, firstItems("The baseline still lists what is fixed", problemItems(s.entries), mostFailures, o)...)
		}
		if len(s.known) > 0 {
			known = append(known, s.knownItem(o))
		}
	}
	return slices.Concat(titled("Lost", lost), unexpected, fixed,
		titled("Wrong entries of the baseline", problemItems(d.problems)), titled("Known failures", known))
}

func inCases(what string, failures []failure) string {
	return what + " in " + count(len(failures), "case")
}

// withoutBroken drops the queries without an answer. For a lost subject, one
// line reports all of them.
func withoutBroken(failures []failure) (answered []failure) {
	for _, f := range failures {
		for i := range f.checks {
			if f.checks[i].Status != conformance.Broken {
				answered = addCheck(answered, f.subject, f.c, &f.checks[i], f.excused)
			}
		}
	}
	return answered
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
func (s *subjectDigest) knownItem(o Options) doc.Item {
	head := s.Name + ": " + inCases(count(countChecks(s.known), "known failure"), s.known)
	if !o.Verbose {
		return doc.Item{Text: tone(doc.Warn, head+" (--verbose lists them)")}
	}
	var reasons []string // in order of appearance
	under := map[string][]doc.Item{}
	for i := range s.known {
		f := &s.known[i]
		for k := range f.checks {
			check := &f.checks[k]
			if under[check.Reason] == nil {
				reasons = append(reasons, check.Reason)
			}
			text := said(f.c.Level, check)
			if why := explainedBy(check, nil); why != "" {
				text += ", " + why
			}
			under[check.Reason] = append(under[check.Reason], checkLine(f.c, check, text))
		}
	}
	var all []doc.Item
	for _, reason := range reasons {
		all = append(all, doc.Item{Text: tone(doc.Warn, doc.Cut(doc.OneLine(reason), longestText)), Body: list(under[reason])})
	}
	return doc.Item{Text: tone(doc.Strong, head), Body: list(all)}
}
