package model

import (
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// watcher opens watches, one after the other, and reads the log from a place of its own.
type watcher struct {
	*world
	name  string
	fixed int // scope of a Steady run

	call      int32 // 0: closed
	scope     scope
	next      int // place in the log
	sent      int // revision of the last event, or of the start
	initial   []*object
	mark      bool // the end of the initial events is to be told
	bookmarks bool
	from      int // nothing at or before this revision comes
	brought   int // events since the last bookmark of a Mixed run
	given     int // events of this watch
	listed    int // revision of the list that the next watch goes on from, of a run that Ends
}

func (x *watcher) step() {
	switch {
	case x.call == 0 && x.Ends && x.fixed == 2 && x.listed == 0:
		x.scope, x.listed = steady[x.fixed], x.store.rev
		x.list(x.scope.args())
	case x.call == 0:
		x.open()
	case len(x.initial) > 0:
		x.event(replay.Added, x.initial[0].ref, "")
		x.initial = x.initial[1:]
	case x.mark:
		x.mark = false
		x.tell(true)
	case !x.Steady && x.chance(0.1) && x.bookmarks:
		x.tell(false)
	case x.Mixed && x.bookmarks && x.brought >= perBookmark:
		x.brought = 0
		x.tell(false)
	case !x.Steady && x.chance(0.02) || x.ends() && x.given >= perWatch && !x.midst():
		x.close()
	case !x.Steady && x.chance(0.02):
		x.settle()
	default:
		for range 1 + x.rnd.IntN(3) {
			x.read()
		}
	}
}

// read gives the next change of the scope, if there is one.
func (x *watcher) read() {
	for x.next < len(x.store.log) {
		c := &x.store.log[x.next]
		x.next++
		if c.rev <= x.from {
			continue
		}
		was, now := c.was != nil && x.scope.has(c.was), c.now != nil && x.scope.has(c.now)
		if !was && !now {
			continue
		}
		x.sent = c.rev
		rv := x.store.rv(c.rev)
		switch {
		case was && now:
			x.event(replay.Modified, c.now.ref, "")
		case now:
			x.event(replay.Added, c.now.ref, "")
		case x.store.quiet:
			x.event(replay.Deleted, c.was.ref, "")
		default:
			x.event(replay.Deleted, c.was.ref, rv)
		}
		return
	}
}

// event records what the watch gives; rv replaces the object's own.
func (x *watcher) event(kind string, r history.Ref, rv string) {
	if rv != "" {
		r.RV = rv
	}
	x.brought++
	x.given++
	x.notice(x.name, kind, x.call, r)
}

// tell sends a bookmark of all that has been given: not in the midst of a revision.
func (x *watcher) tell(mark bool) {
	rev := x.store.rev
	for i := x.next; i < len(x.store.log); i++ {
		if c := &x.store.log[i]; c.was != nil && x.scope.has(c.was) || c.now != nil && x.scope.has(c.now) {
			rev = c.rev - 1
			break
		}
	}
	if rev < x.sent {
		return
	}
	r := history.Ref{RV: x.store.rv(rev)}
	if mark {
		r.Fields = x.in.Set(map[string]string{replay.InitialEventsEnd: "true"})
	} else if last := &x.events[len(x.events)-1]; last.Actor == x.name && last.Kind == replay.Bookmark && x.chance(0.9) {
		return
	}
	x.notice(x.name, replay.Bookmark, x.call, r)
}

func (x *watcher) drain() {
	for x.call != 0 && (x.next < len(x.store.log) || len(x.initial) > 0 || x.mark) {
		before := len(x.initial)
		switch {
		case before > 0 || x.mark:
			x.step()
		default:
			x.read()
		}
	}
	if x.call != 0 && x.chance(0.8) {
		x.settle()
	}
}

// settle says that all has come; sometimes only up to where.
func (x *watcher) settle() {
	for x.next < len(x.store.log) {
		x.read()
	}
	r := history.Ref{}
	if x.chance(0.5) {
		r.RV = x.store.rv(x.store.rev)
	}
	x.notice(x.name, history.Settled, x.call, r)
}

// midst says that more changes of the last revision are to come: a server does
// not end a watch there.
func (x *watcher) midst() bool {
	for i := x.next; i < len(x.store.log) && x.store.log[i].rev <= x.sent; i++ {
		if c := &x.store.log[i]; c.rev > x.from && (c.was != nil && x.scope.has(c.was) || c.now != nil && x.scope.has(c.now)) {
			return true
		}
	}
	return false
}

// ends says whether this watch of a Steady run ends now and then.
func (x *watcher) ends() bool { return x.Ends && (x.fixed == 1 || x.fixed == 2) }

func (x *watcher) close() {
	kind := history.Ended
	if x.midst() || !x.Steady && x.chance(0.5) {
		kind = history.Stopped
	}
	x.notice(x.name, kind, x.call, history.Ref{})
	x.call = 0
}

// open chooses where a watch begins.
func (x *watcher) open() {
	x.scope = scopes[x.rnd.IntN(len(scopes))]
	if x.Steady {
		x.scope = steady[x.fixed%len(steady)]
	}
	args := x.scope.args()
	o := &args.Options
	x.initial, x.mark, x.given = nil, false, 0
	x.bookmarks = !x.Steady && x.chance(0.6) || x.Mixed && x.fixed%2 == 0 && x.fixed < 4
	o.AllowWatchBookmarks = x.bookmarks
	rev := x.store.rev
	switch p := x.rnd.Float64(); {
	case p < 0.55 || x.Steady || x.ByOrder && p < 0.8:
		if !x.Steady && !x.ByOrder && x.chance(0.7) {
			rev = max(first, rev-x.rnd.IntN(30))
		}
		switch {
		case x.ByOrder:
			x.list(args)
		case x.Ends && x.fixed == 1 && x.sent > 0:
			rev = x.sent
		case x.Ends && x.fixed == 2:
			rev, x.listed = x.listed, 0
		}
		o.ResourceVersion = x.store.rv(rev)
	case p < 0.62 && !x.ByOrder && !x.store.opaque: // from the future
		rev += 5
		o.ResourceVersion = x.store.rv(rev)
	case p < 0.7:
		no := false
		o.SendInitialEvents, o.ResourceVersionMatch = &no, "NotOlderThan"
	default:
		o.ResourceVersion = ""
		if x.chance(0.3) {
			o.ResourceVersion = "0"
		}
		rev = x.start(rev, o.ResourceVersion == "0")
		if x.chance(0.3) {
			yes := true
			o.SendInitialEvents, o.ResourceVersionMatch = &yes, "NotOlderThan"
		}
		x.mark = x.bookmarks
	}
	x.next, x.sent, x.from = x.store.after(rev), rev, rev
	x.call = x.world.call(x.name, replay.Watch, history.Ref{}, args.Flat())
	if x.chance(0.5) {
		x.answer(x.name, replay.Watch, x.call, history.Ref{}, nil)
	}
}

// start gathers the initial events, in any order, of now or, where any state
// will do, of a while ago.
func (x *watcher) start(rev int, anyState bool) int {
	if anyState && !x.ByOrder && x.chance(0.7) {
		rev = max(first, rev-x.rnd.IntN(10))
	}
	for _, o := range x.store.at(rev) {
		if x.scope.has(o) {
			x.initial = append(x.initial, o)
		}
	}
	x.rnd.Shuffle(len(x.initial), func(i, j int) { x.initial[i], x.initial[j] = x.initial[j], x.initial[i] })
	return rev
}

// list lists right before the watch: without resourceVersions of objects only that tells where it begins.
func (x *watcher) list(args replay.Args) {
	args.Options.ResourceVersion, args.Options.AllowWatchBookmarks = "", false
	call := x.world.call(x.name, replay.List, history.Ref{}, args.Flat())
	x.listAnswer(x.name, call, x.scope, x.store.rev, x.store.at(x.store.rev), replay.ListBody{})
}
