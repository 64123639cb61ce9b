package watchcache

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
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
	namespace string
	name      string // of the only object it is about, or of one that it is about; empty: of all
	options   metav1.ListOptions
	follows   bool // it resumes after a clean end
	path      bool // it is opened by the old path /watch/
	stop      context.CancelFunc
	done      chan struct{} // closed when nothing more will be recorded
	marks     atomic.Int64  // how many bookmarks came
	halts     atomic.Bool   // it is being ended by its Stop alone

	mu     sync.Mutex
	call   int32                    // of the watch that is open
	gate   chan struct{}            // of one whose reading can be paused; holds one while it is
	slow   atomic.Bool              // its reading was paused once
	at     string                   // the last resourceVersion that it brought
	in     watch.Interface          // that is read
	drains chan struct{}            // not nil: it is read to its end once it is stopped; closed when it was told to
	told   chan struct{}            // closed when it is recorded that it was stopped
	shown  map[string]chan struct{} // by content of a sentinel: closed when it came
	came   time.Time                // when it last brought anything
	proven time.Time                // when its sentinel last came
	failed bool                     // it has given an ERROR: nothing more need come
	ended  bool

	between bool // it has ended, and the next is not open yet
}

// watch opens a watch and records what it brings until it ends or is closed.
// It gives nil where the watch was refused.
func (d *driver) watch(actor, ns string, o metav1.ListOptions) *watcher {
	return d.open(&watcher{actor: actor, namespace: ns, options: o})
}

// follow is watch, but resumes as clients do: a server may end a watch when it
// likes, and a new one from the last resourceVersion goes on.
func (d *driver) follow(actor, ns string, o metav1.ListOptions) *watcher {
	return d.open(&watcher{actor: actor, namespace: ns, options: o, follows: true})
}

func (d *driver) open(w *watcher) *watcher {
	var ctx context.Context
	w.d, w.done, w.told, w.shown = d, make(chan struct{}), make(chan struct{}), map[string]chan struct{}{}
	ctx, w.stop = context.WithCancel(d.t.Context())
	if s, err := replay.ParseScope(replay.Args{Options: w.options}); err == nil && w.name == "" {
		w.name = s.Name
	}
	in := w.request(ctx, w.options)
	if in == nil {
		w.stop()
		return nil
	}
	d.t.Go(func() { w.run(ctx, in) })
	d.t.Wait()
	return w
}

// send makes the request.
func (w *watcher) send(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	c := w.d.reader(w.namespace)
	if p, ok := c.(PathWatcher); ok && w.path {
		return p.WatchPath(ctx, w.name, o)
	}
	return c.Watch(ctx, o)
}

// request opens the watch once; nil: it was refused.
func (w *watcher) request(ctx context.Context, o metav1.ListOptions) watch.Interface {
	var in watch.Interface
	args := replay.Args{Namespace: w.namespace, Options: o}
	call, _ := w.d.do(harness.Call{Actor: w.actor, Kind: replay.Watch, Args: args.Flat()}, func(context.Context) (harness.Answer, error) {
		got, err := w.send(ctx, o)
		w.d.turn(w.actor) // it may have waited for something that others are given at that instant
		switch {
		case err != nil:
			return harness.Answer{}, err
		case got == nil:
			return harness.Answer{Err: nothing}, nil
		}
		in = got
		return harness.Answer{}, nil
	})
	w.mu.Lock()
	w.call, w.in, w.failed, w.between = call, in, false, in == nil
	w.mu.Unlock()
	return in
}

// resumePause is what a client waits after a watch that brought nothing.
const resumePause = 100 * time.Millisecond

// run reads one watch after the other, each from where the one before ended.
func (w *watcher) run(ctx context.Context, in watch.Interface) {
	defer close(w.done)
	defer w.end()
	o := w.options
	for in != nil {
		at, clean := w.read(ctx, in)
		if !w.follows || !clean || ctx.Err() != nil {
			return
		}
		if at == "" {
			w.d.t.Sleep(resumePause)
		} else {
			o.ResourceVersion = at
		}
		in = w.request(ctx, o)
	}
}

// read records events until the stream ends or the drive lets go of it. It
// gives the last resourceVersion seen, and whether the end was a clean one.
func (w *watcher) read(ctx context.Context, in watch.Interface) (at string, clean bool) {
	defer w.d.t.Try(w.actor, w.call, in.Stop)
	var events <-chan watch.Event
	w.d.t.Try(w.actor, w.call, func() { events = in.ResultChan() })
	clean = true
	for {
		w.held(ctx)
		if ctx.Err() != nil { // else it is chance which of two is taken below
			w.drain(in, events)
			return at, false
		}
		select {
		case e, ok := <-events:
			if !ok {
				w.leave()
			}
			w.d.turn(w.actor)
			if !ok {
				if w.halts.Load() {
					w.wasTold()
				}
				if ctx.Err() == nil {
					w.d.t.Seen(w.actor, history.Ended, w.call, harness.Answer{})
				}
				return at, clean
			}
			if e.Type == watch.Error {
				clean = false
				w.fail()
			}
			w.noteCame()
			if rv := w.see(e); rv != "" {
				at = rv
				w.reach(rv)
			}
		case <-ctx.Done():
			w.drain(in, events)
			return at, false
		}
	}
}

func (w *watcher) noteCame() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.came = time.Now()
}

func (w *watcher) lastCame() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.came
}

func (w *watcher) lastSentinel() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.proven
}

func (w *watcher) reach(rv string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = rv
}

// last is the last resourceVersion that it brought, empty for none.
func (w *watcher) last() string {
	if w == nil {
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

// see records an event and gives its resourceVersion.
func (w *watcher) see(e watch.Event) string {
	m, _ := e.Object.(*corev1.ConfigMap)
	if m == nil {
		w.d.t.Seen(w.actor, string(e.Type), w.call, w.d.eventAnswer(e.Object))
		return ""
	}
	if e.Type == watch.Bookmark {
		w.d.t.Seen(w.actor, replay.Bookmark, w.call, harness.Answer{Obj: w.d.mark(m)})
		w.marks.Add(1)
		return m.ResourceVersion
	}
	if w.d.cluster != nil {
		w.d.cluster.show(m)
	}
	w.d.t.Seen(w.actor, string(e.Type), w.call, w.d.eventAnswer(e.Object))
	if slices.Contains(w.d.namespaces, m.Namespace) { // another run's sentinels read alike
		w.signal(cmp.Or(m.Data[Spec], m.Annotations[sentinelNote]))
	}
	return m.ResourceVersion
}

// end and fail let go of everybody who waits for a sentinel.
func (w *watcher) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.release()
}

func (w *watcher) fail() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = true
	w.release()
}

// leave says that the watch has ended; the next may be some time in opening.
func (w *watcher) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.between = true
}

// release is under the lock.
func (w *watcher) release() {
	for k, c := range w.shown {
		close(c)
		delete(w.shown, k)
	}
}

func (w *watcher) signal(content string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c, ok := w.shown[content]; ok {
		w.proven = time.Now()
		close(c)
		delete(w.shown, content)
	}
}

// expect gives a channel that is closed when an object with this content comes, or the watch ends.
func (w *watcher) expect(content string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := make(chan struct{})
	if w.ended || w.failed {
		close(c)
		return c
	}
	w.shown[content] = c
	return c
}

// current is the call of the watch that is open; ok is false when none is.
func (w *watcher) current() (call int32, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.call, !w.ended && !w.between
}

// delivers says whether the watch that is open can still be expected to bring
// what is due: one that has given an ERROR cannot.
func (w *watcher) delivers() (call int32, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.call, !w.ended && !w.failed
}

// close ends the watch and waits until nothing more is recorded.
func (w *watcher) close() {
	if w == nil {
		return
	}
	w.letGo()
	<-w.done
}

func (w *watcher) letGo() { w.letGoBy(w.stop) }

// letGoBy ends the watch, and records that. In real time it is recorded after that: there it may take long from one
// line to the next, and what is delivered in between is right.
func (w *watcher) letGoBy(end func()) {
	call, open := w.current()
	if !w.d.t.Virtual() {
		end()
	} else {
		defer end()
	}
	if open {
		w.d.turn(sentinelActor)
		w.d.t.Seen(w.actor, history.Stopped, call, harness.Answer{})
	}
	select {
	case <-w.told:
	default:
		close(w.told)
	}
}

// wasTold waits until it is recorded that the watch was stopped.
func (w *watcher) wasTold() {
	select {
	case <-w.told:
	case <-w.d.t.Context().Done():
	}
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
