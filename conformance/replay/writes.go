package replay

import (
	"encoding/json"

	"github.com/lwtest/lwtest/harness/history"
)

// Outcome is what is known of a write.
type Outcome uint8

const (
	Done    Outcome = iota // acknowledged
	Refused                // it definitely did not happen
	Unknown                // its answer was lost: it may have happened, or happen later
)

// Write is one write: a call and its answer.
type Write struct {
	Verb    string
	K       int32
	Call    int32 // number of the call
	Return  int32 // number of the return, 0: none in this history
	Outcome Outcome
	Version int32 // index of the version it made; None for none known, or a write that changed nothing
	dry     bool
}

type builder struct {
	*Replay
	open    map[int32][]int32 // by key: writes of unknown outcome not yet resolved
	deletes [][]int32         // by key: acknowledged deletes, in order of their calls
	temp    []Version         // before they are sorted
	suffix  []int32           // see smallest
}

// collectWrites lists the writes and what became of them.
func (b *builder) collectWrites() {
	h := b.H
	b.own = make([]bool, h.Keys())
	at := make(map[int32]int32) // open calls only: as many as there are writers
	for i := range h.Events {
		e := &h.Events[i]
		if e.Phase == history.Notice || !isWrite(e.Kind) {
			continue
		}
		if e.Phase == history.Call {
			at[e.Num] = int32(len(b.Writes))
			b.Writes = append(b.Writes, Write{Verb: e.Kind, K: e.Obj.K, Call: e.Num, Outcome: Unknown, Version: None, dry: e.X != nil && dryRun(e.X.Args)})
			b.own[e.Obj.K] = true
			continue
		}
		w := &b.Writes[at[e.Call]]
		delete(at, e.Call)
		w.Return = e.Num
		w.Outcome = outcome(e.Err())
		if w.Verb == Create && w.K != e.Obj.K && e.Obj.K != 0 { // generateName: the key comes with the answer
			w.K = e.Obj.K
			b.own[w.K] = true
		}
	}
	b.own[0] = false
}

func dryRun(args json.RawMessage) bool {
	var a WriteArgs
	return args != nil && json.Unmarshal(args, &a) == nil && a.DryRun
}

func outcome(err *history.Error) Outcome {
	switch {
	case err == nil:
		return Done
	case err.Definite:
		return Refused
	}
	return Unknown
}

// findMode looks whether acknowledged creates come with a resourceVersion.
func (b *builder) findMode() {
	for i := range b.Writes {
		w := &b.Writes[i]
		if w.Outcome == Done && w.Verb == Create && !w.dry {
			b.ByOrder = b.H.Event(w.Return).Obj.RV == ""
			return
		}
	}
}

// placeWrites makes a version of each acknowledged write that says a new resourceVersion.
func (b *builder) placeWrites() {
	b.at = make([]int32, b.H.Ranks())
	for i := range b.at {
		b.at[i] = None
	}
	b.deletes = make([][]int32, b.H.Keys())
	for i := range b.Writes {
		w := &b.Writes[i]
		switch {
		case w.dry || w.K == 0 || w.Outcome == Refused:
		case w.Outcome == Unknown:
			if b.open == nil {
				b.open = map[int32][]int32{}
			}
			b.open[w.K] = append(b.open[w.K], int32(i))
		case w.Verb == Delete:
			b.deletes[w.K] = append(b.deletes[w.K], int32(i))
		default:
			b.placeWrite(int32(i))
		}
	}
}

func (b *builder) placeWrite(i int32) {
	w := &b.Writes[i]
	obj := &b.H.Event(w.Return).Obj
	if obj.N == 0 || b.placed(w.K, obj.N) { // a write that changed nothing answers with the old one
		return
	}
	w.Version = int32(len(b.temp))
	b.place(Version{N: obj.N, K: w.K, Obj: obj, Call: w.Call, By: w.Return, Sure: true})
}

// placeSeen adds what only watches, lists and gets have shown: deletions, and
// writes whose answer was lost.
func (b *builder) placeSeen() {
	for i := range b.H.Events {
		e := &b.H.Events[i]
		switch {
		case e.Phase == history.Notice && isEvent(e.Kind):
			b.see(e, &e.Obj, e.Kind == Deleted)
		case e.Phase == history.Return && e.Kind == Get && e.Err() == nil:
			b.see(e, &e.Obj, false)
		case e.Phase == history.Return && e.Kind == List && e.X != nil:
			for j := range e.X.Items {
				b.see(e, &e.X.Items[j], false)
			}
		}
	}
}

func (b *builder) see(e *history.Event, obj *history.Ref, deleted bool) {
	if obj.N == 0 || !b.own[obj.K] {
		return
	}
	if b.placed(obj.K, obj.N) {
		return
	}
	if deleted {
		if len(b.deletes[obj.K]) > 0 || b.takeOpen(obj, true, b.next()) {
			b.place(Version{N: obj.N, K: obj.K, Gone: true, Obj: obj, Seen: e.Num})
			return
		}
	} else if b.takeOpen(obj, false, b.next()) {
		b.place(Version{N: obj.N, K: obj.K, Obj: obj, Seen: e.Num})
		return
	}
	b.Phantoms = append(b.Phantoms, e.Num)
}

// placed says whether this change is known. Several changes may share a revision.
func (b *builder) placed(k, n int32) bool {
	for i := b.at[n]; i != None; i = b.temp[i].Prev {
		if b.temp[i].K == k {
			return true
		}
	}
	return false
}

// place adds a version; until chain sets it, Prev links those of one rank.
func (b *builder) place(v Version) {
	v.After, v.Before = v.N-1, v.N
	v.Prev = b.at[v.N]
	b.at[v.N] = int32(len(b.temp))
	b.temp = append(b.temp, v)
}

// next is the index of the version that is placed next.
func (b *builder) next() int32 { return int32(len(b.temp)) }

// takeOpen finds the write of unknown outcome that explains what was seen, and
// resolves it: it made this version. Content must be equal; deletes have none.
func (b *builder) takeOpen(obj *history.Ref, deleted bool, version int32) bool {
	open := b.open[obj.K]
	for j, i := range open {
		w := &b.Writes[i]
		if (w.Verb == Delete) != deleted || !deleted && b.H.Event(w.Call).Obj.Body != obj.Body {
			continue
		}
		w.Version = version
		b.open[obj.K] = append(open[:j:j], open[j+1:]...)
		return true
	}
	return false
}

// sortVersions brings the versions into the order of their ranks.
func (b *builder) sortVersions() {
	sorted := make([]Version, 0, len(b.temp))
	moved := make([]int32, len(b.temp))
	for n := range b.at {
		for i := b.at[n]; i != None; i = b.temp[i].Prev {
			moved[i] = int32(len(sorted))
			sorted = append(sorted, b.temp[i])
		}
	}
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
