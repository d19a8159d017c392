//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package fuzz

import (
	"errors"
	"os"
	"syscall"
)

// lockExclusive locks the file until it is closed, or its process ends.
func lockExclusive(file *os.File) error {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		default:
			return err
		}
	}
}

// release unlocks the file. Closing it is not enough at once: a process that is
// being started has the file open too, until it runs its own program.
func release(file *os.File) { syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }
