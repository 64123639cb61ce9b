package node

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Labels and annotations of sandboxes and containers (k8s.io/kubernetes v1.37.1, pkg/kubelet/kuberuntime/labels.go).
const (
	labelPodName       = "io.kubernetes.pod.name"
	labelPodNamespace  = "io.kubernetes.pod.namespace"
	labelPodUID        = "io.kubernetes.pod.uid"
	labelContainer     = "io.kubernetes.container.name"
	noteHash           = "io.kubernetes.container.hash"
	noteRestarts       = "io.kubernetes.container.restartCount"
	noteMessagePath    = "io.kubernetes.container.terminationMessagePath"
	noteMessagePolicy  = "io.kubernetes.container.terminationMessagePolicy"
	notePreStop        = "io.kubernetes.container.preStopHandler"
	notePorts          = "io.kubernetes.container.ports"
	noteDeletionGrace  = "io.kubernetes.pod.deletionGracePeriod"
	noteTerminateGrace = "io.kubernetes.pod.terminationGracePeriod"
)

const (
	running = runtimeapi.ContainerState_CONTAINER_RUNNING
	exited  = runtimeapi.ContainerState_CONTAINER_EXITED
	created = runtimeapi.ContainerState_CONTAINER_CREATED
	unknown = runtimeapi.ContainerState_CONTAINER_UNKNOWN
	ready   = runtimeapi.PodSandboxState_SANDBOX_READY
)

// timed is a connection whose calls end after the time that a kubelet gives them (k8s.io/cri-client v0.37.1, remote_runtime.go).
type timed struct {
	grpc.ClientConnInterface
	timeout time.Duration
}

func (t timed) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	limit := t.timeout
	switch q := args.(type) {
	case *runtimeapi.PullImageRequest:
		limit = 0
	case *runtimeapi.RunPodSandboxRequest:
		limit *= 2
	case *runtimeapi.StopContainerRequest:
		limit += time.Duration(q.GetTimeout()) * time.Second
	case *runtimeapi.ExecSyncRequest:
		if limit += time.Duration(q.GetTimeout()) * time.Second; q.GetTimeout() == 0 {
			limit = 0
		}
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	return t.ClientConnInterface.Invoke(ctx, method, args, reply, append(opts, grpc.MaxCallRecvMsgSize(16<<20))...)
}

func (t timed) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	return t.ClientConnInterface.NewStream(ctx, desc, method, append(opts, grpc.MaxCallRecvMsgSize(16<<20))...)
}

// runtimePod is what the runtime lists of a pod.
type runtimePod struct {
	uid             types.UID
	name, namespace string
	at              time.Time                // when the list was asked for
	sandboxes       []*runtimeapi.PodSandbox // the newest first
	containers      []*runtimeapi.Container
}

// listPods returns what the runtime has of one pod or, if uid is "", of all; only what runs, unless all is set.
func (a *Agent) listPods(ctx context.Context, uid types.UID, all bool) (map[types.UID]*runtimePod, error) {
	pods, at := map[types.UID]*runtimePod{}, time.Now()
	sandboxFilter, containerFilter := &runtimeapi.PodSandboxFilter{}, &runtimeapi.ContainerFilter{}
	if uid != "" {
		sandboxFilter.LabelSelector = map[string]string{labelPodUID: string(uid)}
		containerFilter.LabelSelector = sandboxFilter.LabelSelector
	}
	if !all {
		sandboxFilter.State = &runtimeapi.PodSandboxStateValue{State: ready}
		containerFilter.State = &runtimeapi.ContainerStateValue{State: running}
	}
	sandboxes, err := a.listSandboxes(ctx, sandboxFilter)
	if err != nil {
		return nil, err
	}
	pod := func(labels map[string]string) *runtimePod {
		id := types.UID(labels[labelPodUID])
		if pods[id] == nil {
			pods[id] = &runtimePod{uid: id, name: labels[labelPodName], namespace: labels[labelPodNamespace], at: at}
		}
		return pods[id]
	}
	for _, s := range sandboxes {
		p := pod(map[string]string{labelPodUID: s.Metadata.GetUid(), labelPodName: s.Metadata.GetName(), labelPodNamespace: s.Metadata.GetNamespace()})
		p.sandboxes = append(p.sandboxes, s)
	}
	containers, err := a.listContainers(ctx, containerFilter)
	if err != nil {
		return nil, err
	}
	for _, c := range containers {
		p := pod(c.Labels)
		p.containers = append(p.containers, c)
	}
	delete(pods, "")
	for _, p := range pods {
		slices.SortStableFunc(p.sandboxes, func(x, y *runtimeapi.PodSandbox) int { return cmp.Compare(y.CreatedAt, x.CreatedAt) })
	}
	return pods, nil
}

func (a *Agent) listSandboxes(ctx context.Context, f *runtimeapi.PodSandboxFilter) ([]*runtimeapi.PodSandbox, error) {
	ctx, cancel := context.WithTimeout(ctx, a.c.RuntimeRequestTimeout) // of a stream, too
	defer cancel()
	if a.streams.Load() {
		stream, err := a.rt.StreamPodSandboxes(ctx, &runtimeapi.StreamPodSandboxesRequest{Filter: f})
		all, err := drain(err, stream, (*runtimeapi.StreamPodSandboxesResponse).GetPodSandboxes)
		if !a.streamless(err) {
			return all, err
		}
	}
	out, err := a.rt.ListPodSandbox(ctx, &runtimeapi.ListPodSandboxRequest{Filter: f})
	return out.GetItems(), err
}

func (a *Agent) listContainers(ctx context.Context, f *runtimeapi.ContainerFilter) ([]*runtimeapi.Container, error) {
	ctx, cancel := context.WithTimeout(ctx, a.c.RuntimeRequestTimeout) // of a stream, too
	defer cancel()
	if a.streams.Load() {
		stream, err := a.rt.StreamContainers(ctx, &runtimeapi.StreamContainersRequest{Filter: f})
		all, err := drain(err, stream, (*runtimeapi.StreamContainersResponse).GetContainers)
		if !a.streamless(err) {
			return all, err
		}
	}
	out, err := a.rt.ListContainers(ctx, &runtimeapi.ListContainersRequest{Filter: f})
	return out.GetContainers(), err
}

// streamless reports whether the runtime does not have streams, and stops using them then.
func (a *Agent) streamless(err error) bool {
	if status.Code(err) == codes.Unimplemented {
		a.streams.Store(false)
	}
	return !a.streams.Load()
}

// drain reads a stream to its end. A stream that is cut is an error: half a list is none.
func drain[M, T any](err error, stream grpc.ServerStreamingClient[M], items func(*M) []T) (all []T, _ error) {
	for err == nil {
		var m *M
		if m, err = stream.Recv(); err == nil {
			all = append(all, items(m)...)
		}
	}
	if errors.Is(err, io.EOF) {
		return all, nil
	}
	return nil, err
}
