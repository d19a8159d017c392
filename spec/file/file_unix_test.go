//go:build unix

package file_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/repcheck/repcheck/spec/file"
)

// TestRead: a device, a named pipe, a folder and a file above the limit are
// refused with the fix, and none of them blocks.
func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, link, regular := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "regular")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(regular, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		pipe:                       "pipe is not a regular file: fix it",
		link:                       "link is not a regular file: fix it",
		"/dev/zero":                "/dev/zero is not a regular file: fix it",
		dir:                        " is not a regular file: fix it",
		regular:                    "regular is larger than 0 MiB: fix it",
		filepath.Join(dir, "none"): "no such file or directory",
	} {
		if _, err := file.Read(path, 1<<20-1, "fix it"); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
	if octets, err := file.Read(regular, 1<<20, "fix it"); err != nil || len(octets) != 1<<20 {
		t.Errorf("%d bytes, error %v", len(octets), err)
	}
}

// TestReplace: a replaced file keeps its mode, a link stays a link, and no temporary
// file is left in the folder.
func TestReplace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept, link, dangling, pipe := filepath.Join(dir, "kept"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling"), filepath.Join(dir, "pipe")
	if err := os.WriteFile(kept, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{link: "kept", dangling: "created"} {
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{kept, link, dangling} {
		if err := file.Replace(path, []byte(path)); err != nil {
			t.Error(err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != path {
			t.Errorf("%s holds %q, error %v", path, text, err)
		}
	}
	for _, path := range []string{pipe, dir} {
		if err := file.Replace(path, nil); err == nil || !strings.HasSuffix(err.Error(), "is not a regular file") {
			t.Errorf("%s: error %v", path, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]os.FileMode{"kept": 0o600, "created": 0, "link": os.ModeSymlink, "dangling": os.ModeSymlink, "pipe": os.ModeNamedPipe}
	for _, e := range entries {
		mode, expected := want[e.Name()]
		info, err := e.Info()
		if err != nil || !expected || info.Mode().Type() != mode.Type() || mode.IsRegular() && mode != 0 && info.Mode() != mode {
			t.Errorf("unexpected: %s, %v", e, err)
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%d files, want %d", len(entries), len(want))
	}
}
