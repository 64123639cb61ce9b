package informer_test

import (
	"testing"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/plugins/targets"
)

// TestTarget runs the suite on what LWTEST_TARGET names: `LWTEST_TARGET=… go test ./conformance/informer -run TestTarget`.
func TestTarget(t *testing.T) { targets.Test(t, informer.Suite.Kind, "go:client-go/shared-informer") }
