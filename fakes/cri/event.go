package cri

import (
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// watcher is a stream of events. Its queue has no bound: an event is lost by a fault only.
type watcher struct {
	mu    sync.Mutex
	queue []*runtimeapi.ContainerEventResponse
	cut   bool
	more  chan struct{} // has a value if there may be something new
}

func (w *watcher) put(e *runtimeapi.ContainerEventResponse) {
	w.mu.Lock()
	w.queue = append(w.queue, e)
	w.mu.Unlock()
	w.wake()
}

// end ends the stream once it is empty.
func (w *watcher) end() {
	w.mu.Lock()
	w.cut = true
	w.mu.Unlock()
	w.wake()
}

func (w *watcher) wake() {
	select {
	case w.more <- struct{}{}:
	default:
	}
}

// take returns the events that wait, and whether the stream goes on.
func (w *watcher) take() ([]*runtimeapi.ContainerEventResponse, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.queue
	w.queue = nil
	return all, !w.cut
}

// tell sends an event of a container, or of a sandbox, to all that watch. It is called under the lock.
func (r *Runtime) tell(s *sandbox, id string, t runtimeapi.ContainerEventType) {
	if len(r.watchers) == 0 {
		return
	}
	e := &runtimeapi.ContainerEventResponse{ContainerId: id, ContainerEventType: t, CreatedAt: r.now(), PodSandboxStatus: s.status()}
	if !r.o.Personality.FewSandboxEvents {
		e.ContainersStatuses = r.statusesOf(s)
	}
	sent, _ := r.faults.Send(e)
	for _, e := range sent {
		for w := range r.watchers {
			w.put(e)
		}
	}
}

func (r service) GetContainerEvents(_ *runtimeapi.GetEventsRequest, stream runtimeapi.RuntimeService_GetContainerEventsServer) error {
	w := &watcher{more: make(chan struct{}, 1)}
	r.mu.Lock()
	r.watchers[w] = true
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.watchers, w)
		r.mu.Unlock()
	}()
	for {
		all, goesOn := w.take()
		for _, e := range all {
			if err := stream.Send(e); err != nil {
				return err
			}
		}
		if !goesOn {
			return status.Error(codes.Unavailable, "the stream was cut")
		}
		select {
		case <-w.more:
		case <-stream.Context().Done():
			return nil
		case <-r.ctx.Done():
			return nil
		}
	}
}

// CutEvents ends all streams of events, as a runtime that is overloaded may.
func (r *Runtime) CutEvents() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for w := range r.watchers {
		w.end()
	}
}
