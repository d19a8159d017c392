package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// pageSize is what /proc counts in.
var pageSize = int64(os.Getpagesize())

// residentMemory is the octets of memory that the process and its descendants
// hold; 0 if it is gone. A limit that the kernel enforces (RLIMIT_AS,
// RLIMIT_DATA) would be exact, but virtual machines reserve many times what
// they use and would not start.
func residentMemory(pid int) int64 {
	held := int64(0)
	for pids, n := []int{pid}, 0; n < len(pids) && n < 1000; n++ {
		folder := "/proc/" + strconv.Itoa(pids[n])
		statm, err := os.ReadFile(folder + "/statm")
		if err != nil {
			continue
		}
		if fields := bytes.Fields(statm); len(fields) > 1 {
			pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
			held += pages * pageSize
		}
		pids = append(pids, childrenOf(folder)...)
	}
	return held
}

// childrenOf returns the processes that a process has started, each of which is
// told of by the thread that did it.
func childrenOf(folder string) (pids []int) {
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
