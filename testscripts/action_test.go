package testscripts

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// An action is the part of action.yml with steps that are scripts.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Steps []struct {
			Name, Uses, Shell, Run string
			Env                    map[string]string
		}
	}
}

// A runner runs the scripts of the action as GitHub Actions does.
type runner struct {
	action action
	// temp is RUNNER_TEMP, path the folders that the scripts added to PATH.
	temp, path string
	// releases replaces the base URL of the releases.
	releases string
}

var expression = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)

// step runs the script of that name and returns its exit code, its printed text
// and its outputs.
func (r *runner) step(t *testing.T, name string, inputs map[string]string) (code int, said, outputs string) {
	t.Helper()
	for _, step := range r.action.Runs.Steps {
		if step.Name != name {
			continue
		}
		script, output, path := filepath.Join(r.temp, "script.sh"), filepath.Join(r.temp, "output"), filepath.Join(r.temp, "path")
		for file, text := range map[string]string{script: step.Run, output: "", path: ""} {
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script)
		cmd.Dir = r.temp
		cmd.Env = append(os.Environ(), "GITHUB_ACTIONS=true", "RUNNER_TEMP="+r.temp, "RUNNER_OS=Linux", "RUNNER_ARCH="+map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH],
			"GITHUB_OUTPUT="+output, "GITHUB_PATH="+path, "GITHUB_STEP_SUMMARY="+filepath.Join(r.temp, "summary.md"), "GITHUB_WORKSPACE="+r.temp)
		if r.path != "" {
			cmd.Env = append(cmd.Env, "PATH="+r.path+string(os.PathListSeparator)+os.Getenv("PATH"))
		}
		for key, value := range step.Env {
			value = expression.ReplaceAllStringFunc(value, func(e string) string {
				e = expression.FindStringSubmatch(e)[1]
				input, isInput := strings.CutPrefix(e, "inputs.")
				declared, known := r.action.Inputs[input]
				switch given, ok := inputs[input]; {
				case e == "github.action_path":
					return root(t)
				case isInput && known && ok:
					return given
				case isInput && known:
					return declared.Default
				}
				t.Fatalf("%s: unknown expression %s", name, e)
				return ""
			})
			if key == "RELEASES" && r.releases != "" {
				value = r.releases
			}
			cmd.Env = append(cmd.Env, key+"="+value)
		}
		text, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		if added := strings.TrimSpace(read(t, path)); added != "" {
			r.path = added
		}
		return cmd.ProcessState.ExitCode(), string(text), read(t, output)
	}
	t.Fatalf("action.yml has no step %q", name)
	return 0, "", ""
}

// needs skips a test if these programs are missing, or fails it where they are
// required.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("REPCHECK_REQUIRE_ADAPTERS") == "1" {
				t.Fatalf("%s is required by REPCHECK_REQUIRE_ADAPTERS=1 and is not installed", program)
			}
			t.Skipf("%s is not installed", program)
		}
	}
}

func readAction(t *testing.T) (a action) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(root(t), "action.yml"))), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestActionScripts checks that no input is inserted into a script, where it
// could become a command.
func TestActionScripts(t *testing.T) {
	t.Parallel()
	scripts := 0
	for _, step := range readAction(t).Runs.Steps {
		if (step.Run == "") == (step.Uses == "") {
			t.Errorf("step %q is neither a script nor an action", step.Name)
		}
		if step.Run == "" {
			continue
		}
		scripts++
		if step.Shell != "bash" {
			t.Errorf("step %q runs in the shell %q, want bash", step.Name, step.Shell)
		}
		if found := expression.FindString(step.Run); found != "" {
			t.Errorf("the script of step %q holds %s: pass it in the environment", step.Name, found)
		}
	}
	if scripts == 0 {
		t.Error("action.yml has no script")
	}
}

// TestAction runs the scripts of action.yml: repcheck is built from source, tests
// a parser, and is then installed from an archive like that of a release.
func TestAction(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "python3", "go", "curl", "tar", "sha256sum")
	r := &runner{action: readAction(t), temp: t.TempDir()}
	if code, said, _ := r.step(t, "Install repcheck", nil); code != 0 {
		t.Fatalf("building from source exits with %d:\n%s", code, said)
	}
	adapter := filepath.Join(root(t), "impl", "subjects", "adapters", "python-urllib", "adapter.py")
	for _, tt := range []struct {
		name   string
		inputs map[string]string
		code   int
		want   string // in what it prints
		result bool   // whether there is a result
	}{
		{"sound", map[string]string{"impl": "reference", "arguments": "--run\nprecedence/*\n"}, 0, "", true},
		{"failing", map[string]string{"adapter": "python3 '" + adapter + "'", "baseline": "none", "arguments": "--run\nprecedence/*"}, 1, "unexpected failures", true},
		{"command", map[string]string{"command": "false {robots} {agent} {url}", "arguments": "--run\nprecedence/longer-allow-wins"}, 1, "unexpected failures", true},
		{"lost", map[string]string{"adapter": "python3 -c 'raise SystemExit(3)'"}, 3, "python3", false},
		{"injection", map[string]string{"impl": "$(touch injected)\"; touch injected; `touch injected`", "arguments": "$(touch injected)"}, 2, "touch injected", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, said, outputs := r.step(t, "Run repcheck", tt.inputs)
			if code != tt.code || !strings.Contains(said, tt.want) {
				t.Errorf("exit code %d, want %d with %q:\n%s", code, tt.code, tt.want, said)
			}
			if _, err := os.Stat(filepath.Join(r.temp, "injected")); err == nil {
				t.Error("an input was run as a command")
			}
			want := ""
			if tt.result {
				folder := filepath.Join(r.temp, "repcheck")
				want = fmt.Sprintf("result=%s/result.json\nsarif=%[1]s/repcheck.sarif\n", folder)
				if sarif := read(t, filepath.Join(folder, "repcheck.sarif")); !strings.Contains(sarif, `"2.1.0"`) {
					t.Errorf("not SARIF 2.1.0: %.300s", sarif)
				}
				if summary := read(t, filepath.Join(r.temp, "summary.md")); summary == "" {
					t.Error("the job summary is empty")
				}
			}
			if outputs != want {
				t.Errorf("outputs %q, want %q", outputs, want)
			}
		})
	}
	t.Run("release", func(t *testing.T) { r.install(t) })
}

// install installs an archive that is built as goreleaser builds it.
func (r *runner) install(t *testing.T) {
	built := filepath.Join(r.temp, "repcheck", "bin")
	folder := filepath.Join(t.TempDir(), "v1.2.3")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("repcheck_1.2.3_linux_%s.tar.gz", runtime.GOARCH)
	if said, err := exec.Command("tar", "-c", "-z", "-f", filepath.Join(folder, name), "-C", built, "repcheck").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	checksum := func(octets string) {
		line := fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(octets)), name)
		if err := os.WriteFile(filepath.Join(folder, "checksums.txt"), []byte(line), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	fresh := &runner{action: r.action, temp: t.TempDir(), releases: "file://" + filepath.Dir(folder)}
	checksum("another file")
	if code, said, _ := fresh.step(t, "Install repcheck", map[string]string{"version": "1.2.3"}); code == 0 || fresh.path != "" {
		t.Errorf("an archive with a wrong checksum is installed:\n%s", said)
	}
	checksum(read(t, filepath.Join(folder, name)))
	code, said, _ := fresh.step(t, "Install repcheck", map[string]string{"version": "v1.2.3"})
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, said)
	}
	if version, err := exec.Command(filepath.Join(fresh.path, "repcheck"), "version").CombinedOutput(); err != nil {
		t.Errorf("the installed repcheck does not run: %v: %s", err, version)
	}
	if code, said, _ := fresh.step(t, "Install repcheck", map[string]string{"version": "1.2/../3"}); code != 2 {
		t.Errorf("a version that is a path gives exit code %d, want 2:\n%s", code, said)
	}
}
