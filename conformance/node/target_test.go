package node_test

import (
	"testing"

	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/plugins/targets"
)

// TestTarget runs the suite on what LWTEST_TARGET names: `LWTEST_TARGET=… go test ./conformance/node -run TestTarget`.
func TestTarget(t *testing.T) { targets.Test(t, node.Suite.Kind, "node:reference") }
