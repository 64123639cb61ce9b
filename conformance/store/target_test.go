package store_test

import (
	"testing"

	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/plugins/targets"
)

// TestTarget runs the suite on what LWTEST_TARGET names: `LWTEST_TARGET=… go test ./conformance/store -run TestTarget`.
func TestTarget(t *testing.T) { targets.Test(t, store.Suite.Kind, "go:client-go/real-fifo") }
