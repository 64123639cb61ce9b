package watchcache

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// watcher is an open watch whose events are recorded by a goroutine of its own.
type watcher struct {
	d         *driver
	actor     string
	call      int32
	namespace string
	name      string // of the only object it is about; empty: of all
	stop      context.CancelFunc
	done      chan struct{} // closed when nothing more will be recorded

	mu    sync.Mutex
	shown map[string]chan struct{} // by content of a sentinel: closed when it came
	ended bool
}

// watch opens a watch and records what it brings until it ends or is closed.
// It gives nil where the watch was refused.
func (d *driver) watch(actor, ns string, o metav1.ListOptions) *watcher {
	ctx, stop := context.WithCancel(d.t.Context())
	var in watch.Interface
	args := replay.Args{Namespace: ns, Options: o}
	call, a := d.t.Do(harness.Call{Actor: actor, Kind: replay.Watch, Args: args.Flat()}, func(context.Context) harness.Answer {
		w, err := d.s.In(ns).Watch(ctx, o)
		switch {
		case err != nil:
			return harness.Answer{Err: failure(err)}
		case w == nil:
			return harness.Answer{Err: nothing}
		}
		in = w
		return harness.Answer{}
	})
	if a.Err != nil {
		stop()
		return nil
	}
	w := &watcher{d: d, actor: actor, call: call, namespace: ns, stop: stop, done: make(chan struct{}), shown: map[string]chan struct{}{}}
	if s, err := replay.ParseScope(args); err == nil {
		w.name = s.Name
	}
	d.t.Go(func() { w.read(ctx, in) })
	d.t.Wait()
	return w
}

// read records events until the stream ends or the drive lets go of it.
func (w *watcher) read(ctx context.Context, in watch.Interface) {
	defer close(w.done)
	defer w.d.t.Try(w.actor, w.call, in.Stop)
	defer w.end()
	var events <-chan watch.Event
	w.d.t.Try(w.actor, w.call, func() { events = in.ResultChan() })
	for {
		select {
		case e, ok := <-events:
			if !ok {
				if ctx.Err() == nil {
					w.d.t.Seen(w.actor, history.Ended, w.call, harness.Answer{})
				}
				return
			}
			w.see(e)
		case <-ctx.Done():
			return
		}
	}
}

func (w *watcher) see(e watch.Event) {
	m, isMap := e.Object.(*corev1.ConfigMap)
	if e.Type == watch.Bookmark && isMap && m != nil {
		w.d.t.Seen(w.actor, replay.Bookmark, w.call, harness.Answer{Obj: w.d.mark(m)})
		return
	}
	w.d.t.Seen(w.actor, string(e.Type), w.call, w.d.eventAnswer(e.Object))
	if isMap && m != nil {
		w.signal(m.Data[Spec])
	}
}

// end lets go of everybody who waits for a sentinel.
func (w *watcher) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	for k, c := range w.shown {
		close(c)
		delete(w.shown, k)
	}
}

func (w *watcher) signal(content string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c, ok := w.shown[content]; ok {
		close(c)
		delete(w.shown, content)
	}
}

// expect gives a channel that is closed when an object with this content comes, or the watch ends.
func (w *watcher) expect(content string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := make(chan struct{})
	if w.ended {
		close(c)
		return c
	}
	w.shown[content] = c
	return c
}

func (w *watcher) open() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.ended
}

// close ends the watch and waits until nothing more is recorded.
func (w *watcher) close() {
	if w == nil {
		return
	}
	if w.open() {
		w.d.t.Seen(w.actor, history.Stopped, w.call, harness.Answer{})
	}
	w.stop()
	<-w.done
}

// wait waits until the watch has ended by itself, or for that long.
func (w *watcher) wait(limit time.Duration) {
	if w == nil {
		return
	}
	select {
	case <-w.done:
	case <-time.After(limit):
	case <-w.d.t.Context().Done():
	}
}
