//go:build linux

package testscripts

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/repcheck/repcheck/spec/longtest"
)

const (
	// bound is the time after which a run is killed. The longest run needs a
	// third of it.
	bound = 5 * time.Minute
	// mostMemory bounds the memory of repcheck, in bytes, for any adapter.
	mostMemory = 200 << 20
	// tooMuchMemory and tooMuchOutput end a run at once, to protect the machine.
	tooMuchMemory = 1 << 30
	tooMuchOutput = 64 << 20
	// mostOutput bounds the output of repcheck, in bytes.
	mostOutput = 4 << 20
	// atOnce is the number of concurrent runs. They mostly wait.
	atOnce = 3
)

func init() { programs["measured"] = func() { os.Exit(measured(os.Args[1], os.Args[2:])) } }

// measured runs repcheck, and writes its peak memory into a file.
func measured(file string, args []string) int {
	os.Args = append([]string{"repcheck"}, args...)
	code := repcheck(args)
	if err := os.WriteFile(file, fmt.Append(nil, peakMemory(os.Getpid())), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 95
	}
	return code
}

// peakMemory returns the peak memory of the process in bytes, 0 if it no longer
// exists.
func peakMemory(pid int) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, peak, _ := bytes.Cut(status, []byte("VmHWM:"))
	peak, _, _ = bytes.Cut(peak, []byte(" kB"))
	kib, _ := strconv.Atoi(string(bytes.TrimSpace(peak)))
	return kib << 10
}

// interrupted is the exit code after SIGINT.
const interrupted = "130"

var verbs = []string{"check", "run", "fuzz", "scan", "query", "profile"}

// of returns the codes of a verb.
func (e *ends) of(verb string) *string {
	return []*string{&e.check, &e.run, &e.fuzz, &e.scan, &e.query, &e.profile}[slices.Index(verbs, verb)]
}

var allHostile = flag.Bool("hostile.all", false, "run every verb with every mode of hostile adapters, which takes half an hour")

// TestHostile runs the verbs with adapters and commands that make every mistake
// such programs can make. Each run ends with the right code; the output names the
// culprit, is bounded and cannot control a terminal; repcheck needs little
// memory, and leaves no processes or files behind. With -long it runs the fast
// subset, without it an eighth of that.
func TestHostile(t *testing.T) {
	t.Parallel()
	slots := make(chan struct{}, atOnce)
	var runs sync.WaitGroup
	defer runs.Wait()
	n := 0 // of the fast subset
	for _, m := range slices.Concat(hostileModes, hostileCommands) {
		for _, verb := range verbs {
			fast := slices.Contains(strings.Fields(m.fast), verb)
			if fast {
				n++
			}
			if *m.ends.of(verb) == "" || !*allHostile && !(fast && (*longtest.Long || n%8 == 0)) {
				continue
			}
			slots <- struct{}{}
			runs.Go(func() {
				defer func() { <-slots }()
				t.Run(m.name+"/"+verb, func(t *testing.T) {
					r := newHostileRun(t, &m, verb)
					r.start()
					r.wait()
					r.judge(*m.ends.of(verb))
				})
			})
		}
	}
}

// TestHostileInterrupt interrupts each verb with several signals in a row, when the
// adapter or command hangs. The limits on answers and starts are so long that nothing
// else ends the run.
func TestHostileInterrupt(t *testing.T) {
	t.Parallel()
	slots := make(chan struct{}, atOnce)
	var runs sync.WaitGroup
	defer runs.Wait()
	for _, name := range []string{"no-hello", "never-reads-requests", "hangs-beside-a-grandchild", "spins-when-asked", "command-hangs-beside-a-grandchild", "command-ignores-signals"} {
		at := slices.IndexFunc(slices.Concat(hostileModes, hostileCommands), func(m mode) bool { return m.name == name })
		m := slices.Concat(hostileModes, hostileCommands)[at]
		m.flags, m.says = "--timeout 10m", "interrupted"
		for _, verb := range verbs {
			fast := name == "hangs-beside-a-grandchild" || name == "command-hangs-beside-a-grandchild" && verb == "query"
			if *m.ends.of(verb) == "" || !fast && !*allHostile {
				continue
			}
			slots <- struct{}{}
			runs.Go(func() {
				defer func() { <-slots }()
				t.Run(m.name+"/"+verb, func(t *testing.T) {
					r := newHostileRun(t, &m, verb)
					r.start()
					r.awaitMark("hung-1")
					for range 100 { // timeout(1) sends two; more meet every moment of the end
						if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
							break // it has ended
						}
						time.Sleep(2 * time.Millisecond) // pending signals of one kind are one
					}
					r.wait()
					r.judge(interrupted)
				})
			})
		}
	}
}

// A hostileRun is one run of one verb.
type hostileRun struct {
	t     *testing.T
	mode  *mode
	verb  string
	dir   string // holds all files of the run; its name identifies the processes
	cmd   *exec.Cmd
	ended chan struct{} // closed when cmd has ended
	peak  int           // memory, in bytes
	// killed is the reason why the run was killed, "" if it ended by itself.
	killed string
}

// newHostileRun makes the folder of the run and its command line.
func newHostileRun(t *testing.T, m *mode, verb string) *hostileRun {
	t.Helper()
	dir, err := os.MkdirTemp("", "hostile-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	r := &hostileRun{t: t, mode: m, verb: verb, dir: dir, ended: make(chan struct{})}
	for _, folder := range []string{"work", "tmp", "corpus", "shared"} {
		if err := os.Mkdir(r.path(folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r.files()
	program := r.program("hostile")
	r.cmd = exec.Command(r.program("measured"), append([]string{r.path("peak")}, r.args(program)...)...)
	r.cmd.Dir = r.path("work")
	r.cmd.Env = append(os.Environ(), "TMPDIR="+r.path("tmp"), "GITHUB_ACTIONS=", "CI=")
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return r
}

func (r *hostileRun) path(name string) string { return filepath.Join(r.dir, name) }

// program returns the path of this test binary under one of the names that
// testscript has installed.
func (r *hostileRun) program(name string) string {
	r.t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		r.t.Fatal(err)
	}
	return path
}

// files writes the robots.txt files for the verbs.
func (r *hostileRun) files() {
	for i := range 12 {
		text := fmt.Sprintf("User-agent: *\nDisallow: /a%d\nAllow: /a%d/b\n\nUser-agent: FooBot\nDisallow: /x*y\n", i, i)
		if i%4 == 1 {
			text += fmt.Sprintf("Disallow: /%d$\n", i)
		}
		if r.mode.large && i == 0 {
			text += strings.Repeat("Disallow: /a/rule/like/many/others\n", 10_000)
		}
		if err := os.WriteFile(r.path(fmt.Sprintf("corpus/%02d.txt", i)), []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
}

// args returns the arguments of repcheck. They keep the number of queries small.
func (r *hostileRun) args(program string) []string {
	flags := append([]string{"--impl", "reference"}, strings.Fields(r.mode.flags)...)
	if subject := program + " " + r.mode.name + " " + r.path("shared"); r.mode.program == nil {
		flags = append(flags, "--adapter", subject)
	} else {
		flags = append(flags, "--command", subject+" {robots} {agent} {url}")
	}
	switch r.verb {
	case "check":
		args := append([]string{"check"}, flags[len(flags)-2:]...)
		if r.mode.flags == soon {
			args = append(args, strings.Fields(soon)...)
		}
		return args
	case "run":
		cases := "precedence/*"
		if r.mode.program != nil { // which needs a process for each query
			cases = "precedence/longer-*"
		} else if r.mode.large {
			cases = "2.5/**"
		}
		return append([]string{"run", "--run", cases}, flags...)
	case "fuzz":
		return append([]string{"fuzz", "--time", "90s", "--count", "20", "--dir", r.path("findings")}, flags...)
	case "scan":
		agents, urls := "2", "3"
		if r.mode.program != nil {
			agents, urls = "1", "1"
		}
		return append([]string{"scan", r.path("corpus"), "--causes=false", "--queries", "stress", "--agents", agents, "--urls", urls}, flags...)
	case "query":
		return append([]string{"query", "--robots", r.path("corpus/00.txt"), "--agent", "FooBot", "--url", "http://x.test/a0/b"}, flags...)
	}
	return append([]string{r.verb}, flags...)
}

// start starts repcheck. Its output goes into a file, so that no process that
// inherits it can keep the test waiting.
func (r *hostileRun) start() {
	r.t.Helper()
	out, err := os.OpenFile(r.path("output"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		r.t.Fatal(err)
	}
	defer out.Close()
	r.cmd.Stdout, r.cmd.Stderr = out, out
	if err := r.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	go func() {
		defer close(r.ended)
		_ = r.cmd.Wait() // judge reads ProcessState
	}()
}

// wait waits for the end of the run, and kills it if it exceeds a limit.
func (r *hostileRun) wait() {
	late := time.NewTimer(bound)
	defer late.Stop()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for r.killed == "" {
		select {
		case <-r.ended:
			if peak, err := os.ReadFile(r.path("peak")); err == nil {
				r.peak, _ = strconv.Atoi(string(peak))
			}
			return
		case <-late.C:
			r.killed = fmt.Sprintf("it had not ended after %v", bound)
		case <-look.C:
			r.peak = max(r.peak, peakMemory(r.cmd.Process.Pid))
			if info, err := os.Stat(r.path("output")); err == nil && info.Size() > tooMuchOutput {
				r.killed = "it printed too much"
			}
			if r.peak > tooMuchMemory {
				r.killed = "it held too much memory"
			}
		}
	}
	_ = r.cmd.Process.Kill()
	<-r.ended
}

// awaitMark waits until the adapter has left the note, or the run has ended.
func (r *hostileRun) awaitMark(name string) {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	late := time.NewTimer(bound)
	defer late.Stop()
	for {
		if _, err := os.Stat(filepath.Join(r.path("shared"), name)); err == nil {
			return
		}
		select {
		case <-look.C:
		case <-r.ended:
			return
		case <-late.C:
			return
		}
	}
}

// judge reports everything that is wrong with the run. codes are the correct exit
// codes.
func (r *hostileRun) judge(codes string) {
	r.t.Helper()
	left := r.leftBehind()
	output, err := os.ReadFile(r.path("output"))
	if err != nil {
		r.t.Fatal(err)
	}
	var wrong []string
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	state := r.cmd.ProcessState
	code := state.ExitCode()
	if r.killed != "" {
		complain("repcheck was killed: %s", r.killed)
	} else if !slices.Contains(strings.Split(codes, "|"), strconv.Itoa(code)) {
		complain("repcheck ended with %v, want exit code %s", state, strings.ReplaceAll(codes, "|", " or "))
	}
	if r.peak > mostMemory {
		complain("repcheck held %d MiB, want at most %d", r.peak>>20, mostMemory>>20)
	}
	if len(left) > 0 && r.killed == "" {
		complain("these processes were left behind:\n\t\t%s", strings.Join(left, "\n\t\t"))
	}
	if len(output) > mostOutput {
		complain("repcheck printed %d bytes, want at most %d", len(output), mostOutput)
	}
	text := r.withoutNames(string(output))
	if named := cmp.Or(r.mode.named, "hostile"); r.verb != "check" && codes != interrupted && !strings.Contains(text, named) {
		complain("the output does not name the parser: it has no %q", named)
	}
	if says := regexp.MustCompile(r.mode.says); code != 0 && r.killed == "" && !says.MatchString(text) {
		complain("the output does not say what is wrong: nothing matches %q", says)
	}
	if !slices.Contains([]string{"check", "fuzz"}, r.verb) && codes != interrupted && !strings.Contains(text, "reference") {
		complain("the output has no result of the other parser, the reference")
	}
	if i := bytes.IndexFunc(output, controls); i >= 0 {
		complain("the output can control a terminal: %q", output[max(0, i-20):min(len(output), i+20)])
	}
	if !utf8.Valid(output) {
		complain("the output is not UTF-8")
	}
	if line := regexp.MustCompile(`(?m)^\s*::.*`).Find(output); line != nil {
		complain("the output has a line that CI takes for a command: %q", line)
	}
	if r.killed == "" {
		if surplus := r.surplus(); len(surplus) > 0 {
			complain("these files were left behind: %s", strings.Join(surplus, ", "))
		}
	}
	r.t.Logf("%v, %d MiB, %v of processor time", state, r.peak>>20, (state.UserTime() + state.SystemTime()).Round(time.Millisecond))
	if len(wrong) > 0 {
		r.t.Errorf("%s of the mode %s:\n\t%s\ncommand: repcheck %s\nits output:\n%s", r.verb, r.mode.name,
			strings.Join(wrong, "\n\t"), quoted(r.cmd.Args[2:]), shown(output))
	}
}

// leftBehind kills the processes that have survived the run and returns their
// command lines. A killed process needs a moment to disappear.
func (r *hostileRun) leftBehind() []string {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	late := time.NewTimer(20 * time.Second)
	defer late.Stop()
	for {
		pids, list := r.processes()
		if len(pids) == 0 {
			return nil
		}
		select {
		case <-look.C:
			if r.killed == "" {
				continue
			}
		case <-late.C:
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		return list
	}
}

// processes returns the processes with the folder of the run in their command
// line.
func (r *hostileRun) processes() (pids []int, list []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		line, _ := os.ReadFile(file) // empty for a process that has ended
		if !bytes.Contains(line, []byte(r.dir)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			pids = append(pids, pid)
			list = append(list, strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " ")))
		}
	}
	return pids, list
}

// surplus returns unexpected files in the folder of the run.
func (r *hostileRun) surplus() (files []string) {
	for folder, expected := range map[string][]string{
		"tmp":  nil,
		"work": nil,
		".":    {"work", "tmp", "corpus", "shared", "findings", "output", "peak"},
	} {
		entries, _ := os.ReadDir(r.path(folder)) // a mode deletes one
		for _, entry := range entries {
			if !slices.Contains(expected, entry.Name()) {
				files = append(files, filepath.Join(folder, entry.Name()))
			}
		}
	}
	return files
}

// withoutNames removes the mode and the folder from the output. Errors contain
// them as parts of the command line.
func (r *hostileRun) withoutNames(output string) string {
	return strings.NewReplacer(r.dir, "DIR", r.mode.name, "MODE").Replace(output)
}

// controls reports whether a terminal may treat the character as a command, or
// show the following text in another order.
func controls(c rune) bool {
	return c != '\n' && c != '\t' && unicode.Is(unicode.Cc, c) || unicode.Is(unicode.Bidi_Control, c)
}

// shown returns the end of the output, escaped and indented.
func shown(output []byte) string {
	const most = 4000
	start := ""
	if len(output) > most {
		start, output = fmt.Sprintf("\t| … %d bytes\n", len(output)-most), output[len(output)-most:]
	}
	var b strings.Builder
	for line := range strings.Lines(string(output)) {
		b.WriteString("\t| ")
		for _, c := range strings.TrimSuffix(line, "\n") {
			if controls(c) {
				fmt.Fprintf(&b, "\\u%04x", c)
			} else {
				b.WriteRune(c)
			}
		}
		b.WriteByte('\n')
	}
	return start + b.String()
}

// quoted returns a command line with shell quoting.
func quoted(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		if words[i] = arg; strings.ContainsAny(arg, " {}*") {
			words[i] = "'" + arg + "'"
		}
	}
	return strings.Join(words, " ")
}
