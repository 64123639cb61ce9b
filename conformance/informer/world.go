package informer

import (
	"slices"
	"strings"
	"sync"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// world is a history as the rules of this kind see it: what was written, and what each informer requested, notified and
// showed.
type world struct {
	h         *history.History
	timelines map[string]*timeline // by key
	writes    []*write             // the answered ones, in order: they do not overlap
	open      *write               // the last write, if it has no answer
	informers []*observed
	broken    int32 // the event with which the server broke the contract, or sent deletions in parts; 0: none
	virtual   bool
	downs     []int32 // events with which the network went down
	untrusted int32   // the event that shows that a client did not trust the server's certificate; 0: none
	end       int32   // the first event that does not count: the case was given up there
}

// write is a write by the drive or by the subject.
type write struct {
	call, done int32 // events; done is 0 while there is no answer
	state      state // after the write; of a deletion, with the resourceVersion of the deletion
	app        string
	labels     map[string]string
	deleted    bool
}

// observed is what a history shows of one informer.
type observed struct {
	w         *world
	actor     string
	timelines map[string]*timeline // by key; of the objects that its selectors choose
	writes    []*write             // of these objects
	args      runArgs
	bodies    sync.Map       // of without
	run       *history.Event // nil: it was not started
	laterRuns []*history.Event
	returned  *history.Event // of the first run
	stopped   *history.Event
	readings  readings // in the order of their returns
	handlers  []*listener
	errors    []*history.Event
	pushes    []*history.Event
	answered  []*history.Event // of writes of its own whose answers were held back
	settled   []int32          // SETTLED events
	uncertain bool             // its requests cannot be told from another informer's; exchanges is not complete

	exchanges []*rig.Exchange
	requests  []request
	shown     map[string]int32 // by resourceVersion: the first event with which the informer showed it
	watches   []*openWatch     // in the order in which they were opened
	lists     []*snapshot
	quiet     []quietMoment
}

// reading is what one call of a reading method returned.
type reading struct {
	kind       string
	call, done *history.Event
	synced     bool
	version    string
	value      string // of an index
	items      []history.Ref
}

type readings []*reading

// of returns the readings of a kind.
func (all readings) of(kind string) (out readings) {
	for _, l := range all {
		if l.kind == kind {
			out = append(out, l)
		}
	}
	return out
}

// item returns the object with a key; nil: the reading does not have it.
func (l *reading) item(key string) *history.Ref {
	return l.find(func(o history.Ref) bool { return o.Key == key })
}

// itemOf returns the object with a key and a uid; nil: the reading does not have it.
func (l *reading) itemOf(key, uid string) *history.Ref {
	return l.find(func(o history.Ref) bool { return o.Key == key && o.UID == uid })
}

func (l *reading) find(match func(history.Ref) bool) *history.Ref {
	if i := slices.IndexFunc(l.items, match); i >= 0 {
		return &l.items[i]
	}
	return nil
}

// listener is what a history shows of one handler.
type listener struct {
	v        *observed
	call     *history.Event // HANDLE
	returned *history.Event
	period   int64
	notices  []*notice
	synced   []*reading
	removed  *history.Event   // the first UNHANDLE
	gone     *history.Event   // the first return of one
	more     []*history.Event // the returns of further removals
	waits    bool
	settled  []int32
}

// notice is one notification.
type notice struct {
	noticeArgs
	kind       string
	call, done *history.Event // done is nil while the handler has not returned
	state      state
}

func (n *notice) String() string { return n.kind + " " + n.state.String() }

func worldOf(h *history.History) *world { return history.Derive(h, collect) }

func collect(h *history.History) *world {
	w := &world{h: h, timelines: map[string]*timeline{}, virtual: h.Header.Time == history.VirtualTime, end: int32(len(h.Events)) + 1}
	c := collector{w, map[string]*observed{}, map[string]*listener{}, map[int32]func(*history.Event){}}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Kind == history.GaveUp {
			w.end = e.Num
			break
		}
		c.event(e)
	}
	w.assignExchanges()
	for _, v := range w.informers {
		v.selectObjects()
		v.findLists()
		v.findSplitDeletions()
		v.findWatches()
	}
	for _, v := range w.informers { // whether the server broke the contract is known by now
		v.findShown()
		v.findRequests()
		v.findQuietMoments()
	}
	return w
}

// collector fills a world with one event after the other.
type collector struct {
	*world
	views     map[string]*observed
	listeners map[string]*listener
	onReturn  map[int32]func(*history.Event) // by the number of the call
}

func (c *collector) event(e *history.Event) {
	switch {
	case e.Phase == history.Return:
		if f := c.onReturn[e.Call]; f != nil {
			f(e)
		}
	case rig.IsServer(e.Actor):
		c.fault(e)
	case e.Actor == rig.WriterActor || e.Kind == writeKind || e.Kind == heldKind:
		if e.Phase == history.Call {
			c.write(e)
		}
	case isInformer(e.Actor):
		c.informer(e)
	case e.Kind == rig.Down && e.Phase == history.Call:
		c.downs = append(c.downs, e.Num)
	case e.Kind == rig.Untrusted:
		c.untrusted = e.Num
	case e.Actor != history.Engine:
		c.handler(e)
	}
}

// breaks are the faults by which a server breaks the contract that informers rely on. The others are what a network or a
// busy server does.
var breaks = []string{"drop", "double", "swap", "lie", "replace", "early", "stale"}

func (c *collector) fault(e *history.Event) {
	if e.Kind != rig.FaultStruck && e.Kind != rig.SpoiledFrame || c.broken != 0 {
		return
	}
	if does, _, _ := strings.Cut(history.BodyOf[rig.FaultBody](e).Does, " "); slices.Contains(breaks, does) {
		c.broken = e.Num
	}
}

func (c *collector) write(e *history.Event) {
	w := &write{call: e.Num, deleted: e.Kind == rig.DeleteKind, state: state{Key: e.Obj.Key}}
	c.open = w
	c.onReturn[e.Num] = func(e *history.Event) {
		c.open = nil
		if e.Err() != nil {
			return
		}
		w.done, w.state, w.app = e.Num, stateOf(&e.Obj), appOf(e.Obj.Labels)
		w.labels = e.Obj.Labels.Map()
		if n := len(c.writes) - 1; n >= 0 && w.deleted && c.writes[n].deleted && c.writes[n].state.RV == w.state.RV {
			w.call = c.writes[n].call // one write deleted both; it is recorded as two
		}
		c.writes = append(c.writes, w)
		key := w.state.Key
		if c.timelines[key] == nil {
			c.timelines[key] = &timeline{key: key, index: map[version][2]int{}}
		}
		c.timelines[key].add(w)
	}
}

func (c *collector) view(actor string) *observed {
	v := c.views[actor]
	if v == nil {
		v = &observed{w: c.world, actor: actor}
		c.views[actor] = v
		c.informers = append(c.informers, v)
	}
	return v
}

func (c *collector) informer(e *history.Event) {
	v := c.view(e.Actor)
	switch {
	case e.Kind == history.Settled:
		v.settled = append(v.settled, e.Num)
	case e.Kind == errorKind:
		v.errors = append(v.errors, e)
	case e.Kind == pushKind:
		v.pushes = append(v.pushes, e)
	case e.Kind == answeredKind:
		v.answered = append(v.answered, e)
	case e.Phase != history.Call:
	case e.Kind == runKind && v.run != nil:
		v.laterRuns = append(v.laterRuns, e)
	case e.Kind == runKind:
		v.run, v.args = e, history.ArgsOf[runArgs](e)
		c.onReturn[e.Num] = func(e *history.Event) { v.returned = e }
	case e.Kind == stopKind:
		if v.stopped == nil {
			v.stopped = e
		}
	default:
		c.read(e, func(l *reading) {
			if l.done.Err() == nil {
				v.readings = append(v.readings, l)
			}
		})
	}
}

// read calls keep with a reading when it has returned.
func (c *collector) read(e *history.Event, keep func(*reading)) {
	l := &reading{kind: e.Kind, call: e, value: history.ArgsOf[indexArgs](e).Value}
	c.onReturn[e.Num] = func(e *history.Event) {
		b := history.BodyOf[readingBody](e)
		l.done, l.synced, l.version, l.items = e, b.Synced, b.Version, history.Items(e)
		keep(l)
	}
}

func (c *collector) handler(e *history.Event) {
	l := c.listeners[e.Actor]
	switch {
	case e.Kind == handleKind && e.Phase == history.Call:
		a := history.ArgsOf[handleArgs](e)
		l = &listener{v: c.view(a.Informer), call: e, period: int64(a.Period)}
		c.listeners[e.Actor] = l
		l.v.handlers = append(l.v.handlers, l)
		c.onReturn[e.Num] = func(e *history.Event) { l.returned = e }
	case l == nil:
	case e.Kind == history.Settled:
		l.settled = append(l.settled, e.Num)
	case e.Phase != history.Call:
	case e.Kind == removeKind:
		if l.removed == nil {
			l.removed, l.waits = e, history.ArgsOf[removeArgs](e).Wait
		}
		c.onReturn[e.Num] = func(e *history.Event) {
			if l.gone != nil {
				l.more = append(l.more, e)
			} else {
				l.gone = e
			}
		}
	case e.Kind == syncedKind:
		c.read(e, func(s *reading) { l.synced = append(l.synced, s) })
	default:
		n := &notice{noticeArgs: history.ArgsOf[noticeArgs](e), kind: e.Kind, call: e, state: stateOf(&e.Obj)}
		l.notices = append(l.notices, n)
		c.onReturn[e.Num] = func(e *history.Event) { n.done = e }
	}
}

// assignExchanges gives each informer its requests. In a history of lwtest's first months a request does not say whose it is: if there are
// several informers, nobody knows.
func (w *world) assignExchanges() {
	started := w.started()
	unknown := false
	for _, x := range rig.Exchanges(w.h) {
		if !x.IsList() && !x.IsWatch() {
			continue
		}
		unknown = unknown || x.Asked.Client == "" && len(started) > 1
		for _, v := range started {
			of := x.Asked.Namespace == v.args.Namespace || x.Asked.Namespace == ""
			if of && (x.Asked.Client == v.actor || x.Asked.Client == "") {
				v.exchanges = append(v.exchanges, x)
			}
		}
	}
	for _, v := range started {
		if v.uncertain = unknown; unknown {
			v.exchanges = nil
		}
	}
}

// started returns the informers that were started; all, if none was: then the history does not have it.
func (w *world) started() []*observed {
	out := slices.DeleteFunc(slices.Clone(w.informers), func(v *observed) bool { return v.run == nil })
	if len(out) == 0 {
		return w.informers
	}
	return out
}

// stoppedBy reports whether the informer was stopped before an event.
func (v *observed) stoppedBy(num int32) bool { return v.stopped != nil && v.stopped.Num < num }

// findSplitDeletions looks for watches that the server ended between deletions of one resourceVersion. An informer that
// goes on from there is never sent the others, by no fault of its own.
func (v *observed) findSplitDeletions() {
	for i, x := range v.exchanges {
		if i+1 == len(v.exchanges) || !x.IsWatch() || x.Over == nil || x.How == "stopped" || len(x.Sent) == 0 || !v.w.trusted(x.Over.Num) {
			continue
		}
		last := x.Sent[len(x.Sent)-1]
		if next := v.exchanges[i+1]; last.Kind != "DELETED" || !next.IsWatch() || next.Options.ResourceVersion != last.Obj.RV {
			continue
		}
		missed := func(w *write) bool {
			return w.deleted && w.state.RV == last.Obj.RV && v.inNamespace(w.state.Key) && v.deletedEvent(w.state, v.w.end) == nil
		}
		if slices.ContainsFunc(v.writes, missed) {
			v.w.broken = x.Over.Num
		}
	}
}

// perInformer returns the rule's judge that applies judge to each informer.
func perInformer(judge func(*observed, *harness.Judgement)) func(*history.History) harness.Judgement {
	return func(h *history.History) (j harness.Judgement) {
		for _, v := range worldOf(h).informers {
			judge(v, &j)
		}
		return j
	}
}

// perHandler returns the rule's judge that applies judge to each handler.
func perHandler(judge func(*listener, *harness.Judgement)) func(*history.History) harness.Judgement {
	return perInformer(func(v *observed, j *harness.Judgement) {
		for _, l := range v.handlers {
			judge(l, j)
		}
	})
}
