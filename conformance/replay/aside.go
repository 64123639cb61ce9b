package replay

import (
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/harness/history"
)

// Aside is a trace of anybody without all that it tells of the keys whose ends are in doubt: whether a delete removed
// an object, or marked it for as long as its finalizers or its grace period are there, need not be in its words. What a
// rule finds in the whole trace, and not in this one, it has found by taking one for the other. The events have their
// numbers. Nil where there is no such key, or where a check has recorded it, whose words tell.
func Aside(h *history.History) *history.History { return history.Derive(h, aside).h }

// setAside is what aside makes, of its own type: a history derives one thing of each.
type setAside struct{ h *history.History }

func aside(h *history.History) setAside {
	if h.Header.Check != "" {
		return setAside{}
	}
	keys := inDoubt(Of(h))
	if len(keys) == 0 {
		return setAside{}
	}
	events, calls := slices.Clone(h.Events), map[int32]bool{}
	for i := range events { // a generated name comes with the answer
		if e := &events[i]; keys[e.Obj.K] && e.Phase != history.Notice {
			calls[callOf(e)] = true
		}
	}
	for i := range events {
		e := &events[i]
		leaveOut(e, keys, e.Phase != history.Notice && calls[callOf(e)])
	}
	out, err := history.New(h.Header, events)
	if err != nil {
		return setAside{} // it was a history before, and nothing that makes one has changed
	}
	return setAside{out}
}

// leftOut is the kind of an event that nothing is made of.
const leftOut = "SET-ASIDE"

// callOf is the number of the call that an event is half of.
func callOf(e *history.Event) int32 {
	if e.Phase == history.Return {
		return e.Call
	}
	return e.Num
}

// leaveOut takes away what an event tells of keys, or all of it.
func leaveOut(e *history.Event, keys map[int32]bool, whole bool) {
	if e.X != nil && e.X.Items != nil {
		x := *e.X
		x.Items = slices.DeleteFunc(slices.Clone(x.Items), func(o history.Ref) bool { return keys[o.K] })
		e.X = &x
	}
	if keys[e.Obj.K] || whole {
		e.Kind, e.Obj = leftOut, history.Ref{}
	}
}

// inDoubt are the keys of which a trace has signs that a delete only marked what was there.
func inDoubt(r *Replay) map[int32]bool {
	d := doubting{Replay: r, keys: map[int32]bool{}, lives: map[int32]*lifetime{}, worded: worded(r), waits: map[int32]bool{},
		first: map[state]string{}, mixed: map[state]bool{}, alive: map[object]int32{}}
	d.shown()
	if grace := slices.Contains(r.H.Header.Features, Grace); grace && !d.nodes && r.Shared() { // nothing tells what has a grace period
		d.worded, d.graceful = false, true
	} else {
		d.periods = grace
	}
	d.written()
	return d.keys
}

type doubting struct {
	*Replay
	keys     map[int32]bool
	lives    map[int32]*lifetime
	worded   bool
	nodes    bool           // something was shown to be on a node
	graceful bool           // any delete may only mark
	periods  bool           // words tell of grace periods
	waits    map[int32]bool // were deleted in a way that gives them something to wait for

	first map[state]string // content of what was shown first
	mixed map[state]bool   // others were shown, too
	alive map[object]int32 // the largest rank at which an object was shown that is not deleted
}

// object is one life of a key.
type object struct {
	k   int32
	uid string
}

// lifetime is what is known of an object on the way through the writes.
type lifetime struct {
	deleted int32 // number of the call of the first delete of it; 0: none
	renewed int32 // number of the answer to the last create: what was called before that may have been of the object before
	ended   int32 // the largest number of an answer to one
	changed int32 // the largest number of an answer to an update or patch; of one whose answer is lost the end of the trace
}

// shown looks at what anything shows: an object that is being deleted, or one with finalizers.
func (d *doubting) shown() {
	for i := range d.H.Events {
		e := &d.H.Events[i]
		if e.Phase == history.Call {
			continue
		}
		for j := range itemsOf(e) {
			d.object(&e.X.Items[j], true)
		}
		d.object(&e.Obj, e.Kind != Deleted)
	}
}

func (d *doubting) object(o *history.Ref, lives bool) {
	if o.K == 0 {
		return
	}
	at := state{o.K, o.N}
	if was, ok := d.first[at]; !ok {
		d.first[at] = o.Body
	} else if was != o.Body {
		d.mixed[at] = true
	}
	if id := (object{o.K, o.UID}); lives {
		d.alive[id] = max(d.alive[id], o.N)
	}
	d.nodes = d.nodes || OnNode(o.Body)
	if !d.worded && (IsDeleting(o.Body) || o.Meta.Get(Deletion) != "") {
		d.keys[o.K] = true
	}
}

// written goes through the writes in order of their calls.
func (d *doubting) written() {
	c := 0
	for i := range d.Writes {
		w := &d.Writes[i]
		for ; c < len(d.Collections) && d.Collections[c].Call < w.Call; c++ {
			d.collection(&d.Collections[c])
		}
		switch {
		case w.is(step|swept) || w.K == 0:
		case w.Outcome == Refused, w.is(dry):
			d.finds(w)
		default:
			d.write(w)
		}
	}
	for ; c < len(d.Collections); c++ {
		d.collection(&d.Collections[c])
	}
	if d.ByOrder && !d.worded && d.sweeps() {
		for k := range d.lives {
			d.keys[k] = true
		}
	}
}

// sweeps says that a collection was deleted: of one nothing is known where the order of writes is that of their calls.
func (d *doubting) sweeps() bool {
	return slices.ContainsFunc(d.H.Events, func(e history.Event) bool { return e.Kind == DeleteCollection })
}

func (d *doubting) collection(c *Collection) {
	for k := range d.lives {
		if c.covers(k) {
			d.delete(k, c.Call, d.answer(c.Return))
		}
	}
}

// answer is the number of one; of one that is lost the end of the trace.
func (d *doubting) answer(num int32) int32 {
	if num == 0 {
		return int32(len(d.H.Events)) + 1
	}
	return num
}

func (d *doubting) write(w *Write) {
	l := d.life(w.K)
	answer := d.answer(w.Return)
	switch w.verb {
	case kindDelete:
		d.delete(w.K, w.Call, answer)
	case kindCreate:
		if w.Outcome == Done && w.Call > l.ended { // else it may have come before the delete
			*l = lifetime{changed: l.changed, renewed: answer}
		}
	default:
		l.changed = max(l.changed, answer)
		if !d.worded && (l.deleted != 0 && l.deleted < answer || w.Outcome == Done && d.tookLast(w)) {
			d.keys[w.K] = true
		}
	}
}

// finds looks at a write that changes nothing, but tells that something is there, after it was deleted: a dry run that
// was accepted, a refusal other than 404.
func (d *doubting) finds(w *Write) {
	l := d.life(w.K)
	if l.deleted == 0 || w.Call < l.ended || w.Return == 0 || w.verb == kindCreate && w.Outcome == Done || d.tells(w.K) {
		return
	}
	if err := d.H.Event(w.Return).Err(); err == nil || err.Code != http.StatusNotFound {
		d.keys[w.K] = true
	}
}

// asks is how a delete is asked for; of one that cannot be read nothing.
func (r *Replay) asks(call int32) WriteArgs {
	if x := r.H.Event(call).X; x != nil {
		a, _ := readWriteArgs(x.Args)
		return a
	}
	return WriteArgs{}
}

// tells says that a trace tells in words that nothing waits there: where others may write, they may have given it
// something to wait for, and so may a server, a grace period say, that has shown nothing since.
func (d *doubting) tells(k int32) bool { return d.worded && !d.waits[k] && !d.Shared() }

// delete looks at a delete of what may have been deleted, or is changed beside it.
func (d *doubting) delete(k, call, answer int32) {
	l := d.life(k)
	if a := d.asks(call); a.GracePeriodSeconds != nil && !d.periods || gives(a.PropagationPolicy) {
		d.waits[k] = true
	}
	if d.graceful || l.deleted != 0 && !d.tells(k) || !d.worded && (l.changed > call || d.ByOrder) {
		d.keys[k] = true
	}
	if l.deleted == 0 {
		l.deleted = call
	}
	l.ended = max(l.ended, answer)
}

// tookLast says that a write may have taken the last finalizer: it was answered with a resourceVersion that is shown
// with another content, and nothing shows the object later.
func (d *doubting) tookLast(w *Write) bool {
	got := &d.H.Event(w.Return).Obj
	l := d.lives[w.K]
	marked := d.Shared() || d.older[w.K] || l.deleted != 0 || w.Call < l.renewed // somebody may have done that
	return marked && got.N != 0 && d.mixed[state{got.K, got.N}] && d.alive[object{got.K, got.UID}] <= got.N
}

func (d *doubting) life(k int32) *lifetime {
	if d.lives[k] == nil {
		d.lives[k] = &lifetime{}
	}
	return d.lives[k]
}

// gives says that a propagation policy gives what is deleted a finalizer to wait for.
func gives(policy metav1.DeletionPropagation) bool {
	return policy == metav1.DeletePropagationForeground || policy == metav1.DeletePropagationOrphan
}
