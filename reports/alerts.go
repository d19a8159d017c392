package reports

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/reports/doc"
)

// Locations select the file in which a failure is shown.
type Locations struct {
	// Robots is a folder, relative to the root of the repository, that contains
	// the file of each case as ID.txt. A failure is then located in that file, at
	// the deciding line. If Robots is "", a failure is located where the case is
	// defined.
	Robots string
}

// of returns the file and the line of a failure.
func (l Locations) of(f *failure) (file string, line int) {
	if l.Robots == "" {
		return position(f.c.Pos)
	}
	if f.c.Transform == "" { // otherwise it is a line of the changed file
		line = cmp.Or(f.deciding()...)
	}
	id := strings.TrimSuffix(f.c.ID, "+"+f.c.Transform)
	return path.Join(filepath.ToSlash(l.Robots), id) + ".txt", max(1, line)
}

// position splits "file:line". The line is 1 if there is none.
func position(pos string) (file string, line int) {
	if i := strings.LastIndexByte(pos, ':'); i >= 0 {
		if n, err := strconv.Atoi(pos[i+1:]); err == nil {
			return pos[:i], max(1, n)
		}
	}
	return pos, 1
}

// An alert is an unexpected failure or a wrong entry of the baseline, as SARIF and
// GitHub show it.
type alert struct {
	// rule is the ID of the case, or the kind of the wrong entry. about describes
	// it, help is a command that says more, and tags are for search.
	rule, about, help string
	tags              []string
	// title and message say what is wrong, identity what must not change for two
	// alerts to be the same.
	subject, title, message string
	identity                []string
	file                    string
	line                    int
	// minor means that it does not count against the run.
	minor bool
}

// alerts returns the alerts of a result. Those that count against the run come
// first.
func alerts(r *conformance.Result, l Locations) []alert {
	var all, minor []alert
	for _, p := range r.Baseline {
		file, line := position(p.Pos)
		all = append(all, alert{
			rule: "baseline/" + p.Kind, about: "An entry of the baseline is " + p.Kind, help: "repcheck run --help", tags: []string{"baseline"},
			subject: p.Subject, title: p.Subject + ": baseline", message: p.Message, identity: []string{p.Kind, p.Subject, p.Case, p.Expectation}, file: file, line: line,
		})
	}
	for _, s := range newDigest(r).subjects {
		for i := range s.unexpected {
			f := &s.unexpected[i]
			file, line := l.of(f)
			a := alert{
				rule: f.c.ID, about: doc.OneLine(f.c.Rationale), help: f.explainCommand(), tags: slices.Concat([]string{cmp.Or(string(f.c.Level), "point")}, f.c.Requirements),
				subject: s.Name, title: f.title(), message: f.message(), identity: []string{s.Name, f.c.ID}, file: file, line: line, minor: f.excused != "",
			}
			if a.minor {
				minor = append(minor, a)
			} else {
				all = append(all, a)
			}
		}
	}
	return append(all, minor...)
}
