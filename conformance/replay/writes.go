package replay

import (
	"bytes"
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
	K       int32
	Call    int32 // number of the call
	Return  int32 // number of the return, 0: none in this history
	Version int32 // index of the version it made; None for none known, or a write that changed nothing
	pre     int32 // rank of the resourceVersion that is its precondition
	uid     int32 // number of the uid that is; 0: none
	made    int32 // number of the uid that it was answered with
	Outcome Outcome
	verb    kind
	acts    kind // what it did to its object, where that is not what its verb says: see findRoles
	traits  traits
	mark    *string // of a delete that only marked its object: the content after it
}

// traits are what few writes have.
type traits uint8

const (
	dry    traits = 1 << iota // it stores nothing
	swept                     // it is a part of a collection's deletion
	loose                     // a delete that was taken for an object that a lost delete may have ended
	status                    // it is put to the status subresource
	step                      // it is the first step of a deletion; see addSteps
	idle                      // it answers with what was shown before it was called: it changed nothing
)

func (w *Write) is(t traits) bool { return w.traits&t != 0 }

// Verb is CREATE, UPDATE, PATCH or DELETE.
func (w *Write) Verb() string { return kindTexts[w.verb] }

// ToStatus says that it is put to the status subresource.
func (w *Write) ToStatus() bool { return w.is(status) }

// counts says whether it can have changed something that has a name.
func (w *Write) counts() bool { return !w.is(dry) && w.K != 0 && w.acts != otherKind }

type builder struct {
	*Replay
	briefs []history.Brief
	kinds  []kind
	nth    []int32 // by number of a call: its place among writes, or among inquiries
	asked  []inquiry
	found  mode

	lost     lost      // writes of unknown outcome
	content  contents  // those that would store something
	deletes  groups    // by key: acknowledged deletes, in order of their calls
	passed   []int32   // how many of them lie behind
	temp     []Version // by rank, before those are sorted that share one; see place
	lasts    []bool    // by version: another object, or a deletion, or nothing follows it
	glimpses []glimpse // what was shown before any write had answered with it
	unplaced []glimpse // see findUnplaced
	sent     map[sent]struct{}
	suffix   []int32 // see smallest

	also        map[state][]int32 // calls of writes that were answered with a version that another one is taken to have made
	unmade      map[state]string  // contents that were shown before the write that answered with them was called, and that nobody here made
	firstShown  map[state]int32   // the first event that shows a state that no write had answered with
	alive       map[state]bool    // of what no write explains: it was there
	strange     []int32           // marks of deletes, and deletions that no write is known to have made
	missing     []int32           // numbers of the answers that say 404
	sweeps      []int32           // numbers of the calls of DELETECOLLECTION
	drySweeps   []int32           // of those that were dry runs
	swept       map[int32]int32   // and of their answers
	holds       bool              // there are finalizers
	holders     bool              // see findHolders
	shownHeld   map[int32]bool    // see findShownHeld
	firstOwn    map[int32]int32   // see afterOwn
	uidSeen     []int32           // by uid: the first event that tells of it; see seenBefore
	livesOn     map[int32]bool    // see livingOn
	survivors   map[int32]bool    // what that found
	unexplained []glimpse         // what was shown, and no write explains
	unclear     []unclear

	pages  map[page]int       // where the list is that gave a token
	listed map[string][]int32 // the lists that answered with a resourceVersion
}

// makeRoom makes room for about as much as a sample of the events tells.
func (b *builder) makeRoom() {
	writes, shown := 0, 0
	for i := 0; i < len(b.briefs); i += sample {
		switch e := &b.briefs[i]; {
		case e.Phase == history.Notice:
			shown++
		case e.Phase == history.Call && b.kinds[e.Kind].isWrite():
			writes++
		}
	}
	b.own, b.acked = make([]bool, b.H.Keys()), make([]int32, len(b.briefs)+2)
	b.Writes = make([]Write, 0, room(writes)+sample)
	if !b.ByOrder {
		b.glimpses = make([]glimpse, 0, room(shown)/2)
		b.temp = make([]Version, b.H.Ranks(), b.H.Ranks()+b.H.Ranks()/16)
	}
}

// sample is how many events are taken for one to see how much room is needed.
const sample = 17

// room is a little more than there is of what a sample has so many of.
func room(sampled int) int { return sampled*sample + sampled }

// collectWrites lists the writes and what became of them, and what anything has
// shown of objects. It stops where the mode is found to be another.
func (b *builder) collectWrites() {
	b.makeRoom()
	for i := range b.briefs {
		e, num := &b.briefs[i], int32(i+1)
		switch k := b.kinds[e.Kind]; {
		case e.Phase == history.Notice && k.isEvent():
			b.seen(e, num, k)
		case e.Phase == history.Notice:
		case k.isWrite() && e.Phase == history.Call:
			b.calls(e, num, k)
		case k.isWrite():
			if b.answered(e, num); b.found.byOrder != b.ByOrder {
				return
			}
		case k == kindDeleteCollection && e.Phase == history.Call && e.HasExt && dryRun(b.H.Event(num).X.Args):
			b.drySweeps = append(b.drySweeps, num)
		case k == kindDeleteCollection && e.Phase == history.Call:
			b.sweeps = append(b.sweeps, num)
		case k == kindDeleteCollection && e.Phase == history.Return:
			b.answeredSweep(e.Call, num)
		case e.Phase == history.Call:
		case k == kindGet:
			b.seen(e, num, k)
			if e.Code == 404 {
				b.missing = append(b.missing, num)
			}
		case k == kindList || k == kindWatch:
			b.items(num)
		}
	}
	b.own[0] = false
}

// seen looks at the object of a notice, or of what a get answers.
func (b *builder) seen(e *history.Brief, num int32, k kind) {
	place := int32(itself)
	if k == kindDeleted {
		place = itsEnd
	}
	b.showsLabels, b.showsFields = b.showsLabels || e.Labels != 0, b.showsFields || e.Fields != 0
	b.glance(glimpse{num, place, e.K, e.N})
}

// calls notes that a write is called.
func (b *builder) calls(e *history.Brief, num int32, k kind) {
	b.nth[num] = int32(len(b.Writes))
	w := Write{verb: k, acts: k, K: e.K, Call: num, Outcome: Unknown, Version: None, pre: e.N, uid: e.UID}
	if e.HasExt {
		w.traits = traitsOf(b.H.Event(num).X.Args)
	}
	b.Writes = append(b.Writes, w)
	b.own[e.K] = true
}

// items looks at what a list answers.
func (b *builder) items(num int32) {
	items := itemsOf(b.H.Event(num))
	for i := range items {
		r := &items[i]
		b.glance(glimpse{num, int32(i), r.K, r.N})
		b.showsLabels = b.showsLabels || r.Labels != nil
		b.showsFields = b.showsFields || r.Fields != nil
	}
}

// answered notes what came of a write.
func (b *builder) answered(e *history.Brief, num int32) {
	w := &b.Writes[b.nth[e.Call]]
	w.Return, w.Outcome, w.made = num, outcomes[e.Failed], e.UID
	if e.Code == 404 {
		b.missing = append(b.missing, num)
	}
	if w.verb == kindCreate && w.K != e.K && e.K != 0 { // generateName: the key comes with the answer
		if _, name := SplitKey(b.H.Key(w.K)); name == "" {
			b.own[w.K] = false
		}
		w.K = e.K
		b.own[w.K] = true
	}
	if w.verb == kindCreate && w.Outcome == Done && !w.is(dry) && !b.found.certain {
		b.found.created(e, &b.H.Event(num).Obj)
	}
	switch {
	case b.ByOrder:
		b.holds = b.holds || w.Outcome == Done && hasFinalizers(b.H.Event(num).Obj.Body)
	case w.Outcome == Done && w.verb != kindDelete && w.counts():
		if b.createsAnew(w, e) {
			w.acts, w.pre = kindCreate, 0
		}
		if b.holds && ends(&b.H.Event(num).Obj) {
			return // see storeRole
		}
		b.placeWrite(w, e)
	}
}

// CreateOnUpdate is the feature of a kind of which an update makes what is not there, whatever resourceVersion
// it carries.
const CreateOnUpdate = "create-on-update"

func (b *builder) createsOnUpdate() bool { return slices.Contains(b.H.Header.Features, CreateOnUpdate) }

// createsMissing reports whether an update or a patch makes an object that is not there, whatever resourceVersion it names: of
// some kinds each update does, and of all kinds an apply.
func (b *builder) createsMissing(call int32) bool {
	if b.createsOnUpdate() || call == 0 {
		return b.createsOnUpdate()
	}
	_, _, apply := AppliedBy(b.H.Event(call))
	return apply
}

// createsAnew says that an update or a patch made an object: it named the resourceVersion of another one, which somebody
// may have deleted since.
func (b *builder) createsAnew(w *Write, e *history.Brief) bool {
	if w.verb != kindUpdate && w.verb != kindPatch || w.is(status) || w.pre == 0 || e.UID == 0 || !b.createsMissing(w.Call) {
		return false
	}
	i := b.placed(w.K, w.pre)
	if i == None || b.temp[i].uid == 0 || b.temp[i].uid == e.UID {
		return false
	}
	return b.Shared() || slices.ContainsFunc(b.Writes, func(d Write) bool {
		return d.K == w.K && d.verb == kindDelete && d.Outcome != Refused && !d.is(dry) && d.Call > b.temp[i].Call && d.Call < w.Return
	})
}

func dryRun(args json.RawMessage) bool {
	if string(args) == `{"dryRun":true}` {
		return true
	}
	if !mentions(args, "dryRun") {
		return false
	}
	a, err := readWriteArgs(args)
	return err == nil && a.DryRun
}

// mentions is false if arguments have no such field: what is most often so is not worth decoding.
func mentions(args json.RawMessage, field string) bool {
	return bytes.Contains(args, []byte(field)) || bytes.ContainsRune(args, '\\') // which may spell it otherwise
}

// traitsOf are those that a write's arguments tell.
func traitsOf(args json.RawMessage) (out traits) {
	if dryRun(args) {
		out = dry
	}
	if mentions(args, "subresource") {
		if a, err := readWriteArgs(args); err == nil && a.Subresource == subStatus {
			out |= status
		}
	}
	return out
}

var outcomes = [...]Outcome{history.NoFailure: Done, history.SomeFailure: Unknown, history.DefiniteFailure: Refused}
