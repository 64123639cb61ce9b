package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// WatchCall is one watch: its request, and what came of it.
type WatchCall struct {
	Call   int32 // number of the call
	Actor  string
	Args   Args
	Scope  Scope
	Err    *history.Error // it was refused
	Events []Shown        // what it brought
	// Start is the rank from which on every change must come: what lies after
	// it. Known is false where the watch begins at a state that it does not say
	// (resourceVersion unset or "0", without an end mark).
	Start int32
	Known bool
	exact bool  // Start is just where it starts; else that lies between Start and the next rank
	Mark  int32 // number of the bookmark that ended its initial events; 0: none
	List  int32 // number of the call of the list whose resourceVersion it starts from, 0: none
}

// After says that it may start above rank n: of what lies between n and there it tells nothing.
func (w *WatchCall) After(n int32) bool { return w.Start > n || w.Start == n && !w.exact }

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
	From         string // own key after which this page begins; empty: from the start
	Page         bool   // it continues another
	Astray       bool   // it continues a list that this history does not have: nobody knows where it begins
	// Recent says that it is of the most recent state: it asked for no
	// resourceVersion, or continues a list that did not. Only then N and Upto
	// hold in order mode.
	Recent bool
}

// scopes reads what lists and watches ask for. Calls whose arguments cannot be
// read, whose selectors no server could read, or of which nobody can tell whether
// they were answered with a shard, are left out: nothing is known of them.
func (b *builder) scopes() {
	b.findShards()
	for i := range b.asked {
		a := &b.asked[i]
		e := b.H.Event(a.call)
		shard, known := b.shardOf(a)
		a.scope.Shard = shard
		switch {
		case a.err != nil:
			b.notRead(a)
			continue
		case !known:
			continue
		case e.Kind == List:
			b.Lists = append(b.Lists, ListCall{Call: e.Num, Actor: e.Actor, Args: a.args, Scope: a.scope})
			continue
		}
		w := WatchCall{Call: e.Num, Actor: e.Actor, Args: a.args, Scope: a.scope, Events: a.shown}
		if a.answer != 0 {
			w.Err = b.H.Event(a.answer).Err()
		}
		b.Watches = append(b.Watches, w)
	}
}

// notRead keeps why no rule judges a list or a watch that was served though what
// it asked for cannot be read. That it is refused, or ends with an error, is right.
func (b *builder) notRead(a *inquiry) {
	served := a.answer != 0 && b.H.Event(a.answer).Err() == nil
	if i := slices.IndexFunc(a.shown, func(s Shown) bool { return s.IsEvent() || s.kind == kindErrored }); i >= 0 {
		served = a.shown[i].IsEvent()
	}
	if served && b.NotRead == "" {
		b.NotRead = fmt.Sprintf("the %s #%d was answered, and nobody can tell what it asked for: %v", b.H.Event(a.call).Kind, a.call, a.err)
	}
}

// arguments are those of a call; none at all are empty ones.
func arguments(e *history.Event) (Args, error) {
	if e.X == nil {
		return Args{}, nil
	}
	return ParseArgs(e.X.Args)
}

func request(e *history.Event) (Args, Scope, error) {
	args, err := arguments(e)
	if err != nil {
		return args, Scope{}, err
	}
	scope, err := ParseScope(args)
	return args, scope, err
}

// requests finds what came of lists and watches.
func (b *builder) requests() {
	answered := b.Lists[:0]
	b.pages, b.listed = map[page]int{}, map[string][]int32{}
	for _, l := range b.Lists {
		num := b.asked[b.nth[l.Call]].answer
		if num == 0 {
			continue
		}
		if ret := b.H.Event(num); ret.Err() == nil {
			b.list(&l, ret, answered)
			answered = append(answered, l)
		}
	}
	b.Lists = answered
	for i := range b.Watches {
		b.watch(&b.Watches[i])
	}
}

// versionsShown finds the versions that watches have shown. Deletions that were
// not shown may be added at the same time: they lie behind these.
func (b *builder) versionsShown() func() {
	known := Replay{Versions: b.Versions, at: b.at}
	return func() {
		for i := range b.Watches {
			for j := range b.Watches[i].Events {
				if e := &b.Watches[i].Events[j]; e.IsEvent() && !b.ByOrder {
					e.Version = known.Find(e.K, e.N)
				}
			}
		}
	}
}

// page is what a list that continues another says: who asks, its token and its
// scope. Tokens of two namespaces, or of two lists at one revision, may be equal.
type page struct{ actor, token, scope string }

// PagesOf says what pages are of: their scope, and the shard that was asked for, of which an answer may not tell.
func (l *ListCall) PagesOf() string { return l.Scope.String() + "|" + l.Args.Options.ShardSelector }

// list reads the answer; before are the lists called before it.
func (b *builder) list(l *ListCall, ret *history.Event, before []ListCall) {
	l.Return, l.RV, l.Items, l.Body = ret.Num, ret.Obj.RV, itemsOf(ret), ListBodyOf(ret)
	if b.ByOrder {
		l.N, l.Upto = b.acked[l.Call], b.called(ret.Num)
	} else if n, ok := b.H.Floor(l.RV); ok {
		l.N, l.Upto = n, n
	}
	l.Recent = l.Args.Options.ResourceVersion == ""
	if token := l.Args.Options.Continue; token != "" {
		l.Page, l.Astray, l.Recent = true, true, false
		if i, ok := b.pages[page{l.Actor, token, l.PagesOf()}]; ok {
			p := &before[i]
			l.Astray, l.From, l.Recent = p.Astray, p.From, p.Recent
			if b.ByOrder { // the state is that of the first page
				l.N, l.Upto = p.N, p.Upto
			}
			if last := LastOwn(p.Items); last != "" {
				l.From = last
			}
		}
	}
	if l.Body.Continue != "" {
		b.pages[page{l.Actor, l.Body.Continue, l.PagesOf()}] = len(before)
	}
	if !b.ByOrder || l.Recent { // else nobody knows of when its state is
		b.listed[l.RV] = append(b.listed[l.RV], int32(len(before)))
	}
}

// LastOwn is the key of the last item that is not foreign, empty if all are.
func LastOwn(items []history.Ref) string {
	for i := len(items) - 1; i >= 0; i-- {
		if !strings.HasPrefix(items[i].Key, Foreign) {
			return items[i].Key
		}
	}
	return ""
}

// called is, in order mode, the place of the last write called before the event with this number.
func (b *builder) called(num int32) int32 {
	n, _ := slices.BinarySearchFunc(b.Versions, num, func(v Version, num int32) int { return int(v.Call - num) })
	return int32(n)
}

// watch finds where a watch starts.
func (b *builder) watch(w *WatchCall) {
	if w.Initial() {
		for i := range w.Events {
			if e := &w.Events[i]; e.kind == kindBookmark && IsMark(b.H.Event(e.Num)) {
				w.Mark = e.Num
				if !b.ByOrder {
					w.Start, w.Known, w.exact = e.N, e.N != 0, true
				}
				return
			}
		}
		return
	}
	rv := w.Args.Options.ResourceVersion
	if rv == "" || rv == "0" { // sendInitialEvents=false: from about now
		return
	}
	if l := b.listBefore(w.Call, rv); l != nil {
		w.List = l.Call
		if b.ByOrder {
			w.Start, w.Known, w.exact = l.N, l.N == l.Upto, true
		}
	}
	if !b.ByOrder {
		w.Start, w.Known = b.H.Floor(rv)
		w.exact = w.Known && b.H.RV(w.Start) == rv
	}
}

// listBefore is the last list that had answered with a resourceVersion before the event with this number.
func (b *builder) listBefore(num int32, rv string) *ListCall {
	of := b.listed[rv]
	i, _ := slices.BinarySearchFunc(of, num, func(i, num int32) int { return int(b.Lists[i].Call - num) })
	for i--; i >= 0; i-- {
		if l := &b.Lists[of[i]]; l.Return < num {
			return l
		}
	}
	return nil
}
