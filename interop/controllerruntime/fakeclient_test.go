package controllerruntime_test

import (
	"testing"

	"github.com/lwtest/lwtest/conformance/watchcache"
	cr "github.com/lwtest/lwtest/interop/controllerruntime"
)

func TestFakeClient(t *testing.T) {
	watchcache.Test(t, func(*testing.T) watchcache.Subject { return cr.New() }, cr.Features...)
}
