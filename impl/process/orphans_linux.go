package process

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repcheck/repcheck/impl/internal/usage"
)

// adoptOrphans makes this process the parent of what its descendants leave
// behind, so that killOrphans finds a program that left the process group.
var adoptOrphans = sync.OnceFunc(func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) })

// reapFor bounds the wait for processes that were killed.
const reapFor = 100 * time.Millisecond

// killOrphans kills what a process that has ended left behind outside of its
// process group: the children of ours that carry its mark in their
// environment. One that changed its environment too is left to EndOrphans.
func killOrphans(group int, mark string) {
	deadline := time.Now().Add(reapFor)
	waitFor(-group, deadline) // the group was killed, and became our children with that
	killChildren(deadline, func(pid int) bool {
		env, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		return bytes.Contains(env, []byte(mark))
	})
}

// EndOrphans kills every child of this program. It is for the end of a program
// that starts no others: what is left then are programs that an adapter or a
// command left behind, and that hid from their process group and their mark.
func EndOrphans() {
	killChildren(time.Now().Add(reapFor), func(int) bool { return true })
}

// killChildren kills the children of ours that are meant, and their children,
// which become ours with that, until the deadline.
func killChildren(deadline time.Time, meant func(pid int) bool) {
	for found := true; found && time.Now().Before(deadline); {
		found = false
		for _, pid := range usage.Children("/proc/self") {
			if meant(pid) {
				found = true
				_ = syscall.Kill(pid, syscall.SIGKILL)
				waitFor(pid, deadline)
			}
		}
	}
}

// waitFor waits for the end of a child, or of all that are in the group -pid, until
// the deadline.
func waitFor(pid int, deadline time.Time) {
	for time.Now().Before(deadline) {
		switch reaped, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil); {
		case errors.Is(err, syscall.EINTR), reaped > 0:
		case err != nil:
			return
		default:
			time.Sleep(time.Millisecond)
		}
	}
}
