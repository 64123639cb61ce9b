package node

import (
	"fmt"
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
	r.add(p, "", kind, reason, fmt.Sprintf(format, args...))
}

func (r *recorder) container(p *v1.Pod, c *v1.Container, kind, reason, format string, args ...any) {
	r.add(p, fmt.Sprintf("spec.containers{%s}", c.Name), kind, reason, fmt.Sprintf(format, args...))
}

func (r *recorder) add(p *v1.Pod, path, kind, reason, message string) {
	if r.a.api == nil || p.Name == "" {
		return
	}
	now := metav1.Now()
	r.mu.Lock()
	r.made++
	name := fmt.Sprintf("%s.%x", p.Name, time.Now().UnixNano()+r.made)
	r.mu.Unlock()
	e := &v1.Event{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: p.Namespace}, Reason: reason, Message: message, Type: kind, Count: 1, FirstTimestamp: now, LastTimestamp: now,
		InvolvedObject: v1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: p.Namespace, Name: p.Name, UID: p.UID, FieldPath: path},
		Source:         v1.EventSource{Component: "kubelet", Host: r.a.c.Name}, ReportingController: "kubelet", ReportingInstance: r.a.c.Name}
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
