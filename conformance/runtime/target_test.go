package runtime_test

import (
	"testing"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/plugins/targets"
)

// TestTarget runs the suite on what LWTEST_TARGET names: `LWTEST_TARGET=… go test ./conformance/runtime -run TestTarget`.
func TestTarget(t *testing.T) { targets.Test(t, runtime.Suite.Kind, "cri:fake") }
