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
		line := s.Name + " was lost"
		if n := s.Checks[conformance.Broken]; n > 0 {
			line += fmt.Sprintf(" (%s without an answer)", countOf(int64(n), "query", "queries"))
		}
		out = append(out, remark{line + ": " + s.Lost, true})
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

// textsOf returns the remarks on lost subjects, or those on faults.
func textsOf(remarks []remark, lost bool) []string {
	var out []string
	for _, remark := range remarks {
		if remark.lost == lost {
			out = append(out, remark.text)
		}
	}
	return out
}

// faultsText writes what is wrong with adapters, and what else a reader should
// know of the run.
func faultsText(p *page, r *conformance.Result, verbose bool) {
	if faults := textsOf(remarks(r, verbose), false); len(faults) > 0 {
		p.line(bold.of("Adapter faults"))
		for _, fault := range faults {
			p.remark("  ", yellow, fault)
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
