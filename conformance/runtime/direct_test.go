package runtime_test

import (
	"context"
	"testing"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness"
)

// plain is lwtest's fake as it is, whose calls take no time.
type plain struct{ *cri.Runtime }

func (p plain) RuntimeService() runtimeapi.RuntimeServiceClient {
	return runtimeapi.NewRuntimeServiceClient(p.Direct())
}
func (p plain) ImageService() runtimeapi.ImageServiceClient {
	return runtimeapi.NewImageServiceClient(p.Direct())
}
func (p plain) Fixture() runtime.Fixture    { return runtime.Fixture{Image: "busybox:1"} }
func (p plain) Kill(context.Context) error  { p.Crash(); return nil }
func (p plain) Start(context.Context) error { p.Restart(cri.Keeps); return nil }

// A runtime so fast that no deadline passes in a call, and that no kill meets one, is judged by each check.
func TestFastRuntime(t *testing.T) {
	runtime.Test(t, func(t *testing.T) runtime.Subject {
		r := cri.New(cri.Options{Images: []string{"busybox:1"}})
		t.Cleanup(r.Close)
		return plain{r}
	}, harness.VirtualTime, runtime.Events, runtime.StreamingLists, runtime.Restart, runtime.PodNetwork, runtime.Config, runtime.Stats, runtime.Exec, runtime.PodStats, runtime.PodMetrics, runtime.Update, runtime.Signals)
}
