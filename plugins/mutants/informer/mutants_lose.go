package informer

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
)

// loseMutants decode what comes onto what they have, as json.Unmarshal does into a struct that is used again: what an object
// has lost stays with them.
var loseMutants = []variant{
	{"onto", "converge/equal", "what comes is decoded onto what is kept", lists, onto(true, true, func(_, merged *corev1.ConfigMap) *corev1.ConfigMap { return merged })},
	{"onto-by-events", "converge/equal", "the same, of what a watch brings alone", lists, onto(false, true, func(_, merged *corev1.ConfigMap) *corev1.ConfigMap { return merged })},
	{"onto-by-lists", "converge/equal", "the same, of what a list brings alone", lists, onto(true, false, func(_, merged *corev1.ConfigMap) *corev1.ConfigMap { return merged })},
	{"labels-stay", "converge/equal", "a label that an object has lost stays", lists, staying(func(now, merged *corev1.ConfigMap) { now.Labels = merged.Labels })},
	{"annotations-stay", "converge/equal", "an annotation that an object has lost stays", lists, staying(func(now, merged *corev1.ConfigMap) { now.Annotations = merged.Annotations })},
	{"data-stay", "converge/equal", "what has gone from data stays", lists, staying(func(now, merged *corev1.ConfigMap) { now.Data = merged.Data })},
	{"binary-stays", "converge/equal", "what has gone from binaryData stays", lists, staying(func(now, merged *corev1.ConfigMap) { now.BinaryData = merged.BinaryData })},
	{"finalizers-stay", "converge/equal", "finalizers that an object has lost stay", lists, staying(func(now, merged *corev1.ConfigMap) { now.Finalizers = merged.Finalizers })},
	{"owners-stay", "converge/equal", "owners that an object has lost stay", lists, staying(func(now, merged *corev1.ConfigMap) { now.OwnerReferences = merged.OwnerReferences })},
	{"immutable-stays", "converge/equal", "an object that takes the place of one that was immutable is so, too", lists, staying(func(now, merged *corev1.ConfigMap) { now.Immutable = merged.Immutable })},
}

// staying has a part of what was stay.
func staying(part func(now, merged *corev1.ConfigMap)) func(*informer) {
	return onto(true, true, func(now, merged *corev1.ConfigMap) *corev1.ConfigMap {
		part(now, merged)
		return now
	})
}

// onto keeps, of what comes by lists or by events, what which makes of it as it is, and as it is decoded onto what was last
// there under its key.
func onto(byLists, byEvents bool, which func(now, merged *corev1.ConfigMap) *corev1.ConfigMap) func(*informer) {
	return func(i *informer) {
		replace, put := i.replace, i.put
		last, listing := map[string]json.RawMessage{}, false
		i.replace = func(all []object, version string) {
			listing = true
			replace(all, version)
			listing = false
		}
		i.put = func(o object, initial bool) {
			now, merged := &corev1.ConfigMap{}, &corev1.ConfigMap{}
			wanted := listing && byLists || !listing && byEvents
			if was := last[o.key]; wanted && was != nil && json.Unmarshal(was, merged) == nil && json.Unmarshal(o.raw, merged) == nil && json.Unmarshal(o.raw, now) == nil {
				if raw, err := json.Marshal(which(now, merged)); err == nil {
					o.raw = raw
				}
			}
			last[o.key] = o.raw
			put(o, initial)
		}
	}
}
