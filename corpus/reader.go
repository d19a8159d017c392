package corpus

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// MaxLine is the maximum size of a line of JSON Lines, and of a file, in bytes. The
// largest body known from the web has 3.7 MB. A much larger input is not a robots.txt
// file, and if it is compressed, it may be a decompression bomb.
const MaxLine = 64 << 20

// ErrRewind is returned by Rewind for input that can be read only once.
var ErrRewind = errors.New("standard input cannot be read a second time")

// A Reader reads the files of a collection in order. Only Progress may be
// called while another method runs.
type Reader struct {
	entries entries
	input   *input
	err     error // that ended the collection; io.EOF at its end
}

// entries reads one kind of collection. If next returns an error that is not a
// *LineError, no entry follows.
type entries interface {
	next() (File, error)
	rewind() error
	close() error
}

// An input counts the bytes of a collection that were read.
type input struct {
	done  atomic.Int64
	total int64 // 0 if unknown
}

// Open opens a collection:
//
//   - a directory: every regular file below it is a robots.txt file, in the
//     order of the relative paths, which are the names. Links are not followed;
//   - a file *.jsonl or *.ndjson, or with .gz appended: JSON Lines;
//   - any other file: a single robots.txt file;
//   - "-": JSON Lines from stdin.
//
// A line of JSON Lines is an object with the body in "body_base64", or as text
// in "body", and with a name in "host". Other keys are ignored, as collections
// hold dates and status codes; a misspelled body key is noticed because the body is
// then missing. Blank lines are skipped. Gzip is recognized by its first bytes, not
// by the name.
//
// The reader must be closed.
func Open(path string, stdin io.Reader) (*Reader, error) {
	if path == "-" {
		if stdin == nil {
			return nil, errors.New("there is no standard input to read")
		}
		in := &input{}
		return &Reader{entries: &lines{path: "stdin", in: in, limit: MaxLine, from: stdin}, input: in}, nil
	}
	stat, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	in := &input{total: stat.Size()}
	switch {
	case stat.IsDir():
		d, err := newDirectory(path, in, filepath.WalkDir)
		if err != nil {
			return nil, err
		}
		return &Reader{entries: d, input: in}, nil
	case !stat.Mode().IsRegular():
		return nil, fmt.Errorf("%s is neither a file nor a directory: to read JSON Lines from a pipe, name it as - on standard input", path)
	case isLines(path):
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		return &Reader{entries: &lines{path: path, in: in, limit: MaxLine, from: f, file: f}, input: in}, nil
	case archive(path):
		return nil, fmt.Errorf("%s cannot be read as a collection: unpack it into a directory, or write *.jsonl or *.jsonl.gz with one {\"host\", \"body_base64\"} a line", path)
	}
	return &Reader{entries: &directory{names: []string{path}, in: in}, input: in}, nil
}

// isLines reports whether the path names JSON Lines.
func isLines(path string) bool {
	path = strings.TrimSuffix(strings.ToLower(path), ".gz")
	return strings.HasSuffix(path, ".jsonl") || strings.HasSuffix(path, ".ndjson")
}

// archive reports whether the path names an archive. Archives are not supported, and
// must not be read as a robots.txt file.
func archive(path string) bool {
	path = strings.ToLower(path)
	for _, end := range []string{".gz", ".zst", ".xz", ".bz2", ".zip", ".tar", ".tgz", ".warc", ".json", ".parquet", ".csv"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}

// Next returns the next file, or io.EOF at the end. After a *LineError, which
// concerns one entry, call it again for the next entry. Any other error is final
// and is returned by every later call.
func (r *Reader) Next() (File, error) {
	if r.err != nil {
		return File{}, r.err
	}
	f, err := r.entries.next()
	if bad := (*LineError)(nil); err != nil && !errors.As(err, &bad) {
		r.err = err
	}
	return f, err
}

// Progress returns the number of bytes of the input that have been read, and the
// total number, which is 0 if unknown. Compressed bytes are counted as they are.
func (r *Reader) Progress() (done, total int64) {
	return r.input.done.Load(), r.input.total
}

// Rewind goes back to the first file. It returns ErrRewind for standard input.
func (r *Reader) Rewind() error {
	if err := r.entries.rewind(); err != nil {
		return err
	}
	r.input.done.Store(0)
	r.err = nil
	return nil
}

// Close releases what the reader holds. Next must not be called after it.
func (r *Reader) Close() error { return r.entries.close() }
