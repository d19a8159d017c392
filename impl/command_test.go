package impl

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/spec"
)

// commandEnv makes the test binary a parser that runs as a bare command. It
// disallows every URL that contains the last word of the file.
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
		case strings.Contains(args[2], "flood"):
			for line := bytes.Repeat([]byte("ALLOWED\n"), 8<<10); ; {
				if _, err := os.Stdout.Write(line); err != nil {
					os.Exit(1)
				}
			}
		case strings.Contains(args[2], "memory"):
			for kept := [][]byte{}; ; {
				kept = append(kept, bytes.Repeat([]byte{1}, 1<<20))
			}
		case strings.Contains(args[2], "leave"), strings.Contains(args[2], "daemon"):
			leave(strings.Contains(args[2], "daemon"), filepath.Join(filepath.Dir(args[0]), "..", filepath.Base(args[1])))
		case mode == "print" && disallowed:
			os.Stdout.WriteString("user-agent " + args[1] + ": DISALLOWED\n")
		case mode == "print":
			os.Stdout.WriteString("user-agent " + args[1] + ": ALLOWED\n")
		case disallowed:
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv("REPCHECK_PROCESS") != "" {
		os.Exit(99) // started as a parser, but without its mode: the tests would start themselves
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
			[]spec.Answer{{Verdict: spec.Crash, Detail: "the command printed output that matches the patterns for both allow and disallow, or neither"}}},
		{"crash", "exit", CommandOptions{}, []spec.Probe{{Agent: "FooBot", URL: "http://x.test/crash"}},
			[]spec.Answer{{Verdict: spec.Crash, Detail: "the command ended with code 70, where 0 allows and 1 disallows; its stderr ends:\nit went wrong"}}},
		{"hang", "exit", CommandOptions{ProcessOptions: ProcessOptions{Timeout: 500 * time.Millisecond}}, []spec.Probe{{Agent: "FooBot", URL: "http://x.test/hang"}},
			[]spec.Answer{{Verdict: spec.Timeout, Detail: "the command did not end within 500ms, nor when it ran again, alone, for twice as long"}}},
		{"endless output", "exit", CommandOptions{}, []spec.Probe{{Agent: "FooBot", URL: "http://x.test/flood"}},
			[]spec.Answer{{Verdict: spec.Crash, Detail: "the command printed more than 8388608 bytes"}}},
		{"NUL", "exit", CommandOptions{}, []spec.Probe{{Agent: "Foo\x00Bot", URL: "http://x.test/a"}},
			[]spec.Answer{{Verdict: spec.Unsupported, Detail: "no argument of a command can hold a NUL octet"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.Env = []string{commandEnv + "=" + tt.mode}
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

// TestCommandMemory runs a command that takes all the memory it can get.
func TestCommandMemory(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("memory is watched on Linux only")
	}
	s := openSelf(t, CommandOptions{ProcessOptions: ProcessOptions{MaxMemory: 300 << 20, Timeout: time.Minute}})
	a := s.Ask(t.Context(), []byte("x"), []spec.Probe{{Agent: "FooBot", URL: "http://x.test/memory"}})[0]
	if a.Verdict != spec.Crash || !strings.Contains(a.Detail, "where the limit is 300 MiB") {
		t.Errorf("%+v, want a crash that names the limit", a)
	}
}

// openSelf makes a command of the test binary.
func openSelf(t *testing.T, o CommandOptions) Subject {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Env = []string{commandEnv + "=exit"}
	s, err := Command("'"+self+"' {robots} {agent} {url}", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// A command that hangs on every query is given up after a few of its timeouts.
func TestCommandLost(t *testing.T) {
	t.Parallel()
	s := openSelf(t, CommandOptions{ProcessOptions: ProcessOptions{Timeout: 50 * time.Millisecond}})
	hang := []spec.Probe{{Agent: "FooBot", URL: "http://x.test/hang"}}
	asked := 0
	for ; s.Err() == nil && asked < 100; asked++ {
		s.Ask(t.Context(), []byte("x"), hang)
	}
	if asked != 5 {
		t.Errorf("it was given up after %d queries, want 5", asked)
	}
	want := []spec.Answer{{Verdict: spec.ProtocolError, Detail: "it ran out of time too often and answered too little in between"}}
	if diff := cmp.Diff(want, s.Ask(t.Context(), []byte("x"), hang)); diff != "" {
		t.Error(diff)
	}
}

// A command that fails on every query is given up, unlike one that has answered once.
func TestCommandBarren(t *testing.T) {
	t.Parallel()
	for _, answers := range []bool{false, true} {
		s := openSelf(t, CommandOptions{})
		ask := func(url string) spec.Answer {
			return s.Ask(t.Context(), []byte("x"), []spec.Probe{{Agent: "FooBot", URL: url}})[0]
		}
		if answers {
			ask("http://x.test/allow")
		}
		for range 99 {
			ask("http://x.test/crash")
		}
		if err := s.Err(); err != nil {
			t.Errorf("it is given up early: %v", err)
		}
		ask("http://x.test/crash")
		if err := s.Err(); (err == nil) != answers {
			t.Errorf("after 100 failures, having answered before %t: %v", answers, err)
		}
	}
}

func TestCommandInterrupted(t *testing.T) {
	t.Parallel()
	s := openSelf(t, CommandOptions{ProcessOptions: ProcessOptions{Timeout: time.Hour}})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	want := []spec.Answer{{Verdict: spec.Timeout, Detail: "interrupted"}}
	if diff := cmp.Diff(want, s.Ask(ctx, []byte("x"), []spec.Probe{{Agent: "FooBot", URL: "http://x.test/hang"}})); diff != "" {
		t.Error(diff)
	}
	for range 20 {
		s.Ask(ctx, []byte("x"), []spec.Probe{{Agent: "FooBot", URL: "http://x.test/b"}})
	}
	if err := s.Err(); err != nil {
		t.Errorf("interrupts count as timeouts: %v", err)
	}
}

// ends reports whether a process ends. On a busy machine a killed process takes a
// while to end.
func ends(pid string) bool {
	for range 3000 {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || bytes.Contains(stat, []byte(") Z ")) {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

// When a command ends, the processes that it started are killed.
func TestCommandLeavesNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("processes are looked for in /proc")
	}
	for _, how := range []string{"leave", "daemon"} {
		s := openSelf(t, CommandOptions{})
		file := "repcheck-test-" + how + "-" + filepath.Base(t.TempDir())
		t.Cleanup(func() { os.Remove(filepath.Join(os.TempDir(), file)) })
		a := s.Ask(t.Context(), []byte("x"), []spec.Probe{{Agent: file, URL: "http://x.test/" + how}})[0]
		pid, err := os.ReadFile(filepath.Join(os.TempDir(), file))
		if a.Verdict != spec.Allow || err != nil {
			t.Fatalf("%s: %+v, %v", how, a, err)
		}
		if !ends(string(pid)) {
			t.Errorf("%s: process %s is still running", how, pid)
		}
	}
}
