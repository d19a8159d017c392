//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the process the leader of a process group, so that killGroup
// reaches the processes it starts: "sh -c", a launcher of a virtual machine,
// workers.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killed is the state of a process after killGroup.
const killed = "signal: killed"

// killGroup kills the process and all others in its group, even if the process
// itself has ended.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
