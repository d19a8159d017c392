package goparsers

import (
	google "github.com/jimsmart/grobotstxt"

	"github.com/repcheck/repcheck/spec"
)

// grobotstxt is a port of Google's C++ parser. It takes a URL and a product token,
// and by design reads the whole file for every query. It returns false, as
// documented, if net/url does not parse the URL.
//
// Its MatchingLine is the same as that of the original. CR, LF and CRLF each end a
// line. Of two equal rules it is the line of the allow rule, and it is 0 if no rule
// matched. A rule without a path matches too, with the lowest priority: the line of
// an empty Disallow is reported if no other rule matches, though it decided nothing.
var grobotstxt = Parser{
	Info: spec.SubjectInfo{
		Name:     "grobotstxt",
		Package:  "github.com/jimsmart/grobotstxt",
		Version:  "v1.0.3",
		Language: "go",
		Lineage:  "google",
		Features: []string{"line"},
	},
	Parse: func(robots []byte) (Matcher, error) {
		body := string(robots)
		return func(agent, url string) spec.Answer {
			m := google.NewRobotsMatcher()
			a := spec.Allowed(m.AgentAllowed(body, agent, url))
			a.Line = m.MatchingLine()
			return a
		}, nil
	},
}
