package watchcache

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeExists: whoever refuses a create for another reason (it is forbidden,
// malformed, too much) need not have looked whether the name is taken, unless
// the same is created elsewhere; see mistaken.
func judgeExists(h *history.History) harness.Judgement {
	j := judgeCreates(h)
	r := replay.Of(h)
	judgeGenerated(&j, r)
	if j.Undecided == "" {
		judgeMistaken(&j, h, existsDue)
	}
	if r.Unordered != "" || r.Shared() {
		return j // else another client may have created the same
	}
	created := refusedButCreated(r)
	for _, call := range slices.Sorted(maps.Keys(created)) {
		j.Tested++
		j.Fail("a refused CREATE creates nothing", at(h.Event(created[call]))+" shows what it was to create", call, created[call])
	}
	return j
}

// refusedButCreated gives, for calls of creates that were refused because there
// was such an object, the first event that shows what they were to create. What
// another write may have made explains nothing.
func refusedButCreated(r *replay.Replay) map[int32]int32 {
	calls, out := refusedAsThere(r), map[int32]int32{}
	for i, b := range r.H.Briefs() {
		if b.Phase == history.Call || b.Failed != history.NoFailure {
			continue
		}
		e := &r.H.Events[i]
		objects := replay.Objects(e)
		for n := range objects {
			o := &objects[n]
			if call := calls.Find(o.K, o.Body); call != 0 && call < e.Num && out[call] == 0 && !madeByOthers(r, o) {
				out[call] = e.Num
			}
		}
	}
	return out
}

// madeByOthers says of a trace of anybody that another write may have made what is shown: a patch, as what
// it makes depends on what was there, or one from before the trace.
func madeByOthers(r *replay.Replay, o *history.Ref) bool {
	if r.H.Header.Check != "" {
		return false
	}
	switch v := r.Find(o.K, o.N); {
	case v == replay.None || r.Versions[v].Call == 0:
		if slices.ContainsFunc(r.Writes, func(w replay.Write) bool {
			return w.K == o.K && w.Verb() == replay.Patch && w.Outcome == replay.Unknown
		}) {
			return true
		}
	case r.Versions[v].Sure, r.H.Event(r.Versions[v].Call).Kind == replay.Patch:
		return true
	}
	return r.H.Header.Time == history.RealTime && !r.OwnBefore(o.K, o.N)
}

// refusedAsThere are the calls of creates that were refused because there was
// such an object, by what they were to create: the first of each, and none of
// what another write has sent, too, or in a trace of anybody was answered with.
func refusedAsThere(r *replay.Replay) *replay.Claims {
	calls := replay.NewClaims(r)
	already := func(w *replay.Write) bool {
		return w.Verb() == replay.Create && w.Outcome == replay.Refused && r.H.Event(w.Return).Err().Reason == string(metav1.StatusReasonAlreadyExists)
	}
	for i := range r.Writes {
		if w := &r.Writes[i]; already(w) {
			calls.Put(w.K, r.Sends(w), w.Call)
		}
	}
	for i := range r.Writes {
		w := &r.Writes[i]
		if already(w) {
			continue
		}
		calls.Forget(w.K, r.Sends(w))
		if w.Outcome == replay.Done && r.H.Header.Check == "" {
			calls.Forget(w.K, r.H.Event(w.Return).Obj.Body)
		}
	}
	return calls
}

var judgeCreates = judging(func(j *harness.Judgement, r *replay.Replay, w *replay.Write, m replay.Moments, pre *history.Ref, err *history.Error) {
	if generated(pre) { // see judgeGenerated
		return
	}
	conflict := err != nil && err.Code == http.StatusConflict
	already := conflict && err.Reason == string(metav1.StatusReasonAlreadyExists)
	switch {
	case err == nil && !there(r, m) && overwritten(r, w):
		j.Tested++
		j.Fail("409 AlreadyExists: "+pre.Key+" was there before, and nobody had deleted it", "the CREATE was accepted", undeleted(r, w).Call, w.Call, w.Return)
	case err == nil && there(r, m):
		j.Tested++
		j.Fail("409 AlreadyExists: "+pre.Key+" was there all the time", "the CREATE was accepted", w.Call, w.Return)
	case there(r, m) && conflict:
		if j.Tested++; !already {
			j.Fail("409 AlreadyExists: "+pre.Key+" was there all the time", err.String(), w.Call, w.Return)
		}
	case already && gone(r, w, m) && !r.Shared(): // else another client may have created it
		j.Tested++
		j.Fail(pre.Key+" to be created: it was not there", err.String(), w.Call, w.Return)
	}
}, replay.Create)

// overwritten says that a create was answered with a new object though the one
// before it was there, and nobody had deleted it.
func overwritten(r *replay.Replay, w *replay.Write) bool {
	live := undeleted(r, w)
	if live == nil {
		return false
	}
	same := live.Obj.UID != "" && live.Obj.UID == r.Versions[w.Version].Obj.UID
	return same || !r.Shared()
}

// undeleted is the object that was there before a write that answered with
// another, if nobody here deleted it; nil if there is none. The two writes may
// have been under way at once: their resourceVersions tell which was first.
func undeleted(r *replay.Replay, w *replay.Write) *replay.Version {
	if w.Version == replay.None || r.Versions[w.Version].Hazy || r.Swept(w.K) {
		return nil
	}
	gone := r.Versions[w.Version].Prev
	if gone == replay.None || !r.Versions[gone].Unseen() || r.Versions[gone].Call != 0 || r.Versions[gone].Prev == replay.None {
		return nil
	}
	for i := range r.Writes {
		if d := &r.Writes[i]; d.K == w.K && d.Ends() && d.Outcome == replay.Unknown && d.Call < w.Return {
			return nil
		}
	}
	if live := &r.Versions[r.Versions[gone].Prev]; live.Sure {
		return live
	}
	return nil
}

// judgeMissing looks at what was asked of objects that were not there at any
// moment, and at 404s for those that were there all the time.
func judgeMissing(verbs ...string) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		r := replay.Of(h)
		j := harness.Judgement{Undecided: r.Unordered}
		if j.Undecided != "" {
			return j
		}
		// A kind need not have a status; then 404 says that there is no such path.
		pathless := func(call *history.Event) bool { return replay.ToStatus(call) && !has(h, StatusSubresource) }
		again := foundAgain(&j, h, verbs, pathless)
		look := func(w *replay.Write, m replay.Moments, pre *history.Ref, err *history.Error) {
			if _, _, ok := replay.AppliedBy(h.Event(w.Call)); ok && !w.ToStatus() {
				return // see judgeMissingApply
			}
			if !again[w.Return] && !pathless(h.Event(w.Call)) {
				notThere(&j, r, w, m, pre, err)
			}
		}
		eachWrite(r, verbs, look)
		if slices.Contains(verbs, replay.Delete) {
			deletedTwice(&j, r)
		}
		if slices.Contains(verbs, replay.Update) {
			changedAfterEnd(&j, r)
		}
		for _, q := range replay.Asked(h) {
			call := h.Event(q.Call)
			if q.Kind != replay.Get || q.Return == 0 || q.Args.Options.ResourceVersion != "" || call.Obj.K == 0 || !slices.Contains(verbs, replay.Get) {
				continue
			}
			w := replay.Looking(call.Obj.K, q.Call, q.Return)
			if m := r.Moments(w); !m.Doubt && r.Own(w.K) {
				look(w, m, &call.Obj, q.Err)
			}
		}
		judgeMistaken(&j, h, missingDue(r, verbs))
		judgeNotFoundAt(&j, h, verbs)
		return j
	}
}

// judgeNotFoundAt looks at 404s that say a resourceVersion. A get that does not ask for the most recent state may say an older one.
func judgeNotFoundAt(j *harness.Judgement, h *history.History, verbs []string) {
	if !has(h, ComparableRV) {
		return
	}
	newest, asked := "", map[int32]string{}
	for i := range h.Events {
		e := &h.Events[i]
		err := e.Err()
		switch {
		case e.Phase == history.Call:
			asked[e.Num] = newest
		case e.Phase == history.Return && err == nil && e.Kind != replay.Get && history.Comparable(e.Obj.RV) && (newest == "" || history.CompareRV(e.Obj.RV, newest) > 0):
			newest = e.Obj.RV
		case e.Phase == history.Return && err != nil && err.Code == http.StatusNotFound && slices.Contains(verbs, e.Kind):
			notFoundAt(j, h, e, asked[e.Call])
		}
	}
}

func notFoundAt(j *harness.Judgement, h *history.History, e *history.Event, newest string) {
	said := replay.RefusalOf(e).RV
	if said == "" {
		return
	}
	if q := h.Event(e.Call); e.Kind == replay.Get && q.X != nil {
		if a, err := replay.ParseArgs(q.X.Args); err != nil || a.Options.ResourceVersion != "" {
			newest = ""
		}
	}
	j.Tested++
	switch {
	case !history.Comparable(said):
		j.Fail("a resourceVersion at which it was not there", fmt.Sprintf("404 at %q", said), e.Call, e.Num)
	case newest != "" && history.CompareRV(said, newest) < 0:
		j.Fail(fmt.Sprintf("a resourceVersion of at least %s, which a write before it was answered with", newest), "404 at "+said, e.Call, e.Num)
	}
}

// notThere: of what is not there 404 is wanted, or a refusal for which nobody
// had to look: it is forbidden, malformed, without the resourceVersion that the
// kind wants; see mistaken. Of what was there all the time 404 is wrong, where no other client
// can have deleted it.
func notThere(j *harness.Judgement, r *replay.Replay, w *replay.Write, m replay.Moments, pre *history.Ref, err *history.Error) {
	if lies := err != nil && err.Code == http.StatusNotFound && err.Reason == string(metav1.StatusReasonNotFound) &&
		!r.Shared() && there(r, m) && w.Verb() != replay.Create; lies {
		j.Tested++
		j.Fail("no 404: "+pre.Key+" was there all the time", err.String(), w.Call, w.Return)
		return
	}
	if !gone(r, w, m) {
		return
	}
	switch {
	case err == nil:
		j.Tested++
		j.Fail("404 NotFound: "+pre.Key+" was not there", "the "+w.Verb()+" was answered", w.Call, w.Return)
	case missing404(err):
		j.Tested++
	case err.Code == http.StatusNotFound, err.Code == http.StatusGone, err.Code == http.StatusConflict:
		j.Tested++
		j.Fail("404 NotFound: "+pre.Key+" was not there", err.String(), w.Call, w.Return)
	}
}

// life is what is known of an object: that it was there when the event with
// number since came, and which 404 said after that that it was not.
type life struct {
	uid                 string
	since, asked, after int32 // asked and after are call and answer of the 404; 0: none
}

// foundAgain: an object of one uid that was there before and after a request was
// there in between, whoever else writes it; a 404 was wrong. It gives these.
func foundAgain(j *harness.Judgement, h *history.History, verbs []string, pathless func(*history.Event) bool) (wrong map[int32]bool) {
	lives := map[int32]*life{}
	wrong = map[int32]bool{}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Phase != history.Return || e.Call == 0 {
			continue
		}
		call := h.Event(e.Call)
		switch err := e.Err(); {
		case !slices.Contains([]string{replay.Create, replay.Update, replay.Patch, replay.Delete, replay.Get}, e.Kind) || !most(call) || pathless(call):
		case err == nil && e.Kind != replay.Delete && !replay.IsDryRun(call):
			if after := livesOn(j, h, lives, e); after != 0 {
				wrong[after] = true
			}
		case err != nil && err.Code == http.StatusNotFound && slices.Contains(verbs, e.Kind):
			if l := lives[call.Obj.K]; l != nil && l.since < e.Call && l.asked == 0 {
				l.asked, l.after = e.Call, e.Num
			}
		}
	}
	return wrong
}

// livesOn notes that an answer shows an object, and gives the 404 that it proves wrong; 0: none.
func livesOn(j *harness.Judgement, h *history.History, lives map[int32]*life, e *history.Event) (after int32) {
	l := lives[e.Obj.K]
	switch {
	case e.Obj.UID == "" || e.Obj.K == 0:
	case l == nil || l.uid != e.Obj.UID:
		lives[e.Obj.K] = &life{uid: e.Obj.UID, since: e.Num}
	case l.asked == 0:
	case e.Call > l.after:
		j.Tested++
		j.Fail("no 404: "+e.Obj.Key+" was there all the time, and is later", h.Event(l.after).Err().String(), l.asked, l.after, e.Num)
		after = l.after
		*l = life{uid: l.uid, since: e.Num}
	}
	return after
}

// most says that a request is not a get of an older state.
func most(call *history.Event) bool {
	if call.Kind != replay.Get || call.X == nil {
		return true
	}
	a, err := replay.ParseArgs(call.X.Args)
	return err == nil && a.Options.ResourceVersion == ""
}
