package mutants

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// relaying is a store behind an API that stands between each watch and its client. What f makes of a
// watch is given each event, and returns what is sent in its place. It may end the watch, or go on with another.
func relaying(f func(*relay) func(watch.Event) []watch.Event) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
		in, err := api.Watch(ctx, r, o)
		if err != nil {
			return nil, err
		}
		w := &relay{ctx: ctx, api: api, request: r, options: o, in: in, out: make(chan watch.Event), stop: make(chan struct{}), done: make(chan struct{})}
		go w.run(f(w))
		return w, nil
	}})
}

// relay is a watch that is read from another.
type relay struct {
	ctx     context.Context // of the call that opened it
	api     apiserver.API
	request apiserver.Request
	options metav1.ListOptions

	in    watch.Interface
	ended bool // nothing more is read

	out  chan watch.Event
	stop chan struct{}
	once sync.Once
	done chan struct{}
}

func (w *relay) ResultChan() <-chan watch.Event { return w.out }

func (w *relay) Stop() {
	w.once.Do(func() { close(w.stop) })
	<-w.done
}

// end lets what f returns be the last.
func (w *relay) end() { w.ended = true }

// again goes on with a watch from a resourceVersion, after what f returns.
func (w *relay) again(rv string) {
	o := w.options
	if o.ResourceVersion = rv; rv == "" {
		fromNow(&o)
	}
	if in, err := w.api.Watch(w.ctx, w.request, o); err == nil {
		w.in.Stop()
		w.in = in
	}
}

func (w *relay) run(f func(watch.Event) []watch.Event) {
	defer close(w.done)
	defer close(w.out)
	defer func() { w.in.Stop() }()
	for !w.ended {
		select {
		case e, ok := <-w.in.ResultChan():
			if !ok || !w.send(f(e)) {
				return
			}
		case <-w.stop:
			return
		}
	}
}

func (w *relay) send(events []watch.Event) bool {
	for _, e := range events {
		select {
		case w.out <- e:
		case <-w.stop:
			return false
		case <-w.ctx.Done():
			return false
		}
	}
	return true
}

// failed is the Status of an ERROR, nil of other events.
func failed(e watch.Event) *metav1.Status {
	s, _ := e.Object.(*metav1.Status)
	return s
}
