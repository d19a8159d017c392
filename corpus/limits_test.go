package corpus

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLoneSurrogates: a line with a lone surrogate, in any letter case, is refused. It
// is not a character, so decoding would silently change the file.
func TestLoneSurrogates(t *testing.T) {
	t.Parallel()
	const refused = `bad line: stdin:1: the text of "body" is not Unicode: give the octets as "body_base64"`
	tests := []struct{ body, want string }{
		{`\ud800`, refused},
		{`\uD800`, refused},
		{`\uDFFF`, refused},
		{`\udfff`, refused},
		{`\uDc00\ud83e`, refused},
		{`a\ud83e\u0041`, refused},
		{`\uD83E\uDD16`, `line-1: "🤖"`},
		{`\ufffd`, `line-1: "�"`},
		{`\\ud800`, `line-1: "\\ud800"`},
	}
	for _, tt := range tests {
		t.Run(tt.body, func(t *testing.T) {
			t.Parallel()
			r, err := Open("-", strings.NewReader(`{"body":"`+tt.body+`"}`))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{tt.want}, read(t, r)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLineLimit: a line of exactly the limit is read, with and without a line feed. A
// line that is one byte longer is refused, and the next line is read.
func TestLineLimit(t *testing.T) {
	t.Parallel()
	const limit, frame = 2*bufferSize + 7, len(`{"body":""}`)
	for _, tt := range []struct {
		name   string
		length int
		end    string
		ok     bool
	}{
		{"one less", limit - 1, "\n", true},
		{"exact", limit, "\n", true},
		{"exact, the last", limit, "", true},
		{"one more", limit + 1, "\n", false},
		{"one more, the last", limit + 1, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := strings.Repeat("x", tt.length-frame)
			text := `{"body":"` + body + `"}` + tt.end
			want := []string{`line-1: "` + body + `"`}
			if !tt.ok {
				want = []string{"bad line: stdin:1: " + errLong.Error()}
			}
			if tt.end != "" {
				text += `{"host":"next","body":""}`
				want = append(want, `next: ""`)
			}
			l := &lines{path: "stdin", in: &input{}, limit: limit, from: strings.NewReader(text)}
			if diff := cmp.Diff(want, read(t, &Reader{entries: l, input: l.in})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLongLineBuffer: the buffer of a very long line is not kept for later lines.
func TestLongLineBuffer(t *testing.T) {
	t.Parallel()
	l := &lines{path: "stdin", in: &input{}, limit: MaxLine, from: strings.NewReader(`{"body":"` + strings.Repeat("x", keepLong) + `"}` + "\n" + twoLines)}
	if got := read(t, &Reader{entries: l, input: l.in}); len(got) != 3 || cap(l.long) > keepLong {
		t.Errorf("%d files, a buffer of %d bytes", len(got), cap(l.long))
	}
}

// TestFileLimit: a file of exactly the limit is read, and a file that is one byte
// longer is refused.
func TestFileLimit(t *testing.T) {
	t.Parallel()
	for size, want := range map[int64]string{MaxLine: "", MaxLine + 1: "larger than 64 MiB"} {
		dir := t.TempDir()
		file := filepath.Join(dir, "robots.txt")
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(file, size); err != nil {
			t.Fatal(err)
		}
		r, err := Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := r.Next()
		switch {
		case want == "" && (err != nil || int64(len(f.Robots)) != size):
			t.Errorf("%d bytes: %d were read, %v", size, len(f.Robots), err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%d bytes: %v, want %q", size, err, want)
		}
		r.Close()
	}
}

// TestUnlistable: a folder that cannot be listed is reported as an unreadable entry,
// and the other entries are read.
func TestUnlistable(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{"a.txt": "a", "z.txt": "z"})
	if err := os.Mkdir(filepath.Join(root, "locked"), 0o777); err != nil {
		t.Fatal(err)
	}
	walk := func(root string, each fs.WalkDirFunc) error {
		return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err == nil && filepath.Base(path) == "locked" {
				err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
			}
			return each(path, e, err)
		})
	}
	in := &input{}
	d, err := newDirectory(root, in, walk)
	if err != nil {
		t.Fatal(err)
	}
	r := &Reader{entries: d, input: in}
	want := []string{`a.txt: "a"`, "bad line: " + filepath.Join(root, "locked") + ": permission denied", `z.txt: "z"`}
	if diff := cmp.Diff(want, read(t, r)); diff != "" {
		t.Error(diff)
	}
	if done, total := r.Progress(); done != 2 || total != 2 {
		t.Errorf("progress %d of %d", done, total)
	}

	never := func(root string, each fs.WalkDirFunc) error { return each(root, nil, fs.ErrPermission) }
	if _, err := newDirectory(root, &input{}, never); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("of a directory that cannot be listed: %v", err)
	}
}
