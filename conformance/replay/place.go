package replay

import (
	"slices"
	"sort"

	"github.com/lwtest/lwtest/harness/history"
)

// placeWrite makes a version of an acknowledged write that says a new
// resourceVersion; one that changed nothing answers with the old one.
func (b *builder) placeWrite(w *Write, e *history.Brief) {
	if e.N == w.pre { // it shows what was there
		b.glance(glimpse{w.Return, itself, w.K, e.N})
	}
	if e.N == 0 || e.N == w.pre {
		return
	}
	b.acknowledge(w.Return, e.N)
	obj := &b.H.Event(w.Return).Obj
	i := b.placed(w.K, e.N)
	if i == None {
		w.Version = b.place(w.K, e.N)
		v := &b.temp[w.Version]
		v.Obj, v.labels, v.fields, v.uid = obj, e.Labels, e.Fields, e.UID
		v.Call, v.since, v.By, v.known, v.pre, v.Sure, v.verb = w.Call, w.Call, w.Return, w.Return, w.pre, true, w.verb
		if w.acts == kindCreate {
			v.verb = kindCreate // also where it is an update; see createsAnew
		}
		return
	}
	v := &b.temp[i] // one of the two has changed nothing
	v.since, v.both = min(v.since, w.Call), true
	idle := w.Call
	if w.verb == kindCreate && v.verb != kindCreate {
		idle = v.Call
		b.Writes[b.madeBy(v)].Version, w.Version = None, i
		v.Call, v.Obj, v.uid, v.pre, v.verb = w.Call, obj, e.UID, 0, kindCreate
	}
	if b.also == nil {
		b.also = map[state][]int32{}
	}
	b.also[state{w.K, e.N}] = append(b.also[state{w.K, e.N}], idle)
}

// placed is the index of a change that is known, None if it is not. Several
// changes may share a revision.
func (b *builder) placed(k, n int32) int32 {
	if b.temp[n].K == 0 {
		return None
	}
	for n != None && b.temp[n].K != k {
		n = b.temp[n].Prev
	}
	return n
}

// place makes room for a version and gives its index: that is its rank, or where
// another has that, one behind all ranks. Until they are sorted, Prev links
// those of one rank.
func (b *builder) place(k, n int32) int32 {
	i, prev := n, int32(None)
	if first := &b.temp[n]; first.K != 0 {
		i, prev = int32(len(b.temp)), first.Prev
		first.Prev = i
		b.temp = append(b.temp, Version{})
	}
	v := &b.temp[i]
	v.K, v.N, v.Prev, v.After, v.Before = k, n, prev, n-1, n
	return i
}

// removed stands for the key of a version that none is any more: it keeps its place, and what is linked to it.
const removed = -1

// sortVersions brings the versions into the order of their ranks and keys, in
// place: those that share a rank lie behind all others, and are merged with
// them from the end on.
func (b *builder) sortVersions() {
	ranks := b.H.Ranks()
	shared := slices.DeleteFunc(slices.Clone(b.temp[ranks:]), func(v Version) bool { return v.K == removed })
	sort.Slice(shared, func(i, j int) bool { return shared[i].before(&shared[j]) })
	sorted := b.temp[:0]
	for n := range ranks {
		if b.temp[n].K <= 0 {
			continue
		}
		if sorted = sorted[:len(sorted)+1]; len(sorted) <= n {
			sorted[len(sorted)-1] = b.temp[n]
		}
	}
	from := len(sorted)
	sorted = sorted[:from+len(shared)]
	for to := len(sorted); len(shared) > 0; {
		to--
		last := &shared[len(shared)-1]
		if from > 0 && !sorted[from-1].before(last) {
			from--
			sorted[to] = sorted[from]
			continue
		}
		sorted[to] = *last
		shared = shared[:len(shared)-1]
	}
	b.Versions, b.temp = sorted, nil
}

func (v *Version) before(w *Version) bool { return v.N < w.N || v.N == w.N && v.K < w.K }
