package informer

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	conformance "github.com/lwtest/lwtest/conformance/informer"
)

// oddPaces are slow: they look at the server now and then.
var oddPaces = []variant{
	{"batches-10s", "converge/equal", "it takes what its watch has brought each ten seconds", lists, onServerWatch(func(i *informer, ctx context.Context, o options, right watchFunc) (watching, error) {
		w, err := right(ctx, o)
		if err == nil && o.SendInitialEvents == nil {
			w = batched(w, 10*time.Second)
		}
		return w, err
	})},
	{"leaves-unread", "resume/version", "it reads its watch each five seconds, ends it after 67, and goes on from the last event that it read", lists, leavingUnread(5*time.Second, 67*time.Second)},
	{"polls-30s", "converge/equal", "it lists the most recent each thirty seconds, and never watches", base{has: with(conformance.Polls)}, polling},
	{"polls-streams", "sync/watchlist-fallback", "it does so by a streaming list, and by a list where that fails", base{streams: true, has: with(conformance.Streams, conformance.Polls)}, polling},
}

// polling lists the most recent now and then, and never watches.
func polling(i *informer) {
	right := i.next
	i.next = func(what string, err error) time.Duration {
		pause := right(what, err)
		if err == nil {
			i.at.listed, i.at.failures, i.at.streams = false, 0, i.streams
			pause = 30 * time.Second
		}
		return pause
	}
	i.asks = func(what string, o *metav1.ListOptions) {
		if o.ResourceVersion = ""; what == aList {
			o.ResourceVersionMatch = ""
		}
	}
}

// batch is a watch whose events come all at once, now and then.
type batch struct {
	watch.Interface
	events  chan watch.Event
	stopped chan struct{}
	stop    func()
}

func batched(w watch.Interface, every time.Duration) watch.Interface {
	b := batch{Interface: w, events: make(chan watch.Event), stopped: make(chan struct{})}
	b.stop = sync.OnceFunc(func() {
		w.Stop()
		close(b.stopped)
	})
	go b.run(every)
	return b
}

// ResultChan implements watch.Interface.
func (b batch) ResultChan() <-chan watch.Event { return b.events }

// Stop implements watch.Interface.
func (b batch) Stop() { b.stop() }

func (b batch) run(every time.Duration) {
	defer close(b.events)
	tick := time.NewTicker(every)
	defer tick.Stop()
	var all []watch.Event
	for open := true; open; {
		select {
		case e, ok := <-b.Interface.ResultChan():
			if ok {
				all = append(all, e)
			}
			if open = ok; ok && e.Type != watch.Error {
				continue
			}
		case <-tick.C:
		case <-b.stopped:
			return
		}
		if !b.flush(all) {
			return
		}
		all = nil
	}
}

func (b batch) flush(all []watch.Event) bool {
	for _, e := range all {
		select {
		case b.events <- e:
		case <-b.stopped:
			return false
		}
	}
	return true
}

// leavingUnread ends its watches itself after a while, and drops what they had brought and it had not read. It reads now and then.
func leavingUnread(reads, leaves time.Duration) func(*informer) {
	return onServerWatch(func(_ *informer, ctx context.Context, o options, right watchFunc) (watching, error) {
		w, err := right(ctx, o)
		if err != nil || o.SendInitialEvents != nil {
			return w, err
		}
		w = batched(w, reads)
		time.AfterFunc(leaves, w.Stop)
		return w, nil
	})
}
