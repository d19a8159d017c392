package adapters

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/repcheck/repcheck/impl/process"
)

// HomeVariable is the environment variable that names the [Home].
const HomeVariable = "REPCHECK_ADAPTERS"

// RequireVariable is the environment variable that requires all adapters if it is set
// to 1. Then a missing adapter fails tests that would otherwise skip it.
const RequireVariable = "REPCHECK_REQUIRE_ADAPTERS"

// Required reports whether RequireVariable is set to 1.
func Required() bool { return os.Getenv(RequireVariable) == "1" }

// A Home is the folder under which adapters are installed: each in
// <home>/<name>/.build, and files that they share in <home>/.build. Crawlers are in
// <home>/.crawlers/<name>.
type Home string

// FindHome returns the folder that HomeVariable names. If it is not set, FindHome
// returns impl/subjects/adapters in the checkout of repcheck that contains the working
// directory. Outside a checkout it returns a folder in the user's cache folder.
func FindHome() (Home, error) {
	if dir := os.Getenv(HomeVariable); dir != "" {
		absolute, err := filepath.Abs(dir)
		return Home(absolute), err
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("the adapters' folder cannot be found: %w", err)
	}
	for {
		module, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(module), "module github.com/repcheck/repcheck\n") {
			return Home(filepath.Join(dir, "impl", "subjects", "adapters")), nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for adapters: %w: name one in %s", err, HomeVariable)
	}
	return Home(filepath.Join(cache, "repcheck", "adapters")), nil
}

func (h Home) build(a *Adapter) string {
	if a.Crawls() {
		return filepath.Join(string(h), ".crawlers", a.Name)
	}
	return filepath.Join(string(h), a.Name, ".build")
}
func (h Home) shared() string          { return filepath.Join(string(h), ".build") }
func (h Home) stamp(a *Adapter) string { return filepath.Join(h.build(a), ".stamp") }

// A Readiness is the state of an adapter's installation.
type Readiness string

const (
	Ready          Readiness = "ready"
	MissingRuntime Readiness = "missing runtime" // a program of Needs is not on PATH
	NotInstalled   Readiness = "not installed"
	Outdated       Readiness = "outdated" // its files have changed since
	LeftOut        Readiness = "left out"
)

// A State is a Readiness with its reason and the command to change it.
type State struct {
	Readiness
	// Why is the reason in one phrase, for example the missing program.
	Why string
	// Fix is the command for the next step towards Ready; empty if there is none.
	Fix string
}

// State returns the state of an adapter. It starts no process.
func (h Home) State(a *Adapter) State {
	if a.LeftOut != "" {
		return State{LeftOut, a.LeftOut, ""}
	}
	var missing []string
	for _, program := range a.Needs {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, program)
		}
	}
	install := "repcheck adapters install " + a.Name // of crawlers too
	if len(missing) > 0 {
		s := State{MissingRuntime, "needs " + strings.Join(missing, ", "), ""}
		if len(a.Apt) > 0 {
			s.Fix = "apt-get install " + strings.Join(a.Apt, " ") + " && " + install
		}
		return s
	}
	switch stamp, err := os.ReadFile(h.stamp(a)); {
	case err != nil && fileExists(h.log(a)):
		return State{NotInstalled, "the last try failed, see " + h.log(a), install}
	case err != nil:
		return State{NotInstalled, "", install}
	case string(stamp) != a.stamp():
		return State{Outdated, "its files have changed since it was installed", install}
	}
	return State{Ready, "", ""}
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// files returns the files that are copied to the build folder, by their names there.
func (a *Adapter) files() map[string][]byte {
	files := map[string][]byte{}
	add := func(fsys fs.FS, from, to string) {
		_ = fs.WalkDir(fsys, from, func(name string, entry fs.DirEntry, err error) error { // embedded files cannot fail to be read
			if err != nil || entry.IsDir() || name == path.Join(a.Name, "meta.yaml") {
				return err
			}
			octets, err := fs.ReadFile(fsys, name)
			files[path.Join(to, strings.TrimPrefix(name, from+"/"))] = octets
			return err
		})
	}
	if a.Kit != "" {
		add(embedded, path.Join("kit", a.Kit), a.KitDir)
	}
	own := a.fsys
	if own == nil {
		own = embedded
	}
	add(own, a.Name, "")
	return files
}

// stamp returns a hash of everything that the installation depends on.
func (a *Adapter) stamp() string {
	hash := sha256.New()
	files := a.files()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(hash, "%q %d\n%s", name, len(files[name]), files[name])
	}
	fmt.Fprintf(hash, "%q %q %q", a.Install, a.Env, a.Command)
	return hex.EncodeToString(hash.Sum(nil))
}

// Options returns the options to run the adapter, which must be ready. extra adds to
// its environment; see process.Environment.
func (h Home) Options(a *Adapter, extra ...string) process.Options {
	return process.Options{Command: a.Command, Dir: h.build(a), Env: h.env(a, extra)}
}

// Direct returns the command that calls the library without the adapter. It reads
// lines of three base64 fields (robots.txt, agent, URL) separated by tabs, and writes
// one verdict per line.
func (h Home) Direct(a *Adapter) *exec.Cmd {
	return h.command(a, a.Direct, nil)
}

func (h Home) env(a *Adapter, extra []string) []string {
	env := slices.Clone(extra)
	fill := h.holes(a)
	for _, key := range slices.Sorted(maps.Keys(a.Env)) {
		env = append(env, key+"="+fill.Replace(a.Env[key]))
	}
	return env
}

func (h Home) holes(a *Adapter) *strings.Replacer {
	return strings.NewReplacer("{build}", h.build(a), "{shared}", h.shared())
}

func (h Home) command(a *Adapter, argv, extra []string) *exec.Cmd {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = h.holes(a).Replace(word)
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = h.build(a), process.Environment(h.env(a, extra)...)
	return cmd
}
