package reports

import (
	"fmt"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
)

// mostFaults bounds the protocol errors shown for one subject. An adapter that
// breaks the protocol once tends to break it always, and repcheck check shows all
// errors.
const mostFaults = 5

// A remark is a note about a subject as a whole.
type remark struct {
	text string
	lost bool
}

// remarksOn returns remarks if a subject was lost or its adapter broke the
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

// remarks returns the remarks on all subjects.
func remarks(r *conformance.Result, all bool) []remark {
	var out []remark
	for i := range r.Subjects {
		out = append(out, remarksOn(&r.Subjects[i], all)...)
	}
	return out
}

// remarkItems shows the remarks on lost subjects, or those on faults.
func remarkItems(remarks []remark, lost bool) (all []doc.Item) {
	for _, remark := range remarks {
		if remark.lost != lost {
			continue
		}
		item := doc.Item{}
		if item.Text, item.Body = shownLines(remark.text, doc.Warn, 0); lost {
			item.Mark, item.Text[0].Tone = "!", doc.Bad
		}
		all = append(all, item)
	}
	return all
}
