package runner

import (
	"io"
	"os"
	"syscall"
	"unsafe"
)

// write is f.Write, but Go's scheduler does not hear of the system call. It
// would use the time to run another goroutine if the call takes long: in a
// bubble the order of events would then depend on the disk, and the same seed
// would not give the same history.
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
