package conformance

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/repcheck/repcheck/spec"
	"github.com/repcheck/repcheck/spec/file"
)

// ErrNoReason is returned by [UpdateBaseline] if there are failures to add but no
// reason for them.
var ErrNoReason = errors.New("new failures need a reason")

// A BaselineUpdate describes what [UpdateBaseline] or [PruneBaseline] changed in
// a baseline, and what it left unchanged.
type BaselineUpdate struct {
	// Added are new known failures, Dropped entries that no longer hold.
	Added, Dropped []BaselineEntry
	// Unseen counts the known failures that stay because the run did not include
	// or score them, Unanswered those that stay because the answer timed out or
	// broke the protocol.
	Unseen, Unanswered int
	// Left counts unexpected failures that are not added: protocol errors,
	// timeouts of queries with another known answer and, when pruning, all.
	Left int
	// Lost are the lost subjects, whose entries are unchanged.
	Lost []string
}

// A BaselineEntry is one expectation that a subject fails with a verdict.
type BaselineEntry struct {
	Subject, Case, Expectation string
	Verdict                    spec.Verdict
}

// String returns `<subject>: <case>, "<expectation>": <verdict>`.
func (e BaselineEntry) String() string {
	return fmt.Sprintf("%s: %s, %q: %s", e.Subject, e.Case, e.Expectation, e.Verdict)
}

// String returns a few lines about what was changed and what was not.
func (u *BaselineUpdate) String() string {
	lines := []string{fmt.Sprintf("%d known failures added, %d dropped", len(u.Added), len(u.Dropped))}
	for _, part := range []struct {
		n    int
		text string
	}{
		{u.Unseen, "kept because this run did not check them"},
		{u.Unanswered, "kept because the answer timed out or broke the protocol"},
	} {
		if part.n > 0 {
			lines = append(lines, fmt.Sprintf("%d %s", part.n, part.text))
		}
	}
	if u.Left > 0 {
		lines = append(lines, fmt.Sprintf("%d unexpected failures not added", u.Left))
	}
	for _, name := range u.Lost {
		lines = append(lines, fmt.Sprintf("%s was lost: its entries are unchanged", name))
	}
	return strings.Join(lines, "\n")
}

// UpdateBaseline rewrites the baseline at path, a file or a folder, so that it
// lists the failures in the result. Entries that still hold keep their reasons,
// those that no longer hold are dropped, and all other failures are added with
// the reason. If there are failures to add and the reason is blank, it writes
// nothing, and returns [ErrNoReason] together with the changes it would have
// made.
//
// It changes only what the result shows. Entries about other subjects, cases,
// interpretations and versions are kept, as are entries about lost subjects and
// about queries whose answer timed out or broke the protocol.
//
// In a folder, each entry stays in its file, even if that is not named after the
// subject; a new subject gets the file <subject>.yaml. A new entry applies to
// every version of the subject, unless its other entries apply only to certain
// versions.
func UpdateBaseline(path, reason string, r *Result) (*BaselineUpdate, error) {
	return rewriteBaseline(path, r, true, reason)
}

// PruneBaseline is [UpdateBaseline] without additions: it drops the entries that
// no longer fail, and keeps those that fail with another verdict.
func PruneBaseline(path string, r *Result) (*BaselineUpdate, error) {
	return rewriteBaseline(path, r, false, "")
}

func rewriteBaseline(path string, r *Result, add bool, reason string) (*BaselineUpdate, error) {
	w := &rewriter{path: path, r: r, add: add, reason: reason, baseline: &Baseline{}}
	info, err := os.Stat(path)
	switch {
	case err == nil:
		w.folder = info.IsDir()
		if w.baseline, err = LoadBaseline(path); err != nil {
			return nil, err
		}
	case !add || !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("cannot read the baseline: %w", err)
	}
	if !w.folder && len(w.baseline.files) == 0 {
		w.baseline.files = []*baselineFile{{path: path, changed: true}}
	}
	for at := range r.Subjects {
		if err := w.subject(at); err != nil {
			return nil, err
		}
	}
	if len(w.update.Added) > 0 && strings.TrimSpace(reason) == "" {
		return &w.update, ErrNoReason
	}
	for _, file := range w.baseline.files {
		if file.changed {
			if err := file.write(); err != nil {
				return nil, fmt.Errorf("cannot write the baseline: %w", err)
			}
		}
	}
	return &w.update, nil
}

// A rewriter changes the entries of a baseline according to a result.
type rewriter struct {
	path     string
	folder   bool
	r        *Result
	add      bool
	reason   string
	baseline *Baseline
	update   BaselineUpdate
}

// subject updates the entries of the subject with index at.
func (w *rewriter) subject(at int) error {
	s := &w.r.Subjects[at]
	if s.Lost != "" {
		w.update.Lost = append(w.update.Lost, s.Name)
		return nil
	}
	var into *baselineSubject // where new entries go
	versioned := false
	fails := failures(w.r, at)
	for _, file := range w.baseline.files {
		for _, entry := range file.entries {
			if !entry.concerns(s, w.r.Interpretation) {
				continue
			}
			versioned = versioned || len(entry.Versions) > 0
			if !entry.applies(s, w.r.Interpretation) {
				continue
			}
			into = cmp.Or(into, entry)
			w.entry(entry, at, fails)
		}
	}
	var added []BaselineEntry
	for key, check := range fails {
		switch {
		case check.Status == Known: // another baseline lists it
		case !w.add || check.Status == Broken:
			w.update.Left++
		default:
			added = append(added, BaselineEntry{s.Name, key.id, key.name, check.Got.Verdict})
		}
	}
	slices.SortFunc(added, func(a, b BaselineEntry) int {
		return cmp.Or(cmp.Compare(a.Case, b.Case), cmp.Compare(a.Expectation, b.Expectation))
	})
	if len(added) == 0 {
		return nil
	}
	w.update.Added = append(w.update.Added, added...)
	if into == nil {
		into = &baselineSubject{Subject: s.Name, Interpretation: w.r.Interpretation}
		if versioned && s.Version != "" {
			into.Versions = []string{s.Version}
		}
		var err error
		if into.file, err = w.fileFor(s.Name); err != nil {
			return err
		}
		into.file.entries = append(into.file.entries, into)
	}
	into.enter(added, w.reason)
	into.file.changed = true
	return nil
}

// failures returns the failed checks of a subject, including known ones, by case
// and expectation.
func failures(r *Result, at int) map[expectationKey]*Check {
	fails := map[expectationKey]*Check{}
	for _, c := range r.Cases {
		for i := range c.Outcomes[at].Checks {
			if check := &c.Outcomes[at].Checks[i]; check.Status >= Known {
				fails[expectationKey{c.ID, spec.ProbeID(check.Probe)}] = check
			}
		}
	}
	return fails
}

// entry keeps what still holds, and removes it from fails.
func (w *rewriter) entry(entry *baselineSubject, at int, fails map[expectationKey]*Check) {
	cases := w.r.byID()
	for _, item := range entry.Known {
		for _, key := range item.expectations() {
			out := &Outcome{} // as for a case that did not run
			if c := cases[key.id]; c != nil {
				out = &c.Outcomes[at]
			}
			verdict := item.Cases[key.id][key.name]
			if w.keeps(out, key, verdict, fails) {
				continue
			}
			w.update.Dropped = append(w.update.Dropped, BaselineEntry{entry.Subject, key.id, key.name, verdict})
			delete(item.Cases[key.id], key.name)
			entry.file.changed = true
		}
		maps.DeleteFunc(item.Cases, func(_ string, expectations map[string]spec.Verdict) bool { return len(expectations) == 0 })
	}
	entry.Known = slices.DeleteFunc(entry.Known, func(item *baselineItem) bool { return len(item.Cases) == 0 })
}

// keeps reports whether an expectation stays listed, and removes it from the
// failures of its case if it need not be added.
func (w *rewriter) keeps(out *Outcome, key expectationKey, verdict spec.Verdict, fails map[expectationKey]*Check) bool {
	standing, _ := stand(out, key.name, verdict)
	switch standing {
	case unseen:
		w.update.Unseen++
		return true
	case unanswered:
		w.update.Unanswered++
		if fails[key] != nil {
			w.update.Left++
			delete(fails, key)
		}
		return true
	case holds:
		_, first := fails[key] // if listed twice, it is kept once
		delete(fails, key)
		return first || !w.add
	case changed:
		return !w.add // when pruning, the failure is not added: it stays in fails
	}
	return false
}

// fileFor returns the file for a new subject: the baseline file itself or, in a
// folder, the file named after the subject.
func (w *rewriter) fileFor(name string) (*baselineFile, error) {
	if !w.folder {
		return w.baseline.files[0], nil
	}
	if err := spec.CheckName(name); err != nil {
		return nil, err
	}
	path := filepath.Join(w.path, name+".yaml")
	for _, file := range w.baseline.files {
		if file.path == filepath.ToSlash(path) {
			return file, nil
		}
	}
	file := &baselineFile{path: path}
	w.baseline.files = append(w.baseline.files, file)
	return file, nil
}

// enter adds failures to the entry with the same reason, or to a new one. An
// entry that expires gets no new failures, because its date is not meant for
// them.
func (s *baselineSubject) enter(added []BaselineEntry, reason string) {
	i := slices.IndexFunc(s.Known, func(item *baselineItem) bool { return item.Reason == reason && item.Expires == "" })
	if i < 0 {
		i = len(s.Known)
		s.Known = append(s.Known, &baselineItem{Reason: reason, Cases: map[string]map[string]spec.Verdict{}})
	}
	cases := s.Known[i].Cases
	for _, a := range added {
		if cases[a.Case] == nil {
			cases[a.Case] = map[string]spec.Verdict{}
		}
		cases[a.Case][a.Expectation] = a.Verdict
	}
}

// write writes the file, without empty documents.
func (f *baselineFile) write() error {
	var b bytes.Buffer
	b.WriteString("# Known failures, one reason each. Written by repcheck run --update-baseline;\n# reasons, links and days of expiry are yours to edit.\n")
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	encoded := false
	for _, s := range f.entries {
		if len(s.Known) == 0 {
			continue
		}
		if err := encoder.Encode(s); err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
		encoded = true
	}
	if encoded { // closing an encoder without documents fails
		if err := encoder.Close(); err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
	}
	return file.Replace(filepath.FromSlash(f.path), b.Bytes())
}
