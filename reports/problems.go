package reports

import (
	"fmt"

	"github.com/repcheck/repcheck/conformance"
)

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
			p.text("  ", "  ", st, remark.text)
		}
		p.line()
	}
	if len(r.Baseline) > 0 {
		p.line(bold.of("Baseline"))
		for _, problem := range r.Baseline {
			p.text("  ", "    ", red, fmt.Sprintf("%s: %s", problem.Kind, problem))
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
