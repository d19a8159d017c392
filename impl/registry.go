package impl

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/repcheck/repcheck/impl/goparsers"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// ReferenceName is the name of the reference among the subjects.
const ReferenceName = "reference"

// Reference returns the reference under the named interpretation as a subject,
// or an error that lists the names there are.
func Reference(interpretation string, timeout time.Duration) (Subject, error) {
	in, err := reference.Named(interpretation)
	if err != nil {
		return nil, err
	}
	info := spec.SubjectInfo{
		Name: ReferenceName, Version: interpretation, Language: "go",
		Package: "github.com/repcheck/repcheck/impl/reference", Features: []string{"line"},
	}
	return InProcess(info, ParseReference(reference.New(in)), InProcessOptions{Timeout: timeout}), nil
}

// ParseReference makes of a reference parser what InProcess takes.
func ParseReference(parser *reference.Parser) func(robots []byte) (func(agent, url string) spec.Answer, error) {
	return func(robots []byte) (func(agent, url string) spec.Answer, error) {
		file := parser.Parse(robots)
		if why := file.Refused(); why != "" {
			return nil, fmt.Errorf("the file is refused: %s", why)
		}
		m := referenceMatcher{file: file}
		return m.ask, nil
	}
}

// A referenceMatcher asks the reference about one file. The first question of
// a crawler is answered as it comes; only a second one is worth reading all of
// its rules.
type referenceMatcher struct {
	file  *reference.File
	rules *reference.Rules
	agent string
	asked bool
}

func (m *referenceMatcher) ask(agent, url string) spec.Answer {
	if !m.asked || agent != m.agent {
		m.rules, m.agent, m.asked = nil, agent, true
		return answer(m.file.Test(agent, url))
	}
	if m.rules == nil {
		m.rules = m.file.Rules(agent)
	}
	return answer(m.rules.Test(url))
}

func answer(d reference.Decision) spec.Answer {
	a := spec.Answer{Verdict: spec.Disallow}
	if d.Allow {
		a.Verdict = spec.Allow
	}
	if d.Rule != nil {
		a.Line, a.Pattern = d.Rule.Line(), d.Rule.Value()
	}
	return a
}

// Names returns the names of the in-process subjects, the reference first.
func Names() []string {
	names := []string{ReferenceName}
	for _, p := range goparsers.All() {
		names = append(names, p.Info.Name)
	}
	return names
}

// Open returns the in-process subjects of those names, in that order; all of
// them if names is empty. interpretation is the reference's. An unknown name
// is an error that lists the names there are.
func Open(names []string, interpretation string, timeout time.Duration) ([]Subject, error) {
	if len(names) == 0 {
		names = Names()
	}
	parsers := goparsers.All()
	var subjects []Subject
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		if name == ReferenceName {
			s, err := Reference(interpretation, timeout)
			if err != nil {
				return nil, err
			}
			subjects = append(subjects, s)
			continue
		}
		at := slices.IndexFunc(parsers, func(p goparsers.Parser) bool { return p.Info.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("no subject is named %q: there are %s; a parser of your own comes in with --adapter", name, strings.Join(Names(), ", "))
		}
		subjects = append(subjects, InProcess(parsers[at].Info, parsers[at].Parse, InProcessOptions{Timeout: timeout}))
	}
	return subjects, nil
}
