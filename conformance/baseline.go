package conformance

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/file"
)

//go:embed baselines/*.yaml
var embedded embed.FS

// A Baseline lists known failures, each with a reason. A failure that it lists
// is expected. An entry that no longer holds is a [BaselineProblem].
type Baseline struct {
	files []*baselineFile
}

// baselineFile is one YAML file of a baseline.
type baselineFile struct {
	path    string
	entries []*baselineSubject
	// shipped is set in the embedded baseline, which a user cannot edit.
	shipped bool
	// changed is set if the file must be written again.
	changed bool
}

// baselineSubject holds the known failures of one subject under one
// interpretation: one YAML document.
type baselineSubject struct {
	Subject string `yaml:"subject"`
	// Versions are patterns of the versions to which the entries apply. Empty
	// means every version.
	Versions       []string        `yaml:"versions,omitempty"`
	Interpretation string          `yaml:"interpretation"`
	Known          []*baselineItem `yaml:"known"`

	file *baselineFile
	node *yaml.Node // for the lines of messages
}

// baselineItem holds failures that have the same reason.
type baselineItem struct {
	Reason string `yaml:"reason"`
	// Link is the URL of a discussion of the failure by the subject's authors.
	Link string `yaml:"link,omitempty"`
	// Expires is the day from which the entry is an error, YYYY-MM-DD.
	Expires string `yaml:"expires,omitempty"`
	// Cases holds the subject's wrong answers, by the ID of the case and of the
	// expectation.
	Cases map[string]map[string]spec.Verdict `yaml:"cases"`

	node *yaml.Node // for the lines of messages
}

// An expectationKey names an expectation of a case.
type expectationKey struct{ id, name string }

// expectations returns the keys of the listed failures, sorted.
func (b *baselineItem) expectations() []expectationKey {
	var keys []expectationKey
	for _, id := range slices.Sorted(maps.Keys(b.Cases)) {
		for _, name := range slices.Sorted(maps.Keys(b.Cases[id])) {
			keys = append(keys, expectationKey{id, name})
		}
	}
	return keys
}

// UnmarshalYAML keeps the node.
func (s *baselineSubject) UnmarshalYAML(n *yaml.Node) error {
	type plain baselineSubject
	s.node = n
	return decodeMapping(n, (*plain)(s), "subject", "versions", "interpretation", "known")
}

// UnmarshalYAML keeps the node.
func (b *baselineItem) UnmarshalYAML(n *yaml.Node) error {
	type plain baselineItem
	b.node = n
	return decodeMapping(n, (*plain)(b), "reason", "link", "expires", "cases")
}

// decodeMapping decodes a mapping. A key that is not allowed is an error: the YAML
// package checks only mappings without UnmarshalYAML.
func decodeMapping(n *yaml.Node, into any, allowed ...string) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: want a mapping with the keys %s", n.Line, strings.Join(allowed, ", "))
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i]; !slices.Contains(allowed, key.Value) {
			return fmt.Errorf("line %d: unknown key %q: use %s", key.Line, key.Value, strings.Join(allowed, ", "))
		}
	}
	return n.Decode(into)
}

// lineOf follows a path of keys into nested mappings, and returns the line of the
// last key that it finds.
func lineOf(n *yaml.Node, path ...string) int {
	line := n.Line
	for _, key := range path {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				line, n = n.Content[i].Line, n.Content[i+1]
				break
			}
		}
	}
	return line
}

// DefaultBaseline returns the embedded baseline, the known failures of the
// parsers that repcheck ships adapters for.
func DefaultBaseline() (*Baseline, error) {
	b := &Baseline{}
	err := b.walk(embedded, func(path string) error {
		octets, err := embedded.ReadFile(path)
		if err != nil {
			return err
		}
		return b.add(octets, "conformance/"+path, true)
	})
	return b, err
}

// LoadBaseline reads a baseline from a file, or from all YAML files of a folder
// and its subfolders. Files that are not regular and files larger than 16 MiB
// are errors.
func LoadBaseline(path string) (*Baseline, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the baseline: %w", err)
	}
	b := &Baseline{}
	read := func(name string) error {
		octets, err := file.Read(name, maxBaseline, "pass a file that --update-baseline wrote")
		if err != nil {
			return fmt.Errorf("cannot read the baseline: %w", err)
		}
		return b.add(octets, filepath.ToSlash(name), false)
	}
	if !info.IsDir() {
		err = read(path)
	} else {
		err = b.walk(os.DirFS(path), func(name string) error { return read(filepath.Join(path, filepath.FromSlash(name))) })
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// maxBaseline bounds the size of a baseline file. The largest that repcheck
// ships has 60 KiB.
const maxBaseline = 16 << 20

// walk calls read for each YAML file.
func (b *Baseline) walk(fsys fs.FS, read func(path string) error) error {
	return fs.WalkDir(fsys, ".", func(path string, entry fs.DirEntry, err error) error {
		extension := filepath.Ext(path)
		if err != nil || entry.IsDir() || extension != ".yaml" && extension != ".yml" {
			return err
		}
		return read(path)
	})
}

func (b *Baseline) add(octets []byte, path string, shipped bool) error {
	file, err := parseBaseline(octets, path)
	if err != nil {
		return err
	}
	file.shipped = shipped
	b.files = append(b.files, file)
	return nil
}

func parseBaseline(octets []byte, path string) (*baselineFile, error) {
	file := &baselineFile{path: path}
	decoder := yaml.NewDecoder(bytes.NewReader(octets))
	for {
		var s *baselineSubject
		err := decoder.Decode(&s)
		if errors.Is(err, io.EOF) {
			return file, nil
		}
		if err == nil && s == nil {
			s = &baselineSubject{}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: not a baseline: %s", path, yamlMessage(err))
		}
		if s.Subject == "" || s.Interpretation == "" {
			return nil, fmt.Errorf("%s: a document of a baseline needs the keys subject and interpretation", path)
		}
		for _, item := range s.Known {
			if item == nil {
				return nil, fmt.Errorf("%s: an entry of known is empty: delete it", path)
			}
			if line, message := item.problem(); message != "" {
				return nil, fmt.Errorf("%s:%d: %s", path, line, message)
			}
		}
		s.file = file
		file.entries = append(file.entries, s)
	}
}

// problem returns the reason why the entry is unusable, and the line.
func (b *baselineItem) problem() (line int, message string) {
	if strings.TrimSpace(b.Reason) == "" {
		return lineOf(b.node), "the entry has no reason: say why the subject fails"
	}
	if _, err := b.expiry(); err != nil {
		return lineOf(b.node, "expires"), fmt.Sprintf("expires is %q: write a day like 2027-06-30", b.Expires)
	}
	for _, key := range b.expectations() {
		if verdict := b.Cases[key.id][key.name]; !failing(verdict) {
			return lineOf(b.node, "cases", key.id, key.name), fmt.Sprintf("%q is not an answer that fails a case: use %s", verdict, failingVerdicts)
		}
	}
	return 0, ""
}

const failingVerdicts = "allow, disallow, reject, crash or timeout"

// failing reports whether a subject can fail with the verdict. Unsupported is
// skipped. A protocol error cannot be a known failure: it hides what the parser
// does.
func failing(v spec.Verdict) bool {
	return v.Valid() && v != spec.Unsupported && v != spec.ProtocolError
}

// yamlMessage puts the YAML package's message on one line.
func yamlMessage(err error) string {
	message := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "unmarshal errors:\n")
	lines := strings.Split(message, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "; ")
}

func (b *baselineItem) expiry() (time.Time, error) {
	if b.Expires == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.DateOnly, b.Expires)
}

// expired reports whether the entry has expired at the time now.
func (b *baselineItem) expired(now time.Time) bool {
	day, _ := b.expiry() // checked on reading
	return b.Expires != "" && !now.Before(day)
}

// Merge returns a baseline with the entries of both.
func (b *Baseline) Merge(other *Baseline) *Baseline {
	return &Baseline{files: slices.Concat(b.files, other.files)}
}

// Subjects returns the names of all subjects with entries.
func (b *Baseline) Subjects() []string {
	var names []string
	for _, file := range b.files {
		for _, s := range file.entries {
			names = append(names, s.Subject)
		}
	}
	return names
}

// Without returns a baseline without the entries of these subjects.
func (b *Baseline) Without(subjects []string) *Baseline {
	return b.edit(func(s *baselineSubject) *baselineSubject {
		if slices.Contains(subjects, s.Subject) {
			return nil
		}
		return s
	})
}

// Within returns a baseline with only those cases that are in data.
func (b *Baseline) Within(data *spec.Data) *Baseline {
	return b.edit(func(s *baselineSubject) *baselineSubject {
		narrowed := *s
		narrowed.Known = nil
		for _, item := range s.Known {
			item := *item
			item.Cases = maps.Clone(item.Cases)
			maps.DeleteFunc(item.Cases, func(id string, _ map[string]spec.Verdict) bool { return data.Case(id) == nil })
			narrowed.Known = append(narrowed.Known, &item)
		}
		return &narrowed
	})
}

// edit returns a baseline with the result of change for each subject. nil leaves it
// out.
func (b *Baseline) edit(change func(*baselineSubject) *baselineSubject) *Baseline {
	rest := &Baseline{}
	for _, file := range b.files {
		kept := &baselineFile{path: file.path, shipped: file.shipped}
		for _, s := range file.entries {
			if s := change(s); s != nil {
				kept.entries = append(kept.entries, s)
			}
		}
		rest.files = append(rest.files, kept)
	}
	return rest
}
