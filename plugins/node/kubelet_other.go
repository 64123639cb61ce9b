//go:build !linux

package node

import (
	"context"
	"errors"

	"github.com/lwtest/lwtest/harness"
)

var errNotLinux = errors.New("kubelets run on Linux")

// OpenKubelet returns an error: kubelets run on Linux.
func OpenKubelet(string) (harness.Target, error) {
	return harness.Target{}, errNotLinux
}

// smallDisk returns an error: only on Linux file systems are mounted.
func smallDisk(*harness.T) (string, error) {
	return "", errors.New("a small file system for images needs Linux")
}

// KubeletVersion returns an error.
func KubeletVersion(string) (string, error) { return "", errNotLinux }

// RunKubelet returns an error.
func RunKubelet(context.Context, KubeletOptions) error { return errNotLinux }
