//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

func escape(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
