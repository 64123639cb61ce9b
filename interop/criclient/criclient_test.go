// Package criclient holds the container runtime fake against the client that kubelets use, k8s.io/cri-client, and its speed
// against that client's own fake.
package criclient

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	internalapi "k8s.io/cri-api/pkg/apis"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	remote "k8s.io/cri-client/pkg"
	"k8s.io/cri-client/pkg/fake"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/plugins/cri/proxy"
)

// connect returns clients of a fake on a socket.
func connect(t testing.TB, o cri.Options, streams bool) (*cri.Runtime, internalapi.RuntimeService, internalapi.ImageManagerService) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cri.sock")
	l, err := cri.Listen(path)
	require.NoError(t, err)
	r := cri.New(o)
	done := make(chan error, 1)
	go func() { done <- r.Serve(l) }()
	t.Cleanup(func() { r.Close(); require.NoError(t, <-done) })
	rt, images := clients(t, path, streams)
	return r, rt, images
}

// clients returns those of a socket.
func clients(t testing.TB, path string, streams bool) (internalapi.RuntimeService, internalapi.ImageManagerService) {
	t.Helper()
	rt, err := remote.NewRemoteRuntimeService(t.Context(), "unix://"+path, 10*time.Second, nil, streams)
	require.NoError(t, err)
	t.Cleanup(func() { rt.Close(context.Background()) })
	images, err := remote.NewRemoteImageService(t.Context(), "unix://"+path, 10*time.Second, nil, streams)
	require.NoError(t, err)
	t.Cleanup(func() { images.Close(context.Background()) })
	return rt, images
}

// What the client does through a proxy is judged, and nothing is wrong with it.
func TestProxy(t *testing.T) {
	for _, streams := range []bool{false, true} {
		t.Run(fmt.Sprint("streams ", streams), func(t *testing.T) {
			dir := t.TempDir()
			l, err := cri.Listen(filepath.Join(dir, "cri.sock"))
			require.NoError(t, err)
			r := cri.New(cri.Options{})
			t.Cleanup(r.Close)
			go r.Serve(l)
			up, err := proxy.Dial(filepath.Join(dir, "cri.sock"))
			require.NoError(t, err)
			t.Cleanup(func() { up.Close() })
			var out bytes.Buffer
			p, err := proxy.New(t.Context(), up, proxy.Options{Out: &out})
			require.NoError(t, err)
			front, err := cri.Listen(filepath.Join(dir, "front.sock"))
			require.NoError(t, err)
			go p.Serve(front)
			rt, images := clients(t, filepath.Join(dir, "front.sock"), streams)
			_, err = images.PullImage(t.Context(), &runtimeapi.ImageSpec{Image: "busybox"}, nil, nil)
			require.NoError(t, err)
			for n := range 3 {
				require.NoError(t, lifecycle(t.Context(), rt, fmt.Sprint("p", n)))
			}
			all, err := rt.ListContainers(t.Context(), nil)
			require.NoError(t, err)
			assert.Empty(t, all)
			_, err = p.Close()
			require.NoError(t, err)
			h, err := history.Read(&out)
			require.NoError(t, err)
			judged := runtime.Suite.Describe().Judge(harness.Info{}, h)
			assert.Equal(t, harness.Pass, judged.Verdict, "%s %v", judged.Reason, judged.Broken())
		})
	}
}

func pod(name string) *runtimeapi.PodSandboxConfig {
	return &runtimeapi.PodSandboxConfig{Metadata: &runtimeapi.PodSandboxMetadata{Name: name, Namespace: "default", Uid: "uid-" + name}}
}

func container(command ...string) *runtimeapi.ContainerConfig {
	return &runtimeapi.ContainerConfig{Metadata: &runtimeapi.ContainerMetadata{Name: "main"}, Image: &runtimeapi.ImageSpec{Image: "busybox"}, Command: command}
}

// Whatever the client checks of answers, the fake passes: images with ids and sizes, statuses with all that they need.
func TestClient(t *testing.T) {
	for _, p := range []cri.Personality{cri.Containerd, cri.CRIO} {
		for _, streams := range []bool{false, true} {
			t.Run(fmt.Sprint(p.Name, " streams ", streams), func(t *testing.T) {
				ctx := t.Context()
				fakeRuntime, rt, images := connect(t, cri.Options{Personality: p}, streams)
				v, err := rt.Version(ctx, "0.1.0")
				require.NoError(t, err)
				assert.Equal(t, "v1", v.RuntimeApiVersion)
				image, err := images.PullImage(ctx, &runtimeapi.ImageSpec{Image: "busybox"}, nil, nil)
				require.NoError(t, err)
				status, err := images.ImageStatus(ctx, &runtimeapi.ImageSpec{Image: "busybox"}, true)
				require.NoError(t, err)
				assert.Equal(t, image, status.Image.Id)
				id, err := rt.RunPodSandbox(ctx, pod("a"), "")
				require.NoError(t, err)
				main, err := rt.CreateContainer(ctx, id, container("sh", "-c", "trap 'exit 5' TERM; sleep 60 & wait"), pod("a"))
				require.NoError(t, err)
				require.NoError(t, rt.StartContainer(ctx, main))
				out, _, err := rt.ExecSync(ctx, main, []string{"echo", "hello"}, time.Second)
				require.NoError(t, err)
				assert.Equal(t, "hello\n", string(out))
				_, _, err = rt.ExecSync(ctx, main, []string{"false"}, time.Second)
				assert.ErrorContains(t, err, "exited with 1")
				all, err := rt.ListContainers(ctx, &runtimeapi.ContainerFilter{PodSandboxId: id})
				require.NoError(t, err)
				assert.Len(t, all, 1)
				stats, err := rt.ListContainerStats(ctx, nil)
				require.NoError(t, err)
				assert.Len(t, stats, 1)
				sandboxes, err := rt.ListPodSandbox(ctx, nil)
				require.NoError(t, err)
				assert.Len(t, sandboxes, 1)
				require.NoError(t, rt.StopContainer(ctx, main, 5))
				s, err := rt.ContainerStatus(ctx, main, true)
				require.NoError(t, err)
				assert.Equal(t, int32(5), s.Status.ExitCode)
				require.NoError(t, rt.StopPodSandbox(ctx, id))
				require.NoError(t, rt.RemovePodSandbox(ctx, id))
				assert.Empty(t, fakeRuntime.Sandboxes())
			})
		}
	}
}

// lifecycle is a pod with a container, from its start to its end.
func lifecycle(ctx context.Context, rt internalapi.RuntimeService, name string) error {
	id, err := rt.RunPodSandbox(ctx, pod(name), "")
	if err != nil {
		return err
	}
	main, err := rt.CreateContainer(ctx, id, container("nginx"), pod(name))
	if err != nil {
		return err
	}
	for _, f := range []func() error{
		func() error { return rt.StartContainer(ctx, main) },
		func() error { _, err := rt.ContainerStatus(ctx, main, false); return err },
		func() error { return rt.StopContainer(ctx, main, 5) },
		func() error { return rt.StopPodSandbox(ctx, id) },
		func() error { return rt.RemovePodSandbox(ctx, id) },
	} {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkLifecycle measures pods that come and go, over a socket: on the fake, and on cri-client's own, which has no semantics.
func BenchmarkLifecycle(b *testing.B) {
	for _, of := range []string{"lwtest", "cri-client"} {
		var rt internalapi.RuntimeService
		if of == "lwtest" {
			_, rt, _ = connect(b, cri.Options{Images: []string{"busybox"}}, false)
		} else {
			endpoint, err := fake.GenerateEndpoint()
			require.NoError(b, err)
			f := fake.NewFakeRemoteRuntime()
			require.NoError(b, f.Start(endpoint))
			b.Cleanup(f.Stop)
			f.ImageService.SetFakeImages([]string{"busybox"})
			rt, err = remote.NewRemoteRuntimeService(b.Context(), endpoint, 10*time.Second, nil, false)
			require.NoError(b, err)
		}
		var n atomic.Int64
		b.Run(of+"/in sequence", func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, lifecycle(b.Context(), rt, fmt.Sprint("s", n.Add(1))))
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pods/s")
		})
		b.Run(of+"/in parallel", func(b *testing.B) {
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := lifecycle(b.Context(), rt, fmt.Sprint("p", n.Add(1))); err != nil {
						b.Error(err)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pods/s")
		})
	}
}
