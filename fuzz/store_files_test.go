package fuzz

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A change that another program made to the file of a finding is noticed, even if
// the system shows little of it.
func TestStoreChangedMeanwhile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		inPlace bool
		later   time.Duration
		hits    string // instead of 10
		want    int
	}{
		{"another file", false, 0, "20", 21},
		{"another time", true, time.Second, "20", 21},
		{"another size", true, 0, "200", 201},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s, f := openStore(t, dir), finding("x", "a\n", 10)
			record(t, s, f, true)
			file := filepath.Join(dir, f.ID()+".json")
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			changed := bytes.Replace(text, []byte(`"x": 10`), []byte(`"x": `+tt.hits), 1)
			if bytes.Equal(changed, text) {
				t.Fatalf("no hits in %s", text)
			}
			to := file
			if !tt.inPlace {
				to = filepath.Join(dir, "new")
			}
			if err := os.WriteFile(to, changed, 0o666); err != nil {
				t.Fatal(err)
			}
			then := info.ModTime().Add(tt.later)
			if err := os.Chtimes(to, then, then); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(to, file); err != nil {
				t.Fatal(err)
			}
			hit(t, s, f, "x", false, true)
			if err := s.Flush(); err != nil {
				t.Fatal(err)
			}
			if got := listed(t, dir)[0].Hits["x"]; got != tt.want {
				t.Errorf("%d hits, want %d", got, tt.want)
			}
		})
	}
}

// A deleted finding is no longer known.
func TestStoreDeletedIsUnknown(t *testing.T) {
	t.Parallel()
	s, f := openStore(t, t.TempDir()), finding("x", "a\n", 1)
	record(t, s, f, true)
	for range 2 { // deleting a missing finding is not an error
		if err := s.Delete(f.ID()); err != nil {
			t.Fatal(err)
		}
	}
	hit(t, s, f, "x", false, false)
	record(t, s, f, true)
}

// A finding that cannot be moved to its place leaves no temporary file.
func TestStoreLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, f := openStore(t, dir), finding("x", "a\n", 1)
	name := f.ID() + ".json"
	// A directory gets in the way after its findings were read.
	if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Record(f); err == nil || !strings.Contains(err.Error(), "is not a regular file: remove it") {
		t.Error(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// Only regular files of a bounded size are read, and names that begin with a dot
// do not belong to the store.
func TestStoreReads(t *testing.T) {
	t.Parallel()
	f := finding("x", "a\n", 1)
	tests := []struct {
		name string
		make func(file string, text []byte) error
		want string // error; "" for the finding; "none" for neither
	}{
		{"as long as may be", func(file string, text []byte) error {
			return os.WriteFile(file, append(text, bytes.Repeat([]byte{' '}, maxFile-len(text))...), 0o666)
		}, ""},
		{"longer", func(file string, text []byte) error {
			return os.WriteFile(file, append(text, bytes.Repeat([]byte{' '}, maxFile-len(text)+1)...), 0o666)
		}, "larger than 8 MiB"},
		{"a directory", func(file string, _ []byte) error { return os.Mkdir(file, 0o777) }, "is not a regular file: remove it"},
		{"a link to a device", func(file string, _ []byte) error { return os.Symlink(os.DevNull, file) }, "is not a regular file: remove it"},
		{"a link to nothing", func(file string, _ []byte) error { return os.Symlink(file+".gone", file) }, "none"},
		{"a hidden file", func(file string, _ []byte) error {
			return os.WriteFile(filepath.Join(filepath.Dir(file), ".hidden.json"), []byte("{"), 0o666)
		}, "none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			record(t, openStore(t, dir), f, true)
			file := filepath.Join(dir, f.ID()+".json")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if err := tt.make(file, text); err != nil {
				t.Fatal(err)
			}
			found, err := openStore(t, dir).List()
			switch {
			case tt.want == "" && (err != nil || len(found) != 1):
				t.Errorf("%d findings, %v", len(found), err)
			case tt.want == "none" && (err != nil || len(found) != 0):
				t.Errorf("%d findings, %v", len(found), err)
			case tt.want != "" && tt.want != "none" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}
