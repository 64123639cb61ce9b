package informer

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	conformance "github.com/lwtest/lwtest/conformance/informer"
)

// roundMutants have a fault that shows where two things come together: the last handler goes and another comes, a list comes
// later and a handler is told again, a list is refused and there is a copy.
var roundMutants = []variant{
	{"last-removed-stops", "converge/equal", "when the last handler is removed nothing is kept any more", lists, deserted(func(i *informer, is func() bool) {
		put := i.put
		i.put = func(o object, initial bool) {
			if !is() {
				put(o, initial)
			}
		}
	})},
	{"after-last-untold", "notify/late-handler", "who comes when the last handler was removed is not told of what is there", lists, deserted(func(i *informer, is func() bool) {
		joins := i.joins
		i.joins = func(h *handler) {
			if !is() {
				joins(h)
				return
			}
			h.joined = true
			i.handlers = append(i.handlers, h)
		}
	})},
	{"resync-of-gone", "notify/order", "what a later list lacks is told of again at each resync", lists, func(i *informer) {
		gone := map[string]object{}
		put, drop, resyncs := i.put, i.drop, i.resyncs
		i.put = func(o object, initial bool) { put(o, initial); delete(gone, o.key) }
		i.drop = func(o object, unknown bool) {
			if was, there := i.items[o.key]; there && unknown {
				gone[o.key] = was
			}
			drop(o, unknown)
		}
		i.resyncs = func(h *handler) {
			resyncs(h)
			for _, o := range gone {
				i.queues(h, change{kind: conformance.Updated, key: o.key, old: &o, now: &o, resync: true})
			}
		}
	}},
	{"handler-synced-undone", "sync/handler-synced", "a handler has not synced while a later list is taken", lists, func(i *informer) {
		i.handled = func(h *handler) bool { return h.joined && h.initial == 0 && !i.relists }
	}},
	{"transform-first-page", "store/transform", "the transform is not applied to further pages", lists, func(i *informer) {
		further := false
		i.asks = func(what string, _ *metav1.ListOptions) { further = what == aPage }
		i.transforms = func(path string) bool { return path != fromList || !further }
	}},
	{"forbidden-empties", "converge/no-time-travel", "a later list that is forbidden is taken for one of nothing", base{has: without(conformance.Pushes, conformance.Version)}, onNext(func(i *informer, what string, err error, next nextFunc) time.Duration {
		if s, ok := status(err); ok && s.Code == 403 && what == aList && i.synced {
			i.changes(func() { i.replace(nil, i.version) })
		}
		return next(what, err)
	})},
	{"empty-annotations-lost", "converge/equal", "annotations of no text are not kept", lists, losing(func(m *corev1.ConfigMap) {
		for name, text := range m.Annotations {
			if text == "" {
				delete(m.Annotations, name)
			}
		}
	})},
	{"empty-labels-lost", "converge/equal", "labels of no text are not kept", lists, losing(func(m *corev1.ConfigMap) {
		for name, text := range m.Labels {
			if text == "" {
				delete(m.Labels, name)
			}
		}
	})},
	{"second-owner-lost", "converge/equal", "of owners the first is kept", lists, losing(func(m *corev1.ConfigMap) { m.OwnerReferences = m.OwnerReferences[:min(1, len(m.OwnerReferences))] })},
	{"second-finalizer-lost", "converge/equal", "of finalizers the first is kept", lists, losing(func(m *corev1.ConfigMap) { m.Finalizers = m.Finalizers[:min(1, len(m.Finalizers))] })},
	{"controller-lost", "converge/equal", "which owner is the controller is not kept", lists, losing(func(m *corev1.ConfigMap) {
		for i := range m.OwnerReferences {
			m.OwnerReferences[i].Controller = nil
		}
	})},
	{"generated-lost", "converge/equal", "generateName is not kept", lists, losing(func(m *corev1.ConfigMap) { m.GenerateName = "" })},
	{"own-writes-as-text", "store/read-your-writes", "resourceVersions of own writes are compared as texts", lists, func(i *informer) {
		i.reflects = func(key string) bool { return i.at.version >= i.wrote[key] }
	}},
}

// deserted has a fault know whether the last of the handlers was removed, and none has come since.
func deserted(fault func(i *informer, is func() bool)) func(*informer) {
	return func(i *informer) {
		left, leaves := false, i.leaves
		i.leaves = func(h *handler) {
			leaves(h)
			left = true
		}
		fault(i, func() bool { return left && len(i.handlers) == 0 })
	}
}

// manyMutants have a fault that shows after many failures in a row.
var manyMutants = []variant{
	{"eighty-end-it", "resume/errors", "after eighty failures in a row it gives up", lists, givingUpAfter(80)},
	{"pause-overflows", "resume/pace", "the pause doubles up to five minutes, until the number overflows", lists, func(i *informer) {
		i.grows = func(failures int) time.Duration { return min(time.Second<<(failures-1), 5*time.Minute) }
	}},
}
