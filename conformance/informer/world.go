package informer

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// world is a history as the rules of this kind see it: what was written, and of each informer what it asked, what it
// was told, what it has shown.
type world struct {
	h         *history.History
	lines     map[string]*line // by key: what each object was
	writes    []*write         // in their order: one was made after the other
	open      *write           // the last that was called, where it has no answer
	informers []*observed
	broken    int32 // the event with which the server has broken the contract itself, or what it lost cannot be known; 0: it has not
	virtual   bool
	downs     []int32 // events with which the network went
	end       int32   // after this nothing counts: the drive was given up there
}

func (w *world) has(f harness.Feature) bool { return slices.Contains(w.h.Header.Features, string(f)) }

// write is one of the drive's own, or of the subject's.
type write struct {
	call, done int32 // events; done is 0 while it has no answer
	now        state // with the resourceVersion by which it was so
	app        string
	gone       bool
}

// line is what an object was, one write after the other.
type line struct {
	key    string
	writes []*write
	index  map[version][2]int // of the writes that made an object so, the first and the last
}

// observed is what a history shows of one informer.
type observed struct {
	w         *world
	actor     string
	args      asked
	run       *history.Event // nil: it was not started
	again     []*history.Event
	returned  *history.Event // of the first run
	stopped   *history.Event
	looks     []*reading // readings, in their order
	handlers  []*listener
	errors    []*history.Event
	pushes    []*history.Event
	exchanges []*rig.Exchange
	watches   []*openWatch // in the order in which they were opened
	lists     []*wholeList
	blurred   bool    // requests of its own cannot be told from another informer's, and are none of the exchanges
	rests     []int32 // SETTLED events
}

// reading is what one reading of an informer returned.
type reading struct {
	kind       string
	call, done *history.Event
	synced     bool
	version    string
	value      string // of an index
	items      []history.Ref
}

// listener is one handler.
type listener struct {
	v        *observed
	actor    string
	call     *history.Event // HANDLE
	returned *history.Event
	period   int64
	notices  []*notice
	synced   []*reading
	removed  *history.Event   // UNHANDLE
	gone     *history.Event   // its return
	more     []*history.Event // the returns of further removals
	waits    bool
	rests    []int32
}

// notice is one notification.
type notice struct {
	notified
	kind       string
	call, done *history.Event // done is nil while the handler has not returned
	now        state
}

// worldOf is that of a history.
func worldOf(h *history.History) *world { return history.Derive(h, collect) }

func collect(h *history.History) *world {
	w := &world{h: h, lines: map[string]*line{}, virtual: h.Header.Time == history.VirtualTime, end: int32(len(h.Events)) + 1}
	c := collector{world: w, views: map[string]*observed{}, listeners: map[string]*listener{}, writes: map[int32]*write{}, looks: map[int32]*reading{}, notices: map[int32]*notice{}}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Kind == history.GaveUp {
			w.end = e.Num
			break
		}
		c.event(e)
	}
	w.exchanges()
	for _, v := range w.informers {
		v.gather()
		v.parts()
		v.watches = v.opened()
	}
	return w
}

type collector struct {
	*world
	views     map[string]*observed
	listeners map[string]*listener
	writes    map[int32]*write
	looks     map[int32]*reading
	notices   map[int32]*notice
}

func (c *collector) event(e *history.Event) {
	switch {
	case rig.IsServer(e.Actor):
		c.fault(e)
	case e.Actor == rig.WriterActor || e.Kind == writeKind:
		c.write(e)
	case isInformer(e.Actor):
		c.informer(e)
	case e.Kind == rig.Down && e.Phase == history.Call:
		c.downs = append(c.downs, e.Num)
	case e.Actor != history.Engine:
		c.listener(e)
	}
}

// breaks are faults that make a server break the contract that informers rely on; the others are what a network, or a
// server that is busy, does.
var breaks = []string{"drop", "double", "swap", "lie", "replace", "early", "stale"}

func (c *collector) fault(e *history.Event) {
	if e.Kind != rig.FaultStruck && e.Kind != rig.SpoiledFrame || c.broken != 0 {
		return
	}
	if does, _, _ := strings.Cut(bodyOf[rig.FaultBody](e).Does, " "); slices.Contains(breaks, does) {
		c.broken = e.Num
	}
}

func (c *collector) write(e *history.Event) {
	switch e.Phase {
	case history.Call:
		w := &write{call: e.Num, gone: e.Kind == rig.DeleteKind, now: state{Key: e.Obj.Key}}
		c.writes[e.Num], c.open = w, w
	case history.Return:
		w := c.writes[e.Call]
		c.open = nil
		if w == nil || e.Err() != nil {
			return
		}
		w.done, w.now = e.Num, state{e.Obj.Key, e.Obj.UID, e.Obj.RV, e.Obj.Body}
		w.app = appOf(e.Obj.Labels)
		c.world.writes = append(c.world.writes, w)
		l := c.lines[w.now.Key]
		if l == nil {
			l = &line{key: w.now.Key, index: map[version][2]int{}}
			c.lines[w.now.Key] = l
		}
		if w.gone && len(l.writes) > 0 {
			w.now.UID = l.writes[len(l.writes)-1].now.UID
		}
		l.add(w)
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
	case e.Kind == runKind:
		v.runs(e)
	case e.Kind == stopKind && e.Phase == history.Call:
		if v.stopped == nil {
			v.stopped = e
		}
	case e.Kind == history.Settled:
		v.rests = append(v.rests, e.Num)
	case e.Kind == errorKind:
		v.errors = append(v.errors, e)
	case e.Kind == pushKind:
		v.pushes = append(v.pushes, e)
	case e.Phase == history.Call:
		l := &reading{kind: e.Kind, call: e}
		var s sought
		read(e, &s)
		l.value, c.looks[e.Num] = s.Value, l
	case e.Phase == history.Return:
		if l := c.looks[e.Call]; l != nil && e.Err() == nil {
			l.is(e)
			v.looks = append(v.looks, l)
		}
	}
}

func (v *observed) runs(e *history.Event) {
	switch {
	case e.Phase == history.Return && v.run != nil && e.Call == v.run.Num:
		v.returned = e
	case e.Phase == history.Return:
	case v.run == nil:
		v.run = e
		read(e, &v.args)
	default:
		v.again = append(v.again, e)
	}
}

// is takes what a reading has brought.
func (l *reading) is(e *history.Event) {
	l.done = e
	if e.X != nil {
		var s said
		_ = json.Unmarshal(e.X.Body, &s) // of what says no more
		l.synced, l.version, l.items = s.Synced, s.Version, e.X.Items
	}
}

// read reads the arguments of a call.
func read(e *history.Event, v any) {
	if e.X != nil {
		_ = json.Unmarshal(e.X.Args, v) // a drive wrote it
	}
}

func (c *collector) listener(e *history.Event) {
	l := c.listeners[e.Actor]
	switch {
	case e.Kind == handleKind && e.Phase == history.Call:
		var a handled
		read(e, &a)
		l = &listener{v: c.view(a.Informer), actor: e.Actor, call: e, period: int64(a.Period)}
		c.listeners[e.Actor] = l
		l.v.handlers = append(l.v.handlers, l)
	case l == nil:
	case e.Kind == handleKind:
		l.returned = e
	case e.Kind == history.Settled:
		l.rests = append(l.rests, e.Num)
	case e.Kind == removeKind && e.Phase == history.Call && l.removed != nil:
	case e.Kind == removeKind && e.Phase == history.Call:
		var r removal
		read(e, &r)
		l.removed, l.waits = e, r.Wait
	case e.Kind == removeKind && l.gone != nil:
		l.more = append(l.more, e)
	case e.Kind == removeKind:
		l.gone = e
	case e.Kind == syncedKind && e.Phase == history.Call:
		c.looks[e.Num] = &reading{kind: e.Kind, call: e}
	case e.Kind == syncedKind:
		if s := c.looks[e.Call]; s != nil {
			s.is(e)
			l.synced = append(l.synced, s)
		}
	default:
		c.notice(l, e)
	}
}

func (c *collector) notice(l *listener, e *history.Event) {
	switch e.Phase {
	case history.Call:
		n := &notice{kind: e.Kind, call: e, now: state{e.Obj.Key, e.Obj.UID, e.Obj.RV, e.Obj.Body}}
		read(e, &n.notified)
		c.notices[e.Num] = n
		l.notices = append(l.notices, n)
	case history.Return:
		if n := c.notices[e.Call]; n != nil {
			n.done = e
		}
	}
}

// exchanges gives each informer its own requests: those of its namespace, until the next one is started there. One may
// ask for all namespaces, too, and keep what is of its own: where there are others, whose request that is cannot be known.
func (w *world) exchanges() {
	for _, v := range w.informers {
		v.blurred = slices.ContainsFunc(w.informers, func(o *observed) bool { return o != v && o.beside(v) })
	}
	for _, x := range rig.Exchanges(w.h) {
		if !x.IsList() && !x.IsWatch() {
			continue
		}
		of := func(v *observed) bool { return v.args.Namespace == x.Asked.Namespace && w.turnOf(v, x.Call.Num) }
		everywhere := x.Asked.Namespace == "" && !slices.ContainsFunc(w.informers, of)
		for _, v := range w.informers {
			switch {
			case v.blurred:
			case of(v), everywhere && len(w.informers) == 1:
				v.exchanges = append(v.exchanges, x)
			case everywhere:
				v.blurred = true
			}
		}
	}
}

// beside says that two informers of one namespace ran at the same time.
func (v *observed) beside(o *observed) bool {
	over := func(v *observed, by *history.Event) bool { return v.stopped != nil && v.stopped.Num < by.Num }
	return v.args.Namespace == o.args.Namespace && v.run != nil && o.run != nil && !over(v, o.run) && !over(o, v.run)
}

// turnOf says that of the informers of its namespace an informer was the last that was started by an event, or the first
// of all where none was.
func (w *world) turnOf(v *observed, num int32) bool {
	var last *observed
	for _, o := range w.informers {
		if o.args.Namespace == v.args.Namespace && (last == nil || o.run != nil && o.run.Num < num) {
			last = o
		}
	}
	return v == last
}

// parts looks for watches that the server ended amid deletions of one resourceVersion: whoever goes on from there never
// hears of the others, by no fault of its own.
func (v *observed) parts() {
	for i, x := range v.exchanges {
		if i+1 == len(v.exchanges) || !x.IsWatch() || x.Over == nil || x.How == "stopped" || len(x.Sent) == 0 || v.w.broken != 0 && v.w.broken < x.Over.Num {
			continue
		}
		last := x.Sent[len(x.Sent)-1]
		if next := v.exchanges[i+1]; last.Kind != "DELETED" || !next.IsWatch() || next.Options.ResourceVersion != last.Obj.RV {
			continue
		}
		for _, l := range v.mine() {
			if slices.ContainsFunc(l.writes, func(w *write) bool {
				return w.gone && w.now.RV == last.Obj.RV && v.deleted(w.now, v.w.end) == nil
			}) {
				v.w.broken = x.Over.Num
			}
		}
	}
}

// bodyOf is the body of an event as some type; zero where it says no such thing.
func bodyOf[B any](e *history.Event) (b B) {
	if e.X != nil {
		_ = json.Unmarshal(e.X.Body, &b) // of what says nothing more
	}
	return b
}
