package cri

import (
	"fmt"
	"net"
	"syscall"
)

// listener returns the process that listens on a unix socket.
func listener(path string) (pid int, err error) {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0, err
	}
	var peer *syscall.Ucred
	if e := raw.Control(func(fd uintptr) {
		peer, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); e != nil {
		return 0, e
	}
	if err != nil || peer.Pid == 0 {
		return 0, fmt.Errorf("nobody knows which process listens on %s: %w", path, err)
	}
	return int(peer.Pid), nil
}
