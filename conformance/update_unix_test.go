//go:build unix

package conformance_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/repcheck/repcheck/conformance"
	"github.com/repcheck/repcheck/spec"
)

// TestUpdateModes: a replaced baseline keeps its mode, a new one gets its mode
// from the umask, a symbolic link is followed, and no other file is left behind.
func TestUpdateModes(t *testing.T) {
	data := loadJudged(t)
	r := runOn(t, data, data.Cases, conformance.Options{}, &scripted{name: "mine", says: map[string]spec.Verdict{"/c": spec.Disallow}})
	umask := syscall.Umask(0o007)
	defer syscall.Umask(umask)

	dir := t.TempDir()
	paths := map[string]os.FileMode{"new.yaml": 0o660, "private.yaml": 0o600, "open.yaml": 0o666, "linked.yaml": 0o604}
	for name, mode := range paths {
		if name == "new.yaml" {
			continue
		}
		path := write(t, filepath.Join(dir, name), "# old\n")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "link.yaml")
	if err := os.Symlink("linked.yaml", link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"new.yaml", "private.yaml", "open.yaml", "link.yaml"} {
		if _, err := conformance.UpdateBaseline(filepath.Join(dir, name), "new bug", r); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range paths {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != mode || !strings.Contains(read(t, filepath.Join(dir, name)), "new bug") {
			t.Errorf("%s has mode %v, want %v", name, info.Mode(), mode)
		}
	}
	if to, err := os.Readlink(link); err != nil || to != "linked.yaml" {
		t.Errorf("the link was replaced: %q, %v", to, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(paths)+1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestSpecialBaselines: a file that is not regular is not read, because it may
// never end, and not written to or replaced.
func TestSpecialBaselines(t *testing.T) {
	t.Parallel()
	data := loadJudged(t)
	r := runOn(t, data, data.Cases, conformance.Options{}, &scripted{name: "mine", says: map[string]spec.Verdict{"/c": spec.Disallow}})
	dir := t.TempDir()
	pipe, link, dangling := filepath.Join(dir, "pipe.yaml"), filepath.Join(dir, "link.yaml"), filepath.Join(dir, "dangling.yaml")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "none"), dangling); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, "/dev/zero", "/dev/null", dir} {
		if _, err := conformance.LoadBaseline(path); err == nil || !strings.Contains(err.Error(), "is not a regular file") && path != dir {
			t.Errorf("%s is read: %v", path, err)
		}
		if _, err := conformance.UpdateBaseline(path, "new bug", r); err == nil {
			t.Errorf("%s is written", path)
		}
	}
	if _, err := conformance.UpdateBaseline(dangling, "new bug", r); err != nil {
		t.Error(err)
	}
	for path, want := range map[string]os.FileMode{pipe: os.ModeNamedPipe, link: os.ModeSymlink, dangling: os.ModeSymlink} {
		if info, err := os.Lstat(path); err != nil || info.Mode().Type() != want {
			t.Errorf("%s was replaced: %v, %v", path, info, err)
		}
	}
}
