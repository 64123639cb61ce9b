package node

import (
	"context"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
)

// order is in which order the containers of a pod with sidecars stop. A nil order is none.
type order struct {
	mu      sync.Mutex
	over    map[string]chan struct{} // closed when the container has stopped
	waitFor map[string][]chan struct{}
}

func newOrder(pod *v1.Pod, p *runtimePod) *order {
	if pod == nil {
		return nil
	}
	o := &order{over: map[string]chan struct{}{}, waitFor: map[string][]chan struct{}{}}
	runs := map[string]bool{}
	for _, c := range p.containers {
		runs[c.Labels[labelContainer]] = true
	}
	add := func(name string) chan struct{} {
		o.over[name] = make(chan struct{})
		if !runs[name] {
			close(o.over[name])
		}
		return o.over[name]
	}
	var before []chan struct{}
	for _, c := range pod.Spec.Containers {
		before = append(before, add(c.Name))
	}
	for i := len(pod.Spec.InitContainers) - 1; i >= 0; i-- {
		if c := &pod.Spec.InitContainers[i]; isSidecar(c) {
			o.waitFor[c.Name] = before
			before = append(before[:len(before):len(before)], add(c.Name))
		}
	}
	return o
}

// wait waits for a container's turn, and returns how many seconds it took.
func (o *order) wait(ctx context.Context, name string, grace int64) int64 {
	if o == nil {
		return 0
	}
	began, left := time.Now(), time.NewTimer(time.Duration(grace)*time.Second)
	defer left.Stop()
	for _, ch := range o.waitFor[name] {
		select {
		case <-ch:
			continue
		case <-left.C:
		case <-ctx.Done():
		}
		break
	}
	return int64(time.Since(began).Seconds())
}

func (o *order) ended(name string) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if ch := o.over[name]; ch != nil {
		close(ch)
		delete(o.over, name)
	}
}
