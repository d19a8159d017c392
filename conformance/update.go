package conformance

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/repcheck/repcheck/spec"
)

// UpdateBaseline rewrites the baseline at path, a file or a folder, so that it
// explains the result: entries that still hold keep their reasons, those that
// no longer do are dropped, and every further failure is entered under reason.
// What the run did not ask (other subjects, other cases, another
// interpretation) stays. A folder gets one file for each subject. It returns
// how many expectations were entered and dropped.
func UpdateBaseline(path, reason string, r *Result) (entered, dropped int, err error) {
	old := &Baseline{}
	if _, err := os.Stat(path); err == nil {
		if old, err = LoadBaseline(path); err != nil {
			return 0, 0, err
		}
	}
	var subjects []baselineSubject
	for _, file := range old.files {
		subjects = append(subjects, file.entries...)
	}
	for at := range r.Subjects {
		s := &r.Subjects[at]
		i := slices.IndexFunc(subjects, func(b baselineSubject) bool { return b.applies(s, r.Interpretation) })
		// What another baseline explains is none of this one's business.
		fails := failures(r, at, i >= 0)
		if i < 0 {
			if len(fails) == 0 {
				continue
			}
			subjects = append(subjects, baselineSubject{Subject: s.Name, Interpretation: r.Interpretation})
			i = len(subjects) - 1
			if s.Version != "" {
				subjects[i].Versions = []string{s.Version}
			}
		}
		added, gone := subjects[i].update(r, fails, reason)
		entered, dropped = entered+added, dropped+gone
	}
	if entered > 0 && strings.TrimSpace(reason) == "" {
		return 0, 0, fmt.Errorf("%d failures are new: say why with --reason", entered)
	}
	subjects = slices.DeleteFunc(subjects, func(b baselineSubject) bool { return len(b.Known) == 0 })
	return entered, dropped, writeBaseline(path, subjects)
}

// failures returns the verdict of every failed check of a subject, by case and
// expectation, with those that are known if known is set.
func failures(r *Result, at int, known bool) map[string]map[string]spec.Verdict {
	fails := map[string]map[string]spec.Verdict{}
	for _, c := range r.Cases {
		for _, check := range c.Outcomes[at].Checks {
			if check.Status != Fail && !(known && check.Status == Known) {
				continue
			}
			if fails[c.ID] == nil {
				fails[c.ID] = map[string]spec.Verdict{}
			}
			fails[c.ID][spec.ProbeID(check.Probe)] = check.Got.Verdict
		}
	}
	return fails
}

// update keeps what still fails as it is known to, and enters what is left.
func (b *baselineSubject) update(r *Result, fails map[string]map[string]spec.Verdict, reason string) (entered, dropped int) {
	ran := map[string]bool{}
	for _, c := range r.Cases {
		ran[c.ID] = true
	}
	for _, item := range b.Known {
		for id, expectations := range item.Cases {
			if !ran[id] {
				continue
			}
			for name, verdict := range expectations {
				if fails[id][name] == verdict {
					delete(fails[id], name)
				} else {
					delete(expectations, name)
					dropped++
				}
			}
			if len(expectations) == 0 {
				delete(item.Cases, id)
			}
		}
	}
	b.Known = slices.DeleteFunc(b.Known, func(item *baselineItem) bool { return len(item.Cases) == 0 })
	maps.DeleteFunc(fails, func(_ string, expectations map[string]spec.Verdict) bool { return len(expectations) == 0 })
	for _, expectations := range fails {
		entered += len(expectations)
	}
	if len(fails) == 0 {
		return entered, dropped
	}
	for _, item := range b.Known {
		if item.Reason == reason {
			for id, expectations := range fails {
				if item.Cases[id] == nil {
					item.Cases[id] = map[string]spec.Verdict{}
				}
				maps.Copy(item.Cases[id], expectations)
			}
			return entered, dropped
		}
	}
	b.Known = append(b.Known, &baselineItem{Reason: reason, Cases: fails})
	return entered, dropped
}

func writeBaseline(path string, subjects []baselineSubject) error {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return writeSubjects(path, subjects)
	}
	byName := map[string][]baselineSubject{}
	for _, s := range subjects {
		byName[s.Subject] = append(byName[s.Subject], s)
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if err := writeSubjects(filepath.Join(path, name+".yaml"), byName[name]); err != nil {
			return err
		}
	}
	return nil
}

func writeSubjects(path string, subjects []baselineSubject) error {
	var b bytes.Buffer
	b.WriteString("# Known failures, one reason each. Written by repcheck run --update-baseline;\n# reasons, links and days of expiry are yours to edit.\n")
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	for _, s := range subjects {
		if err := encoder.Encode(s); err != nil {
			return fmt.Errorf("cannot write the baseline %s: %w", path, err)
		}
	}
	if len(subjects) > 0 { // the encoder cannot close what it never opened
		if err := encoder.Close(); err != nil {
			return fmt.Errorf("cannot write the baseline %s: %w", path, err)
		}
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("cannot write the baseline: %s is no regular file", path)
	}
	temporary := path + ".new"
	if err := os.WriteFile(temporary, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("cannot write the baseline: %w", err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("cannot write the baseline: %w", err)
	}
	return nil
}
