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

// adoptOrphans makes this process the parent of processes that its descendants
// leave behind, so that killOrphans finds a program that left the process group.
var adoptOrphans = sync.OnceFunc(func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) })

// reapFor bounds the wait for processes that were killed. It is long because a
// killed process needs a processor to end, and costs nothing where it ends soon.
const reapFor = time.Second

// killOrphans kills the processes that an ended process left behind outside of
// its process group: those children of ours that carry its mark in their
// environment. A process that changed its environment too is left to EndOrphans.
func killOrphans(group int, mark string) {
	waitFor(-group, time.Now().Add(reapFor)) // the group was killed, and its members thereby became our children
	killChildren(time.Now().Add(reapFor), func(pid int) bool {
		env, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		return bytes.Contains(env, []byte(mark))
	})
}

// EndOrphans kills every child of this program. It is for the end of a program
// that starts no others: any remaining child is a program that an adapter or a
// command left behind, and that escaped from its process group and its mark.
func EndOrphans() {
	killChildren(time.Now().Add(reapFor), func(int) bool { return true })
}

// killChildren kills those children of ours for which meant returns true, and
// their children, which thereby become ours, until the deadline.
func killChildren(deadline time.Time, meant func(pid int) bool) {
	for found := true; found; found = found && time.Now().Before(deadline) {
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

// waitFor waits for a child to end, or for all in the group -pid, until the
// deadline.
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
