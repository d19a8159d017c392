//go:build !unix

package process

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

// killed is the state of a process after killGroup.
const killed = "exit status 1"

// killGroup kills only the process: this system has no process groups, and the
// processes that it started may live on.
func killGroup(p *os.Process) { _ = p.Kill() }
