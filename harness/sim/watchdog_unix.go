//go:build unix

package sim

import (
	"syscall"
	"time"
)

// processorTime returns how much of the processor this process has had.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it fails for bad arguments only
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
