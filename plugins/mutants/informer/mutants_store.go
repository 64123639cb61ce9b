package informer

import (
	"context"
	"maps"
	"slices"
	"time"

	conformance "github.com/lwtest/lwtest/conformance/informer"
)

// storeMutants have a fault in what their store shows.
var storeMutants = []variant{
	{"index-not-updated", "store/index", "an update leaves the index as it was", lists, ifReindex(func(_ *informer, was, now *object) bool { return was == nil || now == nil })},
	{"index-grows", "store/index", "an update leaves the old value in the index", lists, onReindex(func(i *informer, was, now *object, right indexFunc) {
		if now != nil {
			was = nil
		}
		right(was, now)
	})},
	{"index-not-added", "store/index", "what is created later is not in the index", lists, ifReindex(func(i *informer, was, _ *object) bool { return was != nil || !i.synced })},
	{"index-not-deleted", "store/index", "what is deleted stays in the index", lists, ifReindex(func(_ *informer, _, now *object) bool { return now != nil })},
	{"index-not-relisted", "store/index", "a later list leaves the index as it was", lists, ifReindex(func(i *informer, _, _ *object) bool { return !i.relists })},
	{"index-not-emptied", "store/index", "so does one of nothing", lists, func(i *informer) {
		empty, right := false, i.replace
		i.replace = func(all []object, version string) {
			empty = len(all) == 0
			right(all, version)
			empty = false
		}
		ifReindex(func(_ *informer, _, _ *object) bool { return !empty })(i)
	}},
	{"index-recreated", "store/index", "what a list has under another uid leaves the value of the old one in the index", lists, recreating(func(i *informer, was, o object) {
		i.items[o.key] = o
		i.reindex(nil, &o)
		i.tell(change{kind: conformance.Updated, key: o.key, old: &was, now: &o})
	})},
	{"index-between-states", "store/index", "the keys that an index gives are looked up an instant later", lists, func(i *informer) {
		i.under = func(value string) (out []object) {
			keys := slices.Collect(maps.Keys(i.index[value]))
			i.lets(2_000)
			for _, key := range keys {
				if o, there := i.items[key]; there {
					out = append(out, o)
				}
			}
			return out
		}
	}},
	{"index-of-one", "store/index", "the index has one object for each value", lists, onReindex(func(i *informer, was, now *object, right indexFunc) {
		if now != nil {
			delete(i.index, now.app)
		}
		right(was, now)
	})},
	{"shows-twice", "store/snapshot", "a list has its first object twice", lists, func(i *informer) {
		i.lists = func() []object { l := i.all(); return append(l, l[:min(len(l), 1)]...) }
	}},
	{"version-ahead", "store/version", "a version is told a moment before the store has it", lists, onPut(func(i *informer, o object, initial bool, put putFunc) {
		if !i.relists && i.synced {
			i.version = o.version
			i.unlocked(func() { time.Sleep(time.Millisecond) })
		}
		put(o, initial)
	})},
	{"version-of-list", "store/version", "the version of a list is told before it is kept", lists, func(i *informer) {
		i.paged = func(_ []object, p page) {
			i.locked(func() { i.version = p.version })
			time.Sleep(2 * time.Millisecond)
		}
	}},
	{"version-back", "store/version", "a delete takes the version back to that of the list", lists, func(i *informer) {
		listed := ""
		i.moves = func(kind, version string) {
			if kind == replaced {
				listed = version
			} else if kind == "DELETED" {
				version = listed
			}
			i.version = version
		}
	}},
	{"version-emptied", "store/version", "no version is told while it lists again", lists, func(i *informer) {
		i.paged = func([]object, page) { i.locked(func() { i.version = "" }); time.Sleep(time.Second) }
	}},
	{"version-invented", "store/version", "a version is told that is not there yet", lists, func(i *informer) {
		i.moves = func(_, version string) { i.version = version + "0" }
	}},
	{"bookmarks-move-nothing", "store/version-moves", "bookmarks do not move the version", lists, moving(bookmarked)},
	{"deletes-move-nothing", "store/version-moves", "deletes do not", lists, moving("DELETED")},
	{"version-of-first", "store/version-moves", "the version stays that of the first list", lists, func(i *informer) {
		i.moves = func(kind, version string) {
			if kind == replaced && i.version == "" {
				i.version = version
			}
		}
	}},
	{"reads-at-once", "store/read-your-writes", "a read after a write does not wait for it", lists, func(i *informer) { i.reflects = func(string) bool { return true } }},
	{"reads-what-there-is", "store/read-your-writes", "a read after a write waits until there is anything", lists, func(i *informer) {
		i.reflects = func(key string) bool { _, there := i.items[key]; return there }
	}},
	{"transform-no-list", "store/transform", "what a list has is not transformed", lists, raw(fromList)},
	{"transform-no-relist", "store/transform", "what a later list has is not", lists, func(i *informer) {
		i.transforms = func(path string) bool { return path != fromList || !i.relists }
	}},
	{"transform-no-stream", "store/transform", "what a streaming list has is not", streams, raw(fromStream)},
	{"transform-no-fallback", "store/transform", "what a list has that comes in the place of a streaming list is not", streams, raw(fromList)},
	{"transform-no-add", "store/transform", "what is created later is not", lists, raw(fromAdd)},
	{"transform-no-update", "store/transform", "what is updated is not", lists, raw(fromUpdate)},
	{"transform-no-delete", "store/transform", "what is deleted is not", lists, raw(fromDelete)},
}

// moving has one kind not move the version.
func moving(not string) func(*informer) {
	return ifMoves(func(i *informer, kind, version string) bool { return kind != not })
}

// stopMutants have a fault in how they stop, or start again.
var stopMutants = []variant{
	{"backlog-after-stop", "stop/clean", "what was queued is told when the run has returned", lists, func(i *informer) {
		i.backlog = func(h *handler) {
			rest := h.queue
			go func() {
				time.Sleep(time.Second)
				for _, c := range rest {
					h.tell(i.notice(h, c))
				}
			}()
		}
	}},
	{"told-of-stop", "stop/clean", "handlers are told of everything again when the run has returned", lists, func(i *informer) {
		i.ends = func() {
			go func() {
				time.Sleep(time.Second)
				for _, h := range i.handlers {
					h.tell(conformance.Notice{Type: conformance.Updated})
				}
			}()
		}
	}},
	{"goroutine-left", "stop/clean", "a goroutine is left for a quarter of an hour", lists, func(i *informer) { i.ends = func() { go time.Sleep(15 * time.Minute) } }},
	{"watch-left", "stop/clean", "the watch stays open", lists, func(i *informer) {
		watch := i.server.watch
		i.server.watch = func(ctx context.Context, o options) (watching, error) { return watch(context.WithoutCancel(ctx), o) }
		i.closes = func(func()) {}
	}},
	{"pause-slept-out", "stop/prompt", "a pause is slept out", lists, func(i *informer) { i.rests = func(_ context.Context, d time.Duration) { time.Sleep(d) } }},
	{"stop-takes-time", "stop/prompt", "it stops ten seconds later", lists, func(i *informer) { i.ends = func() { time.Sleep(10 * time.Second) } }},
	{"runs-twice", "lifecycle/twice", "another start beside the first makes another loop", lists, restarting(running)},
	{"runs-again", "lifecycle/twice", "another start after the stop does", lists, restarting(stopped)},
	{"handler-after-stop", "lifecycle/stopped", "a handler that is added after the stop is taken", lists, func(i *informer) { i.refuses = func(state) error { return nil } }},
}

// restarting has a Run in some state make a second informer.
func restarting(when state) func(*informer) {
	return func(i *informer) {
		i.again = func(ctx context.Context, s state) {
			if other, err := newInformer(i.config); err == nil && s == when {
				other.Run(ctx)
			}
		}
	}
}
