//go:build unix

package complexity

import (
	"syscall"
	"time"
)

// processorTime returns how long this process has used a processor, all its
// threads together; 0 if that is unknown.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
