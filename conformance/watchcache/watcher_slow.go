package watchcache

import (
	"context"
	"fmt"
	"math/big"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// slow is follow, for a watcher whose reading can be paused; who lost a streaming list lists anew.
func (d *driver) slow(actor, ns string, o metav1.ListOptions) *watcher {
	return d.open(&watcher{actor: actor, namespace: ns, options: o, follows: o.SendInitialEvents == nil, gate: make(chan struct{}, 1)})
}

// unread is slow, for a watcher that reads nothing before it is resumed.
func (d *driver) unread(actor, ns string, o metav1.ListOptions) *watcher {
	shut := make(chan struct{}, 1)
	shut <- struct{}{}
	w := d.open(&watcher{actor: actor, namespace: ns, options: o, follows: o.SendInitialEvents == nil, gate: shut})
	w.reader(replay.Paused, func() {})
	return w
}

// everySlow opens each of these that the subject serves, from a resourceVersion: by slow, or by unread.
func (d *driver) everySlow(open func(actor, ns string, o metav1.ListOptions) *watcher, actor, rv string, all []combination) []*watcher {
	var ws []*watcher
	for i, c := range all {
		if d.served(c) {
			ws = append(ws, open(fmt.Sprint(actor, i+1), c.within(d), c.options(rv, i)))
		}
	}
	return ws
}

func pauseAll(ws []*watcher) {
	for _, w := range ws {
		w.pause()
	}
}

func resumeAll(ws []*watcher) {
	for _, w := range ws {
		w.resume()
	}
}

// readersActor is who tells watchers to stop reading, and to read on: one at a time in a drive.
const readersActor = "readers"

// pause makes the watcher stop reading: at most one more event is recorded.
func (w *watcher) pause() { w.reader(replay.Paused, func() { w.gate <- struct{}{} }) }

// resume makes it read on.
func (w *watcher) resume() { w.reader(replay.Resumed, func() { <-w.gate }) }

func (w *watcher) reader(what string, f func()) {
	if w == nil || w.gate == nil {
		return
	}
	if what == replay.Paused {
		w.slow.Store(true)
	}
	f()
	w.d.turn(readersActor)
	if call, reads := w.delivers(); reads { // between two watches it is said of the one before
		w.d.t.Seen(w.actor, what, call, harness.Answer{})
	}
}

// readSlowly reports whether its reading was ever paused.
func (w *watcher) readSlowly() bool { return w.slow.Load() }

// held waits while the watcher is paused.
func (w *watcher) held(ctx context.Context) {
	if w.gate == nil {
		return
	}
	select {
	case w.gate <- struct{}{}: // nobody has paused it
		<-w.gate
	case <-ctx.Done():
	}
}

// closeAndDrain is close, and sees what still comes after that, until the
// channel is closed; meanwhile is done once the watch has been told to stop.
func (w *watcher) closeAndDrain(meanwhile func()) {
	if w == nil {
		return
	}
	stopped := make(chan struct{})
	w.mu.Lock()
	w.drains = stopped
	w.mu.Unlock()
	w.letGo()
	select {
	case <-stopped:
	case <-w.done:
	}
	meanwhile()
	<-w.done
}

// halt ends the watch by its Stop alone, as a reflector does, whose context lives as long as the reflector.
func (w *watcher) halt(meanwhile func()) {
	if w == nil {
		return
	}
	w.halts.Store(true)
	w.mu.Lock()
	call, in := w.call, w.in
	w.mu.Unlock()
	w.letGoBy(func() { w.d.t.Try(w.actor, call, in.Stop) })
	meanwhile()
	select {
	case <-w.done:
	case <-time.After(drainLimit):
		w.d.t.Seen(w.actor, history.Left, call, stillOpen)
	}
	w.stop()
	<-w.done
}

var stillOpen = harness.Answer{Err: &history.Error{Msg: "the channel of a stopped watch is open after " + drainLimit.String()}}

// drainLimit is how long a channel may stay open after its watch was stopped.
const drainLimit = 10 * time.Second

// drain reads a stopped watch to its end.
func (w *watcher) drain(in watch.Interface, events <-chan watch.Event) {
	w.mu.Lock()
	stopped := w.drains
	w.mu.Unlock()
	if stopped == nil {
		return
	}
	w.wasTold()
	w.d.t.Try(w.actor, w.call, in.Stop)
	close(stopped)
	late := time.After(drainLimit)
	for {
		select {
		case e, ok := <-events:
			w.d.turn(w.actor)
			if !ok {
				w.d.t.Seen(w.actor, history.Ended, w.call, harness.Answer{})
				return
			}
			w.see(e)
		case <-late:
			w.d.t.Seen(w.actor, history.Left, w.call, stillOpen)
			return
		}
	}
}

// ahead is the resourceVersion that is n larger.
func ahead(rv string, n int64) string {
	v, ok := new(big.Int).SetString(rv, 10)
	if !ok {
		return rv
	}
	return v.Add(v, big.NewInt(n)).String()
}
