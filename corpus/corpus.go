// Package corpus reads collections of robots.txt files: directories, JSON Lines
// and single files. It embeds a few small files, the seeds.
//
// A collection can be large, and its entries can be damaged. So files are read one at
// a time in bounded memory, and entries that cannot be read are reported and skipped:
// see [LineError].
package corpus

import (
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

// HashLength is the length of the result of [File.Hash].
const HashLength = 12

// Hash returns the first 12 hexadecimal digits of the body's SHA-256. Reports name
// files by it; 48 bits are enough to distinguish a million files.
func (f File) Hash() string {
	sum := sha256.Sum256(f.Robots)
	return hex.EncodeToString(sum[:])[:HashLength]
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

// Find returns the first file of the collection whose SHA-256 begins with hash, in
// hexadecimal digits. Use it to find the file that a report names by its hash.
func Find(path, hash string) (File, error) {
	r, err := Open(path, nil)
	if err != nil {
		return File{}, err
	}
	defer r.Close()
	hash = strings.ToLower(hash)
	for {
		f, err := r.Next()
		if bad := (*LineError)(nil); errors.As(err, &bad) {
			continue
		}
		if errors.Is(err, io.EOF) {
			return File{}, fmt.Errorf("%s holds no file whose SHA-256 begins with %q", path, hash)
		}
		if err != nil {
			return File{}, err
		}
		sum := sha256.Sum256(f.Robots)
		if strings.HasPrefix(hex.EncodeToString(sum[:]), hash) {
			return f, nil
		}
	}
}
