//go:build !linux

package node

import (
	"errors"

	"github.com/lwtest/lwtest/harness"
)

// OpenKubelet returns an error: kubelets run on Linux.
func OpenKubelet(string) (harness.Target, error) {
	return harness.Target{}, errors.New("kubelets run on Linux")
}

// smallDisk returns an error: only on Linux file systems are mounted.
func smallDisk(*harness.T) (string, error) {
	return "", errors.New("a small file system for images needs Linux")
}
