package watchcache_test

import (
	"testing"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/plugins/targets"
)

// TestTarget runs the suite on what LWTEST_TARGET names: `LWTEST_TARGET=… go test ./conformance/watchcache -run TestTarget`.
func TestTarget(t *testing.T) { targets.Test(t, watchcache.Suite.Kind, "fake") }
