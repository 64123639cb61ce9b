//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// restartSignals sends the signals that kill and start the served runtime fake to channels.
func restartSignals(kills, starts chan<- os.Signal) {
	signal.Notify(kills, syscall.SIGUSR1)
	signal.Notify(starts, syscall.SIGUSR2)
}

// nobodyReads reports whether a file descriptor is a pipe or a socket whose other end is closed. It is false for a
// closed terminal: a process that ignores its signal wants to survive it.
func nobodyReads(fd int) bool {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO && st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return false
	}
	fds := []unix.PollFd{{Fd: int32(fd)}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}

// obeys reports whether f is a terminal that obeys escape sequences.
func obeys(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
