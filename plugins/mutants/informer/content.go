package informer

import (
	"maps"
	"slices"

	conformance "github.com/lwtest/lwtest/conformance/informer"
)

// change is what has become of one object.
type change struct {
	kind     string // Added, Updated or Deleted
	key      string
	old, now *object // old is of an update; now is, of a delete, the last state, if it is known
	initial  bool    // of an add
	unknown  bool    // of a delete
	resync   bool
}

// bookmarked is the kind of what changes the version alone, replaced that of a whole list.
const (
	bookmarked = "BOOKMARK"
	replaced   = "REPLACED"
)

func (i *informer) containing() {
	i.replace = i.replaceAll
	i.put = i.putOne
	i.drop = i.dropOne
	i.reindex = i.reindexOne
	i.moves = func(_, version string) { i.version = version }
	i.tell = func(c change) {
		for _, h := range i.handlers {
			i.queues(h, c)
		}
	}
}

// changes does something to the content, and has it known: to pushes, and to who reads what was written.
func (i *informer) changes(f func()) {
	i.mu.Lock()
	f()
	close(i.changed)
	i.changed = make(chan struct{})
	all := raws(i.all())
	i.mu.Unlock()
	if i.config.Push != nil {
		i.config.Push(all) // one at a time: only the loop changes anything
	}
}

func (i *informer) all() []object { return sorted(slices.Collect(maps.Values(i.items))) }

// replaceAll takes a whole list. What it lacks is gone, and nobody has seen how.
func (i *informer) replaceAll(all []object, version string) {
	given, first := map[string]bool{}, !i.synced
	for _, o := range all {
		given[o.key] = true
	}
	for _, o := range i.all() {
		if !given[o.key] {
			i.drop(o, true)
		}
	}
	for _, o := range all {
		i.put(o, first)
	}
	i.moves(replaced, version)
	i.synced = true
	for _, h := range i.handlers {
		h.joined = true
	}
}

// putOne keeps an object. One of another uid has taken the place of one that is gone.
func (i *informer) putOne(o object, initial bool) {
	was, there := i.items[o.key]
	switch {
	case there && was.uid != o.uid:
		i.drop(was, true)
		there = false
	case there && was.version == o.version:
		return
	}
	i.keep(o)
	if there {
		i.tell(change{kind: conformance.Updated, key: o.key, old: &was, now: &o})
	} else {
		i.tell(change{kind: conformance.Added, key: o.key, now: &o, initial: initial})
	}
}

// keep has it in the content, without a word.
func (i *informer) keep(o object) {
	var old *object
	if was, there := i.items[o.key]; there {
		old = &was
	}
	i.items[o.key] = o
	i.reindex(old, &o)
}

// dropOne lets go of what is there under the key of a last state.
func (i *informer) dropOne(last object, unknown bool) {
	was, there := i.items[last.key]
	if !there {
		return
	}
	i.forget(was)
	i.tell(change{kind: conformance.Deleted, key: last.key, now: &last, unknown: unknown})
}

// forget has it out of the content, without a word.
func (i *informer) forget(was object) {
	delete(i.items, was.key)
	i.reindex(&was, nil)
}

func (i *informer) indexed(value string) (out []object) {
	for key := range i.index[value] {
		out = append(out, i.items[key])
	}
	return out
}

// reindexOne keeps the index by a change of one object.
func (i *informer) reindexOne(was, now *object) {
	if was != nil && was.app != "" {
		if delete(i.index[was.app], was.key); len(i.index[was.app]) == 0 {
			delete(i.index, was.app)
		}
	}
	if now != nil && now.app != "" {
		if i.index[now.app] == nil {
			i.index[now.app] = map[string]bool{}
		}
		i.index[now.app][now.key] = true
	}
}
