package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The known failures are those of this version: each line still holds, and nothing else fails. Of the informer only the
// checks run that its lines name; all of them take two minutes.
func TestKnownFailures(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	dir := t.TempDir()
	lwtest, adapter := filepath.Join(dir, "lwtest"), filepath.Join(dir, "clientgo")
	build(t, "../..", lwtest, "./cmd/lwtest")
	build(t, ".", adapter, ".")
	for name, args := range map[string][]string{
		"known.json":                {"store", "--target", "store", "--target", "indexer", "--target", "thread-safe-store", "--target", "delta-fifo"},
		"known-fake-clientset.json": {"watchcache", "--target", "fake-clientset"},
		"known.json of informers": {"informer/sync/watchlist-fallback/ends", "informer/sync/watchlist-fallback/error", "informer/converge/no-time-travel/start",
			"informer/converge/no-time-travel/views", "--target", "shared-informer"},
		"known.json of clients": {"listerwatcher/resume/expired/status", "--target", "retry-watcher"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of it is waiting
			run := []string{"run", "--out", filepath.Join(t.TempDir(), "run"), "--parallel", "2", "--known", known(name)}
			for i, a := range args {
				if i > 0 && args[i-1] == "--target" {
					a = "exec:" + adapter + " " + a
				}
				run = append(run, a)
			}
			out, err := exec.Command(lwtest, run...).CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out[max(0, len(out)-10_000):])
			}
		})
	}
}

// known is the file of a run.
func known(name string) string {
	if name == "known-fake-clientset.json" {
		return name
	}
	return "known.json"
}

// build builds a program of a module.
func build(t *testing.T, module, to, pkg string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-o", to, pkg)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
