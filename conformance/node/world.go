package node

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// world is what the steps of a story act on: an agent, with the API server and the runtime that it works on.
type world struct {
	t      *harness.T
	s      Subject
	api    API
	rt     Runtime
	config Config

	mu       sync.Mutex
	static   map[string]bool // names of static pods
	uids     map[string]types.UID
	names    map[string]bool         // of all pods that the story made
	faults   map[string]bool         // by their names: whether converge ends it
	armed    map[string]*atomic.Bool // faults of the runtime, by their names: whether one has not been ended
	answers  map[[2]string]bool      // of a container and a probe, as the story names them
	wanted   map[string]bool         // static pods whose manifests are there
	ending   map[string]bool         // static pods that may end by themselves
	manifest map[string]string       // what static pods are to run, as their last manifests say
	changed  map[string]string       // the manifests whose mirror pods somebody changed
	served   Serve                   // the last answer of the manifest URL that was no error
	life     chan struct{}           // holds a token while the agent is started or killed; a mutex would stop virtual time
	filled   bool                    // the file system of images was filled
	up       bool                    // the agent runs
}

func play(t *harness.T, s Subject, st story.Story) {
	w := &world{t: t, s: s, api: s.API(), rt: s.Runtime(), config: s.Agent().Config(), static: map[string]bool{}, uids: map[string]types.UID{}, names: map[string]bool{}, wanted: map[string]bool{}, manifest: map[string]string{}, changed: map[string]string{}, ending: map[string]bool{}, faults: map[string]bool{}, armed: map[string]*atomic.Bool{}, answers: map[[2]string]bool{}, life: make(chan struct{}, 1)}
	t.Seen(userActor, evConfig, 0, harness.Answer{Body: w.config})
	t.Cleanup(w.kill)
	vocabulary.Play(t, w, st)
}

// do records what the story does.
func (w *world) do(kind, key string, args any, f func(context.Context) (runtime.Object, error)) error {
	var failed error
	w.t.Do(harness.Call{Actor: userActor, Kind: kind, Obj: history.Ref{Key: key}, Args: args}, func(ctx context.Context) harness.Answer {
		obj, err := f(ctx)
		if failed = err; err != nil {
			return harness.Answer{Err: apiError(err)}
		}
		if obj == nil {
			return harness.Answer{}
		}
		return harness.Answer{Body: obj}
	})
	return failed
}

func (w *world) kill() {
	w.life <- struct{}{}
	defer func() { <-w.life }()
	if !w.up {
		return
	}
	w.up = false
	ctx := context.WithoutCancel(w.t.Context())
	w.t.Do(harness.Call{Actor: userActor, Kind: evKill}, func(context.Context) harness.Answer {
		if err := w.s.Agent().Kill(ctx); err != nil {
			return harness.Answer{Err: &history.Error{Msg: err.Error()}}
		}
		return harness.Answer{}
	})
}

// isUp reports whether the agent runs.
func (w *world) isUp() bool {
	w.life <- struct{}{}
	defer func() { <-w.life }()
	return w.up
}

// start starts the agent. If that runs, the step does not apply.
func (w *world) start(a Start) error {
	w.life <- struct{}{}
	defer func() { <-w.life }()
	if w.up {
		return story.SkipStep("the agent runs")
	}
	var failed error
	w.t.Do(harness.Call{Actor: userActor, Kind: evStart, Args: args{Body: raw(a)}}, func(ctx context.Context) harness.Answer {
		if failed = w.s.Agent().Start(ctx, a); failed != nil {
			return harness.Answer{Err: &history.Error{Msg: failed.Error()}}
		}
		return harness.Answer{}
	})
	if w.up = failed == nil; failed != nil {
		return fmt.Errorf("the agent does not start: %w", failed)
	}
	return nil
}

var (
	podResource   = v1.SchemeGroupVersion.WithResource("pods")
	nodeResource  = v1.SchemeGroupVersion.WithResource("nodes")
	leaseResource = metav1.SchemeGroupVersion.WithResource("leases")
)

func init() { leaseResource.Group, leaseResource.Version = "coordination.k8s.io", "v1" }

// object returns the object that a step is about: a pod, or "node", "lease", or RESOURCE:NAME. The mirror pod of a static pod has
// the name of the node in its own.
func (w *world) object(name string) Object {
	switch name {
	case "node":
		return Object{Resource: nodeResource, Name: w.config.Node}
	case "lease":
		return Object{Resource: leaseResource, Namespace: v1.NamespaceNodeLease, Name: w.config.Node}
	}
	return Object{Resource: podResource, Namespace: metav1.NamespaceDefault, Name: w.podName(name)}
}

// podName returns the name of a pod in the API and in the runtime.
func (w *world) podName(name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.static[name] {
		return name + "-" + w.config.Node
	}
	return name
}

// containerName splits POD/CONTAINER. A pod alone means its container c.
func (w *world) containerName(name string) (pod, container string) {
	pod, container, ok := strings.Cut(name, "/")
	if !ok {
		container = "c"
	}
	return w.podName(pod), container
}

func key(o Object) string { return strings.TrimPrefix(o.Namespace+"/"+o.Name, "/") }

// patience is how long a step waits for something, if it does not say: far longer than an agent takes.
const patience = 20 * time.Second

// wait polls until something is so, and records whether it came.
func (w *world) wait(a Awaited, key string, is func() bool, why ...func() string) {
	const interval = 200 * time.Millisecond
	if a.For == 0 {
		a.For = patience
	}
	kind := evExpired
	for end := time.Now().Add(a.For); time.Now().Before(end) && w.t.Context().Err() == nil; w.t.Sleep(interval) {
		if is() {
			kind = evCame
			break
		}
	}
	for _, f := range why {
		a.Why = f()
	}
	w.t.Seen(userActor, kind, 0, harness.Answer{Obj: history.Ref{Key: key}, Body: a})
}

// body returns a pod as a manifest.
func manifest(p *v1.Pod) []byte {
	b, err := json.Marshal(p)
	if err != nil {
		panic(err) // it is a Pod
	}
	return b
}
