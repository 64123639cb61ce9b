//go:build !unix

package proc

import "os/exec"

// This system has no process groups: what a program starts must end with its input.
func group(*exec.Cmd)    {}
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// terminate kills a process: this system has no signals.
func terminate(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func (p *Process) weigh(int64) {}

// Bind does nothing on this system.
func Bind(*exec.Cmd) {}
