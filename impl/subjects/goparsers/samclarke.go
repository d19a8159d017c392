package goparsers

import (
	"bytes"

	"github.com/samclarke/robotstxt"

	"github.com/repcheck/repcheck/spec"
)

// samclarke is the Go port of npm's robots-parser by the same author. It takes a URL,
// which must have the scheme and host of the robots.txt URL given to Parse. So the
// file is parsed when the first URL is known, and again when the origin changes. Its
// errors are about URLs (net/url and IDNA), never about the file, so each rejects
// one query.
var samclarke = Parser{
	Info: spec.SubjectInfo{
		Name:     "samclarke",
		Package:  "github.com/samclarke/robotstxt",
		Version:  "v0.0.0-20171127213916-2817654b7988",
		Language: "go",
		Lineage:  "robots-parser",
	},
	Parse: func(robots []byte) (Matcher, error) {
		if copies(robots, samclarkeRuleSize) > maxMemory {
			return unasked(tooManyPairs), nil
		}
		var (
			contents = string(robots)
			origin   string               // of file
			file     *robotstxt.RobotsTxt // nil before the first query
		)
		return func(agent, url string) spec.Answer {
			if o, _ := splitURL(url); file == nil || o != origin {
				f, err := robotstxt.Parse(contents, o+"/robots.txt")
				if err != nil {
					return reject(err)
				}
				file, origin = f, o
			}
			allowed, err := file.IsAllowed(agent, url)
			if err != nil {
				return reject(err)
			}
			return spec.Allowed(allowed)
		}, nil
	},
}

func samclarkeRuleSize(rule []byte) int {
	if bytes.ContainsAny(rule, "*$") {
		return regexpSize(rule)
	}
	return 100 // measured
}
