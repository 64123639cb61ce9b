package replay

import (
	"encoding/json"
	"slices"

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
	Version int32 // index of the version it made; None for none known, or a write that changed nothing
	Outcome Outcome
	dry     bool
}

// counts says whether it can have changed something that has a name.
func (w *Write) counts() bool { return !w.dry && w.K != 0 }

type builder struct {
	*Replay
	nth     []int32          // by number of a call: its place among writes, lists or watches
	answers []*history.Event // of lists and watches, by their place
	asked   []*history.Event // calls of lists and watches

	lost    lost              // writes of unknown outcome
	deletes groups            // by key: acknowledged deletes, in order of their calls
	temp    []Version         // before they are sorted
	loose   map[int32]bool    // deletes that were taken for an object that a lost delete may have ended
	late    []int32           // deletions shown at revisions that nothing explains yet
	sent    map[sent]struct{} // see sentByClient
	suffix  []int32           // see smallest

	pages  map[page]int       // where the list is that gave a token
	listed map[string][]int32 // the lists that answered with a resourceVersion
}

// collect lists the writes and what became of them, and the other requests.
func (b *builder) collect() {
	h := b.H
	b.own = make([]bool, h.Keys())
	b.nth = make([]int32, len(h.Events)+1)
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case e.Phase == history.Notice:
		case isWrite(e.Kind) && e.Phase == history.Call:
			b.nth[e.Num] = int32(len(b.Writes))
			b.Writes = append(b.Writes, Write{Verb: e.Kind, K: e.Obj.K, Call: e.Num, Outcome: Unknown, Version: None, dry: e.X != nil && dryRun(e.X.Args)})
			b.own[e.Obj.K] = true
		case isWrite(e.Kind):
			b.answered(e)
		case e.Kind != List && e.Kind != Watch:
		case e.Phase == history.Call:
			b.nth[e.Num] = int32(len(b.asked))
			b.asked, b.answers = append(b.asked, e), append(b.answers, nil)
		case h.Event(e.Call).Kind == e.Kind:
			b.answers[b.nth[e.Call]] = e
		}
	}
	b.own[0] = false
}

// answered notes what came of a write.
func (b *builder) answered(e *history.Event) {
	call := b.H.Event(e.Call)
	if !isWrite(call.Kind) {
		return // the answer to something else
	}
	w := &b.Writes[b.nth[e.Call]]
	w.Return = e.Num
	w.Outcome = outcome(e.Err())
	if w.Verb == Create && w.K != e.Obj.K && e.Obj.K != 0 { // generateName: the key comes with the answer
		if _, name := SplitKey(call.Obj.Key); name == "" {
			b.own[w.K] = false
		}
		w.K = e.Obj.K
		b.own[w.K] = true
	}
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

// findOlder finds the keys that may have been there before the run: the first
// answer to a write of them does not say that they were not.
func (b *builder) findOlder() {
	b.older = make([]bool, b.H.Keys())
	told := make([]bool, b.H.Keys())
	for i := range b.Writes {
		w := &b.Writes[i]
		switch {
		case told[w.K]:
			continue
		case w.Outcome == Unknown && w.Verb == Create:
			continue // says nothing
		case w.Outcome == Refused:
			code := b.H.Event(w.Return).Err().Code
			b.older[w.K] = code == 409
			if code != 404 && code != 409 {
				continue
			}
		default:
			b.older[w.K] = w.Verb != Create
		}
		told[w.K] = true
	}
}

// placeWrites makes a version of each acknowledged write that says a new resourceVersion.
func (b *builder) placeWrites() {
	b.at = slices.Repeat([]int32{None}, b.H.Ranks())
	b.temp = make([]Version, 0, len(b.Writes))
	isDelete := func(w *Write) bool { return w.Verb == Delete && w.Outcome == Done && w.counts() }
	b.deletes = group(b.H.Keys(), b.Writes, isDelete)
	for i := range b.Writes {
		w := &b.Writes[i]
		if w.Outcome == Done && w.Verb != Delete && w.counts() {
			b.placeWrite(w)
		}
	}
}

func (b *builder) placeWrite(w *Write) {
	obj, pre := &b.H.Event(w.Return).Obj, &b.H.Event(w.Call).Obj
	if obj.N == 0 || obj.N == pre.N || b.placed(w.K, obj.N) != None { // a write that changed nothing answers with the old one
		return
	}
	w.Version = int32(len(b.temp))
	b.place(Version{N: obj.N, K: w.K, Obj: obj, Call: w.Call, since: w.Call, By: w.Return, known: w.Return, Sure: true})
}

// placed is the index of a change that is known, None if it is not. Several
// changes may share a revision.
func (b *builder) placed(k, n int32) int32 {
	for i := b.at[n]; i != None; i = b.temp[i].Prev {
		if b.temp[i].K == k {
			return i
		}
	}
	return None
}

// place adds a version; until it is sorted, Prev links those of one rank.
func (b *builder) place(v Version) {
	v.After, v.Before = v.N-1, v.N
	v.Prev = b.at[v.N]
	b.at[v.N] = int32(len(b.temp))
	b.temp = append(b.temp, v)
}

// sortVersions brings the versions into the order of their ranks and keys.
func (b *builder) sortVersions() {
	sorted := make([]Version, 0, len(b.temp))
	moved := make([]int32, len(b.temp))
	var same []int32
	for n := range b.at {
		same = same[:0]
		for i := b.at[n]; i != None; i = b.temp[i].Prev {
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

// groups are indices of writes, by key.
type groups struct{ start, all []int32 }

func (g *groups) of(k int32) []int32 { return g.all[g.start[k]:g.start[k+1]] }

// group gathers the writes that are wanted by their keys.
func group(keys int, writes []Write, want func(*Write) bool) groups {
	g := groups{start: make([]int32, keys+1)}
	for i := range writes {
		if want(&writes[i]) {
			g.start[writes[i].K+1]++
		}
	}
	for k := range keys {
		g.start[k+1] += g.start[k]
	}
	g.all = make([]int32, g.start[keys])
	next := slices.Clone(g.start)
	for i := range writes {
		if w := &writes[i]; want(w) {
			g.all[next[w.K]] = int32(i)
			next[w.K]++
		}
	}
	return g
}
