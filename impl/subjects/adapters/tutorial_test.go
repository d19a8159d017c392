package adapters

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/repcheck/repcheck/spec/longtest"
	"go.yaml.in/yaml/v3"
)

// tutorialNeeds are the programs that each language of the tutorial needs in addition
// to sh and go.
var tutorialNeeds = map[string][]string{
	"Python":     {"python3"},
	"JavaScript": {"node"},
	"Rust":       {"cargo"},
	"Java":       {"java", "javac", "mvn"},
	"C":          {"cc"},
	"C++":        {"cc", "c++"},
	"PHP":        {"php"},
	"Go":         nil,
}

// TestTutorial follows TUTORIAL.md in each language: it writes the files, runs the
// commands, and compares exit codes and output. Without -long it only reads the page.
func TestTutorial(t *testing.T) {
	t.Parallel()
	page := readTutorial(t)
	if len(page.languages) != len(tutorialNeeds) {
		t.Errorf("the tutorial is in %d languages, want %d", len(page.languages), len(tutorialNeeds))
	}
	for language := range page.languages {
		if _, known := tutorialNeeds[language]; !known {
			t.Errorf("a section %q: what does it need?", language)
		}
	}
	longtest.Skip(t, "TestOwnModule and the scripts check and adapter take the same steps")
	if _, err := exec.LookPath("sh"); err != nil {
		if Required() {
			t.Fatalf("no sh, the tutorial is not tested, and %s=1 demands it", RequireVariable)
		}
		t.Skip("no sh, the tutorial is not tested")
	}
	env := published(t)
	installer := &reader{dir: t.TempDir(), env: env}
	for _, b := range page.before {
		installer.do(t, b)
	}
	for language, own := range page.languages {
		needs := tutorialNeeds[language]
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			for _, program := range needs {
				if _, err := exec.LookPath(program); err == nil {
					continue
				}
				if Required() {
					t.Fatalf("%s is not installed, and %s=1 demands it", program, RequireVariable)
				}
				t.Skipf("%s is not installed", program)
			}
			r := &reader{dir: t.TempDir(), env: env, installed: installer.commands}
			if slices.Contains(needs, "cc") {
				r.env = slices.Concat(env, jansson(t, "cc"))
			}
			for _, b := range slices.Concat(own, page.after) {
				r.do(t, b)
			}
		})
	}
}

// A block is the text between two fences.
type block struct {
	line int      // where in the tutorial
	kind string   // the word after the fence: sh, text, diff, python
	file string   // the file named at the end of the line above: "`adapter.py`:"
	text []string // without line ends
}

func (b block) String() string { return fmt.Sprintf("TUTORIAL.md:%d", b.line) }

// A tutorial has its blocks in order: before, in, and after the sections about
// languages.
type tutorial struct {
	before, after []block
	languages     map[string][]block
}

var fileName = regexp.MustCompile("`([^`]+)`:$")

func readTutorial(t *testing.T) tutorial {
	t.Helper()
	page := tutorial{languages: map[string][]block{}}
	language, above := "", ""
	var open *block
	for i, line := range strings.Split(readFile(t, "TUTORIAL.md"), "\n") {
		kind, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && open == nil:
			open = &block{line: i + 1, kind: kind}
			if m := fileName.FindStringSubmatch(above); m != nil {
				open.file = m[1]
			}
		case isFence:
			switch {
			case language != "":
				page.languages[language] = append(page.languages[language], *open)
			case len(page.languages) == 0:
				page.before = append(page.before, *open)
			default:
				page.after = append(page.after, *open)
			}
			open, above = nil, ""
		case open != nil:
			open.text = append(open.text, line)
		case strings.HasPrefix(line, "### "):
			language = line[len("### "):]
		case strings.HasPrefix(line, "## "):
			language = ""
		case line != "":
			above = line
		}
	}
	if open != nil || len(page.before) == 0 || len(page.after) == 0 {
		t.Fatal("TUTORIAL.md: a fence is not closed, or there are no commands before or after the languages")
	}
	return page
}

// A reader follows the tutorial in one language.
type reader struct {
	dir       string
	env       []string
	installed []string // commands that another reader has run for all readers

	exports  []string // the export lines so far, which apply to later commands
	commands []string // the commands that were run
	said     string   // the output of the last command
}

func (r *reader) do(t *testing.T, b block) {
	t.Helper()
	switch {
	case b.kind == "sh":
		for _, line := range b.text {
			r.run(t, b, line)
		}
	case b.kind == "text":
		r.compare(t, b)
	case b.file == "":
		t.Fatalf("%v: a %q block without the name of its file", b, b.kind)
	case b.kind == "diff":
		r.change(t, b)
	default:
		writeFile(t, filepath.Join(r.dir, b.file), strings.Join(b.text, "\n")+"\n")
		if b.kind == "yaml" {
			r.workflow(t, b)
		}
	}
}

var exitComment = regexp.MustCompile(`^(.*?) +# exit code (\d+)$`)

// run runs a shell line. It must exit with 0 unless a comment gives another code.
func (r *reader) run(t *testing.T, b block, line string) {
	t.Helper()
	if strings.HasPrefix(line, "export ") {
		r.exports = append(r.exports, line)
		return
	}
	command, want := line, "0"
	if m := exitComment.FindStringSubmatch(line); m != nil {
		command, want = m[1], m[2]
	}
	if slices.Contains(r.installed, command) {
		return
	}
	if strings.HasPrefix(command, "cargo ") {
		// With a lock file of crates that it fetched before, cargo needs no network.
		// The first time this fails, and the reader's command fetches them.
		lock := exec.CommandContext(t.Context(), "cargo", "generate-lockfile", "--offline")
		lock.Dir = r.dir
		_ = lock.Run()
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.Join(append(r.exports, command), "\n"))
	cmd.Dir, cmd.Env = r.dir, r.env
	said, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %s: %v", b, command, err)
	}
	if got := fmt.Sprint(cmd.ProcessState.ExitCode()); got != want {
		t.Fatalf("%v: %s: exit code %s, want %s\n%s", b, command, got, want, head(string(said)))
	}
	r.commands, r.said = append(r.commands, command), string(said)
}

// head returns the beginning of the output of a command, for failure messages.
func head(said string) string { return said[:min(len(said), 3000)] }

// compare compares the output of the last command with a block. In the block, …
// matches any text within a line, or any lines if it is alone on a line.
func (r *reader) compare(t *testing.T, b block) {
	t.Helper()
	pattern := `\A`
	for _, line := range b.text {
		if line == "…" {
			pattern += `(?s:.*\n)?`
		} else {
			// Blanks at the end of a line are invisible, and editors remove them.
			pattern += strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(line, " ")), "…", ".*") + ` *\n`
		}
		if !regexp.MustCompile(pattern).MatchString(r.said) {
			t.Fatalf("%v: from this line on it is not what the command prints: %q\n%s", b, line, head(r.said))
		}
	}
	if !regexp.MustCompile(pattern + `\z`).MatchString(r.said) {
		t.Errorf("%v: the command prints more than this\n%s", b, head(r.said))
	}
}

// change applies a diff without context. Its - lines must occur in the file once.
func (r *reader) change(t *testing.T, b block) {
	t.Helper()
	var from, to string
	for _, line := range b.text {
		switch {
		case strings.HasPrefix(line, "-"):
			from += line[1:] + "\n"
		case strings.HasPrefix(line, "+"):
			to += line[1:] + "\n"
		default:
			t.Fatalf("%v: neither added nor taken away: %q", b, line)
		}
	}
	name := filepath.Join(r.dir, b.file)
	text := readFile(t, name)
	if strings.Count(text, from) != 1 {
		t.Fatalf("%v: %s does not hold this once: %q", b, b.file, from)
	}
	writeFile(t, name, strings.Replace(text, from, to, 1))
}

// workflow runs the commands of a GitHub Actions workflow with the adapter of this
// language.
func (r *reader) workflow(t *testing.T, b block) {
	t.Helper()
	var file struct {
		Jobs map[string]struct {
			Steps []struct{ Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(strings.Join(b.text, "\n")), &file); err != nil {
		t.Fatalf("%v: %v", b, err)
	}
	summary := filepath.Join(r.dir, "summary.md")
	r.exports = append(r.exports, "export GITHUB_STEP_SUMMARY='"+summary+"'")
	for _, job := range file.Jobs {
		for _, step := range job.Steps {
			if step.Run != "" {
				r.run(t, b, step.Run)
			}
		}
	}
	if !strings.Contains(readFile(t, summary), "| parser |") {
		t.Errorf("%v: the summary holds no report", b)
	}
}

// published returns an environment in which this source is the latest version of its
// module, and in which go install writes to a folder of the reader's own.
func published(t *testing.T) []string {
	t.Helper()
	const version = "v0.0.1"
	dir := t.TempDir()
	versions := filepath.Join(dir, "proxy", "github.com", "repcheck", "repcheck", "@v")
	root := filepath.Join("..", "..", "..")
	writeFile(t, filepath.Join(versions, "list"), version+"\n")
	writeFile(t, filepath.Join(versions, version+".info"), `{"Version":"`+version+`"}`)
	writeFile(t, filepath.Join(versions, version+".mod"), readFile(t, filepath.Join(root, "go.mod")))
	packModule(t, root, "github.com/repcheck/repcheck@"+version, filepath.Join(versions, version+".zip"))

	said, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	cache, proxy, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
	bin := filepath.Join(dir, "bin")
	return append(os.Environ(),
		"PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"GOBIN="+bin,
		// Use a separate cache, because the version is not a real one. The
		// dependencies of the tests are already downloaded.
		"GOMODCACHE="+filepath.Join(dir, "mod"),
		"GOPROXY=file://"+filepath.ToSlash(filepath.Join(dir, "proxy"))+",file://"+filepath.ToSlash(cache)+"/cache/download,"+proxy,
		"GOPRIVATE=", "GONOPROXY=none", "GOSUMDB=off", "GOWORK=off",
		// Without -trimpath everything would be compiled again for each folder.
		"GOFLAGS=-trimpath -modcacherw",
	)
}

// packModule writes the files under root as the zip of a module.
func packModule(t *testing.T, root, prefix, name string) {
	t.Helper()
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := zip.NewWriter(file)
	source := os.DirFS(root)
	err = fs.WalkDir(source, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir // installed adapters, and git's own
		case !entry.Type().IsRegular():
			return nil
		}
		octets, err := fs.ReadFile(source, path)
		if err != nil {
			return err
		}
		to, err := w.CreateHeader(&zip.FileHeader{Name: prefix + "/" + path, Method: zip.Store})
		if err != nil {
			return err
		}
		_, err = to.Write(octets)
		return err
	})
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatalf("packing the module: %v", err)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	octets, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(octets)
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
