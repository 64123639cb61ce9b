//go:build unix

package node

import "syscall"

// statfs returns how many bytes of the file system of a path are used, and how many it has; zeros if nobody knows.
func statfs(path string) (used, capacity uint64) {
	var s syscall.Statfs_t
	if syscall.Statfs(path, &s) != nil {
		return 0, 0
	}
	size := uint64(s.Bsize)
	return s.Blocks*size - s.Bavail*size, s.Blocks * size
}
