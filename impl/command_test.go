package impl

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

// commandEnv makes the test binary a parser to be run as a bare command. It
// disallows every URL that holds the last word of the file.
const commandEnv = "REPCHECK_TEST_COMMAND"

func TestMain(m *testing.M) {
	if mode := os.Getenv(commandEnv); mode != "" {
		args := os.Args[len(os.Args)-3:]
		robots, err := os.ReadFile(args[0])
		if err != nil {
			panic(err)
		}
		words := strings.Fields(string(robots))
		disallowed := strings.Contains(args[2], words[len(words)-1])
		switch {
		case strings.Contains(args[2], "hang"):
			time.Sleep(time.Minute)
		case strings.Contains(args[2], "crash"):
			os.Stderr.WriteString("it went wrong\n")
			os.Exit(70)
		case mode == "print" && disallowed:
			os.Stdout.WriteString("user-agent " + args[1] + ": DISALLOWED\n")
		case mode == "print":
			os.Stdout.WriteString("user-agent " + args[1] + ": ALLOWED\n")
		case disallowed:
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	robots := []byte("User-agent: *\nDisallow: /a\n")
	probes := []spec.Probe{{Agent: "FooBot", URL: "http://x.test/a"}, {Agent: "FooBot", URL: "http://x.test/b"}}
	both := []spec.Answer{{Verdict: spec.Disallow}, {Verdict: spec.Allow}}
	tests := []struct {
		name, mode string
		opts       CommandOptions
		probes     []spec.Probe
		want       []spec.Answer
	}{
		{"exit code", "exit", CommandOptions{}, probes, both},
		{"other exit codes", "exit", CommandOptions{AllowExit: 1, DisallowExit: 0}, probes, []spec.Answer{{Verdict: spec.Allow}, {Verdict: spec.Disallow}}},
		{"two patterns", "print", CommandOptions{AllowPattern: regexp.MustCompile(`: ALLOWED`), DisallowPattern: regexp.MustCompile(`: DISALLOWED`)}, probes, both},
		{"one pattern", "print", CommandOptions{DisallowPattern: regexp.MustCompile(`DISALLOWED`)}, probes, both},
		{"both patterns", "print", CommandOptions{AllowPattern: regexp.MustCompile(`ALLOWED`), DisallowPattern: regexp.MustCompile(`LOWED`)}, probes[:1],
			[]spec.Answer{{Verdict: spec.Crash, Detail: "the output matches the patterns for allow and disallow both, or neither"}}},
		{"crash", "exit", CommandOptions{}, []spec.Probe{{Agent: "FooBot", URL: "http://x.test/crash"}},
			[]spec.Answer{{Verdict: spec.Crash, Detail: "the command ended with code 70, where 0 allows and 1 disallows\nit went wrong"}}},
		{"hang", "exit", CommandOptions{Timeout: 500 * time.Millisecond}, []spec.Probe{{Agent: "FooBot", URL: "http://x.test/hang"}},
			[]spec.Answer{{Verdict: spec.Timeout, Detail: "no end after 500ms"}}},
		{"NUL", "exit", CommandOptions{}, []spec.Probe{{Agent: "Foo\x00Bot", URL: "http://x.test/a"}},
			[]spec.Answer{{Verdict: spec.Unsupported, Detail: "no argument of a command can hold a NUL octet"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(commandEnv, tt.mode)
			s, err := Command("'"+self+"' {robots} {agent} {url}", tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if diff := cmp.Diff(tt.want, s.Ask(context.Background(), robots, tt.probes)); diff != "" {
				t.Errorf("answers differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCommandRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ template, want string }{
		{"", "command is empty"},
		{"parser {robots} {agent}", `the command "parser {robots} {agent}" has no place for {url}: write it where the program takes it`},
		{"no-such-parser {robots} {agent} {url}", `the command cannot be run: exec: "no-such-parser": executable file not found in $PATH`},
	}
	for _, tt := range tests {
		_, err := Command(tt.template, CommandOptions{})
		if err == nil {
			t.Fatalf("%q is accepted", tt.template)
		}
		if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.template, diff)
		}
	}
}
