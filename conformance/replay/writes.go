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
	pre     int32 // rank of the resourceVersion that is its precondition
	Outcome Outcome
	dry     bool
}

// counts says whether it can have changed something that has a name.
func (w *Write) counts() bool { return !w.dry && w.K != 0 }

type builder struct {
	*Replay
	nth     []int32          // by number of a call: its place among writes, or among lists and watches
	asked   []*history.Event // calls of lists and watches
	answers []*history.Event // theirs, by their place

	lost    lost           // writes of unknown outcome
	deletes groups         // by key: acknowledged deletes, in order of their calls
	passed  []int32        // how many of them lie behind
	loose   map[int32]bool // deletes that were taken for an object that a lost delete may have ended
	temp    []Version      // before they are sorted
	late    []int32        // deletions shown at revisions that nothing explains yet
	sent    map[sent]struct{}
	suffix  []int32 // see smallest

	pages  map[page]int       // where the list is that gave a token
	listed map[string][]int32 // the lists that answered with a resourceVersion
}

// collect lists the writes and what became of them, and the other requests.
func (b *builder) collect() {
	h := b.H
	b.own = make([]bool, h.Keys())
	b.nth = make([]int32, len(h.Events)+1)
	b.at = slices.Repeat([]int32{None}, h.Ranks())
	writes := countWrites(h)
	b.Writes = make([]Write, 0, writes)
	if !b.ByOrder {
		b.temp = make([]Version, 0, writes)
	}
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case e.Phase == history.Notice:
		case isWrite(e.Kind) && e.Phase == history.Call:
			b.nth[e.Num] = int32(len(b.Writes))
			b.Writes = append(b.Writes, Write{Verb: e.Kind, K: e.Obj.K, Call: e.Num, Outcome: Unknown, Version: None, pre: e.Obj.N, dry: e.X != nil && dryRun(e.X.Args)})
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

// countWrites is about how many writes there are, from a look at some events.
func countWrites(h *history.History) int {
	const step = 31
	n := 0
	for i := 0; i < len(h.Events); i += step {
		if e := &h.Events[i]; e.Phase == history.Call && isWrite(e.Kind) {
			n++
		}
	}
	return n*step + n*step/16 + step
}

// answered notes what came of a write.
func (b *builder) answered(e *history.Event) {
	call := b.nth[e.Call]
	if int(call) >= len(b.Writes) || b.Writes[call].Call != e.Call {
		return // the answer to something else
	}
	w := &b.Writes[call]
	w.Return = e.Num
	w.Outcome = outcome(e.Err())
	if w.Verb == Create && w.K != e.Obj.K && e.Obj.K != 0 { // generateName: the key comes with the answer
		if _, name := SplitKey(b.H.Key(w.K)); name == "" {
			b.own[w.K] = false
		}
		w.K = e.Obj.K
		b.own[w.K] = true
	}
	if w.Outcome == Done && w.Verb != Delete && w.counts() && !b.ByOrder {
		b.placeWrite(w, &e.Obj)
	}
}

func dryRun(args json.RawMessage) bool {
	if args == nil || string(args) == `{"dryRun":true}` { // what nearly all are
		return args != nil
	}
	var a WriteArgs
	return json.Unmarshal(args, &a) == nil && a.DryRun
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
	for i := range b.H.Events {
		if e := &b.H.Events[i]; e.Kind == Create && e.Phase == history.Return && e.Err() == nil {
			if call := b.H.Event(e.Call); call.X == nil || !dryRun(call.X.Args) {
				b.ByOrder = e.Obj.RV == ""
				return
			}
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

// placeWrite makes a version of an acknowledged write that says a new
// resourceVersion; one that changed nothing answers with the old one.
func (b *builder) placeWrite(w *Write, obj *history.Ref) {
	if obj.N == 0 || obj.N == w.pre {
		return
	}
	i := b.placed(w.K, obj.N)
	if i == None {
		w.Version = int32(len(b.temp))
		v := Version{N: obj.N, K: w.K, Obj: obj, Call: w.Call, since: w.Call, By: w.Return, known: w.Return, pre: w.pre, Sure: true, created: w.Verb == Create}
		b.place(v)
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
	v.labels, v.fields = setOf(v.Obj.Labels), setOf(v.Obj.Fields)
	v.Prev = b.at[v.N]
	b.at[v.N] = int32(len(b.temp))
	b.temp = append(b.temp, v)
}

// sortVersions brings the versions into the order of their ranks and keys.
func (b *builder) sortVersions() {
	sorted := make([]Version, 0, len(b.temp)+len(b.temp)/16) // room for deletions that were never shown
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

// group gathers writes by their sort, and by key; those of a sort below 0 are left out.
func group(keys, sorts int, writes []Write, sort func(*Write) int) []groups {
	out := make([]groups, sorts)
	for s := range out {
		out[s].start = make([]int32, keys+2)
	}
	for i := range writes { // counts, two places ahead
		if s := sort(&writes[i]); s >= 0 {
			out[s].start[writes[i].K+2]++
		}
	}
	for s := range out {
		g := &out[s]
		for k := range keys {
			g.start[k+2] += g.start[k+1]
		}
		g.all = make([]int32, g.start[keys+1])
	}
	for i := range writes {
		if s := sort(&writes[i]); s >= 0 {
			at := &out[s].start[writes[i].K+1]
			out[s].all[*at] = int32(i)
			*at++
		}
	}
	return out
}
