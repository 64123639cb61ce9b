package informer

import (
	"encoding/json"
	"maps"
	"slices"

	conformance "github.com/lwtest/lwtest/conformance/informer"
)

// storeAlone is one that has a store, and nobody to tell of it.
var storeAlone = base{has: without(conformance.Handlers, conformance.ManyHandlers, conformance.HandlerPeriods, conformance.HandlerSynced, conformance.InitialFlag, conformance.DeleteState,
	conformance.Removal, conformance.RemovalWaits, conformance.Resync)}

// readMutants have a fault in what they give under one key.
var readMutants = []variant{
	{"OpenSandbox-1673", "store/never-back", "as OpenSandbox#1673: the answer to a write of its own is kept, whatever the copy has", oneWriter, keepingAnswers(func(*informer, object) bool { return true })},
	{"own-answer-revives", "store/never-back", "so if the copy has nothing of that name", oneWriter, keepingAnswers(func(i *informer, o object) bool {
		_, there := i.items[o.key]
		return !there || isNewer(i, o)
	})},
	{"own-answer-overtaken", "store/never-back", "it is kept if the copy has an older state, and an event from before that write is taken, too", oneWriter, keepingAnswers(isNewer)},
	{"gets-nothing", "store/snapshot", "nothing is found under any key, and all of it in the list", storeAlone, func(i *informer) {
		i.gets = func(string) json.RawMessage { return nil }
	}},
	{"gets-first", "store/snapshot", "what is found under a key is what was found there first", storeAlone, func(i *informer) {
		first := map[string]json.RawMessage{}
		i.gets = func(key string) json.RawMessage {
			if first[key] == nil {
				first[key] = i.items[key].raw
			}
			return first[key]
		}
	}},
	{"lists-one-by-one", "store/snapshot", "a list is made of what each key has an instant later", lists, func(i *informer) {
		n := 0
		i.lists = func() (out []object) {
			n++
			slow := 20 << (n % 7)
			for _, key := range slices.Sorted(maps.Keys(i.items)) {
				i.lets(slow)
				if o, there := i.items[key]; there {
					out = append(out, o)
				}
			}
			return out
		}
	}},
	{"gets-deleted", "store/snapshot", "what was deleted is still found under its key", storeAlone, func(i *informer) {
		last := map[string]json.RawMessage{}
		i.gets = func(key string) json.RawMessage {
			if o, there := i.items[key]; there {
				last[key] = o.raw
			}
			return last[key]
		}
	}},
}

// pushMutants have a fault in what they push.
var pushMutants = []variant{
	{"no-push", "store/push", "nothing is pushed", lists, func(i *informer) { i.config.Push = nil }},
	{"push-stale", "store/push", "what is pushed is the content before the last change", lists, pushing(func(right func([]json.RawMessage)) func([]json.RawMessage) {
		var last []json.RawMessage
		return func(all []json.RawMessage) { right(last); last = all }
	})},
	{"push-empty", "store/push", "what is pushed has nothing of the content", lists, pushing(func(right func([]json.RawMessage)) func([]json.RawMessage) {
		return func([]json.RawMessage) { right(nil) }
	})},
	{"push-once", "store/push", "the first content alone is pushed", lists, pushing(func(right func([]json.RawMessage)) func([]json.RawMessage) {
		return func(all []json.RawMessage) { right(all); right = func([]json.RawMessage) {} }
	})},
	{"push-growing", "store/push", "each push is one of the first object, of the first two, and so on", lists, pushing(func(right func([]json.RawMessage)) func([]json.RawMessage) {
		return func(all []json.RawMessage) {
			for n := range all {
				right(all[:n])
			}
			right(all)
		}
	})},
	{"push-no-deletes", "store/push", "a delete is followed by no push", lists, pushing(func(right func([]json.RawMessage)) func([]json.RawMessage) {
		n := 0
		return func(all []json.RawMessage) {
			if len(all) >= n {
				right(all)
			}
			n = len(all)
		}
	})},
}

// pushing replaces what is done with a content, where it is pushed at all.
func pushing(f func(right func([]json.RawMessage)) func([]json.RawMessage)) func(*informer) {
	return func(i *informer) {
		if i.config.Push != nil {
			i.config.Push = f(i.config.Push)
		}
	}
}
