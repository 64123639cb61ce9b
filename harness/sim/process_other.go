//go:build !linux

package sim

import "os/exec"

// Elsewhere a worker notices by the end of its requests that lwtest is gone.
func detach(*exec.Cmd)   {}
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
func quit(*exec.Cmd)     {}
func private(int)        {}
