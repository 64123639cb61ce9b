package cri

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Holds implements runtime.Holder: it counts what the process that listens on the socket holds, and the processes that name the
// socket in their command, as containerd's shims do.
func (s socket) Holds(context.Context) (map[string]int, error) {
	pid, err := listener(s.path)
	if err != nil {
		return nil, err
	}
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	files, err := os.ReadDir(filepath.Join(proc, "fd"))
	if err != nil {
		return nil, fmt.Errorf("the open files of the runtime cannot be counted: %w", err)
	}
	mounts, err := os.ReadFile(filepath.Join(proc, "mountinfo"))
	if err != nil {
		return nil, fmt.Errorf("the mounts of the runtime cannot be counted: %w", err)
	}
	networks, _ := os.ReadDir("/run/netns") // none, if it is not there
	return map[string]int{"open files": len(files), "mounts": bytes.Count(mounts, []byte("\n")), "network namespaces": len(networks), "processes": s.processes()}, nil
}

// processes counts the processes that name the socket in their command.
func (s socket) processes() (n int) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range all {
		if b, err := os.ReadFile(name); err == nil && bytes.Contains(b, []byte(s.path)) {
			n++
		}
	}
	return n
}
