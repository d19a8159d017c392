package reports

import (
	"fmt"

	"github.com/repcheck/repcheck/conformance"
)

// mends says, for each kind of baseline problem, what to do about it. The
// problem itself says so too where it knows better.
var mends = []struct{ kind, mend string }{
	{"stale", "repcheck run --baseline FILE --update-baseline takes out what passes now and enters new answers"},
	{"unmatched", "take the entry out, or give it the case's present ID and expectation"},
	{"expired", "mend the parser and take the entry out, or give it a later day"},
}

// mendsFor returns the mends of the kinds that the result has problems of.
func mendsFor(r *conformance.Result) []string {
	kinds := map[string]bool{}
	for _, problem := range r.Baseline {
		kinds[problem.Kind] = true
	}
	var lines []string
	for _, m := range mends {
		if kinds[m.kind] {
			lines = append(lines, m.kind+": "+m.mend)
		}
	}
	return lines
}

// mostFaults bounds the breaches of protocol shown of one subject: an adapter
// that breaks it once tends to break it always, and repcheck check shows all.
const mostFaults = 5

// A remark is something to know of a subject as a whole.
type remark struct {
	text string
	lost bool
}

// remarksOn says whether a subject was lost, and how its adapter broke the
// protocol.
func remarksOn(s *conformance.SubjectResult, all bool) []remark {
	var out []remark
	if s.Lost != "" {
		out = append(out, remark{s.Name + " was lost: " + s.Lost, true})
	}
	for i, fault := range s.Faults {
		if i == mostFaults && !all {
			return append(out, remark{text: fmt.Sprintf("%s: … and %s more", s.Name, count(len(s.Faults)-i, "fault"))})
		}
		out = append(out, remark{text: s.Name + ": " + fault})
	}
	return out
}

// remarks are those on all subjects.
func remarks(r *conformance.Result, all bool) []remark {
	var out []remark
	for i := range r.Subjects {
		out = append(out, remarksOn(&r.Subjects[i], all)...)
	}
	return out
}

// problemsText writes what is wrong beside the failures.
func problemsText(p *page, r *conformance.Result, verbose bool) {
	if remarks := remarks(r, verbose); len(remarks) > 0 {
		p.line(bold.of("Subjects"))
		for _, remark := range remarks {
			st := yellow
			if remark.lost {
				st = red
			}
			for i, line := range textLines(remark.text) {
				if i == 0 {
					p.text("  ", "  ", st, line)
				} else {
					p.line(dim.of("      " + line))
				}
			}
		}
		p.line()
	}
	if len(r.Baseline) > 0 {
		p.line(bold.of("Baseline"))
		for _, problem := range r.Baseline {
			p.text("  ", "    ", red, fmt.Sprintf("%s: %s", problem.Kind, problem))
		}
		for _, mend := range mendsFor(r) {
			p.text("  ", "    ", plain, "to mend what is "+mend)
		}
		p.line()
	}
	if len(r.Notes) > 0 {
		for _, note := range r.Notes {
			p.text("", "  ", plain, "note: "+note)
		}
		p.line()
	}
}
