//go:build unix && !linux

package proc

import (
	"os/exec"
	"syscall"
)

func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
func kill(cmd *exec.Cmd)  { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// terminate sends SIGTERM to a process.
func terminate(cmd *exec.Cmd) { _ = cmd.Process.Signal(syscall.SIGTERM) }

// weigh does nothing on this system, which does not report the memory of a group.
func (p *Process) weigh(int64) {}

// Bind does nothing on this system.
func Bind(*exec.Cmd) {}
