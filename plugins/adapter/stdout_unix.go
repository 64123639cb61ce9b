//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package adapter

import (
	"os"
	"syscall"
)

// takeStdout gives what stdout was, and has all who print there print on stderr: also code that is not Go's, and what
// has kept os.Stdout.
func takeStdout() (*os.File, error) {
	fd, err := syscall.Dup(syscall.Stdout)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	if err := dup2(syscall.Stderr, syscall.Stdout); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "protocol"), nil
}
