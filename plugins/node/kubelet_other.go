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

// KubeletVersion returns an error.
func KubeletVersion(string) (string, error) { return "", errNotLinux }

// RunKubelet returns an error.
func RunKubelet(context.Context, KubeletOptions) error { return errNotLinux }
