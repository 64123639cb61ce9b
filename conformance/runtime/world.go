package runtime

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// world is what the steps of a story act on: a runtime, and what the steps know of its pods.
type world struct {
	t  *harness.T
	s  Subject
	rt runtimeapi.RuntimeServiceClient
	im runtimeapi.ImageServiceClient
	// run is the value of RunLabel. Names of pods begin with it.
	run  string
	down atomic.Bool // the story has killed the runtime

	mu         sync.Mutex
	pods       map[string]*pod       // by the name in the story, the newest
	containers map[string]*container // by "pod/container", the newest
	names      map[string]string     // by id
	stored     *runtimeapi.Image     // the last one that was asked for
	own        map[string]bool       // names of the image of containers
	silent     string                // which call was not answered in time; empty: each was
	watching   map[string]bool       // by actor
	watches    sync.WaitGroup
	stop       context.CancelFunc // of the watches
}

type pod struct {
	id     string
	config *runtimeapi.PodSandboxConfig
}

type container struct {
	id     string
	pod    *pod
	config *runtimeapi.ContainerConfig
}

// patience is the deadline of a call in real time, if a step says no other, and what a call may take by itself comes on top of it. In
// virtual time it is that of a kubelet, so that a runtime which never answers is found.
const patience = 10 * time.Second

// deadlineOf returns the deadline of a call.
func (w *world) deadlineOf(s story.Step, method string, q any) time.Duration {
	ask, _ := q.(proto.Message)
	limit, own := answerTime(method, ask)
	switch {
	case s.For > 0:
		return time.Duration(s.For)
	case w.t.Virtual() && limit > 0:
		return limit
	}
	return patience + own
}

func play(t *harness.T, s Subject, st story.Story) {
	w := &world{t: t, s: s, run: runOf(t), rt: s.RuntimeService(), im: s.ImageService(), pods: map[string]*pod{}, containers: map[string]*container{}, names: map[string]string{}, watching: map[string]bool{}, own: map[string]bool{}}
	w.stop = func() {}
	t.Cleanup(w.sweep)
	t.OnDeadline(func() string {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.silent
	})
	vocabulary.Play(t, w, st)
}

// method is a call of a client.
type method[Q, R any] func(context.Context, Q, ...grpc.CallOption) (R, error)

// call makes a call and records it. key names what it is about, as the story does.
func call[Q, R any](w *world, s story.Step, name, key, uid string, f method[Q, R], q Q) (reply R, err error) {
	actor := s.Actor
	if actor == "" {
		actor = "c1"
	}
	deadline := w.deadlineOf(s, name, q)
	w.t.Do(harness.Call{Actor: actor, Kind: name, Obj: history.Ref{Key: key, UID: uid}, Args: q}, func(ctx context.Context) harness.Answer {
		ctx, cancel := context.WithTimeout(ctx, deadline)
		defer cancel()
		if reply, err = f(ctx, q); err != nil && ctx.Err() != nil {
			err = status.Errorf(status.FromContextError(ctx.Err()).Code(), "%s %s", gaveUp, deadline)
			w.noAnswer(name, deadline)
		}
		if err != nil {
			return harness.Answer{Err: failure(err)}
		}
		return harness.Answer{Body: reply}
	})
	if w.t.Virtual() && !s.Async && w.watched() {
		w.t.Wait() // so that events come at the same place of a history in each run
	}
	return reply, err
}

// noAnswer notes that a call was not answered by its deadline, unless that is one that may pass.
func (w *world) noAnswer(name string, deadline time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if deadline >= patience && !w.down.Load() && w.t.Context().Err() == nil {
		w.silent = fmt.Sprintf("runtime/error/no-answer: %s was not answered within %s%s", name, deadline, longer)
	}
}

// watched reports whether somebody watches events.
func (w *world) watched() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.watching) > 0
}

// failure is an error as histories have it. A call whose deadline passed, or whose connection broke, may have been done.
func failure(err error) *history.Error {
	s := status.Convert(err)
	definite := !slices.Contains([]codes.Code{codes.DeadlineExceeded, codes.Unavailable, codes.Canceled, codes.Unknown, codes.Internal, codes.Aborted}, s.Code())
	return &history.Error{Code: int(s.Code()), Reason: s.Code().String(), Msg: s.Message(), Definite: definite}
}

// podOf returns the pod that a step is about. One that was never made has an id that nothing has.
func (w *world) podOf(name string) *pod {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.pods[name]; p != nil {
		return p
	}
	return &pod{id: noID, config: w.podConfig(name, Pod{})}
}

// adopt takes sandboxes over that are listed, and whose ids nobody was answered, as a kubelet does.
func (w *world) adopt(listed []*runtimeapi.PodSandbox) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range listed {
		name := s.GetLabels()[podLabel]
		gone := func(p *pod) bool {
			return p == nil || !slices.ContainsFunc(listed, func(other *runtimeapi.PodSandbox) bool { return other.GetId() == p.id })
		}
		if w.names[s.GetId()] == "" && gone(w.pods[name]) {
			w.names[s.GetId()], w.pods[name] = name, &pod{id: s.GetId(), config: w.podConfig(name, Pod{Attempt: s.GetMetadata().GetAttempt()})}
		}
	}
}

func (w *world) containerOf(name string) *container {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.containers[name]; c != nil {
		return c
	}
	return &container{id: noID, pod: &pod{id: noID}}
}

// noID is an id that nothing has.
var noID = strings.Repeat("0", 60) + "dead"

// Labels of sandboxes and containers: their names in the story.
const (
	podLabel       = "lwtest.pod"
	containerLabel = "lwtest.container"
)

// podConfig is what a kubelet would ask for. It is called under the lock or before the pod is known.
func (w *world) podConfig(name string, a Pod) *runtimeapi.PodSandboxConfig {
	fixture := w.s.Fixture()
	unique := w.run + "-" + name
	network := runtimeapi.NamespaceMode_POD
	if a.HostNetwork || !w.t.Has(PodNetwork) {
		network = runtimeapi.NamespaceMode_NODE
	}
	var users *runtimeapi.UserNamespace
	if a.Mappings > 0 {
		users = &runtimeapi.UserNamespace{Mode: runtimeapi.NamespaceMode_POD, Gids: []*runtimeapi.IDMapping{{HostId: 65536, Length: 65536}}}
		for i := range a.Mappings {
			users.Uids = append(users.Uids, &runtimeapi.IDMapping{HostId: 65536 * uint32(i+1), ContainerId: 65536 * uint32(i), Length: 65536})
		}
	}
	config := &runtimeapi.PodSandboxConfig{
		Metadata:    &runtimeapi.PodSandboxMetadata{Name: unique, Namespace: "lwtest", Uid: unique, Attempt: a.Attempt},
		Labels:      map[string]string{podLabel: name, RunLabel: w.run},
		Annotations: map[string]string{"lwtest/note": "a b: ü", "lwtest/empty": ""},
		Linux: &runtimeapi.LinuxPodSandboxConfig{CgroupParent: fixture.CgroupParent,
			SecurityContext: &runtimeapi.LinuxSandboxSecurityContext{NamespaceOptions: &runtimeapi.NamespaceOption{Network: network, Pid: runtimeapi.NamespaceMode_CONTAINER, UsernsOptions: users}}},
	}
	if network == runtimeapi.NamespaceMode_POD {
		config.Hostname = name
	}
	if fixture.Logs != "" {
		config.LogDirectory = w.logs(name)
	}
	return config
}

func (w *world) containerConfig(name string, a Container, p *pod) *runtimeapi.ContainerConfig {
	fixture := w.s.Fixture()
	_, short, _ := strings.Cut(name, "/")
	config := &runtimeapi.ContainerConfig{
		Metadata:    &runtimeapi.ContainerMetadata{Name: short, Attempt: a.Attempt},
		Image:       &runtimeapi.ImageSpec{Image: cmp.Or(w.image(a.Image).Image, fixture.Image), UserSpecifiedImage: fixture.Image},
		Command:     a.Work.command(),
		Labels:      map[string]string{containerLabel: short, RunLabel: w.run},
		Annotations: map[string]string{workAnnotation: a.Work.text(), "lwtest/empty": ""},
		LogPath:     fmt.Sprintf("%s_%d.log", short, a.Attempt),
		StopSignal:  signalOf(a.Signal),
		Linux: &runtimeapi.LinuxContainerConfig{Resources: &runtimeapi.LinuxContainerResources{CpuShares: 64, MemoryLimitInBytes: 64 << 20},
			SecurityContext: &runtimeapi.LinuxContainerSecurityContext{NamespaceOptions: p.config.GetLinux().GetSecurityContext().GetNamespaceOptions()}},
	}
	if fixture.Logs == "" {
		config.LogPath = ""
	}
	return config
}

// signalOf returns the signal of a name as "SIGUSR1"; empty: the runtime chooses.
func signalOf(name string) runtimeapi.Signal {
	return runtimeapi.Signal(runtimeapi.Signal_value["SIGNAL_"+name])
}

// known are the names of all that the story has made, in their order.
func (w *world) known() (pods, containers []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.pods)), slices.Sorted(maps.Keys(w.containers))
}

// ofRun is a filter for what this run has made.
func (w *world) ofRun() map[string]string { return map[string]string{RunLabel: w.run} }
