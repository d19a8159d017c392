package corpus

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/corpus/corpustest"
	"github.com/repcheck/repcheck/spec/longtest"
)

// read returns the entries of a collection: "name: body", or the error.
func read(t *testing.T, r *Reader) []string {
	t.Helper()
	var got []string
	for {
		f, err := r.Next()
		var bad *LineError
		switch {
		case errors.Is(err, io.EOF):
			return got
		case errors.As(err, &bad):
			got = append(got, "bad line: "+err.Error())
		case err != nil:
			again := err
			if _, err := r.Next(); err != again {
				t.Errorf("after %v comes %v", again, err)
			}
			return append(got, "end: "+err.Error())
		default:
			got = append(got, fmt.Sprintf("%s: %q", f.Name, f.Robots))
		}
	}
}

func pack(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const twoLines = `{"host":"a.test","body_base64":"/wANCg=="}
{"host":"b.test","body":"User-agent: *\n"}
`

var twoFiles = []string{`a.test: "\xff\x00\r\n"`, `b.test: "User-agent: *\n"`}

func TestLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, input string
		want        []string
	}{
		{"nothing", "", nil},
		{"two", twoLines, twoFiles},
		{"no line feed at the end", strings.TrimSpace(twoLines), twoFiles},
		{"byte order mark, CRLF, blank lines", "\xEF\xBB\xBF\r\n" + strings.ReplaceAll(twoLines, "\n", "\r\n") + " \n\n", twoFiles},
		{"compressed", pack(t, twoLines), twoFiles},
		{"compressed, with a byte order mark", pack(t, "\xEF\xBB\xBF"+twoLines), twoFiles},
		{"compressed in two parts", pack(t, twoLines[:20]) + pack(t, twoLines[20:]), twoFiles},
		{"empty body", `{"host":"a.test","body_base64":""}`, []string{`a.test: ""`}},
		{"other keys", `{"host":"a.test","status":200,"body":"","at":{"y":1}}`, []string{`a.test: ""`}},
		{"no host", "\n" + `{"body":"x"}`, []string{`line-2: "x"`}},
		{"characters beyond U+FFFF", `{"body":"\ud83e\udd16 🤖"}`, []string{`line-1: "🤖 🤖"`}},
		{"a replacement character of its own", `{"body":"\ufffd�"}`, []string{`line-1: "��"`}},
		{"long line", `{"host":"a.test","body":"` + strings.Repeat("x", 2*bufferSize) + `"}` + "\n" + `{"host":"b.test","body":""}`,
			[]string{`a.test: "` + strings.Repeat("x", 2*bufferSize) + `"`, `b.test: ""`}},

		{"bad lines", "nonsense\n[]\n" + twoLines + `{"host":"c.test"}` + "\n" + `{"body":"","body_base64":""}` + "\n" +
			`{"body_base64":"?"}` + "\n" + `{"body_base64":"AAA"}` + "\n" + "{\"body\":\"\xff\"}\n" + `{"body":"\udc00"}` + "\n" + `{"body":null}`,
			append(append([]string{
				"bad line: stdin:1: not an object with \"host\" and \"body_base64\": invalid character 'o' in literal null (expecting 'u')",
				"bad line: stdin:2: not an object with \"host\" and \"body_base64\": json: cannot unmarshal array into Go value of type corpus.entry",
			}, twoFiles...),
				`bad line: stdin:5: there is no body: give it as "body_base64", or as text in "body"`,
				`bad line: stdin:6: there are two bodies: leave out "body" or "body_base64"`,
				"bad line: stdin:7: not an object with \"host\" and \"body_base64\": illegal base64 data at input byte 0",
				"bad line: stdin:8: not an object with \"host\" and \"body_base64\": illegal base64 data at input byte 0",
				`bad line: stdin:9: the text of "body" is not Unicode: give the octets as "body_base64"`,
				`bad line: stdin:10: the text of "body" is not Unicode: give the octets as "body_base64"`,
				`bad line: stdin:11: there is no body: give it as "body_base64", or as text in "body"`,
			)},
		{"cut short", pack(t, twoLines)[:len(pack(t, twoLines))-3], append(slices.Clone(twoFiles), "end: stdin:3: the compressed data ends early: fetch it again (unexpected EOF)")},
		{"cut in the header", pack(t, twoLines)[:5], []string{"end: stdin: the compressed data ends early: fetch it again (unexpected EOF)"}},
		{"damaged", strings.Replace(pack(t, twoLines), "\x1F\x8B\x08", "\x1F\x8B\x09", 1), []string{"end: stdin: the compressed data is damaged: fetch it again (gzip: invalid header)"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, err := Open("-", strings.NewReader(test.input))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, read(t, r)); diff != "" {
				t.Error(diff)
			}
			if done, total := r.Progress(); total != 0 || int(done) != len(test.input) && !strings.Contains(test.name, "header") {
				t.Errorf("progress %d of %d, want %d of 0", done, total, len(test.input))
			}
			if err := r.Rewind(); !errors.Is(err, ErrRewind) {
				t.Errorf("rewind: %v", err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// zeros is an endless input.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestTooLong: an endless line is skipped in bounded memory, also if a few compressed
// bytes expand to it.
func TestTooLong(t *testing.T) {
	t.Parallel()
	const limit = 2 * bufferSize
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	if _, err := io.CopyN(w, zeros{}, 64*limit); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "\n"+twoLines); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Open("-", &bomb)
	if err != nil {
		t.Fatal(err)
	}
	l := r.entries.(*lines)
	l.limit = limit
	want := append([]string{"bad line: stdin:1: the line is longer than 64 MiB: take it out, it holds no robots.txt"}, twoFiles...)
	if diff := cmp.Diff(want, read(t, r)); diff != "" {
		t.Error(diff)
	}
	if cap(l.long) > 2*limit {
		t.Errorf("a buffer of %d octets", cap(l.long))
	}
}

// folder creates files in a new folder. The keys of files are paths within it.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, body := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestOpen(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{
		"d/b/robots.txt": "b", "d/b-1": "b1", "d/a.txt": "\x00", "d/c.jsonl": twoLines,
		"two.jsonl": twoLines, "TWO.NDJSON": twoLines, "two.jsonl.gz": pack(t, twoLines), "really-packed.jsonl": pack(t, twoLines),
		"robots.txt": "User-agent: *\r", "packed.txt": pack(t, "x"), "all.tar.gz": "",
	})
	if err := os.Mkdir(filepath.Join(root, "none"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../two.jsonl", filepath.Join(root, "d", "link")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		path string
		want []string
	}{
		{"d", []string{`a.txt: "\x00"`, `b-1: "b1"`, `b/robots.txt: "b"`,
			"bad line: ROOT/d/c.jsonl: a collection within a directory is not read: name it itself"}},
		{"two.jsonl", twoFiles},
		{"TWO.NDJSON", twoFiles},
		{"two.jsonl.gz", twoFiles},
		{"really-packed.jsonl", twoFiles},
		{"robots.txt", []string{`ROOT/robots.txt: "User-agent: *\r"`}},
		// Servers do send such bodies.
		{"packed.txt", []string{fmt.Sprintf("ROOT/packed.txt: %q", pack(t, "x"))}},
		{"none", []string{"open: ROOT/none holds no files"}},
		{"missing", []string{"open: stat ROOT/missing: no such file or directory"}},
		{"all.tar.gz", []string{`open: ROOT/all.tar.gz cannot be read as a collection: unpack it into a directory, or write *.jsonl or *.jsonl.gz with one {"host", "body_base64"} a line`}},
	}
	for _, test := range tests {
		t.Run(test.path, func(t *testing.T) {
			t.Parallel()
			var want []string
			for _, w := range test.want {
				want = append(want, strings.ReplaceAll(w, "ROOT", root))
			}
			r, err := Open(filepath.Join(root, test.path), nil)
			if err != nil {
				if diff := cmp.Diff(want, []string{"open: " + err.Error()}); diff != "" {
					t.Error(diff)
				}
				return
			}
			for range 2 {
				if diff := cmp.Diff(want, read(t, r)); diff != "" {
					t.Error(diff)
				}
				if done, total := r.Progress(); done != total && test.path != "d" {
					t.Errorf("progress %d of %d", done, total)
				}
				if err := r.Rewind(); err != nil {
					t.Error(err)
				}
				if done, _ := r.Progress(); done != 0 {
					t.Errorf("progress %d after rewinding", done)
				}
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestVanished: a file that is removed after it was listed does not end the
// collection.
func TestVanished(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{"a": "a", "b": "b"})
	r, err := Open(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(root, "a")); err != nil {
		t.Fatal(err)
	}
	want := []string{"bad line: " + filepath.Join(root, "a") + ": no such file or directory", `b: "b"`}
	if diff := cmp.Diff(want, read(t, r)); diff != "" {
		t.Error(diff)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{"c.jsonl": "nonsense\n" + twoLines})
	path := filepath.Join(root, "c.jsonl")
	hash := File{Robots: []byte("User-agent: *\n")}.Hash()
	f, err := Find(path, strings.ToUpper(hash))
	if err != nil || f.Name != "b.test" || f.Hash() != hash || len(hash) != 12 {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := Find(path, "ffffffffffff"); err == nil || !strings.Contains(err.Error(), `no file whose SHA-256 begins with "ffffffffffff"`) {
		t.Error(err)
	}
}

func TestReal(t *testing.T) {
	t.Parallel()
	longtest.Skip(t, "TestOpen and TestLines read small collections")
	path := corpustest.Real(t)
	r, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files, octets := 0, 0
	for {
		f, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		files++
		octets += len(f.Robots)
	}
	t.Logf("%d files, %d octets", files, octets)
	if done, total := r.Progress(); done != total || files == 0 {
		t.Errorf("%d files in %d of %d octets", files, done, total)
	}
}
