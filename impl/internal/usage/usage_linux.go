package usage

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// pageSize is what /proc counts memory in.
var pageSize = int64(os.Getpagesize())

// mostProcesses bounds how many processes of a tree are looked at.
const mostProcesses = 1000

// Of returns the usage of a process and its descendants; zero once it is gone.
//
// The memory is measured and not limited by the kernel (RLIMIT_AS,
// RLIMIT_DATA): virtual machines reserve many times what they use and would
// not start.
func Of(pid int) Usage {
	var u Usage
	for pids, n := []int{pid}, 0; n < len(pids) && n < mostProcesses; n++ {
		folder := "/proc/" + strconv.Itoa(pids[n])
		u.Memory += number(folder+"/statm", 1) * pageSize
		u.Waited += waited(folder)
		pids = append(pids, Children(folder)...)
	}
	return u
}

// SelfWaited returns how long the threads of this process have waited for a
// processor.
func SelfWaited() time.Duration { return waited("/proc/self") }

// Known reports whether this system tells how long processes wait.
func Known() bool {
	_, err := os.Stat("/proc/self/schedstat")
	return err == nil
}

// waited sums the time on the run queue of all threads of the process whose
// folder in /proc is given.
func waited(folder string) (all time.Duration) {
	threads, _ := filepath.Glob(folder + "/task/*/schedstat")
	for _, file := range threads {
		all += time.Duration(number(file, 1))
	}
	return all
}

// number returns a field of a file of numbers, 0 if there is none.
func number(file string, field int) int64 {
	text, _ := os.ReadFile(file)
	fields := bytes.Fields(text)
	if len(fields) <= field {
		return 0
	}
	n, _ := strconv.ParseInt(string(fields[field]), 10, 64)
	return n
}

// Children returns the processes that the process whose folder in /proc is
// given has started or adopted. Each thread lists those it started itself.
func Children(folder string) (pids []int) {
	threads, _ := filepath.Glob(folder + "/task/*/children")
	for _, file := range threads {
		children, _ := os.ReadFile(file)
		for _, field := range bytes.Fields(children) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}
