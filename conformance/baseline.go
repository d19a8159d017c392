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
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/repcheck/repcheck/spec"
)

//go:embed baselines/*.yaml
var embedded embed.FS

// A Baseline is the failures that are known, each with a reason. It turns a
// failure that it explains into a known one, and is itself wrong where a
// subject no longer fails as it says.
type Baseline struct {
	files []*baselineFile
}

// baselineFile is one YAML file of a baseline.
type baselineFile struct {
	path    string
	entries []baselineSubject
}

// baselineSubject is what is known of one subject under one interpretation.
type baselineSubject struct {
	Subject string `yaml:"subject"`
	// Versions are patterns of the versions it was observed with; a subject of
	// another version is not held to it. Empty means any.
	Versions       []string        `yaml:"versions,omitempty"`
	Interpretation string          `yaml:"interpretation"`
	Known          []*baselineItem `yaml:"known"`
}

// baselineItem is failures with one reason.
type baselineItem struct {
	Reason string `yaml:"reason"`
	// Link leads to where the subject's authors know of it.
	Link string `yaml:"link,omitempty"`
	// Expires is the day from which the entry is an error, YYYY-MM-DD.
	Expires string `yaml:"expires,omitempty"`
	// Cases holds, for the ID of a case, what the subject answers to each
	// expectation that it fails.
	Cases map[string]map[string]spec.Verdict `yaml:"cases"`

	line int
}

// UnmarshalYAML keeps the line, for messages.
func (b *baselineItem) UnmarshalYAML(n *yaml.Node) error {
	type plain baselineItem
	b.line = n.Line
	return n.Decode((*plain)(b))
}

// DefaultBaseline returns the embedded baseline: what is known of the parsers
// that come with repcheck.
func DefaultBaseline() (*Baseline, error) { return loadBaseline(embedded, "conformance") }

// LoadBaseline reads a baseline from a file, or from all YAML files of a
// folder.
func LoadBaseline(path string) (*Baseline, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the baseline: %w", err)
	}
	if info.IsDir() {
		return loadBaseline(os.DirFS(path), path)
	}
	octets, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the baseline: %w", err)
	}
	file, err := parseBaseline(octets, path)
	if err != nil {
		return nil, err
	}
	return &Baseline{files: []*baselineFile{file}}, nil
}

func loadBaseline(fsys fs.FS, name string) (*Baseline, error) {
	b := &Baseline{}
	err := fs.WalkDir(fsys, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		octets, err := fs.ReadFile(fsys, path)
		if err != nil {
			return err
		}
		file, err := parseBaseline(octets, filepath.ToSlash(filepath.Join(name, path)))
		if err != nil {
			return err
		}
		b.files = append(b.files, file)
		return nil
	})
	return b, err
}

func parseBaseline(octets []byte, path string) (*baselineFile, error) {
	file := &baselineFile{path: path}
	decoder := yaml.NewDecoder(bytes.NewReader(octets))
	decoder.KnownFields(true)
	for {
		var s baselineSubject
		err := decoder.Decode(&s)
		if errors.Is(err, io.EOF) {
			return file, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: not a baseline: %s", path, yamlMessage(err))
		}
		if s.Subject == "" || s.Interpretation == "" {
			return nil, fmt.Errorf("%s: a baseline names its subject and the interpretation it was recorded under", path)
		}
		for _, item := range s.Known {
			if item == nil {
				return nil, fmt.Errorf("%s: an entry of known is empty: take it out", path)
			}
			if strings.TrimSpace(item.Reason) == "" {
				return nil, fmt.Errorf("%s:%d: the entry has no reason: say why the subject fails", path, item.line)
			}
			if _, err := item.expiry(); err != nil {
				return nil, fmt.Errorf("%s:%d: expires must be a day like 2027-06-30", path, item.line)
			}
		}
		file.entries = append(file.entries, s)
	}
}

var unknownField = regexp.MustCompile(`field (\S+) not found in type \S+`)

// yamlMessage puts the library's message into one line that speaks of the file
// and not of this program.
func yamlMessage(err error) string {
	message := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "unmarshal errors:\n")
	lines := strings.Split(message, "\n")
	for i, line := range lines {
		lines[i] = unknownField.ReplaceAllString(strings.TrimSpace(line),
			`unknown key "$1": use subject, versions, interpretation, known; in known: reason, link, expires, cases`)
	}
	return strings.Join(lines, "; ")
}

func (b *baselineItem) expiry() (time.Time, error) {
	if b.Expires == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.DateOnly, b.Expires)
}

// Merge returns a baseline of the entries of both.
func (b *Baseline) Merge(other *Baseline) *Baseline {
	return &Baseline{files: slices.Concat(b.files, other.files)}
}

// applies reports whether the entries are about the subject as it runs.
func (s *baselineSubject) applies(subject *SubjectResult, interpretation string) bool {
	if s.Subject != subject.Name || s.Interpretation != interpretation {
		return false
	}
	return len(s.Versions) == 0 || spec.NewSelection(s.Versions).Match(subject.Version)
}

// apply turns the failures that the baseline explains into known ones and
// records what is wrong with the baseline itself.
func (b *Baseline) apply(r *Result, data *spec.Data, cases []spec.Case, now time.Time) {
	if b == nil {
		return
	}
	if now.IsZero() {
		now = time.Now()
	}
	ran := map[string]int{}
	for i := range cases {
		ran[cases[i].ID] = i
	}
	for at := range r.Subjects {
		used := false
		skipped := ""
		for _, file := range b.files {
			for k := range file.entries {
				s := &file.entries[k]
				if !s.applies(&r.Subjects[at], r.Interpretation) {
					if s.Subject == r.Subjects[at].Name && s.Interpretation == r.Interpretation {
						skipped = fmt.Sprintf("%s knows %s %s, not %s: its entries are not applied",
							file.path, s.Subject, strings.Join(s.Versions, ", "), r.Subjects[at].Version)
					}
					continue
				}
				used = true
				for _, item := range s.Known {
					a := application{r: r, data: data, ran: ran, at: at, pos: fmt.Sprintf("%s:%d", file.path, item.line), subject: s.Subject}
					a.item(item, now)
				}
			}
		}
		if !used && skipped != "" {
			r.Notes = append(r.Notes, skipped)
		}
	}
}

// An application is one entry of a baseline held against a result.
type application struct {
	r       *Result
	data    *spec.Data
	ran     map[string]int
	at      int
	pos     string
	subject string
}

func (a *application) problem(kind, id, expectation, format string, args ...any) {
	a.r.Baseline = append(a.r.Baseline, BaselineProblem{
		Kind: kind, Pos: a.pos, Subject: a.subject, Case: id, Expectation: expectation, Message: fmt.Sprintf(format, args...),
	})
}

func (a *application) item(item *baselineItem, now time.Time) {
	if day, _ := item.expiry(); item.Expires != "" && !now.Before(day) {
		a.problem("expired", "", "", "the entry expired on %s (%s): mend the parser, or give the entry a new day", item.Expires, item.Reason)
		return
	}
	for _, id := range slices.Sorted(maps.Keys(item.Cases)) {
		known := a.data.Case(id)
		if known == nil {
			a.problem("unmatched", id, "", "there is no case %s: take the entry out", id)
			continue
		}
		i, ran := a.ran[id]
		if !ran {
			continue // not selected
		}
		a.matchCase(&a.r.Cases[i].Outcomes[a.at], id, item)
	}
}

func (a *application) matchCase(out *Outcome, id string, item *baselineItem) {
	expectations := item.Cases[id]
	for _, name := range slices.Sorted(maps.Keys(expectations)) {
		verdict := expectations[name]
		at := slices.IndexFunc(out.Checks, func(c Check) bool { return spec.ProbeID(c.Probe) == name })
		if at < 0 {
			a.problem("unmatched", id, name, "case %s has no expectation %q: take the entry out", id, name)
			continue
		}
		switch check := &out.Checks[at]; {
		case check.Status == Fail && check.Got.Verdict == verdict:
			check.Status, check.Reason = Known, item.Reason
		case check.Status == Fail:
			check.Baseline, check.Reason = verdict, item.Reason
			a.problem("stale", id, name, "%s, %q: the answer is %s now, the baseline knows %s", id, name, check.Got.Verdict, verdict)
		case check.Status == Pass:
			check.Baseline, check.Reason = verdict, item.Reason
			a.problem("stale", id, name, "%s, %q passes now: take the entry out (repcheck run --baseline FILE --update-baseline does)", id, name)
		}
	}
	out.Status = NotScored
	for _, check := range out.Checks {
		out.Status = max(out.Status, check.Status)
	}
}

// Subjects returns the names of the subjects that the baseline speaks of.
func (b *Baseline) Subjects() []string {
	var names []string
	for _, file := range b.files {
		for _, s := range file.entries {
			names = append(names, s.Subject)
		}
	}
	return names
}

// Without returns the baseline without what it says of these subjects.
func (b *Baseline) Without(subjects []string) *Baseline {
	rest := &Baseline{}
	for _, file := range b.files {
		kept := &baselineFile{path: file.path}
		for _, s := range file.entries {
			if !slices.Contains(subjects, s.Subject) {
				kept.entries = append(kept.entries, s)
			}
		}
		rest.files = append(rest.files, kept)
	}
	return rest
}

// Within returns the baseline without the cases that data does not have.
func (b *Baseline) Within(data *spec.Data) *Baseline {
	rest := &Baseline{}
	for _, file := range b.files {
		kept := &baselineFile{path: file.path}
		for _, s := range file.entries {
			var items []*baselineItem
			for _, item := range s.Known {
				narrowed := *item
				narrowed.Cases = maps.Clone(item.Cases)
				maps.DeleteFunc(narrowed.Cases, func(id string, _ map[string]spec.Verdict) bool { return data.Case(id) == nil })
				items = append(items, &narrowed)
			}
			s.Known = items
			kept.entries = append(kept.entries, s)
		}
		rest.files = append(rest.files, kept)
	}
	return rest
}
