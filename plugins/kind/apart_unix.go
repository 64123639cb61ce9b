//go:build unix

package kind

import (
	"os/exec"
	"syscall"
)

// apart gives a command a process group of its own, so that a Ctrl-C does not end it.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
