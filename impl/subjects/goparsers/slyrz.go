package goparsers

import (
	"bytes"

	"github.com/slyrz/robots"

	"github.com/repcheck/repcheck/spec"
)

// slyrz reads a file for one agent, so the file is read again when the agent changes.
// It takes a path, here with its query, and compares its rules with it. It returns no
// errors: a line of 64 KiB or more silently ends the file, because bufio.Scanner
// stops there.
//
// It panics if a rule with two stars ends in "$" and the octets before the first star
// and after the last one overlap in the path: rule "/a*b*a$", path "/a".
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
			rules *robots.Robots // nil before the first query
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
