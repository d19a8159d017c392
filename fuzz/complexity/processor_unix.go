//go:build unix

package complexity

import (
	"syscall"
	"time"
)

// processorTime is how long this process has had a processor, all its threads
// together; 0 if that cannot be told.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
