package informer

import (
	"bytes"

	corev1 "k8s.io/api/core/v1"

	conformance "github.com/lwtest/lwtest/conformance/informer"
)

// room is what these have room for.
const room = 100

// largeMutants have a fault that shows where there are more objects than they have room for.
var largeMutants = []variant{
	{"first-told-in-part", "notify/complete", "of what there is at the start handlers are told the first hundred", lists,
		roomFor(func(i *informer, c change) bool { return added(c) && c.initial })},
	{"relist-deletes-told-in-part", "notify/complete", "of what a later list has no more handlers are told the first hundred", lists,
		roomFor(func(i *informer, c change) bool { return deleted(c) && i.relists })},
	{"relist-adds-told-in-part", "notify/complete", "so of what it has more", lists,
		roomFor(func(i *informer, c change) bool { return added(c) && i.relists })},
	{"relist-updates-told-in-part", "notify/complete", "so of what it has in another state", lists,
		roomFor(func(i *informer, c change) bool { return updated(c) && i.relists })},
	{"relist-added-again", "notify/order", "a later list of more than a hundred objects is told as adds", lists, func(i *informer) {
		replace, many := i.replace, false
		i.replace = func(all []object, version string) {
			many = i.synced && len(all) > room
			replace(all, version)
			many = false
		}
		retold(func(_ *informer, c *change) {
			if many && updated(*c) {
				*c = change{kind: conformance.Added, key: c.key, now: c.now}
			}
		})(i)
	}},
	{"late-told-in-part", "notify/late-handler", "a handler that is added late is told of the first hundred objects", lists, onJoins(func(i *informer, h *handler, right func(*handler)) {
		if right(h); len(h.queue) > room {
			h.queue, h.initial = h.queue[:room], h.initial-(len(h.queue)-room)
		}
	})},
	{"resync-in-part", "notify/resync", "the first hundred objects are told again", lists, onResyncs(func(i *informer, h *handler, right func(*handler)) {
		right(h)
		h.queue = h.queue[:min(len(h.queue), room)]
	})},
}

// longMutants have a fault that shows where an object has many bytes.
var longMutants = []variant{
	{"long-event-unkept", "converge/equal", "of a watch what has more than 64 KiB is left out", lists, ifPut(func(i *informer, o object, initial bool) bool { return len(o.raw) <= 64<<10 })},
	{"next-line-splits", "converge/equal", "a character that ends a line for Unicode, and not for JSON, ends an event", lists, func(i *informer) {
		right, listing := i.put, false
		replace := i.replace
		i.replace = func(all []object, version string) {
			listing = true
			replace(all, version)
			listing = false
		}
		i.put = func(o object, initial bool) {
			if listing || !bytes.Contains(o.raw, []byte("\u0085")) {
				right(o, initial)
			}
		}
	}},
	{"long-text-unkept", "converge/equal", "of a text all but the first 64 KiB is cut", lists, losing(func(m *corev1.ConfigMap) {
		for name, text := range m.Data {
			m.Data[name] = text[:min(len(text), 64<<10)]
		}
	})},
}

// roomFor has handlers be told of a hundred such changes in a row, and of no more.
func roomFor(which func(*informer, change) bool) func(*informer) {
	return func(i *informer) {
		n := 0
		telling(func(i *informer, c change, tell func(change)) {
			if !which(i, c) {
				n = 0
				tell(c)
				return
			}
			if n++; n <= room {
				tell(c)
			}
		})(i)
	}
}
