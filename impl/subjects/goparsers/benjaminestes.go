package goparsers

import (
	"bytes"
	"net/http"

	"github.com/benjaminestes/robots/v2"

	"github.com/repcheck/repcheck/spec"
)

// benjaminestes takes a URL and an agent, and a file that was served with status
// 200. It returns no errors. It allows URLs that net/url does not parse.
//
// It treats the line after an empty value as that value: "Disallow:" followed by
// "Allow: /a" becomes a rule with the path "Allow: /a".
//
// It panics on a file that has only blank lines and comments, and on the empty file.
//
// If the path of a rule is not UTF-8, its regular expression does not compile. Then
// the library prints "oh no!" to os.Stdout, and panics when the rule is compared. So
// a program that writes to its standard output must redirect os.Stdout, as
// repcheck's main does.
//
// Some large files are not given to it, because they would exhaust the memory of
// the harness: files with many unknown lines, such as web pages, and files with many
// agents and rules. The library keeps a copy of the rest of the file for every
// unknown line, and a regular expression for every pair of rule and agent. 500 kB of
// "x\n" take 62 GB. The verdict is Unsupported, and Detail gives the reason. A
// process with memory of its own may read such files.
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

// hoard returns an upper bound of the number of octets that the library keeps for
// the unknown lines of file.
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

// known reports whether the library reads the whole line as a blank line, a comment
// or a field with a value. A control character would end the value.
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
