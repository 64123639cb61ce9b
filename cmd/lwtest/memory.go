package main

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// resident returns the memory of a process in bytes, or 0 if it is not known, as on all systems but Linux.
func resident(process int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", process))
	fields := bytes.Fields(b)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// listener returns the id of the process that listens at the port of a URL, or 0 if it is not on this machine or not
// ours.
func listener(host string) int {
	u, err := url.Parse(host)
	if err != nil || u.Hostname() != "127.0.0.1" && u.Hostname() != "localhost" {
		return 0
	}
	socket := socketAt(u.Port())
	if socket == "" {
		return 0
	}
	fds, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && to == "socket:["+socket+"]" {
			n, _ := strconv.Atoi(strings.Split(fd, "/")[2])
			return n
		}
	}
	return 0
}

// socketAt returns the inode of the socket that listens at a port, or "".
func socketAt(port string) string {
	n, err := strconv.Atoi(port)
	if err != nil {
		return ""
	}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		b, _ := os.ReadFile(table)
		for _, line := range strings.Split(string(b), "\n") {
			f := strings.Fields(line)
			const listening = "0A"
			if len(f) > 9 && f[3] == listening && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", n)) {
				return f[9]
			}
		}
	}
	return ""
}
