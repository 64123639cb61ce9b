package informer

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	conformance "github.com/lwtest/lwtest/conformance/informer"
)

// oddRequests ask oddly.
var oddRequests = []variant{
	{"lists-at-zero", "converge/no-time-travel", "the first list is of any state, with a limit", lists, asking(aList, func(i *informer, o *metav1.ListOptions) {
		if i.at.version == "" && !i.at.recent {
			o.ResourceVersion, o.ResourceVersionMatch = "0", ""
		}
	})},
	{"lists-unlimited", "pages/complete", "no list has a limit, whatever it is told", base{has: without(conformance.PageSize)}, func(i *informer) { i.limit = 0 }},
	{"relists-always", "resume/no-relist", "each watch is followed by a list: it breaks that SHOULD, and nothing else", lists, relisting},
	{"streams-always", "resume/no-relist", "each watch began as a streaming list: so does it", streams, restreaming},
	{"relists-recent", "resume/no-relist", "each watch is followed by a list of the most recent: so does it", lists,
		each(relisting, asking(aList, func(_ *informer, o *metav1.ListOptions) { o.ResourceVersion, o.ResourceVersionMatch = "", "" }))},
	{"asks-everywhere", "sync/has-synced", "it asks for the objects of all namespaces, and keeps those of its own", lists, sifting},
	{"leaves-at-bookmarks", "resume/version", "it ends its watch at each bookmark, and goes on from there", lists, leavingAtBookmarks},
	{"short-relists", "resume/version", "a watch that brings nothing is followed by a pause and a list", lists, failing(isShort, listAgain)},
	{"errors-watch-again", "resume/errors", "an error that says nothing of the resourceVersion is followed by a pause and a watch", lists, failing(of(aWatch, all(not(isExpired), not(saysSo))), watchAgain)},
	{"expired-lists-recent", "resume/expired", "a watch that has expired is followed by a list of the most recent", lists, failing(isExpired, func(i *informer, pause time.Duration) time.Duration {
		i.at.recent = true
		return pause
	})},
	{"pauses-anew", "resume/pace", "pauses start anew after each fifth failure", lists, onGrows(func(i *informer, failures int, right func(int) time.Duration) time.Duration {
		return right((failures-1)%5 + 1)
	})},
	{"pauses-drawn", "resume/pace", "each pause is drawn, up to twice as long", lists, onGrows(func(i *informer, failures int, right func(int) time.Duration) time.Duration {
		d := right(failures)
		return d + rand.N(d)
	})},
	{"streams-given-up", "sync/watchlist-fallback", "after its first streaming list it asks for lists alone", streams, onNext(func(i *informer, what string, err error, right nextFunc) time.Duration {
		pause := right(what, err)
		i.at.streams = false
		return pause
	})},
	{"streams-anew", "sync/watchlist-fallback", "each round starts with a streaming list, whatever became of the last", streams, onNext(func(i *informer, what string, err error, right nextFunc) time.Duration {
		pause := right(what, err)
		i.at.streams = i.at.streams || what != aStream
		return pause
	})},
}

// oddNotices tell handlers oddly.
var oddNotices = []variant{
	{"relist-tells-all", "notify/order", "a later list gives an update for each object, old and new alike", lists, onPut(func(i *informer, o object, initial bool, right putFunc) {
		if was, there := i.items[o.key]; there && was.uid == o.uid && was.version == o.version && i.relists {
			i.tell(change{kind: conformance.Updated, key: o.key, old: &was, now: &o})
		}
		right(o, initial)
	})},
	{"updates-merged", "notify/complete", "updates of an object that follow each other are told as one", lists, onQueues(func(i *informer, h *handler, c change, right queueFunc) {
		n := len(h.queue) - 1
		if n >= 0 && updated(c) && h.queue[n].key == c.key && updated(h.queue[n]) {
			h.queue[n].now = c.now
			return
		}
		right(h, c)
	})},
	{"adds-merged", "notify/complete", "so are an add and the updates that follow it", lists, onQueues(func(i *informer, h *handler, c change, right queueFunc) {
		n := len(h.queue) - 1
		if n >= 0 && updated(c) && h.queue[n].key == c.key && added(h.queue[n]) {
			h.queue[n].now = c.now
			return
		}
		right(h, c)
	})},
	{"came-and-went", "notify/complete", "what came and went before a handler was told of it is not told", lists, vanishing(func(h *handler) { h.initial-- })},
	{"told-late", "notify/after-store", "handlers are told a moment later", lists, onDelivers(func(i *informer, h *handler, c change, right queueFunc) {
		time.Sleep(100 * time.Millisecond)
		right(h, c)
	})},
	{"told-apart", "notify/slow", "each handler is told at another time", lists, onDelivers(func(i *informer, h *handler, c change, right queueFunc) {
		time.Sleep(rand.N(100 * time.Millisecond))
		right(h, c)
	})},
	{"deletes-last", "converge/deletes", "what a later list lacks is told after what it has", lists, func(i *informer) {
		i.replace = func(all []object, version string) {
			before := slices.Clone(all)
			for _, o := range i.all() {
				if !slices.ContainsFunc(all, func(x object) bool { return x.key == o.key }) {
					before = append(before, o)
				}
			}
			i.replaceAll(before, version)
			i.replaceAll(all, version)
		}
	}},
	{"lists-any-order", "notify/order", "what a list has is told in any order", streams, onReplace(func(i *informer, all []object, version string, right replaceFunc) {
		rand.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
		right(all, version)
	})},
	{"vanished-without-object", "notify/delete-state", "a final state that nobody saw has no object", lists, retoldIf(func(c change) bool { return c.unknown }, func(c *change) { c.now = nil })},
	{"recreated-as-update", "converge/recreated", "what a later list has under another uid is told as an update", lists, recreating(func(i *informer, was, o object) {
		i.keep(o)
		i.tell(change{kind: conformance.Updated, key: o.key, old: &was, now: &o})
	})},
	{"removal-tells-backlog", "notify/removed-handler", "a removal that does not wait leaves what was queued before", lists, func(i *informer) {
		right, again := i.removed, i.resyncs
		i.removed = func(h *handler, wait bool) {
			if wait {
				right(h, wait)
			} else {
				i.locked(func() { i.handlers = slices.DeleteFunc(i.handlers, func(x *handler) bool { return x == h }) })
			}
		}
		i.resyncs = func(h *handler) {
			if slices.Contains(i.handlers, h) {
				again(h)
			}
		}
	}},
	{"handlers-synced-late", "sync/handler-synced", "a handler says late that it has synced", lists, onDelivers(func(i *informer, h *handler, c change, right queueFunc) {
		if right(h, c); c.initial {
			i.locked(func() { h.initial++ })
			i.workers.Go(func() { time.Sleep(time.Second); i.locked(func() { h.initial-- }) })
		}
	})},
	{"resync-anew", "notify/resync", "a list starts the time of a resync anew", lists, func(i *informer) {
		right, resyncs := i.replace, i.resyncs
		var listed time.Time
		i.replace = func(all []object, version string) { listed = time.Now(); right(all, version) }
		i.resyncs = func(h *handler) {
			if time.Since(listed) >= h.period {
				resyncs(h)
			}
		}
	}},
	{"period-raised", "notify/resync", "a handler's period is the informer's at least", lists, func(i *informer) {
		i.ticks = func(h *handler) time.Duration { return max(h.period, i.config.Resync) }
	}},
	{"period-dropped", "notify/resync", "without a period of the informer's a handler has none", lists, func(i *informer) {
		i.ticks = func(h *handler) time.Duration {
			if i.config.Resync == 0 {
				return 0
			}
			return h.period
		}
	}},
}

// oddStores keep oddly, or lack something.
var oddStores = []variant{
	{"keeps-newer-answers", "store/never-back", "the answer to a write of its own is kept if the copy has an older state", oneWriter, func(i *informer) {
		onlyForward(i)
		keepingAnswers(isNewer)(i)
	}},
	{"keeps-late", "store/version", "what comes is kept a moment later", lists, func(i *informer) {
		put, drop := i.put, i.drop
		i.put = func(o object, initial bool) { i.late(); put(o, initial) }
		i.drop = func(last object, unknown bool) { i.late(); drop(last, unknown) }
	}},
	{"first-keeps-late", "converge/equal", "of several informers the one made first keeps what comes a moment after the others", lists, func(i *informer) {
		put, drop := i.put, i.drop
		i.put = func(o object, initial bool) { i.lateEldest(); put(o, initial) }
		i.drop = func(last object, unknown bool) { i.lateEldest(); drop(last, unknown) }
	}},
	{"unsynced-when-stopped", "sync/has-synced", "once it was stopped, neither it nor a handler says any more that it has synced", lists, func(i *informer) {
		synced, handled := i.hasSynced, i.handled
		runs := func() bool { return i.ctx == nil || i.ctx.Err() == nil }
		i.hasSynced = func() bool { return synced() && runs() }
		i.handled = func(h *handler) bool { return handled(h) && runs() }
	}},
	{"version-by-objects", "store/version-moves", "bookmarks do not move the version: it breaks that SHOULD, and nothing else", lists, moving(bookmarked)},
	{"version-untold", "store/version", "no version is told, and none is declared", base{has: without(conformance.Version)}, func(i *informer) { i.moves = func(string, string) {}; i.reflects = i.holds }},
	{"transformed-twice", "store/transform", "what is kept went through the transform twice", lists, func(i *informer) {
		i.shapes = func(o runtime.Object) {
			if m, ok := o.(metav1.Object); ok && i.config.Transform == conformance.Mark {
				mark(m)
			}
		}
	}},
	{"metadata-only", "converge/equal", "it has the metadata of objects alone", base{has: with(conformance.MetadataOnly)}, func(i *informer) {
		i.shapes = func(o runtime.Object) {
			if m, ok := o.(*corev1.ConfigMap); ok {
				m.Data, m.BinaryData = nil, nil
			}
		}
	}},
	{"no-immutable", "converge/equal", "its types are of before Kubernetes 1.18", base{has: with(conformance.NoImmutable)}, losing(func(m *corev1.ConfigMap) { m.Immutable = nil })},
	{"bare", "sync/has-synced", "it has a store, and declares nothing else", base{}, nil},
	{"without-handlers", "notify/complete", "it tells no handlers", storeAlone, nil},
	{"pushes-twice", "store/push", "each content is pushed twice", lists, pushing(func(right func([]json.RawMessage)) func([]json.RawMessage) {
		return func(all []json.RawMessage) { right(all); right(all) }
	})},
	{"one-handler", "notify/late-handler", "it has one handler, with no period of its own", base{has: without(conformance.ManyHandlers, conformance.HandlerPeriods)}, nil},
}

// late waits a moment without the lock, where it is not in the midst of a list.
func (i *informer) late() {
	if i.synced && !i.relists {
		i.unlocked(func() { time.Sleep(100 * time.Millisecond) })
	}
}

func (i *informer) lateEldest() {
	if i.eldest {
		i.late()
	}
}

// holds says that the content has our last write of a key, or a later state.
func (i *informer) holds(key string) bool { return !older(i.items[key].version, i.wrote[key]) }

// sifting asks for the objects of all namespaces, and takes those of its own.
func sifting(i *informer) {
	everywhere := i.config
	everywhere.Namespace = ""
	wide, err := serverOf(everywhere, nil)
	if err != nil {
		return
	}
	i.server.close()
	i.server = wide
	ours := func(o object) bool {
		return i.config.Namespace == "" || strings.HasPrefix(o.key, i.config.Namespace+"/")
	}
	replace, put, drop := i.replace, i.put, i.drop
	i.replace = func(all []object, version string) {
		replace(slices.DeleteFunc(all, func(o object) bool { return !ours(o) }), version)
	}
	i.put = func(o object, initial bool) {
		if ours(o) {
			put(o, initial)
		}
	}
	i.drop = func(last object, unknown bool) {
		if ours(last) {
			drop(last, unknown)
		}
	}
}
