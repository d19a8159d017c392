// Package testscripts checks the behaviour that the README promises: each script
// runs the real command line.
package testscripts

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/repcheck/repcheck/conformance/cli"
	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/process"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/longtest"
)

// programs are the other programs that the test binary can run as, by the name
// under which it is started.
var programs = map[string]func(){
	"validate":  func() { os.Exit(validate(os.Args[1], os.Args[2])) },
	"reproduce": func() { os.Exit(reproduce(os.Args[1])) },
	"repcheck":  func() { os.Exit(repcheck(os.Args[1:])) },
	"variant":   func() { os.Exit(variant()) },
}

func TestMain(m *testing.M) { testscript.Main(m, programs) }

func repcheck(args []string) (code int) {
	defer cli.EndOrphans()
	return cli.Main(args, os.Stdin, cli.TakeStdout(), os.Stderr)
}

// validate checks a file against the schema of a result. A file of JSON Lines is
// checked line by line.
func validate(name, file string) int {
	out := cli.TakeStdout()
	c := jsonschema.NewCompiler()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(spec.ResultSchema(name)))
	if err == nil {
		err = c.AddResource(name, value)
	}
	var schema *jsonschema.Schema
	if err == nil {
		schema, err = c.Compile(name)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(file)
	}
	values := [][]byte{text}
	if strings.HasSuffix(file, ".jsonl") {
		values = bytes.SplitAfter(bytes.TrimSpace(text), []byte("\n"))
	}
	for _, v := range values {
		if err == nil {
			value, err = jsonschema.UnmarshalJSON(bytes.NewReader(v))
		}
		if err == nil {
			err = schema.Validate(value)
		}
	}
	if err != nil {
		fmt.Fprintf(out, "%s: not a result of schema %s: %v\n", file, name, err)
		return 1
	}
	return 0
}

// reproduce runs, for each finding in a folder, the command that findings show
// prints for it, and returns the number of failures.
func reproduce(dir string) (failed int) {
	out := cli.TakeStdout()
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	if len(files) == 0 {
		fmt.Fprintln(out, "no findings in", dir)
		return 1
	}
	for _, file := range files {
		var shown, answered bytes.Buffer
		id := strings.TrimSuffix(filepath.Base(file), ".json")
		cli.Main([]string{"findings", "show", id, "--dir", dir}, os.Stdin, &shown, out)
		_, command, found := strings.Cut(shown.String(), "Repeat the query:\n  repcheck ")
		command, _, _ = strings.Cut(command, "\n")
		if !found {
			fmt.Fprintf(out, "%s: no command is shown\n", id)
			failed++
			continue
		}
		if code := cli.Main(strings.Fields(command), os.Stdin, &answered, out); code != 0 {
			fmt.Fprintf(out, "%s: %q ends with %d\n", id, command, code)
			failed++
		}
	}
	return min(failed, 100)
}

// variant is an adapter for the reference with two deviations, which are found
// much faster than the dozens of a real parser.
func variant() int {
	in := reference.With(
		reference.Change{Point: reference.AgentCompare, Choice: reference.AgentComparePrefix},
		reference.Change{Point: reference.Precedence, Choice: reference.PrecedenceFirst},
	)
	s := impl.InProcess(spec.SubjectInfo{Name: "variant", Version: "1", Lineage: "variant"}, impl.ParseReference(reference.New(in)), impl.InProcessOptions{})
	defer s.Close()
	if err := process.Serve(context.Background(), os.Stdin, os.Stdout, s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestScripts(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil && os.Getenv("REPCHECK_REQUIRE_ADAPTERS") == "1" {
		t.Error("python3 is demanded by REPCHECK_REQUIRE_ADAPTERS=1 and is not installed")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 ".",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"copytree": copyTree},
		// [long] is set by -long.
		Condition: func(cond string) (bool, error) {
			if cond == "long" {
				return *longtest.Long, nil
			}
			return false, fmt.Errorf("unknown condition")
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("ROOT", root(t))
			// The commands are short: collecting their garbage takes a fifth of their time.
			env.Setenv("GOGC", "400")
			// The folder of repcheck, for a PATH without anything else.
			env.Setenv("BIN", filepath.SplitList(env.Getenv("PATH"))[0])
			return nil
		},
	})
}

// copyTree is a script command that copies a folder recursively, like cp -r,
// which some systems lack.
func copyTree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: copytree from to")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

// TestReadme checks that a script runs every command of the README or, for
// commands of Go and make, that CI runs it.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	covered := read(t, filepath.Join(root(t), ".ci", "run")) + read(t, filepath.Join(root(t), "Makefile"))
	scripts, err := filepath.Glob("*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		covered += read(t, script)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	if len(blocks) == 0 {
		t.Fatal("the README has no commands")
	}
	duration := regexp.MustCompile(`(-fuzztime=|--time )\d+[sm]`)
	for _, block := range blocks {
		for _, line := range strings.Split(strings.TrimSpace(block[1]), "\n") {
			command, _, _ := strings.Cut(line, "  #")
			command = strings.TrimSpace(command)
			if command == "" || strings.HasPrefix(command, "#") || strings.HasPrefix(command, "git clone") || strings.HasPrefix(command, "cd ") {
				continue
			}
			want := strings.Replace(command, "go run .", "repcheck", 1)
			want = duration.ReplaceAllString(want, "$1")
			if !strings.Contains(duration.ReplaceAllString(covered, "$1"), strings.TrimSpace(want)) {
				t.Errorf("the README's %q is run by no script: looked for %q", command, want)
			}
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	octets, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(octets)
}
