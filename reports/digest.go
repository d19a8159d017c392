package reports

import (
	"slices"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// A digest is a result with its totals and with the failures of every subject.
type digest struct {
	*conformance.Result
	// subjects are in the order of the result, at has their indices by name.
	subjects []subjectDigest
	at       map[string]int
	// problems are the baseline entries that are wrong for a reason other than a
	// fixed failure.
	problems []conformance.BaselineProblem
	// asked counts the cases that ran, and expectations those of these cases. The
	// other cases belong to other interpretations or to a later set, or were not
	// reached. classifying cases neither pass nor fail.
	asked, expectations, classifying int
	// counted and excused are the unexpected failures that count against the run,
	// and those below its level. unanswered queries are neither.
	counted, excused, unanswered int
	known, fixed                 int
	// slow counts the answers that came only at the second attempt.
	slow int
	lost int
}

// A subjectDigest holds the failures of one subject by kind. A case with
// expectations of several kinds is in several lists.
type subjectDigest struct {
	*conformance.SubjectResult
	unexpected, fixed, known []failure
	// entries are the baseline entries of the fixed failures.
	entries []conformance.BaselineProblem
}

func newDigest(r *conformance.Result) *digest {
	d := &digest{Result: r, subjects: make([]subjectDigest, len(r.Subjects)), at: map[string]int{}}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		d.subjects[i].SubjectResult, d.at[s.Name] = s, i
		if s.Lost != "" {
			d.lost++
		}
	}
	for i := range r.Cases {
		c, most := &r.Cases[i], 0
		for k := range c.Outcomes {
			if at, ok := d.at[c.Outcomes[k].Subject]; ok {
				d.add(&d.subjects[at], c, c.Outcomes[k].Checks)
			}
			most = max(most, len(c.Outcomes[k].Checks))
		}
		d.expectations += most
		d.asked += min(most, 1)
		if c.Point != "" {
			d.classifying++
		}
	}
	for _, problem := range r.Baseline {
		if at, ok := d.at[problem.Subject]; ok && d.subjects[at].fixes(&problem) {
			d.subjects[at].entries = append(d.subjects[at].entries, problem)
			d.fixed++
		} else {
			d.problems = append(d.problems, problem)
		}
	}
	return d
}

// add adds the checks of one case to the totals and to the failures of a subject.
func (d *digest) add(s *subjectDigest, c *conformance.CaseResult, checks []conformance.Check) {
	why := excused(c, d.FailOn)
	for i := range checks {
		check := &checks[i]
		if check.Got.Slow {
			d.slow++
		}
		switch {
		case check.Status >= conformance.Fail:
			switch {
			case check.Status == conformance.Broken:
				d.unanswered++
			case why == "":
				d.counted++
			default:
				d.excused++
			}
			s.unexpected = addCheck(s.unexpected, s.Name, c, check, why)
		case check.Status == conformance.Known:
			d.known++
			s.known = addCheck(s.known, s.Name, c, check, why)
		case check.Status == conformance.Pass && check.Baseline != "":
			s.fixed = addCheck(s.fixed, s.Name, c, check, why)
		}
	}
}

// addCheck adds a check to the failures of a subject, which are grouped by case.
func addCheck(all []failure, subject string, c *conformance.CaseResult, check *conformance.Check, excused string) []failure {
	if len(all) == 0 || all[len(all)-1].c.ID != c.ID {
		all = append(all, failure{subject: subject, c: c, excused: excused})
	}
	f := &all[len(all)-1]
	f.checks, f.status = append(f.checks, *check), max(f.status, check.Status)
	return all
}

// fixes reports whether the problem is a baseline entry whose failure was fixed.
func (s *subjectDigest) fixes(problem *conformance.BaselineProblem) bool {
	return slices.ContainsFunc(s.fixed, func(f failure) bool {
		return f.c.ID == problem.Case && slices.ContainsFunc(f.checks, func(c conformance.Check) bool {
			return spec.ProbeID(c.Probe) == problem.Expectation
		})
	})
}

// bad reports whether the run failed. It agrees with the exit code.
func (d *digest) bad() bool { return d.Failed() || d.lost > 0 }
