package controllerruntime_test

import (
	"testing"

	"github.com/lwtest/lwtest/conformance/watchcache"
	cr "github.com/lwtest/lwtest/interop/controllerruntime"
)

// Every deviation of the fake client is known, with a reason, and each line of
// known.json still holds.
func TestFakeClient(t *testing.T) {
	t.Setenv("LWTEST_KNOWN", "known.json")
	watchcache.Test(t, func(*testing.T) watchcache.Subject { return cr.New() }, cr.Features...)
}
