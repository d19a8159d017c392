package goparsers

import (
	"bytes"
	"net/http"

	"github.com/benjaminestes/robots/v2"

	"github.com/repcheck/repcheck/spec"
)

// benjaminestes is asked for a URL and an agent, about a file that came with
// status 200. It returns no errors. A URL that net/url does not parse is
// allowed.
//
// It takes the line after an empty value for that value: of "Disallow:" and
// "Allow: /a" it makes a rule with the path "Allow: /a".
//
// It panics on a file without a single line that is neither blank nor a
// comment, the empty file among them.
//
// A rule whose path is not UTF-8 makes it print "oh no!" to os.Stdout, as its
// regular expression does not compile, and panic once the rule is reached. A
// program that writes to its standard output has to point os.Stdout elsewhere,
// as repcheck's main does.
//
// A large file of other things than rules, such as a web page, or of many
// agents with many rules, is not put to it, because it would take the harness
// with it: the library keeps a copy of the rest of the file for every line it
// does not know, and a regular expression for every rule and agent. 500 kB of
// "x\n" make 62 GB. The verdict is Unsupported, and Detail says why; a process
// may be asked, as its memory is its own.
var benjaminestes = Parser{
	Info: spec.SubjectInfo{
		Name:     "benjaminestes",
		Package:  "github.com/benjaminestes/robots/v2",
		Version:  "v2.0.5",
		Language: "go",
	},
	Parse: func(file []byte) (Matcher, error) {
		switch {
		case hoard(file) > maxMemory:
			return unasked("it would take too much memory (it keeps the rest of the file for every line it does not know)"), nil
		case copies(file, regexpSize) > maxMemory:
			return unasked(tooManyPairs), nil
		}
		r, err := robots.From(http.StatusOK, bytes.NewReader(file))
		if err != nil {
			return nil, err
		}
		return func(agent, url string) spec.Answer {
			return spec.Allowed(r.Test(agent, url))
		}, nil
	},
}

// hoard is how many octets the library keeps of the lines in file that it does
// not know, or more.
func hoard(file []byte) int {
	if len(file) < small {
		return 0
	}
	sum, rest := 0, len(file)
	for line := range bytes.Lines(file) {
		if !known(line) {
			sum += rest
		}
		rest -= len(line)
	}
	return sum
}

// known reports whether the library takes all of line for blank, a comment, or
// one of its fields with a value, which a control character would end.
func known(line []byte) bool {
	line, _, _ = bytes.Cut(line, []byte("#"))
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return true
	}
	for _, field := range []string{"user-agent", "disallow", "allow", "sitemap"} {
		if foldPrefix(line, field) {
			return bytes.IndexFunc(line, isControl) < 0
		}
	}
	return false
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
