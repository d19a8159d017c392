package conformance

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// readRegular reads a regular file of at most limit bytes. Anything else, such
// as a device or a pipe, might never end.
func readRegular(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	octets, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(octets)) > limit {
		return nil, fmt.Errorf("%s is larger than %d MiB", path, limit>>20)
	}
	return octets, nil
}

// writeRegular replaces the file at path, or creates it. It appears complete or
// not at all. A replaced file keeps its mode, a new one has that of the umask.
// A symbolic link to a regular file is followed; other files that are not
// regular are refused.
func writeRegular(path string, octets []byte) (err error) {
	mode := fs.FileMode(0)
	switch info, err := os.Stat(path); {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", path)
	case err == nil:
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	default:
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s is a symbolic link to a file that does not exist", path)
		}
	}
	temporary := filepath.Join(filepath.Dir(path), ".repcheck-"+rand.Text())
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(temporary)
		}
	}()
	_, err = file.Write(octets)
	if mode != 0 && err == nil {
		err = file.Chmod(mode)
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// maxFileName is the longest name of a subject, in bytes.
const maxFileName = 100

// checkFileName refuses the name of a subject that cannot become the name of a
// file in a folder: it might name a file outside the folder.
func checkFileName(name string) error {
	valid := name != "" && len(name) <= maxFileName && name[0] != '.'
	for i := 0; valid && i < len(name); i++ {
		c := name[i]
		valid = 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '.' || c == '_' || c == '-'
	}
	if !valid {
		return fmt.Errorf("the parser name %.120q cannot become a file name: use 1 to %d lower-case letters, digits, dots, underscores and hyphens, and no dot first", name, maxFileName)
	}
	return nil
}
