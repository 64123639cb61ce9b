//go:build !linux

package sim

import "os/exec"

// On other systems a worker notices that lwtest is gone when its requests end.
func detach(*exec.Cmd)   {}
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
func quit(*exec.Cmd)     {}
func private(int)        {}
