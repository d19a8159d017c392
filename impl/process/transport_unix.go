//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the process the leader of a process group, so that killGroup
// reaches what it starts: "sh -c", a launcher of a virtual machine, workers.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the process and all in its group, even if it ended itself.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
