package goparsers

import (
	"bytes"

	"github.com/slyrz/robots"

	"github.com/repcheck/repcheck/spec"
)

// slyrz reads a file for one agent; it is read again when the agent changes.
// It is asked for a path, here with its query, which its rules are compared
// with. It returns no errors: a line of 64 KiB or more silently ends the file,
// that being what bufio.Scanner does.
//
// It panics where a rule with two stars ends in "$" and the octets before the
// first star and after the last overlap in the path: rule "/a*b*a$", path "/a".
var slyrz = Parser{
	Info: spec.SubjectInfo{
		Name:     "slyrz",
		Package:  "github.com/slyrz/robots",
		Version:  "v0.0.0-20150806122829-7ebb2b6fc59f",
		Language: "go",
	},
	Parse: func(file []byte) (Matcher, error) {
		var (
			name  string         // of the agent that rules are for
			rules *robots.Robots // nil before the first question
		)
		return func(agent, url string) spec.Answer {
			if rules == nil || agent != name {
				rules, name = robots.New(bytes.NewReader(file), agent), agent
			}
			_, target := splitURL(url)
			return spec.Allowed(rules.Allow(target))
		}, nil
	},
}
