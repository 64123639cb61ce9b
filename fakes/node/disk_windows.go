package node

import "golang.org/x/sys/windows"

// statfs returns how many bytes of the volume of a path are used, and how many it has; zeros if nobody knows.
func statfs(path string) (used, capacity uint64) {
	name, err := windows.UTF16PtrFromString(path)
	var free uint64
	if err != nil || windows.GetDiskFreeSpaceEx(name, &free, &capacity, nil) != nil {
		return 0, 0
	}
	return capacity - free, capacity
}
