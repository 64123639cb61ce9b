package informer

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// Actors of a history beside the server and the handlers: an informer, and the drive's own hand.
const (
	informerActor = "informer"
	secondActor   = "second" // the informer of another namespace
	writerActor   = "writer"
)

// turn is the actor of the nth informer of a namespace, which is started when the one before has stopped.
func turn(actor string, n int) string {
	if n == 1 {
		return actor
	}
	return fmt.Sprint(actor, "-", n)
}

// isInformer says that an actor is an informer.
func isInformer(actor string) bool {
	first, _, _ := strings.Cut(actor, "-")
	return first == informerActor || first == secondActor
}

// The kinds of what a drive does with an informer.
const (
	runKind     = "RUN"      // until it has stopped
	stopKind    = "STOP"     // its context ends
	listKind    = "STORE"    // all that its store has
	getKind     = "GET"      // what it has under one key
	syncedKind  = "SYNCED"   // what HasSynced says; of a handler, what its registration's does
	versionKind = "VERSION"  // what the store tells
	indexKind   = "INDEX"    // what an index gives for one value
	handleKind  = "HANDLE"   // a handler is added
	removeKind  = "UNHANDLE" // and removed
	errorKind   = "TOLD"     // an error, by the error hook
	pushKind    = "PUSH"
	writeKind   = "WRITE" // by the subject itself
	readKind    = "READ"  // of what it wrote
)

// driver is what the drives of this kind work with.
type driver struct {
	t       *harness.T
	server  rig.Server
	subject Subject
	config  Config
	// its namespaces: one for each informer, by which its requests are known to be its own
	home, abroad string
	*running
	count   atomic.Int64
	turns   harness.Turns     // of handlers and the drive's own writes
	hasty   bool              // its writes take none
	alive   map[string]bool   // what the drive has put and not removed, by key
	written map[string]string // and the resourceVersion that it got at last
	doomed  string            // what the last change made, and the next deletes
}

// drive makes a Drive of a function on a driver whose informer is made and not started. change, where there is
// one, makes the configuration another.
func drive(f func(*driver), change ...func(*Config)) func(*harness.T, Rig) {
	return func(t *harness.T, r Rig) {
		rig.Record(t, r.Server)
		d := &driver{t: t, server: r.Server, subject: r.Subject, alive: map[string]bool{}, written: map[string]string{}}
		d.home, d.abroad = r.Server.Namespaces()
		d.config = Config{Server: r.Server.Endpoint(), Resource: configMaps, Namespace: d.home}
		for _, c := range change {
			c(&d.config)
		}
		if d.running = d.open(informerActor, d.config); d.running != nil {
			d.find()
			f(d)
		}
	}
}

// running is one informer.
type running struct {
	d        *driver
	t        *harness.T
	actor    string
	config   Config
	informer Informer
	call     int32 // of RUN; 0: it was not started
	cancel   context.CancelFunc
	done     chan struct{}
	handlers []*handler
	listed   map[string]bool // keys that its store has ever been read to have
	values   map[string]bool // and values of the index ByApp
	pushed   pushed
}

// open makes one; nil: it could not be made, and the drive is given up.
func (d *driver) open(actor string, c Config) *running {
	r := &running{d: d, t: d.t, actor: actor, config: c, done: make(chan struct{}), listed: map[string]bool{}, values: map[string]bool{}}
	if d.t.Has(ErrorHook) {
		c.Failed = func(err error) {
			d.t.Seen(actor, errorKind, r.call, harness.Answer{Body: told{Error: fmt.Sprint(err)}})
		}
	}
	if d.t.Has(Pushes) {
		c.Push = func(all []json.RawMessage) {
			items := byKey(d.objects(all))
			d.t.Seen(actor, pushKind, r.call, harness.Answer{Items: items})
			r.pushed.is(items)
		}
	}
	var err error
	d.t.Try(actor, 0, func() { r.informer, err = d.subject.New(c) })
	if err != nil || r.informer == nil {
		d.t.GiveUp("the informer could not be made: %v", err)
		return nil
	}
	return r
}

// told is the body of what a hook was told.
type told struct {
	Error string `json:"error"`
}

// asked are the arguments of RUN.
type asked struct {
	Namespace string        `json:"namespace"`
	Resync    time.Duration `json:"resync,omitempty"`
	PageSize  int64         `json:"pageSize,omitempty"`
	Transform string        `json:"transform,omitempty"`
	Index     string        `json:"index,omitempty"`
}

// start has it run. It is stopped, at the latest, with the case.
func (r *running) start() {
	ctx, cancel := context.WithCancel(r.t.Context())
	r.cancel = cancel
	c := r.config
	r.call = r.t.Begin(harness.Call{Actor: r.actor, Kind: runKind, Args: asked{c.Namespace, c.Resync, c.PageSize, c.Transform, c.Index}})
	r.t.Go(func() {
		defer close(r.done)
		r.t.Try(r.actor, r.call, func() { r.informer.Run(ctx) })
		r.t.End(r.call, r.actor, runKind, harness.Answer{})
	})
	r.t.Cleanup(func() {
		cancel()
		for _, h := range r.handlers {
			h.gate.release()
		}
		<-r.done
	})
}

// again has it run a second time, beside the first or after it.
func (r *running) again() {
	num := r.t.Begin(harness.Call{Actor: r.actor, Kind: runKind, Args: asked{Namespace: r.config.Namespace}})
	ctx, cancel := context.WithCancel(r.t.Context())
	done := make(chan struct{})
	r.t.Go(func() {
		defer close(done)
		r.t.Try(r.actor, num, func() { r.informer.Run(ctx) })
		r.t.End(num, r.actor, runKind, harness.Answer{})
	})
	r.t.Cleanup(func() {
		cancel()
		<-done
	})
}

// stop ends its context, and waits until it has stopped, or has had all the time that it may need.
func (r *running) stop() {
	r.halt()
	r.stopped()
}

// halt ends its context.
func (r *running) halt() {
	r.t.Do(harness.Call{Actor: r.actor, Kind: stopKind}, func(context.Context) harness.Answer {
		r.cancel()
		return harness.Answer{}
	})
}

// stopped waits for its end.
func (r *running) stopped() {
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

// sentinelLimit is how long something may take in real time; after that nothing is known of what did not come. Of what
// polls it comes with the next list, half a minute after the last.
const (
	sentinelLimit = 8 * time.Second
	pollLimit     = 30*time.Second + sentinelLimit
)

// settle lets everything come to rest, while nothing goes wrong and nothing is written, and looks. In real time it
// waits until what is written last has come.
func (d *driver) settle() { d.settled(d.running) }

func (d *driver) settled(all ...*running) {
	switch {
	case d.t.Virtual():
		d.t.Idle()
	case !d.came(all...):
		return
	}
	for _, r := range all {
		r.atRest()
	}
}

// atRest records that nothing moves any more, for all that is not held, and looks.
func (r *running) atRest() {
	r.t.Settled(r.actor, r.call, "")
	for _, h := range r.handlers {
		if !h.holding() && !h.removed {
			r.t.Settled(h.actor, h.call, "")
		}
	}
	r.look()
	r.readEach()
}

// sentinel is an object that is written last; of all namespaces, in the first.
func (d *driver) sentinel(ns string) string {
	if ns == "" {
		ns = d.home
	}
	name := fmt.Sprint("sentinel-", d.count.Add(1))
	d.putIn(ns, name, "", nil)
	return ns + "/" + name
}

// came waits, in real time, until informers have been given all that was written. One sentinel is not enough: it may
// come with a whole list, whose objects are told of in any order. What comes after it comes after all of that list. A
// sentinel that is meant for one of them is awaited by each that has its namespace: it, too, was written.
func (d *driver) came(all ...*running) bool {
	for range 2 {
		var keys []string
		for _, r := range all {
			keys = append(keys, d.sentinel(r.config.Namespace))
		}
		for _, r := range all {
			for _, key := range keys {
				if ns, _, _ := strings.Cut(key, "/"); (r.config.Namespace == "" || r.config.Namespace == ns) && !r.reached(key) {
					return false
				}
			}
		}
	}
	return true
}

// reached waits, in real time, until the store has an object, it was pushed, and every handler that is not held has been
// told of it.
func (r *running) reached(key string) bool {
	there := r.coming(key)
	return r.within(func() bool {
		there := there() && (!r.t.Has(Pushes) || r.pushed.has(key))
		for _, h := range r.handlers {
			there = there && (h.holding() || h.removed || h.knows(key))
		}
		return there
	})
}

// lost waits, in real time, until the store has an object no more.
func (r *running) lost(key string) bool { return r.within(func() bool { return !r.has(key) }) }

// within says whether something comes to hold in time, before the case ends.
func (r *running) within(holds func() bool) bool {
	limit := time.Now().Add(sentinelLimit)
	if r.t.Has(Polls) {
		limit = time.Now().Add(pollLimit)
	}
	for ; time.Now().Before(limit) && r.t.Context().Err() == nil; r.t.Sleep(5 * time.Millisecond) {
		if holds() {
			return true
		}
	}
	return false
}

// pause lets a moment pass: in virtual time until nothing moves, without any time.
func (d *driver) pause() {
	if d.t.Virtual() {
		d.t.Wait()
		return
	}
	d.t.Sleep(50 * time.Millisecond)
}

// calm waits until all that was written has come, and records nothing of that.
func (d *driver) calm() {
	if d.t.Virtual() {
		d.t.Sleep(5 * time.Second)
		d.t.Wait()
		return
	}
	d.came(d.running)
}

// fault has the server misbehave until the function that it gives is called.
func (d *driver) fault(f rig.Fault) (end func()) {
	if f.Name == "" {
		f.Name = fmt.Sprint("f", d.count.Add(1))
	}
	faulty, ok := rig.Part[rig.Faulty](d.t, d.server, rig.Faults)
	if !ok {
		return func() {}
	}
	if err := faulty.Add(f); err != nil {
		d.t.GiveUp("the server does not misbehave as asked: %v", err)
	}
	return func() { faulty.Remove(f.Name) }
}

// cut ends all watches.
func (d *driver) cut(clean bool) {
	if c, ok := rig.Part[rig.Cutter](d.t, d.server, rig.Cuts); ok {
		c.Cut(clean)
	}
	d.pause()
}

// forgetEvents has it forget what happened, and keep what was.
func (d *driver) forgetEvents() {
	f, ok := rig.Part[rig.Forgetter](d.t, d.server, rig.Forgets)
	if !ok {
		return
	}
	if err := f.ForgetEvents(d.t.Context()); err != nil {
		d.t.GiveUp("the server does not forget events: %v", err)
	}
}

// refuse has connections be refused until the function that it gives is called.
func (d *driver) refuse() (end func()) { return rig.Refuse(d.t, d.server) }

// pretend has the second view answer lists that are older than they may be.
func (d *driver) pretend(on bool) { d.views(func(v rig.Viewed) { v.Pretend(on) }) }

// hold and turn are those of a server of two views.
func (d *driver) hold(still bool)  { d.views(func(v rig.Viewed) { v.Hold(still) }) }
func (d *driver) turn(second bool) { d.views(func(v rig.Viewed) { v.Turn(second) }) }

func (d *driver) views(do func(rig.Viewed)) {
	if v, ok := rig.Part[rig.Viewed](d.t, d.server, rig.Views); ok {
		do(v)
	}
}

// objects are what a history keeps of each object.
func (d *driver) objects(all []json.RawMessage) []history.Ref {
	out := make([]history.Ref, 0, len(all))
	for _, b := range all {
		out = append(out, rig.Object(d.t, b))
	}
	return out
}
