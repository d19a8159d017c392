// Package file reads and replaces files for the other packages of repcheck. It
// is not meant for users.
package file

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Read reads a regular file of at most limit bytes. Other files, such as devices
// and named pipes, are refused before they are opened, because opening or reading
// them might never end. The fix completes the error: "remove it", for example.
func Read(path string, limit int64, fix string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file: %s", path, fix)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var octets []byte
	if info.Size() <= limit { // it may still grow while it is read
		if octets, err = io.ReadAll(io.LimitReader(f, limit+1)); err != nil {
			return nil, err
		}
	}
	if info.Size() > limit || int64(len(octets)) > limit {
		return nil, fmt.Errorf("%s is larger than %d MiB: %s", path, limit>>20, fix)
	}
	return octets, nil
}

// Temporary matches the names of the files that [Replace] writes before it
// renames them. A killed process leaves one behind.
const Temporary = ".repcheck-*"

// replacing is locked while a file is replaced.
var replacing sync.Mutex

// Hold waits until no file is being replaced, and keeps [Replace] from returning or
// starting, so that a program which ends then leaves no temporary file behind.
func Hold() { replacing.Lock() }

// Replace replaces the file at path or creates it. The new content appears
// complete or not at all. A replaced file keeps its mode; the mode of a new file
// depends on the umask. Replace follows symbolic links, and refuses to replace
// anything but a regular file.
func Replace(path string, octets []byte) (err error) {
	replacing.Lock()
	defer replacing.Unlock()
	path = throughLinks(path)
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	temporary := filepath.Join(filepath.Dir(path), Temporary[:len(Temporary)-1]+rand.Text())
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(temporary)
		}
	}()
	if info != nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err == nil {
		_, err = f.Write(octets)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// throughLinks returns the target of a symbolic link, whether it exists or not.
func throughLinks(path string) string {
	for range 40 { // the limit of Linux
		link, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		path = link
	}
	return path
}
