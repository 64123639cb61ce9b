package targets

import (
	"flag"
	"os"
	"testing"

	"github.com/lwtest/lwtest/harness"
)

// Env names the environment variable with the connect string of the target that Test tests.
const Env = "LWTEST_TARGET"

// Test runs the suite of a kind as subtests, one for each check, on the target that LWTEST_TARGET names: what `lwtest list
// --targets` shows, such as "kubeconfig:PATH", "exec:COMMAND" or "cri:unix:///run/containerd/containerd.sock". Without it
// the suite runs on a built-in one. A target of another kind is skipped. Everything runs in the process of the test, so a
// subject in Go that panics ends it: `lwtest run` has a process of its own for each. See harness.Test for the variables
// that it reads.
func Test(t *testing.T, kind, builtIn string) {
	t.Helper()
	set := New(&Clusters{Stderr: os.Stderr})
	connect := builtIn
	if s := os.Getenv(Env); s != "" {
		connect = s
		uncached()
	}
	s, _, err := set.Find(connect)
	switch {
	case err != nil:
		t.Fatalf("%s: %v", Env, err)
	case s.Suite != "" && s.Suite != kind:
		t.Skipf("%s is not tested by the suite %s", connect, kind)
	}
	target, err := set.Open(t.Context(), connect)
	if err != nil {
		t.Fatalf("target %s: %v", connect, err)
	}
	harness.TestTarget(t, kind, connect, target)
}

// uncached makes go test run this test the next time, too: what it tests is no part of the package, so its result is not to
// be kept. Go keeps no result whose list of inputs is gone. Where that file cannot be removed, -count=1 does the same.
func uncached() {
	if f := flag.Lookup("test.testlogfile"); f != nil && f.Value.String() != "" {
		_ = os.Remove(f.Value.String())
	}
}
