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

// RequireVariable is the environment variable that, set to 1, demands every
// adapter: one that is missing then fails what would else skip it.
const RequireVariable = "REPCHECK_REQUIRE_ADAPTERS"

// Required reports whether RequireVariable is set to 1.
func Required() bool { return os.Getenv(RequireVariable) == "1" }

// A Home is the folder under which adapters are installed: <home>/<name>/.build
// for each, and <home>/.build for what they share.
type Home string

// FindHome returns the folder that HomeVariable names; else impl/subjects/adapters of the
// checkout of repcheck that the working directory is in; else one in the user's
// cache folder.
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

func (h Home) build(a *Adapter) string { return filepath.Join(string(h), a.Name, ".build") }
func (h Home) shared() string          { return filepath.Join(string(h), ".build") }
func (h Home) stamp(a *Adapter) string { return filepath.Join(h.build(a), ".stamp") }

// A Readiness is how far an adapter is from running.
type Readiness string

const (
	Ready          Readiness = "ready"
	MissingRuntime Readiness = "missing runtime" // a program of Needs is not on PATH
	NotInstalled   Readiness = "not installed"
	Outdated       Readiness = "outdated" // its files have changed since
	LeftOut        Readiness = "left out"
)

// A State is a Readiness with what to do about it.
type State struct {
	Readiness
	// Why is one phrase: which program is missing, why it is left out.
	Why string
	// Mend is the command that brings it nearer to ready; empty if none does.
	Mend string
}

// State looks at what is installed; it starts no process.
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
	install := "repcheck adapters install " + a.Name
	if len(missing) > 0 {
		s := State{MissingRuntime, "needs " + strings.Join(missing, ", "), ""}
		if len(a.Apt) > 0 {
			s.Mend = "apt-get install " + strings.Join(a.Apt, " ") + " && " + install
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

// files returns what is copied into the build folder, by the name there.
func (a *Adapter) files() map[string][]byte {
	files := map[string][]byte{}
	add := func(from, to string) {
		_ = fs.WalkDir(embedded, from, func(name string, entry fs.DirEntry, err error) error { // embedded files cannot fail to be read
			if err != nil || entry.IsDir() || name == path.Join(a.Name, "meta.yaml") {
				return err
			}
			octets, err := fs.ReadFile(embedded, name)
			files[path.Join(to, strings.TrimPrefix(name, from+"/"))] = octets
			return err
		})
	}
	if a.Kit != "" {
		add(path.Join("kit", a.Kit), a.KitDir)
	}
	add(a.Name, "")
	return files
}

// stamp is the hash of everything that what is installed depends on.
func (a *Adapter) stamp() string {
	hash := sha256.New()
	files := a.files()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(hash, "%q %d\n%s", name, len(files[name]), files[name])
	}
	fmt.Fprintf(hash, "%q %q %q", a.Install, a.Env, a.Command)
	return hex.EncodeToString(hash.Sum(nil))
}

// Options say how to run the adapter, which must be ready. extra adds to its
// environment; see process.Environment.
func (h Home) Options(a *Adapter, extra ...string) process.Options {
	return process.Options{Command: a.Command, Dir: h.build(a), Env: h.env(a, extra)}
}

// Direct returns the command that asks the library without the adapter: lines of
// three base64 fields (robots.txt, agent, URL) separated by tabs in, a verdict a
// line out.
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
