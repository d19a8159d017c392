package fuzz

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// lockExclusive locks the file until it is closed, or its process ends. It locks
// a byte far beyond the end of the file, because a locked byte cannot be read.
func lockExclusive(file *os.File) error {
	at := &windows.Overlapped{Offset: math.MaxUint32}
	err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errLocked
	}
	return err
}

// release has nothing to do: closing the file unlocks it.
func release(*os.File) {}
