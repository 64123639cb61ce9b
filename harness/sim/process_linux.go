package sim

import (
	"os/exec"
	"syscall"
)

// detach puts a worker in a process group of its own, so that Ctrl-C reaches only lwtest. The kernel kills the worker
// when lwtest is killed.
func detach(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}

// kill ends a worker and all processes in its group.
func kill(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Process.Kill()
}

// quit makes a Go process write the stacks of its goroutines and exit.
func quit(cmd *exec.Cmd) { _ = cmd.Process.Signal(syscall.SIGQUIT) }

// private closes the worker's descriptors in processes that a subject starts. The parent would otherwise wait for
// those instead of the worker.
func private(fd int) { syscall.CloseOnExec(fd) }
