package watchcache

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// selected are the labels that every label selector of this suite selects.
var selected = map[string]string{"app": "one"}

// others are labels that none does.
var others = map[string]string{"app": "two"}

// sentinelName is the object that shows that a watch has come up to the
// present; every selector of this suite has it in its scope.
const sentinelName = "sentinel"

// sentinelLimit is how long a sentinel may take in real time. After that
// nothing is known of what did not come.
const sentinelLimit = 10 * time.Second

// settle writes, for each watch, an object that it must be given, and records
// SETTLED for those that got it. In virtual time it lets the check's grace
// pass first, and what has not come by then does not come.
func (d *driver) settle(ws ...*watcher) {
	type expected struct {
		w  *watcher
		in <-chan struct{}
		rv string
	}
	var all []expected
	for _, w := range ws {
		if w == nil {
			continue
		}
		if _, open := w.current(); !open {
			continue
		}
		content := d.next("sentinel")
		e := expected{w: w, in: w.expect(content)}
		if m := d.sentinel(w, content); m != nil {
			e.rv = m.ResourceVersion
		}
		all = append(all, e)
	}
	if d.t.Virtual() {
		d.t.Idle()
		for _, e := range all {
			if call, open := e.w.current(); open {
				d.t.Settled(e.w.actor, call, "")
			}
		}
		return
	}
	limit := time.After(sentinelLimit)
	for _, e := range all {
		select {
		case <-e.in:
			if call, open := e.w.current(); open {
				d.t.Settled(e.w.actor, call, e.rv)
			}
		case <-limit:
			return
		case <-d.t.Context().Done():
			return
		}
	}
}

// sentinel writes what the watch must be given: an object of its own, or the
// only one that the watch is about.
func (d *driver) sentinel(w *watcher, content string) *corev1.ConfigMap {
	const actor = "sentinel"
	ns, name := w.namespace, w.name
	if ns == "" {
		ns = d.namespaces[0]
	}
	if name == "" {
		name = sentinelName
	}
	m := &corev1.ConfigMap{Data: map[string]string{Spec: content}}
	m.Namespace, m.Name, m.Labels = ns, name, selected
	if old := d.get(actor, ns, name); old != nil {
		m.ResourceVersion, m.UID = old.ResourceVersion, old.UID
		return d.update(actor, m)
	}
	return d.create(actor, m)
}
