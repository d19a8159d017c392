package reports

import (
	"testing"

	"github.com/repcheck/repcheck/fuzz"
	"github.com/repcheck/repcheck/spec"
)

// The command opens the subjects that showed the finding, by name or by the
// recorded flags.
func TestFindingCommand(t *testing.T) {
	t.Parallel()
	answer := func(name string, v spec.Verdict, flags ...string) fuzz.SubjectAnswer {
		return fuzz.SubjectAnswer{Subject: name, Flags: flags, Answer: spec.Answer{Verdict: v}}
	}
	f := fuzz.Finding{
		Kind: fuzz.Disagreement, Witness: fuzz.Witness{Robots: []byte("User-agent: *\nDisallow: /\n"), Probe: spec.Probe{Agent: "FooBot", URL: "http://foo.test/"}},
		Answers: []fuzz.SubjectAnswer{
			answer("reference", spec.Disallow), answer("temoto", spec.Allow),
			answer("mine", spec.Allow, "--adapter", "python3 my adapter.py"), answer("sound", spec.Disallow, "--adapter", "./sound"),
			answer("command-check", spec.Allow, "--command", "check '{robots}' {agent} {url}", "--allow-exit", "3"),
		},
		Hits: map[string]int{"temoto": 1, "mine": 2, "sound": 1, "command-check": 1},
	}
	const want = ` --dir 'a b' --impl reference,temoto --command $'check \'{robots}\' {agent} {url}' --allow-exit 3 --adapter 'python3 my adapter.py'`
	if got := FindingCommand("a b", &f); got != "repcheck query --finding "+f.ID()+want {
		t.Errorf("%s", got)
	}
}
