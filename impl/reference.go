package impl

import (
	"fmt"

	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/impl/reference/reading"
	"github.com/repcheck/repcheck/spec"
)

// ReferenceName is the name of the reference among the subjects.
const ReferenceName = "reference"

// Reference returns the reference under the named interpretation as a subject, or
// an error that lists the valid names.
func Reference(interpretation string, opts InProcessOptions) (Subject, error) {
	in, err := reference.Named(interpretation)
	if err != nil {
		return nil, err
	}
	return referenceSubject(ReferenceName, interpretation, in, opts), nil
}

func referenceSubject(name, version string, in reference.Interpretation, opts InProcessOptions) Subject {
	info := spec.SubjectInfo{
		Name: name, Version: version, Language: "go",
		Package: "github.com/repcheck/repcheck/impl/reference", Features: []string{"line"},
	}
	return InProcess(info, ParseReference(reference.New(in)), opts)
}

// ParseReference returns a reference parser in the form that [InProcess] takes.
func ParseReference(parser *reference.Parser) Parse {
	return func(robots []byte) (func(agent, url string) spec.Answer, error) {
		file := parser.Parse(robots)
		if why := file.Refused(); why != "" {
			return nil, fmt.Errorf("the file is refused: %s", why)
		}
		m := referenceMatcher{file: file}
		return m.ask, nil
	}
}

// A referenceMatcher answers the queries about one file. It keeps the rules for
// the crawler of the last query.
type referenceMatcher struct {
	file  *reference.File
	rules *reference.Rules
	agent string
}

func (m *referenceMatcher) ask(agent, url string) spec.Answer {
	if m.rules == nil || agent != m.agent {
		m.rules, m.agent = m.file.Rules(agent), agent
	}
	return answer(m.rules.Test(url))
}

func answer(d reference.Decision) spec.Answer {
	a := spec.Answer{Verdict: reading.VerdictOf(d)}
	if d.Rule != nil {
		a.Line, a.Pattern = d.Rule.Line(), d.Rule.Value()
	}
	return a
}
