package informer

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// said is the body of a reading of one thing.
type said struct {
	Synced  bool   `json:"synced,omitempty"`
	Version string `json:"version,omitempty"`
}

// look reads all that the informer tells: whether it has synced, its version, and then its store and its index.
// What it says first it must hold to when the store is read.
func (r *running) look() {
	r.readSynced()
	for _, h := range r.handlers {
		h.readSynced()
	}
	if v, ok := r.informer.(Versioned); ok && r.t.Has(Version) {
		r.t.Do(harness.Call{Actor: r.actor, Kind: versionKind}, func(context.Context) harness.Answer {
			return harness.Answer{Body: said{Version: v.Version()}}
		})
	}
	all := r.readStore()
	if r.config.Index != "" {
		r.readIndex(all)
	}
}

func (r *running) readSynced() {
	if s, ok := r.informer.(Synced); ok && r.t.Has(HasSynced) {
		r.t.Do(harness.Call{Actor: r.actor, Kind: syncedKind}, func(context.Context) harness.Answer {
			return harness.Answer{Body: said{Synced: s.HasSynced()}}
		})
	}
}

func (r *running) readStore() []history.Ref {
	all := r.readBeside()
	for _, o := range all {
		r.listed[o.Key] = true
	}
	return all
}

// readBeside reads it where others read, too.
func (r *running) readBeside() []history.Ref {
	_, a := r.t.Do(harness.Call{Actor: r.actor, Kind: listKind}, func(context.Context) harness.Answer {
		return r.answer(r.informer.List())
	})
	return a.Items
}

func (r *running) answer(all []json.RawMessage, err error) harness.Answer {
	if err != nil {
		return harness.Answer{Err: &history.Error{Msg: err.Error()}}
	}
	return harness.Answer{Items: byKey(r.d.objects(all))}
}

// byKey are objects by their keys: a store is a map, and its order says nothing.
func byKey(all []history.Ref) []history.Ref {
	slices.SortStableFunc(all, func(a, b history.Ref) int { return cmp.Compare(a.Key, b.Key) })
	return all
}

// object is the answer of one.
func (r *running) object(b json.RawMessage, err error) harness.Answer {
	switch {
	case err != nil:
		return harness.Answer{Err: &history.Error{Msg: err.Error()}}
	case b == nil:
		return harness.Answer{}
	}
	return harness.Answer{Obj: rig.Object(r.t, b)}
}

// sought are the arguments of a reading of an index.
type sought struct {
	Value string `json:"value"`
}

// readIndex asks it for each value that an object has, or was ever read to have, and for one that none has.
func (r *running) readIndex(all []history.Ref) {
	for _, o := range all {
		if v := appOf(o.Labels); v != "" {
			r.values[v] = true
		}
	}
	for _, v := range append([]string{"none-has-it"}, slices.Sorted(maps.Keys(r.values))...) {
		r.readValue(v)
	}
}

// readValue asks it for one.
func (r *running) readValue(v string) {
	r.t.Do(harness.Call{Actor: r.actor, Kind: indexKind, Args: sought{v}}, func(context.Context) harness.Answer {
		return r.answer(r.informer.(Indexed).ByIndex(v))
	})
}

// appOf is what the index ByApp makes of an object; "": it has no value.
func appOf(labels *history.Set) string {
	return labels.Get("app")
}

// poll looks again and again, each time that one of these times has passed, n times.
func (r *running) poll(every time.Duration, n int) {
	for range n {
		r.t.Sleep(every)
		r.t.Wait()
		r.look()
	}
}

// handler is one that was added.
type handler struct {
	r            *running
	actor        string
	call         int32 // of HANDLE
	registration Registration
	removed      bool
	gate         gate
}

// handled are the arguments of HANDLE.
type handled struct {
	Informer string        `json:"informer"`
	Period   time.Duration `json:"period,omitempty"`
}

// notified are those of a notification.
type notified struct {
	Initial bool     `json:"initial,omitempty"`
	Unknown bool     `json:"unknown,omitempty"`
	Old     *state   `json:"old,omitempty"`
	Held    *state   `json:"held,omitempty"`
	Indexed []string `json:"indexed,omitempty"`
}

// state is what a history keeps of an object beside the one that an event is about.
type state struct {
	Key  string `json:"key"`
	UID  string `json:"uid,omitempty"`
	RV   string `json:"rv,omitempty"`
	Body string `json:"body,omitempty"`
}

func (r *running) stateOf(b json.RawMessage) *state {
	if len(b) == 0 {
		return nil
	}
	o := rig.Object(r.t, b)
	return &state{o.Key, o.UID, o.RV, o.Body}
}

// handle adds a handler, whose notifications are recorded under this actor; nil: it was refused.
func (r *running) handle(actor string, period time.Duration) *handler {
	h := &handler{r: r, actor: actor}
	h.gate.init()
	return r.add(h, period)
}

// handleHeld adds one whose calls for one object are held from the first on.
func (r *running) handleHeld(actor, only string) *handler {
	h := &handler{r: r, actor: actor}
	h.gate.init()
	h.gate.hold(only)
	return r.add(h, 0)
}

func (r *running) add(h *handler, period time.Duration) *handler {
	actor := h.actor
	r.d.turns.Of(actor) // in the order of their coming, not of what they are told first
	h.call, _ = r.t.Do(harness.Call{Actor: actor, Kind: handleKind, Args: handled{r.actor, period}}, func(context.Context) harness.Answer {
		var err error
		h.registration, err = r.informer.(Handled).Handle(h.tell, period)
		if err != nil {
			return harness.Answer{Err: &history.Error{Msg: err.Error()}}
		}
		return harness.Answer{}
	})
	if h.registration == nil {
		return nil
	}
	r.handlers = append(r.handlers, h)
	return h
}

// tell records a notification, and that the handler has returned from it.
func (h *handler) tell(n Notice) {
	o := history.Ref{Key: n.Key}
	if n.Object != nil {
		o = rig.Object(h.r.t, n.Object)
	}
	if h.r.t.Has(ManyHandlers) { // else it may be called with a lock held, which must not last in fake time
		h.r.d.turns.Take(h.r.t, h.actor)
	}
	num := h.r.t.Begin(harness.Call{Actor: h.actor, Kind: n.Type, Obj: o, Args: notified{n.Initial, n.Unknown, h.r.stateOf(n.Old), h.r.stateOf(n.Held), n.Indexed}})
	h.gate.pass(h.r.t.Context(), o.Key)
	h.r.t.End(num, h.actor, n.Type, harness.Answer{})
}

func (h *handler) readSynced() {
	if !h.r.t.Has(HandlerSynced) {
		return
	}
	h.r.t.Do(harness.Call{Actor: h.actor, Kind: syncedKind}, func(context.Context) harness.Answer {
		return harness.Answer{Body: said{Synced: h.registration.HasSynced()}}
	})
}

// removal are the arguments of UNHANDLE.
type removal struct {
	Wait bool `json:"wait,omitempty"`
}

// remove takes it away.
func (h *handler) remove(wait bool) {
	h.removed = true
	h.r.t.Do(harness.Call{Actor: h.actor, Kind: removeKind, Args: removal{wait}}, func(context.Context) harness.Answer {
		if err := h.registration.Remove(wait); err != nil {
			return harness.Answer{Err: &history.Error{Msg: err.Error()}}
		}
		return harness.Answer{}
	})
}

func (h *handler) holding() bool         { return h.gate.isHeld() }
func (h *handler) knows(key string) bool { return h.gate.has(key) }
