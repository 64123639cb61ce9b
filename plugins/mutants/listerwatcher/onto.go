package listerwatcher

import (
	"encoding/json"
	"sync"

	corev1 "k8s.io/api/core/v1"

	conformance "github.com/lwtest/lwtest/conformance/listerwatcher"
)

// ontos decode what comes onto what came before, as json.Unmarshal does into a struct that is used again: what an object has
// lost stays with them.
func ontos() []mutant {
	return []mutant{
		{name: "event-onto-last", rule: "watch/faithful", about: "an event's object is decoded onto that of the event before", calls: eventsOnto(func(*corev1.ConfigMap) string { return "" })},
		{name: "event-onto-same", rule: "watch/faithful", about: "an event's object is decoded onto what was last told of the same object", calls: eventsOnto(nameOf)},
		{name: "item-onto-last", rule: "list/faithful", about: "an item is decoded onto the one before it", calls: listsOnto(func(int) int { return 0 })},
		{name: "item-onto-same", rule: "list/faithful", about: "an item is decoded onto that of its place in the list before", calls: listsOnto(func(place int) int { return place })},
	}
}

func nameOf(m *corev1.ConfigMap) string { return m.Namespace + "/" + m.Name }

// eventsOnto has objects of a client's events decoded onto the last of the same key.
func eventsOnto(key func(*corev1.ConfigMap) string) func(client) client {
	return func(c client) client {
		var mu sync.Mutex // several watches are read at once
		used := map[string]json.RawMessage{}
		return events(func(_ int, e event) []event {
			mu.Lock()
			defer mu.Unlock()
			var m corev1.ConfigMap
			if e.Type == "ERROR" || e.Type == "BOOKMARK" || json.Unmarshal(e.Object, &m) != nil {
				return []event{e}
			}
			e.Object = decodedOnto(used[key(&m)], e.Object)
			used[key(&m)] = e.Object
			return []event{e}
		})(c)
	}
}

// listsOnto has items decoded onto what was last decoded in a place.
func listsOnto(place func(int) int) func(client) client {
	return func(c client) client {
		var mu sync.Mutex
		used := map[int]json.RawMessage{}
		return lists(func(l *conformance.List) {
			mu.Lock()
			defer mu.Unlock()
			for i, item := range l.Items {
				l.Items[i] = decodedOnto(used[place(i)], item)
				used[place(i)] = l.Items[i]
			}
		})(c)
	}
}

func decodedOnto(was, now json.RawMessage) json.RawMessage {
	var m corev1.ConfigMap
	if was == nil || json.Unmarshal(was, &m) != nil || json.Unmarshal(now, &m) != nil {
		return now
	}
	b, err := json.Marshal(&m)
	if err != nil {
		return now
	}
	return b
}
