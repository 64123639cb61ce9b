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
	uid     bool // a uid is its precondition, too
}

// counts says whether it can have changed something that has a name.
func (w *Write) counts() bool { return !w.dry && w.K != 0 }

type builder struct {
	*Replay
	nth     []int32          // by number of a call: its place among writes, or among lists and watches
	asked   []*history.Event // calls of lists and watches
	answers []*history.Event // theirs, by their place

	lost    lost           // writes of unknown outcome
	content contents       // those that would store something
	deletes groups         // by key: acknowledged deletes, in order of their calls
	passed  []int32        // how many of them lie behind
	loose   map[int32]bool // deletes that were taken for an object that a lost delete may have ended
	temp    []Version      // by rank, before those are sorted that share one; see place
	early   []glimpse      // what was shown before any write had answered with it
	late    []glimpse      // of that, deletions at revisions that nothing explains yet
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
	b.Writes = make([]Write, 0, countWrites(h))
	b.acked = make([]int32, len(h.Events)+2)
	b.early = make([]glimpse, 0, len(h.Events)/4)
	if !b.ByOrder {
		b.temp = make([]Version, h.Ranks(), h.Ranks()+h.Ranks()/16)
	}
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case b.ByOrder && e.Phase == history.Notice:
		case e.Phase == history.Notice:
			if isEvent(e.Kind) {
				b.glance(e, &e.Obj)
			}
		case isWrite(e.Kind) && e.Phase == history.Call:
			b.nth[e.Num] = int32(len(b.Writes))
			b.Writes = append(b.Writes, Write{Verb: e.Kind, K: e.Obj.K, Call: e.Num, Outcome: Unknown, Version: None, pre: e.Obj.N, uid: e.Obj.UID != "", dry: e.X != nil && dryRun(e.X.Args)})
			b.own[e.Obj.K] = true
		case isWrite(e.Kind):
			b.answered(e)
		case e.Kind == Get && e.Phase == history.Return:
			b.glance(e, &e.Obj)
		case e.Kind != List && e.Kind != Watch:
		case e.Phase == history.Call:
			b.nth[e.Num] = int32(len(b.asked))
			b.asked, b.answers = append(b.asked, e), append(b.answers, nil)
		case h.Event(e.Call).Kind == e.Kind:
			b.answers[b.nth[e.Call]] = e
			for j := range itemsOf(e) {
				b.glance(e, &e.X.Items[j])
			}
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
	switch {
	case b.ByOrder:
	case w.Outcome == Unknown:
		b.lose(call)
	case w.Outcome == Done && w.Verb != Delete && w.counts():
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

// comparableRV is the feature without which resourceVersions order nothing.
const comparableRV = "comparable-rv"

// findMode looks whether acknowledged creates come with a resourceVersion, and
// whether these are of the store, and not each object's own count: then two
// objects are at one version. Whoever says what features a subject has, and
// not this one, says so, too.
func (b *builder) findMode() {
	declared := slices.Contains(b.H.Header.Features, comparableRV)
	b.ByOrder = !declared && len(b.H.Header.Features) > 0
	of := map[int32]int32{} // by rank: the key that was at it
	for i := range b.H.Events {
		e := &b.H.Events[i]
		if e.Phase != history.Return || e.Kind != Create || e.Err() != nil {
			continue
		}
		if call := b.H.Event(e.Call); call.X != nil && dryRun(call.X.Args) {
			continue
		}
		k, ok := of[e.Obj.N]
		switch {
		case e.Obj.RV == "":
			b.ByOrder = true
			return
		case declared:
			return
		case ok && k != e.Obj.K:
			b.ByOrder = true
			return
		}
		of[e.Obj.N] = e.Obj.K
	}
}

// findOlder finds the keys that may have been there before the run: the first
// answer to a write of them does not say that they were not.
func (b *builder) findOlder() {
	b.older = make([]bool, b.H.Keys())
	told := make([]bool, b.H.Keys())
	for i := range b.Writes {
		w := &b.Writes[i]
		if w.Return == 0 {
			b.lose(int32(i))
		}
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
