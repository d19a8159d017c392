package fuzz

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// lockFile is locked while a campaign runs in its directory, and holds the ID of
// its process. The system releases the lock when the process ends for any reason;
// the file stays.
const lockFile = "campaign.lock"

// errLocked is returned by lockExclusive if another process has the lock.
var errLocked = errors.New("locked by another process")

// lock locks the file, creating it and its directory if necessary.
func lock(name string) (unlock func(), err error) {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("cannot run a campaign: %w", err)
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file: remove it", name)
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("cannot run a campaign: %w", err)
	}
	switch err := lockExclusive(file); {
	case errors.Is(err, errLocked):
		defer file.Close()
		text := make([]byte, 20)
		n, _ := file.Read(text)
		owner := "another process"
		if pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n]))); err == nil { // the process may not have written it yet
			owner = fmt.Sprintf("process %d", pid)
		}
		return nil, fmt.Errorf("%s runs a campaign in %s: wait for it, end it, or begin another in a new folder with --dir", owner, dir)
	case err != nil && !errors.Is(err, errors.ErrUnsupported): // some file systems have no locks
		file.Close()
		return nil, fmt.Errorf("cannot lock %s: %w", name, err)
	}
	err = file.Truncate(0)
	if err == nil {
		_, err = fmt.Fprintln(file, os.Getpid())
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("cannot write %s: %w", name, err)
	}
	return func() { release(file); file.Close() }, nil
}
