package informer

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// Actors of a history beside the server, the writer and the handlers: an informer, and one of the other namespace. Later
// ones of a namespace are "informer-2", "second-2" and so on.
const (
	informerActor = "informer"
	secondActor   = "second"
)

// isInformer reports whether actor names an informer.
func isInformer(actor string) bool { return isSecond(actor) || first(actor) == informerActor }

// isSecond reports whether actor names an informer of the other namespace.
func isSecond(actor string) bool { return first(actor) == secondActor }

func first(actor string) string {
	name, _, _ := strings.Cut(actor, "-")
	return name
}

// The kinds of the calls that a drive makes to an informer, and of the notices that the informer gives.
const (
	runKind     = "RUN"      // returns when it has stopped
	stopKind    = "STOP"     // its context ends
	listKind    = "STORE"    // everything in its store
	getKind     = "GET"      // what its store has under one key
	syncedKind  = "SYNCED"   // HasSynced, of the informer or of a handler's registration
	versionKind = "VERSION"  // the resourceVersion of the store
	indexKind   = "INDEX"    // what an index has for one value
	handleKind  = "HANDLE"   // a handler is added
	removeKind  = "UNHANDLE" // and removed
	errorKind   = "TOLD"     // an error, by the error hook
	pushKind    = "PUSH"
	writeKind   = "WRITE" // by the subject itself
	readKind    = "READ"  // of what it wrote

	heldKind     = "HELD-WRITE" // by the subject itself; it returns when the server has done it, and the subject has no answer yet
	answeredKind = "ANSWERED"   // the subject's call of a HELD-WRITE has returned
)

// driver is the world in which the steps of this kind act.
type driver struct {
	*rig.Driver
	t         *harness.T
	subject   Subject
	informers []*running // in the order in which they were opened
	handlers  story.Refs[*handler]
	deadline  time.Time // of until-comes
}

// running is one informer.
type running struct {
	d        *driver
	t        *harness.T
	actor    string
	config   Config
	informer Informer
	call     int32                // of RUN; 0: it was not started
	cancel   []context.CancelFunc // of each run
	canceled bool
	done     chan struct{}
	handlers []*handler
	listed   map[string]bool // keys that its store was ever read to have
	values   map[string]bool // and values of the index ByApp
	pushed   pushed
}

// play plays a story on a driver. Unless the story opens it itself, the first informer is opened before the first step.
func play(t *harness.T, r Rig, s story.Story) {
	d := &driver{Driver: rig.NewDriver(t, r.Server), t: t, subject: r.Subject}
	d.Find()
	opens := func(s story.Step) bool { return s.Op == "open" && actorOf(s) == informerActor }
	if !slices.ContainsFunc(s.Steps, opens) && d.open(informerActor, d.config(informerActor)) != nil {
		return // the case was given up
	}
	vocabulary.Play(t, d, s)
}

// config returns the configuration of an informer without options.
func (d *driver) config(actor string) Config {
	c := Config{Server: d.Server.Endpoint(actor), Resource: configMaps, Namespace: d.Own}
	if isSecond(actor) {
		c.Namespace = d.Other
	}
	return c
}

// open makes an informer, which is not started yet. If that fails it gives the case up, and returns ErrEnd.
func (d *driver) open(actor string, c Config) error {
	r := &running{d: d, t: d.t, actor: actor, config: c, done: make(chan struct{}), listed: map[string]bool{}, values: map[string]bool{}}
	if d.t.Has(ErrorHook) {
		c.Failed = func(err error) {
			d.t.Seen(actor, errorKind, r.call, harness.Answer{Body: errorBody{Error: fmt.Sprint(err)}})
		}
	}
	if d.t.Has(Pushes) {
		c.Push = func(all []json.RawMessage) {
			items := byKey(d.objects(all))
			d.t.Seen(actor, pushKind, r.call, harness.Answer{Items: items})
			r.pushed.set(items)
		}
	}
	var err error
	d.t.Try(actor, 0, func() { r.informer, err = d.subject.New(c) })
	if err != nil || r.informer == nil {
		d.t.GiveUp("the informer could not be made: %v", err)
		return story.ErrEnd
	}
	d.informers = append(d.informers, r)
	return nil
}

// informer returns the informer with a name. The error makes the step not apply.
func (d *driver) informer(actor string) (*running, error) {
	i := slices.IndexFunc(d.informers, func(r *running) bool { return r.actor == actor })
	if i < 0 {
		return nil, story.SkipStep("there is no informer %s", actor)
	}
	return d.informers[i], nil
}

// choose returns the informers for which keep holds, in the order in which they were opened.
func (d *driver) choose(keep func(*running) bool) (out []*running) {
	for _, r := range d.informers {
		if keep(r) {
			out = append(out, r)
		}
	}
	return out
}

func (r *running) runs() bool      { return r.call != 0 && !r.canceled }
func (r *running) stoppable() bool { return !r.canceled }

// errorBody is the body of what the error hook was told.
type errorBody struct {
	Error string `json:"error"`
}

// runArgs are the arguments of RUN.
type runArgs struct {
	Namespace string        `json:"namespace"`
	Labels    string        `json:"labels,omitempty"` // selector
	Fields    string        `json:"fields,omitempty"` // selector
	Resync    time.Duration `json:"resync,omitempty"`
	PageSize  int64         `json:"pageSize,omitempty"`
	Transform string        `json:"transform,omitempty"`
	Index     string        `json:"index,omitempty"`
}

// start runs it. It is stopped with the case at the latest.
func (r *running) start() {
	c := r.config
	r.run(runArgs{c.Namespace, c.LabelSelector, c.FieldSelector, c.Resync, c.PageSize, c.Transform, c.Index}, r.done)
}

// startAgain runs it a second time, beside the first or after it.
func (r *running) startAgain() {
	r.run(runArgs{Namespace: r.config.Namespace}, make(chan struct{}))
}

// run calls Run, and closes done when it returns.
func (r *running) run(args runArgs, done chan struct{}) {
	ctx, end := context.WithCancel(r.t.Context())
	r.cancel = append(r.cancel, end)
	call := r.t.Begin(harness.Call{Actor: r.actor, Kind: runKind, Args: args})
	if r.call == 0 {
		r.call = call // before the informer can call its hooks, which read it
	}
	r.t.Go(func() {
		defer close(done)
		r.t.Try(r.actor, call, func() { r.informer.Run(ctx) })
		r.t.End(call, r.actor, runKind, harness.Answer{})
	})
	r.t.Cleanup(func() {
		end()
		for _, h := range r.handlers {
			h.gate.release()
		}
		<-done
	})
}

// end ends its context.
func (r *running) end() {
	r.canceled = true
	r.t.Do(harness.Call{Actor: r.actor, Kind: stopKind}, func(context.Context) harness.Answer {
		for _, cancel := range r.cancel {
			cancel()
		}
		return harness.Answer{}
	})
}

// awaitStop waits until it has stopped, or has had all the time that it may need.
func (r *running) awaitStop() {
	if r.t.Virtual() {
		r.t.Idle()
		r.t.Settled(r.actor, r.call, "")
		return
	}
	select {
	case <-r.done:
		r.t.Sleep(200 * time.Millisecond) // for what comes too late
		r.t.Settled(r.actor, r.call, "")
	case <-time.After(sentinelLimit):
	}
}

// sentinelLimit is how long something may take in real time; after that a missing event proves nothing. An
// informer that polls gets it with its next list, half a minute after the last.
const (
	sentinelLimit = 8 * time.Second
	pollLimit     = 30*time.Second + sentinelLimit
)

// settle waits until nothing moves, while nothing is written, and looks at all informers that run. In real time it waits
// until the last write has arrived. If something still goes wrong, only the look is left: nobody has come to rest.
func (d *driver) settle() error {
	all := d.choose((*running).runs)
	switch {
	case d.t.Virtual():
		if why := d.Idle(); why != "" {
			for _, r := range all {
				r.look()
			}
			return story.SkipStep("%s", why)
		}
	case !d.arrived(all):
		return nil
	}
	for _, r := range all {
		r.awaitSynced()
		r.atRest()
	}
	return nil
}

// syncedLimit is how long after its last call the registration of a handler may take, in real time, to say that it is synced:
// client-go tells it on a goroutine of its own, which a busy machine may not have run yet.
const syncedLimit = 2 * time.Second

// awaitSynced waits, in real time, until the registrations of handlers that are not held say that they are synced, and records
// nothing of that. The look that follows judges those that do not.
func (r *running) awaitSynced() {
	if r.t.Virtual() || !r.t.Has(HandlerSynced) {
		return
	}
	limit := time.Now().Add(syncedLimit)
	for _, h := range r.handlers {
		synced := h.gate.isHeld() || h.removed.Load()
		for !synced && time.Now().Before(limit) && r.t.Context().Err() == nil {
			r.t.Try(h.actor, h.call, func() { synced = h.registration.HasSynced() })
			r.t.Sleep(5 * time.Millisecond)
		}
	}
}

// atRest records that nothing moves any more, except for handlers that are held, and looks.
func (r *running) atRest() {
	r.t.Settled(r.actor, r.call, "")
	for _, h := range r.handlers {
		if !h.gate.isHeld() && !h.removed.Load() {
			r.t.Settled(h.actor, h.call, "")
		}
	}
	r.look()
	r.readEach()
}

// sentinel puts an object after all else, and returns its key. For an informer of all namespaces it is in the client's.
func (d *driver) sentinel(ns string) string {
	name := fmt.Sprint("sentinel-", d.Count.Add(1))
	if ns == d.Other {
		name = "other/" + name
	}
	d.PutObject(d.ConfigMap(name, "", map[string]string{"app": "one"})) // which the selectors of stories choose
	return d.Key(name)
}

// arrived waits, in real time, until informers have everything that was written, and reports whether they have. One
// sentinel is not enough: it may come with a whole list, whose objects are notified in any order. The second comes after
// all of that list. Each informer awaits every sentinel of its namespace.
func (d *driver) arrived(all []*running) bool {
	for range 2 {
		var keys []string
		for _, r := range all {
			keys = append(keys, d.sentinel(r.config.Namespace))
		}
		for _, r := range all {
			for _, key := range keys {
				if r.serves(key) && !r.reached(key) {
					return false
				}
			}
		}
	}
	for _, r := range all {
		r.awaitTold()
	}
	return true
}

// serves reports whether an object is in the informer's namespace.
func (r *running) serves(key string) bool {
	ns, _, _ := strings.Cut(key, "/")
	return r.config.Namespace == "" || r.config.Namespace == ns
}

// toldLimit is how long after its last call a handler may still be called for what came before a sentinel.
const toldLimit = time.Second

// awaitTold waits, in real time, until each handler was called for the last state of each object, or is not called any more: calls for
// other objects than a sentinel may come after it.
func (r *running) awaitTold() {
	begun := time.Now()
	for since, calls := begun, r.calls(); !r.toldAll() && time.Since(since) < toldLimit && time.Since(begun) < 4*sentinelLimit && r.t.Context().Err() == nil; r.t.Sleep(5 * time.Millisecond) {
		if n := r.calls(); n > calls {
			since, calls = time.Now(), n
		}
	}
}

func (r *running) toldAll() bool {
	for _, h := range r.handlers {
		if h.gate.isHeld() || h.removed.Load() {
			continue
		}
		for _, key := range slices.Concat(h.gate.keys(), r.d.Keys()) {
			if r.serves(key) && !h.gate.knows(key, r.d.Version(key)) {
				return false
			}
		}
	}
	return true
}

// reached waits, in real time, until the store has an object, it was pushed, and every handler that is not held was called
// for it. It reports whether that came to hold.
func (r *running) reached(key string) bool {
	there := r.coming(key)
	return r.within(func() bool {
		there := there() && (!r.t.Has(Pushes) || r.pushed.has(key))
		for _, h := range r.handlers {
			there = there && (h.gate.isHeld() || h.removed.Load() || h.gate.has(key))
		}
		return there
	})
}

// within reports whether something comes to hold in time, in real time. While handlers are called, the time begins anew, up to
// four times: thousands of changes take long on a busy machine.
func (r *running) within(holds func() bool) bool {
	limit := sentinelLimit
	if r.t.Has(Polls) {
		limit = pollLimit
	}
	begun := time.Now()
	for since, calls := begun, 0; time.Since(since) < limit && time.Since(begun) < 4*limit && r.t.Context().Err() == nil; r.t.Sleep(5 * time.Millisecond) {
		if holds() {
			return true
		}
		if n := r.calls(); n > calls {
			since, calls = time.Now(), n
		}
	}
	return false
}

// calls counts the calls of all handlers so far.
func (r *running) calls() int {
	n := 0
	for _, h := range r.handlers {
		n += int(h.gate.calls.Load())
	}
	return n
}

// objects returns what a history keeps of each object.
func (d *driver) objects(all []json.RawMessage) []history.Ref {
	out := make([]history.Ref, 0, len(all))
	for _, b := range all {
		out = append(out, rig.Object(d.t, b))
	}
	return out
}
