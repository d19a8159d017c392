package adapters

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// jansson returns the environment variables that compilers need to find Jansson. It
// returns none if Jansson is installed on the system; otherwise they point to the copy
// of the C adapter.
func jansson(t *testing.T, compiler string) []string {
	t.Helper()
	home, err := FindHome()
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(string(home), "c-libwget", ".build", "usr")
	libraries, _ := filepath.Glob(filepath.Join(own, "lib", "*", "libjansson.a"))
	for _, env := range [][]string{nil, {"CPATH=" + filepath.Join(own, "include"), "LIBRARY_PATH=" + filepath.Dir(strings.Join(append(libraries, ""), ""))}} {
		probe := exec.CommandContext(t.Context(), compiler, "-x", "c", "-", "-o", filepath.Join(t.TempDir(), "probe"), "-ljansson")
		probe.Stdin = strings.NewReader("#include <jansson.h>\nint main(void) { json_decref(json_null()); }\n")
		probe.Env = append(os.Environ(), env...)
		if probe.Run() == nil {
			return env
		}
	}
	if Required() {
		t.Fatalf("%s with Jansson is not installed, and %s=1 demands it", compiler, RequireVariable)
	}
	t.Skipf("%s with Jansson is not installed", compiler)
	return nil
}

// TestCKit tests the messages of the C kit about an incomplete struct adapter, and
// that the kit frees its memory.
func TestCKit(t *testing.T) {
	t.Parallel()
	env := jansson(t, "cc")
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "adapter.c"), `#include "repcheck_adapter.h"

#include <stdio.h>

static enum outcome load(struct octets file, struct octets agent, const char **why)
{
	*why = "\xff"; /* a library's text may be anything */
	return holds_nul(file) ? REJECT : agent.size ? ALLOW : UNSUPPORTED;
}

static enum outcome ask(struct octets url, const char **why)
{
	*why = NULL;
	return url.size ? ALLOW : FAILED;
}

int main(void)
{
	struct adapter adapter = {
		.name = "x", .package = "x", .version = VERSION, .language = "c",
#ifdef LINEAGE
		.lineage = "x",
#endif
		.load = load, .ask = ask,
	};
	setvbuf(stdin, NULL, _IONBF, 0); /* its buffer is never freed */
	return serve(&adapter);
}
`)
	const requests = `{"hello":1}
{"id":1,"robots":"a","hash":"1","agent":"A","url":"/"}
{"id":2,"hash":"1","agent":"B","urls":["/","","/"]}
{"id":3,"robots_b64":"AA==","hash":"2","agent":"B","url_b64":"/w=="}
{"id":4,"hash":"3","agent":"B","url":"/"}
{"id":5,"hash":"2","agent":"","url":"/"}
`
	const answers = `{"hello":1,"name":"x","package":"x","version":"1","language":"c","lineage":"x","features":["time","hash"],"window":256}
{"allow":true,"id":1}
{"allows":[true,{"error":"the text is not UTF-8"},true],"id":2}
{"reject":"the text is not UTF-8","id":3}
{"error":"unknown hash","id":4}
{"reject":"the text is not UTF-8","id":5}
`
	for _, test := range []struct {
		name, stdin, stdout, stderr string
		flags                       []string
		exit                        int
	}{
		{name: "sound", stdin: requests, stdout: answers, flags: []string{"-DLINEAGE", `-DVERSION="1"`}},
		{name: "no lineage", stdin: requests, stderr: "repcheck_adapter: struct adapter has no lineage: set .lineage\n", flags: []string{`-DVERSION="1"`}, exit: 1},
		{name: "no version", stdin: requests, stderr: "repcheck_adapter: struct adapter has no version: set .version\n", flags: []string{"-DLINEAGE", "-DVERSION=0"}, exit: 1},
		{name: "version not UTF-8", stdin: requests, stderr: "repcheck_adapter: a text of the adapter is not UTF-8\n", flags: []string{"-DLINEAGE", `-DVERSION="\xff"`}, exit: 1},
		{name: "no request", stdin: "x\n", stderr: "repcheck_adapter: a request is not JSON\n", flags: []string{"-DLINEAGE", `-DVERSION="1"`}, exit: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "adapter")
			kit, err := filepath.Abs(filepath.Join("kit", "c"))
			if err != nil {
				t.Fatal(err)
			}
			args := append([]string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsanitize=address", "-I" + kit, "-o", program,
				"adapter.c", filepath.Join(kit, "repcheck_adapter.c"), "-ljansson"}, test.flags...)
			build := exec.CommandContext(t.Context(), "cc", args...)
			build.Dir, build.Env = dir, append(os.Environ(), env...)
			if said, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			var stdout, stderr strings.Builder
			cmd := exec.CommandContext(t.Context(), program)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(test.stdin), &stdout, &stderr
			cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=1", "LSAN_OPTIONS=use_globals=0")
			var exit *exec.ExitError
			if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			got := ""
			for line := range strings.Lines(stdout.String()) { // ns differs from run to run
				if head, _, ok := strings.Cut(line, `,"ns":`); ok {
					line = head + "}\n"
				}
				got += line
			}
			if diff := cmp.Diff(test.stdout, got); diff != "" {
				t.Errorf("stdout (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.stderr, stderr.String()); diff != "" || cmd.ProcessState.ExitCode() != test.exit {
				t.Errorf("exit code %d, want %d; stderr (-want +got):\n%s", cmd.ProcessState.ExitCode(), test.exit, diff)
			}
		})
	}
}
