package process

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// passed are the environment variables that every program gets: where things are,
// and how text is written. Secrets (tokens, keys, credentials) are in other
// variables, which a parser under test has no need for.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TMP", "TEMP",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
	// Runtimes and their version managers.
	"JAVA_HOME", "GOROOT", "GOPATH", "GOCACHE", "GOMODCACHE", "GOTOOLCHAIN", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN",
	"PYENV_ROOT", "PYENV_VERSION", "RBENV_ROOT", "RBENV_VERSION", "NVM_DIR", "VOLTA_HOME", "ASDF_DIR", "ASDF_DATA_DIR", "VIRTUAL_ENV",
	// Windows.
	"SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "OS", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
	"USERPROFILE", "APPDATA", "LOCALAPPDATA", "ProgramData", "ProgramFiles", "ProgramFiles(x86)",
}

// Environment returns the environment that programs get, "KEY=value": a few
// variables of ours that a runtime needs to start, and the variables listed in
// extra. An element of extra is the name of a variable of ours, a prefix of names
// that ends in "*", or "KEY=value".
func Environment(extra ...string) []string {
	var env []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		wanted := func(e string) bool {
			prefix, many := strings.CutSuffix(e, "*")
			return many && strings.HasPrefix(name, prefix) || sameVariable(e, name)
		}
		if slices.ContainsFunc(passed, wanted) || slices.ContainsFunc(extra, wanted) {
			env = append(env, variable)
		}
	}
	for _, e := range extra {
		if strings.Contains(e, "=") {
			env = append(env, e)
		}
	}
	return env
}

// sameVariable compares names as the system does.
func sameVariable(a, b string) bool {
	if os.PathSeparator == '\\' {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// CheckVariable returns an error unless e is a valid element of extra for
// [Environment].
func CheckVariable(e string) error {
	name, _, _ := strings.Cut(strings.TrimSuffix(e, "*"), "=")
	if name == "" || strings.ContainsAny(e, "\x00\n") {
		return fmt.Errorf("%q names no environment variable: give NAME or NAME=value", e)
	}
	return nil
}
