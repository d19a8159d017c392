package goparsers

import (
	google "github.com/jimsmart/grobotstxt"

	"github.com/repcheck/repcheck/spec"
)

// grobotstxt is a port of Google's C++ parser. It is asked for a URL and a
// product token, and reads the whole file for every question, by design. It
// returns false, as documented, where net/url does not parse the URL.
//
// Its MatchingLine is that of the original. It counts lines as the parser does
// (CR, LF and CRLF each end one), names the allow rule of two equal ones, and
// is 0 when no rule matched. A rule without a path matches too, with the lowest
// priority: the line of an empty Disallow is reported where it is all there is,
// though it decided nothing.
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
