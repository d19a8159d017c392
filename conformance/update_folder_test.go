package conformance_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// TestUpdateOthers: among several subjects, only lost ones keep their entries,
// and failures that another baseline lists are not added.
func TestUpdateOthers(t *testing.T) {
	t.Parallel()
	data := loadJudged(t)
	path := write(t, filepath.Join(t.TempDir(), "known.yaml"), old+"---\n"+strings.Replace(old, "mine", "yours", 1))
	b, err := conformance.LoadBaseline(path)
	if err != nil {
		t.Fatal(err)
	}
	other, err := conformance.LoadBaseline(write(t, filepath.Join(t.TempDir(), "other.yaml"), strings.Replace(old, "mine", "theirs", 1)))
	if err != nil {
		t.Fatal(err)
	}
	r := runOn(t, data, data.Cases, conformance.Options{Baseline: b.Merge(other)},
		&scripted{name: "mine", lost: errors.New("gone")}, &scripted{name: "yours"}, &scripted{name: "theirs", says: stillFails()})
	u, err := conformance.UpdateBaseline(path, "new bug", r)
	if err != nil || len(u.Dropped) != 3 || len(u.Added) != 0 || !cmp.Equal(u.Lost, []string{"mine"}) {
		t.Errorf("%+v, %v", u, err)
	}
	if diff := cmp.Diff(written+old, read(t, path)); diff != "" {
		t.Error(diff)
	}
}

// TestUpdateFolder: each entry stays in its file, even if that is not named after
// the subject; a new subject gets its own file; files without changes are not
// rewritten.
func TestUpdateFolder(t *testing.T) {
	t.Parallel()
	data := loadJudged(t)
	dir := t.TempDir()
	files := map[string]string{
		"whatever.yaml": "# of mine\n" + old,
		"others.yml":    "# of others\n" + strings.Replace(old, "mine", "yours", 1),
		"README.md":     "# no baseline\n",
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	listing := func() map[string]string {
		got := map[string]string{}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			got[e.Name()] = read(t, filepath.Join(dir, e.Name()))
		}
		return got
	}
	fails := stillFails()
	fails["/c"] = spec.Disallow
	update := func(subjects ...*scripted) {
		t.Helper()
		b, err := conformance.LoadBaseline(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conformance.UpdateBaseline(dir, "new bug", runOn(t, data, data.Cases, conformance.Options{Baseline: b}, subjects...)); err != nil {
			t.Fatal(err)
		}
	}
	added := "  - reason: new bug\n    cases:\n      t/first:\n        FooBot /c: disallow\n"
	for range 2 { // the second changes nothing
		update(&scripted{name: "mine", says: fails}, &scripted{name: "new", says: map[string]spec.Verdict{"/c": spec.Disallow}}, &scripted{name: "right"})
		files["whatever.yaml"] = written + old + added
		files["new.yaml"] = written + "subject: new\ninterpretation: rfc9309\nknown:\n" + added
		if diff := cmp.Diff(files, listing()); diff != "" {
			t.Fatal(diff)
		}
	}
	// The file of a subject keeps what it lists under another interpretation.
	google := strings.Replace(strings.Replace(old, "mine", "both", 1), "rfc9309", "google", 1)
	write(t, filepath.Join(dir, "both.yaml"), google)
	update(&scripted{name: "both", says: map[string]spec.Verdict{"/c": spec.Disallow}})
	files["both.yaml"] = written + google + "---\nsubject: both\ninterpretation: rfc9309\nknown:\n" + added
	if diff := cmp.Diff(files, listing()); diff != "" {
		t.Fatal(diff)
	}
	// When nothing fails any more, no entry is left.
	update(&scripted{name: "mine"}, &scripted{name: "new"}, &scripted{name: "yours"})
	files["whatever.yaml"], files["others.yml"], files["new.yaml"] = written, written, written
	if diff := cmp.Diff(files, listing()); diff != "" {
		t.Fatal(diff)
	}
	// The subject is added to the file of its name again.
	update(&scripted{name: "new", says: map[string]spec.Verdict{"/c": spec.Disallow}})
	files["new.yaml"] = written + "subject: new\ninterpretation: rfc9309\nknown:\n" + added
	if diff := cmp.Diff(files, listing()); diff != "" {
		t.Fatal(diff)
	}
}

// TestUpdateFolderNames: a name that is not a plain file name is rejected, and
// nothing is written.
func TestUpdateFolderNames(t *testing.T) {
	t.Parallel()
	data := loadJudged(t)
	for _, name := range []string{"../../escaped", "..", ".", "", "a/b", `a\b`, "/etc/x", ".hidden", "Upper", "a b", "a\x00b", "ä", strings.Repeat("a", 201)} {
		outer := t.TempDir()
		dir := filepath.Join(outer, "one", "two")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		r := runOn(t, data, data.Cases, conformance.Options{}, &scripted{name: name, says: map[string]spec.Verdict{"/c": spec.Disallow}})
		_, err := conformance.UpdateBaseline(dir, "new bug", r)
		if err == nil || !strings.Contains(err.Error(), "is invalid: use 1 to 200 lower-case letters") {
			t.Errorf("%q: %v", name, err)
		}
		var found []string
		_ = filepath.WalkDir(outer, func(path string, e fs.DirEntry, _ error) error {
			if !e.IsDir() {
				found = append(found, path)
			}
			return nil
		})
		if len(found) > 0 {
			t.Errorf("%q: %s", name, found)
		}
	}
	for _, name := range []string{"a", "0.9_x-y", "reference@rfc9309+tie=disallow", strings.Repeat("a", 200)} {
		dir := t.TempDir()
		r := runOn(t, data, data.Cases, conformance.Options{}, &scripted{name: name, says: map[string]spec.Verdict{"/c": spec.Disallow}})
		if _, err := conformance.UpdateBaseline(dir, "new bug", r); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, name+".yaml")); err != nil {
			t.Error(err)
		}
	}
	// A name in a baseline stays in its file.
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "known.yaml"), strings.Replace(old, "mine", "../escaped", 1))
	b, err := conformance.LoadBaseline(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := runOn(t, data, data.Cases, conformance.Options{Baseline: b}, &scripted{name: "../escaped"})
	if _, err := conformance.UpdateBaseline(dir, "new bug", r); err != nil || read(t, path) != written {
		t.Errorf("%v, %q", err, read(t, path))
	}
	if _, err := os.Stat(filepath.Join(dir, "..", "escaped.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestUpdateUnwritable: if the file cannot be written, the error says so and no
// file is left behind.
func TestUpdateUnwritable(t *testing.T) {
	t.Parallel()
	data := loadJudged(t)
	r := runOn(t, data, data.Cases, conformance.Options{}, &scripted{name: "mine", says: map[string]spec.Verdict{"/c": spec.Disallow}})
	dir := t.TempDir()
	_, err := conformance.UpdateBaseline(filepath.Join(dir, "none", "known.yaml"), "new bug", r)
	if err == nil || !strings.HasPrefix(err.Error(), "cannot write the baseline: ") {
		t.Error(err)
	}
	broken := write(t, filepath.Join(dir, "broken.yaml"), "- a\n")
	if _, err := conformance.UpdateBaseline(broken, "new bug", r); err == nil || read(t, broken) != "- a\n" {
		t.Errorf("a broken baseline is replaced: %v", err)
	}
	_, err = conformance.UpdateBaseline(filepath.Join(broken, "known.yaml"), "new bug", r)
	if err == nil || !strings.HasPrefix(err.Error(), "cannot read the baseline: ") {
		t.Error(err)
	}
	// A folder has the name of a subject's file.
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "folder", "mine.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = conformance.UpdateBaseline(filepath.Join(dir, "folder"), "new bug", r)
	if err == nil || !strings.HasSuffix(err.Error(), "mine.yaml is not a regular file") {
		t.Error(err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "folder"))
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}
