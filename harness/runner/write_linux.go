package runner

import (
	"io"
	"os"
	"syscall"
	"unsafe"
)

// write does what f.Write does, but hides the system call from Go's scheduler. If a call took long, the scheduler
// would run another goroutine. In a bubble the order of events would then depend on the disk, and the same seed would
// not give the same history.
func write(f *os.File, p []byte) (n int, err error) {
	fd := f.Fd()
	for n < len(p) {
		k, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(unsafe.Pointer(&p[n])), uintptr(len(p)-n))
		switch {
		case errno == syscall.EINTR:
		case errno != 0:
			return n, &os.PathError{Op: "write", Path: f.Name(), Err: errno}
		case k == 0:
			return n, io.ErrShortWrite
		default:
			n += int(k)
		}
	}
	return n, nil
}
