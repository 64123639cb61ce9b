package watchcache

import (
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// standing is what an object was seen to be; without a resourceVersion it was not there.
type standing struct {
	num     int32 // of the event that shows it; 0: nothing does
	rv, uid string
}

// stood is a request that was refused while its object stayed as it was seen
// to be before and after.
type stood struct {
	call, ret int32
	was       standing
}

// observer goes through a history. That a resourceVersion was there before and
// after says that nobody changed the object in between; that nothing was, where nobody can have made it.
type observer struct {
	h      *history.History
	seen   map[int32]standing        // by key
	lists  map[string]map[int32]bool // by namespace: the last list of all of it
	listed map[string]int32          // its number
	makers map[int32]int32           // by key: the last call of what may have made it
	lost   map[int32]bool            // keys of which somebody may still make one
	begun  map[int32]standing        // by call of what is under way: what its object was
	open   map[int32][]stood         // by key: refused, and not seen since
	all    []stood
}

// allStood are those of a history, in the order in which they were seen.
func allStood(h *history.History) []stood {
	x := observer{h: h, seen: map[int32]standing{}, lists: map[string]map[int32]bool{}, listed: map[string]int32{}, makers: map[int32]int32{},
		lost: map[int32]bool{}, begun: map[int32]standing{}, open: map[int32][]stood{}}
	for i := range h.Events {
		switch e := &h.Events[i]; {
		case e.Phase == history.Call:
			x.called(e)
		case e.Phase == history.Return && e.Call != 0 && e.Kind == replay.List:
			x.list(e)
		case e.Phase == history.Return && e.Call != 0:
			x.answered(e)
		}
	}
	return x.all
}

// called notes what is known of the object of a request.
func (x *observer) called(e *history.Event) {
	k := e.Obj.K
	if k == 0 || strings.HasPrefix(e.Obj.Key, replay.Foreign) {
		return
	}
	was := x.seen[k]
	if ns, _ := replay.SplitKey(e.Obj.Key); x.listed[ns] > was.num && !x.lists[ns][k] {
		was = standing{num: x.listed[ns]}
	}
	if was.num != 0 && (was.rv != "" || x.makers[k] < was.num && !x.lost[k]) {
		x.begun[e.Num] = was
	}
	if x.makes(e) && !replay.IsDryRun(e) {
		x.makers[k] = e.Num
	}
}

// makes says that a write may make what was not there.
func (x *observer) makes(call *history.Event) bool {
	_, _, applies := replay.AppliedBy(call)
	f := x.h.Header.Features
	return call.Kind == replay.Create || applies || call.Kind == replay.Update && f != nil && !slices.Contains(f, string(UpdateNeedsObject))
}

// answered looks at what shows an object, or that it is not there, and notes what was refused.
func (x *observer) answered(e *history.Event) {
	call, err := x.h.Event(e.Call), e.Err()
	k, recent := call.Obj.K, most(call)
	was, ok := x.begun[e.Call]
	delete(x.begun, e.Call)
	switch {
	case k == 0:
	case err == nil && e.Kind != replay.Delete && recent && !replay.IsDryRun(call):
		if e.Obj.K == k && e.Obj.RV != "" {
			x.shows(k, e.Call, standing{e.Num, e.Obj.RV, e.Obj.UID})
		}
	case err == nil && e.Kind == replay.Delete:
		delete(x.seen, k)
	case err == nil:
	case missing404(err) && e.Kind == replay.Get && recent:
		x.shows(k, e.Call, standing{num: e.Num})
	default:
		if !err.Definite && x.makers[k] == e.Call {
			x.lost[k] = true
		}
		if ok && err.Code != 0 {
			x.open[k] = append(x.open[k], stood{e.Call, e.Num, was})
		}
	}
}

// list looks at one of everything in a namespace.
func (x *observer) list(e *history.Event) {
	call := x.h.Event(e.Call)
	a, err := replay.ParseArgs(argsOf(call))
	o := &a.Options
	if err != nil || e.Err() != nil || a.Namespace == "" || !recent(o) || o.Limit != 0 || o.Continue != "" || o.LabelSelector+o.FieldSelector+o.ShardSelector != "" {
		return
	}
	has := map[int32]bool{}
	items := replay.Objects(e)
	for i := range items {
		has[items[i].K] = true
		x.shows(items[i].K, e.Call, standing{e.Num, items[i].RV, items[i].UID})
	}
	x.lists[a.Namespace], x.listed[a.Namespace] = has, e.Num
	for k := range x.open {
		if ns, _ := replay.SplitKey(x.h.Key(k)); ns == a.Namespace && !has[k] {
			x.shows(k, e.Call, standing{num: e.Num})
		}
	}
}

// shows ends what was open when a request was called that shows what the object is.
func (x *observer) shows(k, call int32, now standing) {
	x.seen[k] = now
	var open []stood
	for _, s := range x.open[k] {
		switch same := s.was.rv == now.rv && s.was.uid == now.uid; {
		case s.ret > call:
			open = append(open, s)
		case same && (now.rv != "" || x.makers[k] < s.was.num && !x.lost[k]):
			x.all = append(x.all, s)
		}
	}
	if delete(x.open, k); len(open) > 0 {
		x.open[k] = open
	}
}
