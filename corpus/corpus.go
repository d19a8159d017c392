// Package corpus reads collections of robots.txt files: directories, JSON Lines
// and single files. It embeds a few small files, the seeds.
//
// A collection can be large, and its entries can be damaged. So files are read one at
// a time in bounded memory, and entries that cannot be read are reported and skipped:
// see [LineError].
package corpus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A File is one robots.txt file of a collection.
type File struct {
	// Name is the host that served the file or its path within the collection. It
	// is copied as it is, may hold any bytes and need not be unique.
	Name string
	// Robots is the body, byte for byte. The receiver may change it.
	Robots []byte
}

// Hash returns the first 12 hexadecimal digits of the body's SHA-256. Reports name
// files by it; 48 bits are enough to distinguish a million files.
func (f File) Hash() string { return f.digits()[:12] }

func (f File) digits() string {
	sum := sha256.Sum256(f.Robots)
	return hex.EncodeToString(sum[:])
}

// A LineError is an entry of a collection that cannot be read. Call Next
// again to read the entry after it.
type LineError struct {
	// Path is the path of the collection, or of the file within a directory.
	Path string
	// Line is the 1-based line, or 0 if Path names the entry.
	Line int
	// Err describes the problem and the fix.
	Err error
}

func (e *LineError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err)
}

func (e *LineError) Unwrap() error { return e.Err }

// A Source provides the files of a collection. Next returns io.EOF at the end. A
// *LineError is about one entry, and Next is called again; any other error is
// final. *Reader is a Source.
type Source interface {
	Next() (File, error)
}

// Each calls do for the files of a source until it returns false or ctx ends, and
// unreadable for the entries that cannot be read. It returns any other error.
func Each(ctx context.Context, s Source, do func(File) (more bool), unreadable func(*LineError)) error {
	for ctx.Err() == nil {
		f, err := s.Next()
		bad := (*LineError)(nil)
		switch {
		case errors.As(err, &bad):
			unreadable(bad)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case !do(f):
			return nil
		}
	}
	return nil
}

// Find returns the first file of the collection whose SHA-256 begins with hash, in
// hexadecimal digits. Use it to find the file that a report names by its hash.
func Find(path, hash string) (found File, err error) {
	r, err := Open(path, nil)
	if err != nil {
		return File{}, err
	}
	defer r.Close()
	hash = strings.ToLower(hash)
	missing := true
	err = Each(context.Background(), r, func(f File) bool {
		if strings.HasPrefix(f.digits(), hash) {
			found, missing = f, false
		}
		return missing
	}, func(*LineError) {})
	if err == nil && missing {
		err = fmt.Errorf("%s holds no file whose SHA-256 begins with %q", path, hash)
	}
	return found, err
}
