package runtime

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
)

// RunLabel is the label of all sandboxes and containers that checks make. Its value begins with the ID of the run.
const RunLabel = "lwtest.run"

// runOf returns the value of RunLabel for a case. In real time a runtime may have pods of others who play the same story.
func runOf(t *harness.T) string {
	if t.Virtual() {
		return t.ID()
	}
	return t.ID() + "-" + strings.ToLower(rand.Text()[:8])
}

// Sweep stops and removes the sandboxes of a runtime for whose RunLabel of returns true. It returns how many it has removed.
func Sweep(ctx context.Context, s Subject, of func(run string) bool) (removed int, err error) {
	rt := s.RuntimeService()
	list, err := rt.ListPodSandbox(ctx, &runtimeapi.ListPodSandboxRequest{})
	if err != nil {
		return 0, err
	}
	for _, p := range list.GetItems() {
		run, ours := p.GetLabels()[RunLabel]
		if !ours || !of(run) {
			continue
		}
		_, stopped := rt.StopPodSandbox(ctx, &runtimeapi.StopPodSandboxRequest{PodSandboxId: p.GetId()})
		_, gone := rt.RemovePodSandbox(ctx, &runtimeapi.RemovePodSandboxRequest{PodSandboxId: p.GetId()})
		if gone != nil {
			err = errors.Join(err, stopped, gone)
			continue
		}
		removed++
	}
	return removed, err
}

// sweepLimit is how long the end of a story may take, with the start of a runtime that it has killed.
const sweepLimit = 40 * time.Second

// sweep removes all that the story has made, and records nothing. What cannot be removed is left to the sweep of the run.
func (w *world) sweep() {
	w.stop()
	w.watches.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.t.Context()), sweepLimit)
	defer cancel()
	if r, ok := w.s.(Restarter); ok && w.down.Load() {
		_ = r.Start(ctx)
	}
	if !w.t.Virtual() { // else the runtime ends with the story
		_, _ = Sweep(ctx, w.s, func(run string) bool { return run == w.run })
	}
	if w.s.Fixture().Logs == "" {
		return
	}
	logs, _ := filepath.Glob(w.here(w.logs("*")))
	for _, folder := range logs {
		os.RemoveAll(folder)
	}
}

// here returns where the suite sees a file of the runtime.
func (w *world) here(path string) string { return w.s.Fixture().Path(path) }

// logs returns the folder for the logs of a pod.
func (w *world) logs(pod string) string { return filepath.Join(w.s.Fixture().Logs, w.run+"-"+pod) }
