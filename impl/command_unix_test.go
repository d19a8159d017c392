//go:build unix

package impl

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// leave starts a process that outlives this one, in a session of its own or in
// this process group, and writes its process ID to the file.
func leave(daemon bool, file string) {
	cmd := exec.Command("sleep", "60")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: daemon}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	if err := os.WriteFile(file, []byte(strconv.Itoa(cmd.Process.Pid)), 0o600); err != nil {
		panic(err)
	}
}
