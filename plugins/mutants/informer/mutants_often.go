package informer

import (
	"errors"
	"slices"
	"strings"
	"time"

	conformance "github.com/lwtest/lwtest/conformance/informer"
)

// oftenMutants have a fault that shows where what is common meets what is less so: an index and a later list, or many
// namespaces; a resourceVersion, and one of more digits.
var oftenMutants = []variant{
	{"index-relist-grows", "store/index", "what a later list has in another state stays in the index under its old value, too", lists, onReindex(func(i *informer, was, now *object, right indexFunc) {
		if i.relists && now != nil && was != nil && was.uid == now.uid {
			was = nil
		}
		right(was, now)
	})},
	{"index-relist-keeps-last", "store/index", "what a later list has with no value stays in the index under its old one", lists, onReindex(func(i *informer, was, now *object, right indexFunc) {
		if i.relists && was != nil && now != nil && now.app == "" {
			return
		}
		right(was, now)
	})},
	{"index-names-collide", "store/index", "of objects of one name and one value in two namespaces the index has one", lists, onUnder(func(i *informer, value string, right func(string) []object) (out []object) {
		names := map[string]bool{}
		for _, o := range sorted(right(value)) {
			name := o.key[strings.Index(o.key, "/")+1:]
			if !names[name] {
				out = append(out, o)
			}
			names[name] = true
		}
		return out
	})},
	{"index-forgets-namespace", "store/index", "what is taken from an index is taken from it for all objects of the name", lists, onReindex(func(i *informer, was, now *object, right indexFunc) {
		if right(was, now); was != nil && now == nil {
			for key := range i.index[was.app] {
				if strings.HasSuffix(key, was.key[strings.Index(was.key, "/"):]) {
					delete(i.index[was.app], key)
				}
			}
		}
	})},
	{"bookmarks-as-text", "resume/version", "a bookmark counts where its resourceVersion is the greater text", lists, textually(bookmarked)},
	{"events-as-text", "resume/version", "so does an event", lists, textually("ADDED", "MODIFIED", "DELETED")},
	{"lists-as-text", "resume/version", "so does a later list", lists, textually(replaced)},
	{"kept-as-text", "converge/equal", "an event is kept where its resourceVersion is a greater text than the one before it", lists,
		taking(func(i *informer, o object) bool { return o.version > i.at.version })},
	{"updates-as-text", "converge/equal", "an update is kept where its resourceVersion is a greater text than that of what is there", lists, ifPut(func(i *informer, o object, initial bool) bool {
		was, there := i.items[o.key]
		return !there || o.version > was.version
	})},
	{"too-large-by-cause", "resume/too-large", "that a version is too large is known by the type of a cause alone", lists, failing(of(aList, all(saysSo, not(isTooLarge))), sameAgain)},
	{"too-large-by-cause-stream", "resume/too-large", "so by who asks for streaming lists", streams, failing(all(not(of(aWatch, always)), saysSo, not(isTooLarge)), sameAgain)},
	{"too-large-by-cause-message", "resume/too-large", "it is known by the message of a cause alone", lists,
		failing(func(what string, err error) bool {
			s, ok := status(err)
			return ok && what == aList && saysTooLarge(err) && (s.Details == nil || len(s.Details.Causes) == 0)
		}, sameAgain)},
	{"retry-after-a-minute", "resume/retry-after", "what an error says of when to come back is waited for a minute at most", lists, func(i *informer) {
		i.waits = func(err error) time.Duration { return min(retryAfter(err), time.Minute) }
	}},
	{"retry-after-a-minute-stream", "resume/retry-after", "so by who asks for streaming lists, of an ERROR", streams, func(i *informer) {
		i.waits = func(err error) time.Duration {
			if inStream(err) {
				return min(retryAfter(err), time.Minute)
			}
			return retryAfter(err)
		}
	}},
	{"resync-stale-by-relist", "notify/order", "what a later list has in another state is told again, at each resync, as it was before", lists, func(i *informer) {
		stale := map[string]object{}
		put := i.put
		i.put = func(o object, initial bool) {
			if was, there := i.items[o.key]; there && i.relists && was.version != o.version {
				stale[o.key] = was
			} else {
				delete(stale, o.key)
			}
			put(o, initial)
		}
		i.resyncs = func(h *handler) {
			for _, o := range i.all() {
				if was, is := stale[o.key]; is {
					o = was
				}
				i.queues(h, change{kind: conformance.Updated, key: o.key, old: &o, now: &o, resync: true})
			}
		}
	}},
	{"slow-loses-newest", "notify/slow", "two thousand and forty-eight changes wait for a handler, and no more", lists, ifQueues(func(i *informer, h *handler, c change) bool { return len(h.queue) < backlog })},
	{"slow-loses-oldest", "notify/slow", "so, and the oldest makes room for the next", lists, onQueues(func(i *informer, h *handler, c change, right queueFunc) {
		if right(h, c); len(h.queue) > backlog {
			h.queue = h.queue[1:]
		}
	})},
	{"slow-out-of-order", "notify/order", "what comes when so many wait is told before them", lists, onQueues(func(i *informer, h *handler, c change, right queueFunc) {
		if right(h, c); len(h.queue) > backlog {
			n := len(h.queue) - 1
			h.queue = slices.Insert(h.queue[:n], 0, c)
		}
	})},
	{"removal-once", "notify/removed-handler", "a further removal of a handler is an error", lists, func(i *informer) {
		right := i.removes
		i.removes = func(h *handler, wait bool) error {
			gone := false
			i.locked(func() { gone = h.isGone() })
			if gone {
				return errors.New("there is no such handler")
			}
			return right(h, wait)
		}
	}},
	{"removal-again-of-next", "notify/removed-handler", "a further removal of a handler takes away another", lists, onRemoved(func(i *informer, h *handler, wait bool, right func(*handler, bool)) {
		i.locked(func() {
			if h.isGone() && len(i.handlers) > 0 {
				i.leaves(i.handlers[0])
			}
		})
		right(h, wait)
	})},
}

// backlog is a size that a queue of a handler may have.
const backlog = 2048

// textually compares the resourceVersions of some kinds with the last as texts.
func textually(kinds ...string) func(*informer) {
	return ifSeen(func(i *informer, kind, version string) bool {
		return version > i.at.version || !slices.Contains(kinds, kind)
	})
}

// saysTooLarge says that an error is one of a version that is too large, in whichever way.
func saysTooLarge(err error) bool {
	s, ok := status(err)
	return ok && s.Code == 504 && strings.Contains(s.Message, "Too large resource version")
}
