package node

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// recorder writes events to the API server. An event that is repeated is counted. If too many wait, one is lost.
type recorder struct {
	a     *Agent
	queue chan *v1.Event
	mu    sync.Mutex
	made  int64
	known map[string]*v1.Event
}

func newRecorder(a *Agent) *recorder {
	return &recorder{a: a, queue: make(chan *v1.Event, 1000), known: map[string]*v1.Event{}}
}

func (r *recorder) pod(p *v1.Pod, kind, reason, format string, args ...any) {
	r.container(p, nil, kind, reason, format, args...)
}

// container records an event of a container; nil: of the pod as a whole.
func (r *recorder) container(p *v1.Pod, c *v1.Container, kind, reason, format string, args ...any) {
	if p.Name != "" {
		r.add(v1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: p.Namespace, Name: p.Name, UID: p.UID, FieldPath: pathOf(p, c)}, kind, reason, fmt.Sprintf(format, args...))
	}
}

// pathOf returns the path of a container in its pod; "": there is none.
func pathOf(p *v1.Pod, c *v1.Container) string {
	switch {
	case c == nil:
		return ""
	case initIndex(p, c) >= 0:
		return fmt.Sprintf("spec.initContainers{%s}", c.Name)
	case slices.ContainsFunc(p.Spec.EphemeralContainers, func(e v1.EphemeralContainer) bool { return e.Name == c.Name }):
		return fmt.Sprintf("spec.ephemeralContainers{%s}", c.Name)
	}
	return fmt.Sprintf("spec.containers{%s}", c.Name)
}

// node records an event of the node, in the namespace default, as a kubelet does.
func (r *recorder) node(reason, message string) {
	ref := v1.ObjectReference{Kind: "Node", APIVersion: "v1", Name: r.a.c.Name, UID: types.UID(r.a.c.Name)}
	r.a.mu.Lock()
	if r.a.node != nil {
		ref.UID = r.a.node.UID
	}
	r.a.mu.Unlock()
	r.add(ref, v1.EventTypeNormal, reason, message)
}

// nodeStatus records that the node has a status that its conditions, or whether pods may be scheduled, give a name.
func (r *recorder) nodeStatus(name string) {
	r.node(name, fmt.Sprintf("Node %s status is now: %s", r.a.c.Name, name))
}

// conditionNames has the reasons of the events for each condition of a node: when it becomes False, and when it becomes True.
var conditionNames = map[v1.NodeConditionType][2]string{
	v1.NodeMemoryPressure: {"NodeHasSufficientMemory", "NodeHasInsufficientMemory"},
	v1.NodeDiskPressure:   {"NodeHasNoDiskPressure", "NodeHasDiskPressure"},
	v1.NodePIDPressure:    {"NodeHasSufficientPID", "NodeHasInsufficientPID"},
	v1.NodeReady:          {"NodeNotReady", "NodeReady"},
}

// conditions records which conditions of the node have changed.
func (r *recorder) conditions(was, now []v1.NodeCondition) {
	for _, c := range now {
		same := slices.ContainsFunc(was, func(old v1.NodeCondition) bool { return old.Type == c.Type && old.Status == c.Status })
		if names, ok := conditionNames[c.Type]; ok && !same {
			r.nodeStatus(names[boolInt(c.Status == v1.ConditionTrue)])
		}
	}
}

func (r *recorder) add(about v1.ObjectReference, kind, reason, message string) {
	if r.a.api == nil {
		return
	}
	now := metav1.Now()
	r.mu.Lock()
	r.made++
	name := fmt.Sprintf("%s.%x", about.Name, time.Now().UnixNano()+r.made)
	r.mu.Unlock()
	e := &v1.Event{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: cmp.Or(about.Namespace, metav1.NamespaceDefault)}, Reason: reason, Message: message, Type: kind, Count: 1, FirstTimestamp: now, LastTimestamp: now,
		InvolvedObject: about, Source: v1.EventSource{Component: "kubelet", Host: r.a.c.Name}, ReportingController: "kubelet", ReportingInstance: r.a.c.Name}
	select {
	case r.queue <- e:
	default:
	}
}

func (r *recorder) run() {
	for {
		select {
		case <-r.a.ctx.Done():
			return
		case e := <-r.queue:
			if err := r.write(e); err != nil {
				r.a.log.Debug("cannot write an event", "err", err)
			}
		}
	}
}

func (r *recorder) write(e *v1.Event) error {
	events, key := r.a.api.CoreV1().Events(e.Namespace), string(e.InvolvedObject.UID)+e.InvolvedObject.FieldPath+e.Reason+e.Message
	if was := r.known[key]; was != nil {
		was.Count++
		patch := fmt.Sprintf(`{"count":%d,"lastTimestamp":%q}`, was.Count, e.LastTimestamp.UTC().Format(time.RFC3339))
		if _, err := events.Patch(r.a.ctx, was.Name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}); err == nil {
			return nil
		}
	}
	if len(r.known) > 4096 {
		clear(r.known)
	}
	r.known[key] = e
	_, err := events.Create(r.a.ctx, e, metav1.CreateOptions{})
	return err
}
