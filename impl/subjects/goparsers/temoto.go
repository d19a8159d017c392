package goparsers

import (
	"github.com/repcheck/repcheck/spec"
	"github.com/temoto/robotstxt"
)

// temoto is the parser that most Go crawlers use. It takes a path with its query, and
// an agent. Its README says "TestAgent(url, agent)", but the example passes "/", and
// the library compares the argument with the rules' paths.
//
// Its errors concern the whole file: if there is one rule before the first user-agent
// line, or one crawl-delay that is not a number, no query gets an answer.
var temoto = Parser{
	Info: spec.SubjectInfo{
		Name:     "temoto",
		Package:  "github.com/temoto/robotstxt",
		Version:  "v1.1.2",
		Language: "go",
	},
	Parse: func(robots []byte) (Matcher, error) {
		// A pointer in a slice whose capacity may be twice its length.
		if copies(robots, func([]byte) int { return 16 }) > maxMemory {
			return unasked(tooManyPairs), nil
		}
		data, err := robotstxt.FromBytes(robots)
		if err != nil {
			return nil, err
		}
		return func(agent, url string) spec.Answer {
			_, target := splitURL(url)
			return spec.Allowed(data.TestAgent(target, agent))
		}, nil
	},
}
