package testscripts

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ownTest is the test of a parser in its own module. The parser allows
// everything.
const ownTest = `package naive

import (
	"testing"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/impl"
)

func TestConformance(t *testing.T) {
	subject := impl.Func("naive", func([]byte, string, string) (bool, error) { return true, nil })
	defer subject.Close()
	conformance.Test(t, subject, conformance.Options{})
}
`

// TestOwnModule tests a parser in its own module, as a user does, without a
// network: the test builds and runs, and compiles no other robots.txt parser.
func TestOwnModule(t *testing.T) {
	t.Parallel()
	dir, top := t.TempDir(), root(t)
	sums, err := os.ReadFile(filepath.Join(top, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod":        fmt.Sprintf("module example.com/naive\n\ngo 1.26.0\n\nrequire %[1]s v0.0.0\n\nreplace %[1]s => %[2]s\n", module, top),
		"go.sum":        string(sums),
		"naive.go":      "package naive\n",
		"naive_test.go": ownTest,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(argv ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	deps, err := run("go", "list", "-deps", "-test", ".")
	if err != nil {
		t.Fatalf("%v\n%s", err, deps)
	}
	parsers := parserPackages(t, filepath.Join(top, filepath.FromSlash(onlyCommandLine), "goparsers"))
	for dep := range strings.FieldsSeq(deps) {
		if parsers[dep] || within(dep, module+"/"+onlyCommandLine) {
			t.Errorf("a test with package conformance compiles %s", dep)
		}
	}
	if out, err := run("go", "test", "-c", "-o", "naive.test", "."); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := run(filepath.Join(dir, "naive.test"), "-test.v")
	var failed *exec.ExitError
	if !errors.As(err, &failed) || !strings.Contains(out, "--- FAIL: TestConformance/precedence/longer-allow-wins") ||
		!strings.Contains(out, "--- PASS: TestConformance/") {
		t.Errorf("the test of a parser that allows everything ended with %v:\n%s", err, out)
	}
}

// parserPackages returns the packages outside of the standard library and this
// module that the Go files in dir import: the robots.txt parsers.
func parserPackages(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			if imported := strings.Trim(spec.Path.Value, `"`); strings.Contains(imported, ".") && !within(imported, module) {
				packages[imported] = true
			}
		}
	}
	if len(packages) < 5 {
		t.Fatalf("the parsers in %s are %v, want at least five", dir, packages)
	}
	return packages
}
