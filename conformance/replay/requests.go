package replay

import (
	"github.com/lwtest/lwtest/harness/history"
)

// WatchCall is one watch: its request, and what came of it.
type WatchCall struct {
	Call   int32 // number of the call
	Actor  string
	Args   Args
	Scope  Scope
	Err    *history.Error  // it was refused
	Events []history.Event // what its actor saw from the call on: skip those of another Call
	// Start is the rank from which on every change must come: what lies after
	// it. Known is false where the watch begins at a state that it does not say
	// (resourceVersion unset or "0", without an end mark).
	Start int32
	Known bool
	Mark  int32 // number of the bookmark that ended its initial events; 0: none
	List  int32 // number of the call of the list whose resourceVersion it starts from, 0: none
}

// Initial says that it asked for initial events, or gets them by default.
func (w *WatchCall) Initial() bool {
	o := &w.Args.Options
	if o.SendInitialEvents != nil {
		return *o.SendInitialEvents
	}
	return o.ResourceVersion == "" || o.ResourceVersion == "0"
}

// ListCall is one list that was answered.
type ListCall struct {
	Call, Return int32
	Actor        string
	Args         Args
	Scope        Scope
	RV           string
	N            int32 // floor of its resourceVersion; in order mode the writes answered before it was called
	Upto         int32 // order mode: the writes called before it returned; else N
	Items        []history.Ref
	Body         ListBody
	From         string // key after which this page begins; empty: from the start
	Page         bool   // it continues another
}

// requests finds the lists and watches. Calls whose arguments cannot be read,
// or whose selectors no server could read, are left out: nothing is known of them.
func (b *builder) requests() {
	h := b.H
	returned := map[int32]*history.Event{} // of lists and watches only
	for i := range h.Events {
		if e := &h.Events[i]; e.Phase == history.Return && (e.Kind == List || e.Kind == Watch) {
			returned[e.Call] = e
		}
	}
	seen := map[string]int{} // events of each actor so far
	for i := range h.Events {
		e := &h.Events[i]
		seen[e.Actor]++
		if e.Phase != history.Call || e.Kind != List && e.Kind != Watch {
			continue
		}
		args, scope, ok := request(e)
		if !ok {
			continue
		}
		if e.Kind == List {
			b.list(e, returned[e.Num], args, scope)
			continue
		}
		w := WatchCall{Call: e.Num, Actor: e.Actor, Args: args, Scope: scope, Events: h.By(e.Actor)[seen[e.Actor]:]}
		if r := returned[e.Num]; r != nil {
			w.Err = r.Err()
		}
		b.watch(&w)
		b.Watches = append(b.Watches, w)
	}
}

func request(e *history.Event) (Args, Scope, bool) {
	if e.X == nil {
		return Args{}, Scope{}, false
	}
	args, err := ParseArgs(e.X.Args)
	if err != nil {
		return args, Scope{}, false
	}
	scope, err := ParseScope(args)
	return args, scope, err == nil
}

func (b *builder) list(call, ret *history.Event, args Args, scope Scope) {
	if ret == nil || ret.Err() != nil || ret.X == nil {
		return
	}
	l := ListCall{Call: call.Num, Return: ret.Num, Actor: call.Actor, Args: args, Scope: scope, RV: ret.Obj.RV, Items: ret.X.Items}
	l.Body = parseListBody(ret.X.Body)
	if b.ByOrder {
		l.N, l.Upto = b.acked[call.Num], b.called(ret.Num)
	} else if n, ok := b.H.Floor(l.RV); ok {
		l.N, l.Upto = n, n
	}
	if token := args.Options.Continue; token != "" {
		l.Page = true
		for i := len(b.Lists) - 1; i >= 0; i-- {
			if p := &b.Lists[i]; p.Body.Continue == token {
				l.From = p.From
				if n := len(p.Items); n > 0 {
					l.From = p.Items[n-1].Key
				}
				break
			}
		}
	}
	b.Lists = append(b.Lists, l)
}

// called is, in order mode, the place of the last write called before the event with this number.
func (b *builder) called(num int32) int32 {
	top := int32(0)
	for i := range b.Writes {
		if b.Writes[i].Call > num {
			break
		}
		if v := b.Writes[i].Version; v != None {
			top = max(top, b.Versions[v].N)
		}
	}
	return top
}

// watch finds where a watch starts.
func (b *builder) watch(w *WatchCall) {
	if w.Initial() {
		for i := range w.Events {
			if e := &w.Events[i]; e.Call == w.Call && IsMark(e) {
				w.Mark, w.Start, w.Known = e.Num, e.Obj.N, e.Obj.N != 0
				return
			}
		}
		return
	}
	rv := w.Args.Options.ResourceVersion
	if rv == "" || rv == "0" { // sendInitialEvents=false: from about now
		return
	}
	for i := len(b.Lists) - 1; i >= 0; i-- {
		if l := &b.Lists[i]; l.RV == rv && l.Return < w.Call {
			w.List = l.Call
			if b.ByOrder {
				w.Start, w.Known = l.N, l.N == l.Upto
			}
			break
		}
	}
	if !b.ByOrder {
		w.Start, w.Known = b.H.Floor(rv)
	}
}
