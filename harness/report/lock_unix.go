//go:build unix

package report

import (
	"os"
	"syscall"
)

// lock locks f for this process. It returns an error if another process has the lock.
func lock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
