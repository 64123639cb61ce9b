package informer

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// handler is a handler that a story has added.
type handler struct {
	r            *running
	actor        string
	call         int32 // of HANDLE
	registration Registration
	removed      atomic.Bool // asynchronous steps remove, too
	removing     atomic.Bool // a removal has not returned yet
	gate         gate
}

// handleArgs are the arguments of a HANDLE.
type handleArgs struct {
	Informer string        `json:"informer"`
	Period   time.Duration `json:"period,omitempty"`
}

// removeArgs are the arguments of an UNHANDLE.
type removeArgs struct {
	Wait bool `json:"wait,omitempty"`
}

// noticeArgs are the arguments of a notification.
type noticeArgs struct {
	Initial bool     `json:"initial,omitempty"`
	Unknown bool     `json:"unknown,omitempty"`
	Old     *state   `json:"old,omitempty"`
	Held    *state   `json:"held,omitempty"`
	Indexed []string `json:"indexed,omitempty"`
}

// state is what a history keeps of an object.
type state struct {
	Key  string `json:"key"`
	UID  string `json:"uid,omitempty"`
	RV   string `json:"rv,omitempty"`
	Body string `json:"body,omitempty"`
}

// stateOf returns the state of an object in JSON; nil if there is none.
func (r *running) stateOf(b json.RawMessage) *state {
	if len(b) == 0 {
		return nil
	}
	o := rig.Object(r.t, b)
	s := stateOf(&o)
	return &s
}

// handle adds a handler whose notifications are recorded with this actor, and returns nil if it was refused. prepare, if not
// nil, is called before it is added.
func (r *running) handle(actor string, period time.Duration, prepare func(*handler)) *handler {
	h := &handler{r: r, actor: actor}
	h.gate.init()
	if prepare != nil {
		prepare(h)
	}
	r.d.Turns.Of(actor) // in the order in which handlers are added, not in that of their first notifications
	h.call, _ = r.t.Do(harness.Call{Actor: actor, Kind: handleKind, Args: handleArgs{r.actor, period}}, func(context.Context) harness.Answer {
		var err error
		if o, ok := r.informer.(Overlapping); ok {
			h.registration, err = o.HandleOverlapping(h.tell, period)
		} else {
			h.registration, err = r.informer.(Handled).Handle(func(n Notice) { h.tell(n, func() {}) }, period)
		}
		return answerOf(err)
	})
	if h.registration == nil {
		return nil
	}
	r.handlers = append(r.handlers, h)
	return h
}

// tell records a notification, says that it has begun, waits at the gate, and records that the handler has returned.
func (h *handler) tell(n Notice, begun func()) {
	o := history.Ref{Key: n.Key}
	if n.Object != nil {
		o = rig.Object(h.r.t, n.Object)
	}
	if h.r.t.Has(ManyHandlers) { // without it the call may hold a lock, for which fake time must not wait
		h.r.d.Turns.Take(h.r.t, h.actor)
	}
	num := h.r.t.Begin(harness.Call{Actor: h.actor, Kind: n.Type, Obj: o, Args: noticeArgs{n.Initial, n.Unknown, h.r.stateOf(n.Old), h.r.stateOf(n.Held), n.Indexed}})
	begun()
	rv := o.RV
	if n.Type == Deleted {
		rv = ""
	}
	h.gate.pass(h.r.t.Context(), o.Key, rv)
	h.r.t.End(num, h.actor, n.Type, harness.Answer{})
}

func (h *handler) readSynced() {
	if h.r.t.Has(HandlerSynced) {
		h.r.t.Do(harness.Call{Actor: h.actor, Kind: syncedKind}, func(context.Context) harness.Answer {
			return harness.Answer{Body: readingBody{Synced: h.registration.HasSynced()}}
		})
	}
}

// remove removes the handler.
func (h *handler) remove(wait bool) {
	h.removed.Store(true)
	h.removing.Store(true)
	defer h.removing.Store(false)
	h.r.t.Do(harness.Call{Actor: h.actor, Kind: removeKind, Args: removeArgs{wait}}, func(context.Context) harness.Answer {
		return answerOf(h.registration.Remove(wait))
	})
}

// gate holds a handler's calls, all or those of one object. It may be used concurrently.
type gate struct {
	mu   sync.Mutex
	open chan struct{} // closed while no call is held
	only string        // the object whose calls are held; "": all
	held bool
	told map[string]string // by key: the resourceVersion that the last call was about; "": it was deleted

	takes time.Duration // what each call takes; set before the first
	calls atomic.Int64
}

func (g *gate) init() {
	g.open, g.told = make(chan struct{}), map[string]string{}
	close(g.open)
}

// hold holds calls from now on: those of an object, or all ("").
func (g *gate) hold(only string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.only = only; !g.held {
		g.open, g.held = make(chan struct{}), true
	}
}

// release lets calls go on.
func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held {
		close(g.open)
		g.held = false
	}
}

// pass waits for as long as a call takes, and while calls of that object are held, or until the case ends. rv is the object's
// resourceVersion; empty: it was deleted.
func (g *gate) pass(ctx context.Context, key, rv string) {
	g.mu.Lock()
	g.told[key] = rv
	open, only := g.open, g.only
	g.mu.Unlock()
	g.calls.Add(1)
	if g.takes > 0 {
		select {
		case <-time.After(g.takes):
		case <-ctx.Done():
		}
	}
	if only != "" && only != key {
		return
	}
	select {
	case <-open:
	case <-ctx.Done():
	}
}

func (g *gate) isHeld() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.held
}

func (g *gate) has(key string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, ok := g.told[key]
	return ok
}

// knows reports whether the last call for an object was about this resourceVersion. Empty: it was about the deletion, or there was none.
func (g *gate) knows(key, rv string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.told[key] == rv
}

// keys returns the keys of all objects that calls were about.
func (g *gate) keys() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Keys(g.told))
}
