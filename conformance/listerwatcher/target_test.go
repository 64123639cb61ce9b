package listerwatcher_test

import (
	"testing"

	"github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/plugins/targets"
)

// TestTarget runs the suite on what LWTEST_TARGET names: `LWTEST_TARGET=… go test ./conformance/listerwatcher -run TestTarget`.
func TestTarget(t *testing.T) { targets.Test(t, listerwatcher.Suite.Kind, "go:client-go/typed") }
