//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package fuzz

import (
	"errors"
	"os"
)

// lockExclusive does not lock: the system has no lock that ends with its process.
func lockExclusive(*os.File) error { return errors.ErrUnsupported }

// release has nothing to do: closing the file unlocks it.
func release(*os.File) {}
