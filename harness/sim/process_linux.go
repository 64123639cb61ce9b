package sim

import (
	"os/exec"
	"syscall"
)

// detach puts a worker in a process group of its own, so that Ctrl-C reaches
// lwtest alone, and has the kernel kill it when lwtest is killed.
func detach(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}

// kill ends a worker and whatever it has started.
func kill(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Process.Kill()
}

// quit makes a Go process write the stacks of its goroutines and exit.
func quit(cmd *exec.Cmd) { _ = cmd.Process.Signal(syscall.SIGQUIT) }

// private keeps the worker's descriptors from processes that a subject starts:
// the parent would wait for those instead of the worker.
func private(fd int) { syscall.CloseOnExec(fd) }
