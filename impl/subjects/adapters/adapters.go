// Package adapters provides the parsers in other languages that come with repcheck.
// Each is a program that speaks the adapter protocol (package process), in a folder
// of its own with a meta.yaml and a manifest that pins its dependencies. The folders
// are embedded, so that the repcheck binary can install the adapters.
//
// To install an adapter, its folder and the kit of its language are copied to .build
// in that folder (see [Home]), and the install commands of its meta.yaml run there.
// Only the caches of the package managers are written elsewhere.
package adapters

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/repcheck/repcheck/spec"
)

// The folder of every adapter has a dash in its name. .build folders are not
// embedded, because their names begin with a dot.
//
//go:embed *-* kit
var embedded embed.FS

// An Adapter is the content of a meta.yaml.
type Adapter struct {
	// Name is the name of the folder and of the subject: "python-protego".
	Name string `yaml:"name"`
	// Package is the name of the library in its registry.
	Package string `yaml:"package"`
	// Version is the version that the manifest pins, or a pattern with * if the
	// library comes with the runtime.
	Version  string `yaml:"version"`
	Language string `yaml:"language"`
	// Licence is the SPDX expression of the library's licence.
	Licence  string `yaml:"licence"`
	Homepage string `yaml:"homepage"`
	// Lineage names the code base that the library descends from. Subjects of one
	// lineage have one vote together.
	Lineage string `yaml:"lineage"`
	// Descent is the relation to that code base: independent, port of X, binding
	// of X, fork of X.
	Descent string `yaml:"descent"`
	// SharesParserWith lists subjects that run the same parsing code.
	SharesParserWith []string `yaml:"shares_parser_with"`
	// Input is the type of the library's input: octets or text.
	Input string `yaml:"input"`
	// Decides lists the decisions that the library leaves to its caller; [] if it
	// leaves none.
	Decides []string `yaml:"decides"`
	// Features lists what the library can report besides the verdict: line, groups,
	// sitemaps, crawl-delay.
	Features []string `yaml:"features"`
	// Limits lists unsupported queries and known oddities.
	Limits []string `yaml:"limits"`

	// Kit is the folder of the language in kit, which is copied to KitDir of the
	// build folder. If it is empty, no kit is copied.
	Kit    string `yaml:"kit"`
	KitDir string `yaml:"kit_dir"`
	// Needs lists the required programs, and Apt the Debian packages that provide
	// them.
	Needs []string `yaml:"needs"`
	Apt   []string `yaml:"apt"`
	// Env is added to the environment of all commands. {build} is replaced with the
	// build folder, and {shared} with a folder that all adapters share.
	Env map[string]string `yaml:"env"`
	// Install, Command and Direct run in the build folder, without a shell. Direct
	// calls the library without the adapter, for comparison in tests.
	Install [][]string `yaml:"install"`
	Command []string   `yaml:"command"`
	Direct  []string   `yaml:"direct"`

	// fsys has the folder of the adapter; nil is embedded.
	fsys fs.FS

	// LeftOut is the reason why this parser is not among the subjects. If it is
	// set, all fields about installation and running are empty.
	LeftOut string `yaml:"left_out"`
}

// Info returns the information about the subject that is known before it runs.
func (a *Adapter) Info() spec.SubjectInfo {
	return spec.SubjectInfo{Name: a.Name, Package: a.Package, Version: a.Version, Language: a.Language, Lineage: a.Lineage}
}

// All returns every adapter whose meta.yaml is valid, sorted by name. Adapters that
// are left out are at the end.
func All() []*Adapter { all, _ := load(); return all }

// Problems returns an error for each adapter whose meta.yaml is not valid. Only these
// adapters are disabled. The error names the file and the fix.
func Problems() []error { _, problems := load(); return problems }

// Find returns the adapter with the name, or nil if there is none or it is left out.
func Find(name string) *Adapter {
	at := slices.IndexFunc(All(), func(a *Adapter) bool { return a.Name == name && a.LeftOut == "" })
	if at < 0 {
		return nil
	}
	return All()[at]
}

var load = sync.OnceValues(func() ([]*Adapter, []error) { return Load(embedded, "impl/subjects/adapters") })

// Crawls reports whether the command is a crawler, which is started with the page to begin
// with, in place of an adapter. Its meta.yaml says nothing about parsing.
func (a *Adapter) Crawls() bool { return strings.Contains(strings.Join(a.Command, " "), "{seed}") }

// Load reads the meta.yaml in each folder of fsys, sorted as by [All]. Errors prefix
// the names of files with name.
func Load(fsys fs.FS, name string) (all []*Adapter, problems []error) {
	files, err := fs.Glob(fsys, "*/meta.yaml")
	if err != nil {
		return nil, []error{err}
	}
	for _, file := range files {
		folder := path.Dir(file)
		octets, err := fs.ReadFile(fsys, file)
		var a *Adapter
		if err == nil {
			a, err = parse(octets, folder)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s/%s: %w; %s is disabled until then", name, file, err, folder))
			continue
		}
		a.fsys = fsys
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b *Adapter) int {
		if (a.LeftOut == "") != (b.LeftOut == "") {
			return strings.Compare(a.LeftOut, b.LeftOut)
		}
		return strings.Compare(a.Name, b.Name)
	})
	return all, problems
}

// parse decodes the meta.yaml of a folder and checks it. The error says what to
// change.
func parse(octets []byte, folder string) (*Adapter, error) {
	var a Adapter
	decoder := yaml.NewDecoder(bytes.NewReader(octets))
	decoder.KnownFields(true)
	if err := decoder.Decode(&a); err != nil {
		return nil, notMeta(err)
	}
	need := map[string]string{"name": a.Name, "package": a.Package, "language": a.Language}
	if a.LeftOut == "" {
		need["version"], need["licence"], need["homepage"] = a.Version, a.Licence, a.Homepage
		need["command"], need["needs"] = strings.Join(a.Command, ""), strings.Join(a.Needs, "")
	}
	if a.LeftOut == "" && !a.Crawls() {
		need["lineage"], need["descent"], need["input"], need["direct"] = a.Lineage, a.Descent, a.Input, strings.Join(a.Direct, "")
	}
	var missing []string
	for key, value := range need {
		if value == "" {
			missing = append(missing, key)
		}
	}
	slices.Sort(missing)
	switch {
	case len(missing) > 0:
		return nil, fmt.Errorf("there is no value for %s: add it", strings.Join(missing, ", "))
	case a.LeftOut == "" && a.Decides == nil && !a.Crawls():
		return nil, errors.New("there is no value for decides: add it, [] if the library leaves no decision to the adapter")
	case a.Name != folder:
		return nil, fmt.Errorf("the name is %q: change it to the name of the folder, %q", a.Name, folder)
	case a.LeftOut != "" && (a.Command != nil || a.Install != nil):
		return nil, errors.New("an adapter with left_out has no command and no install: remove them, or left_out")
	case a.LeftOut == "" && a.Input != "octets" && a.Input != "text" && !a.Crawls():
		return nil, fmt.Errorf("input is %q: write octets or text", a.Input)
	}
	for _, f := range a.Features {
		if !slices.Contains([]string{"line", "groups", "sitemaps", "crawl-delay"}, f) {
			return nil, fmt.Errorf("feature %q is unknown: use line, groups, sitemaps and crawl-delay", f)
		}
	}
	if a.Kit != "" {
		if _, err := fs.Stat(embedded, path.Join("kit", a.Kit)); err != nil {
			return nil, fmt.Errorf("there is no kit %q: name a folder of impl/subjects/adapters/kit", a.Kit)
		}
	}
	return &a, nil
}

// notMeta returns the reason why a file cannot be decoded, in one line and without
// the names of Go types.
func notMeta(err error) error {
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) {
		return fmt.Errorf("%s: correct the YAML", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	text := strings.Join(wrong.Errors, ", ")
	return fmt.Errorf("%s: correct or remove it", strings.ReplaceAll(text, " not found in type adapters.Adapter", " is unknown"))
}
