//go:build unix

package report

import (
	"os"
	"syscall"
)

// lock takes f for this process alone; it fails where another has it.
func lock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
