package replay

import (
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// placeWrite makes a version of an acknowledged write that says a new
// resourceVersion; one that changed nothing answers with the old one.
func (b *builder) placeWrite(w *Write, obj *history.Ref) {
	if obj.N == 0 || obj.N == w.pre {
		return
	}
	b.acknowledge(w.Return, obj.N)
	i := b.placed(w.K, obj.N)
	if i == None {
		w.Version = b.place(Version{N: obj.N, K: w.K, Obj: obj, Call: w.Call, since: w.Call, By: w.Return, known: w.Return, pre: w.pre, Sure: true, created: w.Verb == Create})
		return
	}
	v := &b.temp[i] // one of the two has changed nothing
	v.since = min(v.since, w.Call)
	if w.Verb == Create && !v.created {
		b.Writes[b.nth[v.Call]].Version, w.Version = None, i
		v.Call, v.Obj, v.pre, v.created = w.Call, obj, 0, true
	}
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

// place adds a version and gives its index: that is its rank, or where another
// has that, one behind all ranks. Until they are sorted, Prev links those of one rank.
func (b *builder) place(v Version) int32 {
	v.After, v.Before = v.N-1, v.N
	v.labels, v.fields = setOf(v.Obj.Labels), setOf(v.Obj.Fields)
	v.Prev, v.nameless = None, v.Obj.UID == ""
	first := &b.temp[v.N]
	if first.K == 0 {
		*first = v
		return v.N
	}
	v.Prev, first.Prev = first.Prev, int32(len(b.temp))
	b.temp = append(b.temp, v)
	return int32(len(b.temp) - 1)
}

// sortVersions brings the versions into the order of their ranks and keys.
func (b *builder) sortVersions() {
	sorted := b.temp[:0]
	if len(b.temp) > b.H.Ranks() { // what shares a rank would overwrite the next
		sorted = make([]Version, 0, len(b.temp))
	}
	moved := make([]int32, len(b.temp))
	var same []int32
	for n := range int32(b.H.Ranks()) {
		if b.temp[n].K == 0 {
			continue
		}
		same = same[:0]
		for i := n; i != None; i = b.temp[i].Prev {
			same = append(same, i)
		}
		if len(same) > 1 {
			slices.SortFunc(same, func(x, y int32) int { return int(b.temp[x].K - b.temp[y].K) })
		}
		for _, i := range same {
			moved[i] = int32(len(sorted))
			sorted = append(sorted, b.temp[i])
		}
	}
	b.at = make([]int32, b.H.Ranks())
	b.Versions, b.temp = sorted, nil
	b.move(moved)
}

// move tells writes and ranks where their versions have gone.
func (b *builder) move(moved []int32) {
	for i := range b.Writes {
		if v := b.Writes[i].Version; v != None {
			b.Writes[i].Version = moved[v]
		}
	}
	for i := range b.at {
		b.at[i] = None
	}
	for i := len(b.Versions) - 1; i >= 0; i-- {
		b.at[b.Versions[i].N] = int32(i)
	}
}
