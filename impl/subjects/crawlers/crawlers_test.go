package crawlers

import (
	"encoding/json"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

func TestMetaIsValid(t *testing.T) {
	for _, err := range Problems() {
		t.Error(err)
	}
	names := map[string]bool{}
	for _, a := range Installable() {
		names[a.Name] = true
		if a.LeftOut != "" {
			continue
		}
		command := strings.Join(a.Command, " ")
		for _, hole := range []string{"{seed}", "{agent}"} {
			if !strings.Contains(command, hole) {
				t.Errorf("%s: the command has no %s", a.Name, hole)
			}
		}
	}
	folders, err := fs.ReadDir(embedded, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if !names[folder.Name()] {
			t.Errorf("%s has no valid meta.yaml", folder.Name())
		}
	}
}

// Each crawler that is not part of a distribution or of its language has a manifest,
// which names the version in meta.yaml.
func TestVersionIsPinned(t *testing.T) {
	for _, a := range Installable() {
		if a.LeftOut != "" {
			continue
		}
		if strings.Contains(a.Version, "*") {
			if len(a.Install) > 0 {
				t.Errorf("%s: version %s has a *, but it is installed by a manifest", a.Name, a.Version)
			}
			if len(a.Apt) == 0 {
				t.Errorf("%s: version %s has a *, but no package of Debian is named", a.Name, a.Version)
			}
			continue
		}
		pinned := false
		for _, name := range manifests(t, a.Name) {
			for dependency, version := range pins(t, name) {
				pinned = pinned || strings.EqualFold(dependency, a.Package) && version == a.Version
			}
		}
		if !pinned {
			t.Errorf("%s: no manifest pins %s to %s", a.Name, a.Package, a.Version)
		}
	}
}

// manifests returns the files in the folder of a crawler that name dependencies.
func manifests(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := fs.ReadDir(embedded, folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		switch name := entry.Name(); {
		case name == "package.json", name == "go.mod.txt", name == "pom.xml", strings.HasSuffix(name, ".txt") && !strings.Contains(name, ".go.") && name != "go.sum.txt":
			names = append(names, path.Join(folder, name))
		}
	}
	return names
}

var (
	exact    = regexp.MustCompile(`^v?\d+(\.\w+)+(-[\w.-]+)?(\+incompatible)?$`)
	required = regexp.MustCompile(`^([\w.-]+)==(\S+)( ; [^\\]*?)?( --hash=sha256:[0-9a-f]{64})+$`)
	module   = regexp.MustCompile(`^(?:require )?(\S+/\S+) (v\S+)(?: // indirect)?$`)
	artifact = regexp.MustCompile(`<dependency>\s*<groupId>([^<]+)</groupId>\s*<artifactId>([^<]+)</artifactId>\s*<version>([^<]+)</version>`)
)

// pins returns the dependencies of a manifest with their versions, and fails the test
// if a version is not exact or not protected by a hash.
func pins(t *testing.T, name string) map[string]string {
	t.Helper()
	octets, err := fs.ReadFile(embedded, name)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	switch path.Base(name) {
	case "package.json":
		var file struct{ Dependencies map[string]string }
		if err := json.Unmarshal(octets, &file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		found = file.Dependencies
		locked(t, path.Join(path.Dir(name), "package-lock.json"), found)
	case "go.mod.txt":
		sums, err := fs.ReadFile(embedded, path.Join(path.Dir(name), "go.sum.txt"))
		if err != nil {
			t.Error(err)
		}
		for line := range strings.Lines(string(octets)) {
			if m := module.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				found[m[1]] = m[2]
				if !strings.Contains(string(sums), m[1]+" "+m[2]+"/go.mod h1:") {
					t.Errorf("%s: go.sum.txt has no hash of %s %s", name, m[1], m[2])
				}
			}
		}
	case "pom.xml":
		for _, m := range artifact.FindAllStringSubmatch(string(octets), -1) {
			found[m[1]+":"+m[2]] = m[3]
			hashed(t, path.Join(path.Dir(name), "deps.sha256"), m[2]+"-"+m[3]+".jar")
		}
	default:
		joined := regexp.MustCompile(`\s*\\\n\s*`).ReplaceAllString(string(octets), " ")
		for line := range strings.Lines(joined) {
			m := required.FindStringSubmatch(strings.TrimSpace(line))
			if m == nil {
				t.Errorf("%s: no exact version with hashes: %.80q", name, line)
				continue
			}
			found[m[1]] = m[2]
		}
	}
	if len(found) == 0 {
		t.Errorf("%s names no dependency", name)
	}
	for dependency, version := range found {
		if !exact.MatchString(version) {
			t.Errorf("%s: the version of %s is not exact: %q", name, dependency, version)
		}
	}
	return found
}

// hashed fails the test unless a list of hashes has the jar.
func hashed(t *testing.T, name, jar string) {
	t.Helper()
	octets, err := fs.ReadFile(embedded, name)
	if err != nil {
		t.Error(err)
		return
	}
	if !strings.Contains(string(octets), "  deps/"+jar+"\n") {
		t.Errorf("%s: no hash of %s", name, jar)
	}
}

// locked fails the test unless an npm lock file has the dependencies, and a hash of every
// package.
func locked(t *testing.T, name string, dependencies map[string]string) {
	t.Helper()
	octets, err := fs.ReadFile(embedded, name)
	if err != nil {
		t.Error(err)
		return
	}
	var lock struct {
		Packages map[string]struct{ Version, Integrity string }
	}
	if err := json.Unmarshal(octets, &lock); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for folder, p := range lock.Packages {
		if folder != "" && p.Integrity == "" {
			t.Errorf("%s: no hash of %s", name, folder)
		}
	}
	for dependency, version := range dependencies {
		if got := lock.Packages["node_modules/"+dependency].Version; got != version {
			t.Errorf("%s: %s is locked to %q, package.json pins %s", name, dependency, got, version)
		}
	}
}
