package process

import (
	"bytes"
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
// environment. One that changed its group and its environment too escapes.
func killOrphans(group int, mark string) {
	// Those of the group were killed, and became our children with that.
	for begin := time.Now(); time.Since(begin) < reapFor; time.Sleep(time.Millisecond) {
		if pid, err := syscall.Wait4(-group, nil, syscall.WNOHANG, nil); err != nil || pid < 0 {
			break
		}
	}
	for begin := time.Now(); time.Since(begin) < reapFor; {
		found := false
		for _, pid := range usage.Children("/proc/self") {
			env, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
			if !bytes.Contains(env, []byte(mark)) {
				continue
			}
			found = true // its own children become ours
			_ = syscall.Kill(pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
		if !found {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
