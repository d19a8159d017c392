package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/repcheck/repcheck/conformance/cli"
)

// init makes the test binary an adapter if its arguments select that.
func init() {
	if len(os.Args) > 2 && os.Args[1] == "run-adapter" {
		adapter(os.Args[2:])
		os.Exit(0)
	}
}

// adapter answers queries according to the mode.
func adapter(args []string) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for asked := 0; lines.Scan(); {
		var q struct {
			Hello int
			ID    int
			URLs  []string
		}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		if q.Hello != 0 {
			fmt.Println(`{"hello": 1, "name": "scripted", "version": "1.1"}`)
			continue
		}
		asked++
		switch {
		case args[0] == "unsupported":
			fmt.Printf("{\"id\": %d, \"unsupported\": \"nothing is\"}\n", q.ID)
			continue
		case args[0] == "dies":
			os.Exit(1)
		case args[0] == "interrupts":
			if asked == 1 {
				pid, _ := strconv.Atoi(args[1])
				process, _ := os.FindProcess(pid)
				_ = process.Signal(os.Interrupt)
			}
			continue // until the harness ends this process
		case q.URLs == nil:
			fmt.Printf("{\"id\": %d, \"allow\": true}\n", q.ID)
		default:
			allows, _ := json.Marshal(make([]bool, len(q.URLs)))
			fmt.Printf("{\"id\": %d, \"allows\": %s}\n", q.ID, bytes.ReplaceAll(allows, []byte("false"), []byte("true")))
		}
	}
}

// repcheck runs the command line and returns its exit code and output.
func repcheck(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = cli.Main(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func adapterFlags(mode ...string) []string {
	command := []string{fmt.Sprintf("%q", os.Args[0]), "run-adapter"}
	return []string{"run", "--impl", "none", "--adapter", strings.Join(append(command, mode...), " ")}
}

const knownScripted = `subject: scripted
interpretation: rfc9309
known:
  - reason: it allows everything
    cases:
      precedence/longer-allow-wins:
        FooBot /c: allow
`

func writeKnown(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "known.yaml")
	if err := os.WriteFile(path, []byte(knownScripted), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func contents(t *testing.T, path string) string {
	t.Helper()
	octets, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(octets)
}

// TestLostExit: a lost parser gives exit code 3 regardless of the other results,
// and its baseline is unchanged.
func TestLostExit(t *testing.T) {
	path := writeKnown(t)
	for _, mode := range []string{"unsupported", "dies"} {
		for _, flags := range [][]string{nil, {"--update-baseline", "--reason", "x"}, {"--update-baseline"}, {"--prune-baseline"}} {
			args := append(adapterFlags(mode), "--baseline", path, "--run", "precedence/*")
			code, stdout, stderr := repcheck(append(args, flags...)...)
			if code != 3 || !strings.Contains(stderr, "a parser was lost: scripted: ") {
				t.Errorf("%s %s: exit code %d\n%s", mode, flags, code, stderr)
			}
			if flags != nil && !strings.Contains(stdout, ": 0 known failures added, 0 dropped\nscripted was lost: its entries are unchanged\n") {
				t.Errorf("%s %s: %s", mode, flags, stdout)
			}
			if got := contents(t, path); got != knownScripted {
				t.Errorf("%s %s: the baseline is now\n%s", mode, flags, got)
			}
		}
	}
}

// TestInterruptedExit: an interrupted run does not exit with 0, and the baseline
// is unchanged.
func TestInterruptedExit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process can interrupt another one")
	}
	path := writeKnown(t)
	for _, flags := range [][]string{nil, {"--update-baseline", "--reason", "x"}, {"--prune-baseline"}} {
		args := append(adapterFlags("interrupts", strconv.Itoa(os.Getpid())), "--baseline", path, "--run", "precedence/*")
		code, _, stderr := repcheck(append(args, flags...)...)
		if code == 0 || !strings.Contains(stderr, "interrupted") {
			t.Errorf("%s: exit code %d\n%s", flags, code, stderr)
		}
		if unchanged := fmt.Sprintf(", and %s is unchanged\n", path); strings.HasSuffix(stderr, unchanged) != (flags != nil) {
			t.Errorf("%s: %s", flags, stderr)
		}
		if got := contents(t, path); got != knownScripted {
			t.Errorf("%s: the baseline is now\n%s", flags, got)
		}
	}
}

// TestFailOn: each level of --fail-on counts the failures of that level and
// above.
func TestFailOn(t *testing.T) {
	for _, test := range []struct {
		id   string // of a case that a parser which allows everything fails
		want map[string]int
	}{
		{"precedence/longer-allow-wins", map[string]int{"must": 1, "text": 1, "should": 1, "any": 1}},
		{"paths/prefix", map[string]int{"must": 0, "text": 1, "should": 1, "any": 1}},
		{"merging/tie-across-groups", map[string]int{"must": 0, "text": 0, "should": 1, "any": 1}},
		{"rep/sitemap-inside-group", map[string]int{"must": 0, "text": 0, "should": 0, "any": 1}},
	} {
		for level, want := range test.want {
			code, _, stderr := repcheck(append(adapterFlags("allows"), "--run", test.id, "--interpretation", "koster-rep-00", "--fail-on", level)...)
			if code != want {
				t.Errorf("%s --fail-on %s: exit code %d, want %d %s", test.id, level, code, want, stderr)
			}
		}
	}
}

// TestRewriteFlags: flags that change a baseline are rejected if they would have
// no effect.
func TestRewriteFlags(t *testing.T) {
	for _, test := range []struct{ flags, want string }{
		{"--update-baseline", "--update-baseline needs one --baseline, the file or folder to write"},
		{"--prune-baseline", "--prune-baseline needs one --baseline, the file or folder to write"},
		{"--prune-baseline --baseline none", "--prune-baseline needs one --baseline, the file or folder to write"},
		{"--prune-baseline --baseline a --baseline b", "--prune-baseline needs one --baseline, the file or folder to write"},
		{"--update-baseline --prune-baseline --baseline a", "--update-baseline and --prune-baseline exclude each other: --update-baseline also drops what no longer fails"},
		{"--reason x", "--reason is for the failures that --update-baseline adds: add --update-baseline, or leave it out"},
		{"--prune-baseline --reason x --baseline a", "--reason is for the failures that --update-baseline adds: add --update-baseline, or leave it out"},
		{"--prune-baseline --baseline a --transform all", "--prune-baseline does not go with --transform: a baseline lists failures of unchanged cases, and they count for transformed ones too"},
		{"--prune-baseline --baseline no-such.yaml", "--baseline: cannot read the baseline: "},
	} {
		code, _, stderr := repcheck(append([]string{"run", "--impl", "reference"}, strings.Fields(test.flags)...)...)
		if code != 2 || !strings.HasPrefix(stderr, "repcheck: "+test.want) {
			t.Errorf("%s: exit code %d\n%s", test.flags, code, stderr)
		}
	}
}
