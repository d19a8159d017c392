//go:build !unix

package process

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

// killGroup kills the process alone: there are no process groups here, and
// what it started may live on.
func killGroup(p *os.Process) { _ = p.Kill() }
