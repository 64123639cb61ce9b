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
