//go:build unix

package main

import "golang.org/x/sys/unix"

// nobodyReads says that a file descriptor is of a pipe whose other end is closed.
func nobodyReads(fd int) bool {
	fds := []unix.PollFd{{Fd: int32(fd)}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}
