package goparsers

import (
	"github.com/repcheck/repcheck/spec"
	"github.com/temoto/robotstxt"
)

// temoto is the parser that most Go crawlers use. It is asked for a path with
// its query and for an agent: its README says "TestAgent(url, agent)", but
// passes "/" and matches what it gets against the rules' paths.
//
// Its errors cover the whole file: one rule before the first user-agent line, or
// one crawl-delay that is no number, and there is no answer to any question.
var temoto = Parser{
	Info: spec.SubjectInfo{
		Name:     "temoto",
		Package:  "github.com/temoto/robotstxt",
		Version:  "v1.1.2",
		Language: "go",
	},
	Parse: func(robots []byte) (Matcher, error) {
		// A pointer in a slice with as much room again.
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
