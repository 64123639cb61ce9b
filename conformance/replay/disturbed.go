package replay

import (
	"fmt"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// DeleteCollection is a call whose deletions nothing counts yet.
const DeleteCollection = "DELETECOLLECTION"

// findDisturbed finds the keys whose state not only this run's acknowledged
// writes decide: another client writes them, or they wait for finalizers or a
// grace period. Nothing can be said of them; Disturbed tells why.
func (r *Replay) findDisturbed() {
	r.disturbed = make([]bool, r.H.Keys())
	r.findShown()
	if r.ByOrder {
		return
	}
	refused := r.Refused()
	for _, num := range r.Phantoms {
		for _, o := range Objects(r.H.Event(num)) {
			if o.N != 0 && r.own[o.K] && r.Find(o.K, o.N) == None && !r.invented(&o, r.H.Event(num).Kind == Deleted) && !r.early(&o) && !r.judged(refused.Explains(r.H.Event(num), &o)) {
				r.disturb(o.K, fmt.Sprintf("#%d shows %s in a state that no write here explains: another client writes it, or the server made it up", num, o.Key))
			}
		}
	}
	for i := range r.Versions {
		if v := &r.Versions[i]; v.Gone && v.Seen != 0 && v.Call == 0 && !r.older[v.K] && !r.judged(refused.Explains(r.H.Event(v.Seen), v.Obj)) {
			r.disturb(v.K, fmt.Sprintf("#%d deletes %s, and nobody here did: another client, or the server", v.Seen, r.H.Key(v.K)))
		}
		if v := &r.Versions[i]; !v.Gone && v.Call != 0 && r.H.Event(v.Call).Kind == Delete {
			r.disturb(v.K, r.H.Key(v.K)+" waits for a finalizer or a grace period after its deletion: no rule judges that yet")
		}
	}
	for i := range r.Writes {
		r.disturbedBy(&r.Writes[i])
	}
	r.findSurvivors()
	r.findMissed()
	for i := range r.H.Events {
		if e := &r.H.Events[i]; e.Kind == DeleteCollection && e.Phase == history.Call {
			r.disturbAll(e)
		}
	}
}

// judged says whether the refused write of this call, 0 for none, is one that
// write/conflict looks at: one with a precondition.
func (r *Replay) judged(call int32) bool {
	if call != 0 && r.H.Event(call).Kind == Delete && r.H.Header.Time == history.RealTime {
		return false // on a shared server another client may have deleted it
	}
	return call != 0 && (r.H.Event(call).Obj.RV != "" || r.H.Event(call).Obj.UID != "")
}

func (r *Replay) disturb(k int32, why string) {
	if r.Disturbed == "" {
		r.Disturbed = why
	}
	r.disturbed[k] = true
}

// invented: the revision is that of an acknowledged write of another object,
// so no other client can have made this change; only deletions share theirs.
func (r *Replay) invented(o *history.Ref, deleted bool) bool {
	if o.N == 0 || r.at[o.N] == None {
		return false
	}
	other := &r.Versions[r.at[o.N]]
	return other.Sure && !(other.Gone && deleted)
}

// early: the content is one that this run wrote, at a larger resourceVersion:
// no other client can have had it before.
func (r *Replay) early(o *history.Ref) bool {
	later := false
	for _, i := range r.OfKey(o.K) {
		if v := &r.Versions[i]; !v.Gone && v.Sure && v.Obj.Body == o.Body {
			if v.N <= o.N {
				return false
			}
			later = true
		}
	}
	return later
}

// disturbedBy looks for writes that answer with an old resourceVersion and a
// new content: they took the last finalizer of what was being deleted.
func (r *Replay) disturbedBy(w *Write) {
	if w.Outcome != Done || w.Version != None || !w.counts() || w.Verb != Update && w.Verb != Patch {
		return
	}
	answer := &r.H.Event(w.Return).Obj
	if answer.N == 0 {
		return
	}
	v := r.Find(w.K, answer.N)
	if v == None || r.Versions[v].Obj.Body != answer.Body {
		r.disturb(w.K, fmt.Sprintf("the %s #%d answers with an old resourceVersion: it changed what was being deleted, and no rule judges that yet", w.Verb, w.Call))
	}
}

// findMissed looks for objects that are answered with 404 though nobody here
// has deleted them.
func (r *Replay) findMissed() {
	for i := range r.H.Events {
		e := &r.H.Events[i]
		if e.Phase != history.Return || e.Err() == nil || e.Err().Code != 404 || e.Kind != Get && !isWrite(e.Kind) {
			continue
		}
		call := r.H.Event(e.Call)
		w := Write{Verb: e.Kind, K: call.Obj.K, Call: call.Num, Return: e.Num, Version: None}
		if w.K == 0 || !r.own[w.K] || e.Kind == Create {
			continue
		}
		if m := r.Moments(&w); !m.Absent && !m.Doubt && len(m.Versions) > 0 {
			r.disturb(w.K, fmt.Sprintf("#%d says that %s is not there, and nobody here deleted it: another client did, or the server is wrong", e.Num, call.Obj.Key))
		}
	}
}

// findSurvivors looks for objects that are written to after their deletion was
// acknowledged: it only marked them.
func (r *Replay) findSurvivors() {
	type object struct {
		uid  string
		gone int32 // number of the answer to a delete that was called when it was known to be there; 0: none
	}
	last := make([]object, r.H.Keys())
	for i := range r.Writes {
		w := &r.Writes[i]
		if w.Outcome != Done || !w.counts() {
			continue
		}
		o := &last[w.K]
		if w.Verb == Delete {
			if o.gone == 0 {
				o.gone = w.Return
			}
			continue
		}
		uid := r.H.Event(w.Return).Obj.UID
		switch {
		case uid == "" || uid != o.uid:
			*o = object{uid: uid}
		case o.gone != 0 && w.Call > o.gone:
			r.disturb(w.K, fmt.Sprintf("%s lives on after its deletion: it waits for a finalizer or a grace period, and no rule judges that yet", r.H.Key(w.K)))
		}
	}
}

func (r *Replay) disturbAll(e *history.Event) {
	var a Args
	if e.X != nil {
		a, _ = ParseArgs(e.X.Args) // unreadable: all namespaces
	}
	for k := range r.own {
		if ns, _ := SplitKey(r.H.Key(int32(k))); r.own[k] && (a.Namespace == "" || a.Namespace == ns) {
			r.disturb(int32(k), fmt.Sprintf("the %s #%d: no rule judges what it deletes yet", strings.ToLower(e.Kind), e.Num))
		}
	}
}

// Objects are those that an event shows: of a list its items.
func Objects(e *history.Event) []history.Ref {
	if e.X != nil && e.X.Items != nil {
		return e.X.Items
	}
	return []history.Ref{e.Obj}
}

// Refusals are the contents that refused writes would have stored.
type Refusals map[wouldBe]int32

type wouldBe struct {
	k       int32
	deleted bool
	body    string
}

// Refused finds, for what refused writes would have made, the first such call.
func (r *Replay) Refused() Refusals {
	out := Refusals{}
	for i := range r.Writes {
		w := &r.Writes[i]
		if w.Outcome != Refused {
			continue
		}
		c := wouldBe{k: w.K, deleted: w.Verb == Delete}
		if !c.deleted {
			c.body = r.H.Event(w.Call).Obj.Body
		}
		if _, ok := out[c]; !ok {
			out[c] = w.Call
		}
	}
	return out
}

// Explains is the call of the refused write that an event shows nevertheless, 0 if there is none.
func (f Refusals) Explains(e *history.Event, o *history.Ref) int32 {
	c := wouldBe{k: o.K, deleted: e.Kind == Deleted}
	if !c.deleted {
		c.body = o.Body
	}
	if call := f[c]; call < e.Num {
		return call
	}
	return 0
}

// Shows says whether this history keeps labels and fields of what the subject
// has shown: a trace may leave them out.
func (r *Replay) Shows() (labels, fields bool) { return r.showsLabels, r.showsFields }

func (r *Replay) findShown() {
	for i := range r.H.Events {
		e := &r.H.Events[i]
		if e.Phase == history.Notice && isEvent(e.Kind) {
			r.shown(&e.Obj)
		}
		if e.Phase == history.Return && e.Kind == List {
			for j := range itemsOf(e) {
				r.shown(&e.X.Items[j])
			}
		}
	}
}

func (r *Replay) shown(o *history.Ref) {
	r.showsLabels = r.showsLabels || o.Labels != nil
	r.showsFields = r.showsFields || o.Fields != nil
}
