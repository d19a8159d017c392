package usage

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// pageSize is the unit in which /proc counts memory.
var pageSize = int64(os.Getpagesize())

// mostProcesses bounds how many processes of a tree are examined.
const mostProcesses = 1000

// Tree returns the process and its descendants.
func Tree(pid int) []int {
	pids := []int{pid}
	for n := 0; n < len(pids) && n < mostProcesses; n++ {
		pids = append(pids, Children("/proc/"+strconv.Itoa(pids[n]))...)
	}
	return pids
}

// Memory returns how many bytes of memory these processes hold.
//
// It is measured rather than limited by the kernel (RLIMIT_AS, RLIMIT_DATA),
// because virtual machines reserve many times what they use and would not start.
func Memory(pids []int) (all int64) {
	for _, pid := range pids {
		all += number("/proc/"+strconv.Itoa(pid)+"/statm", 1) * pageSize
	}
	return all
}

// Waited returns how long the threads of these processes, as far as they are
// alive, were ready to run and had no processor.
func Waited(pids []int) (all time.Duration) {
	for _, pid := range pids {
		all += waited("/proc/" + strconv.Itoa(pid))
	}
	return all
}

// SelfWaited returns how long the threads of this process have waited for a
// processor.
func SelfWaited() time.Duration { return waited("/proc/self") }

// Known reports whether this system records how long processes wait.
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
