package listerwatcher

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// world is what the steps of a story act in.
type world struct {
	*driver
	mu    sync.Mutex // of all that follows: steps may be asynchronous
	calls []*asked
	lists story.Refs[*List]
	bare  bool   // a call without a tag is under way
	first string // resourceVersion when the client was opened
}

// asked is a call of a story.
type asked struct {
	actor, kind string
	call        int32 // its number
	cancel      context.CancelFunc
	done        chan struct{} // closed when it has returned

	left  bool     // its context was ended by a step
	watch *reading // of a watch; it is open when the call has returned without an error
	read  bool     // the watch is read
	over  bool     // it is known to be settled after its end
	late  bool     // a step has waited for its end in vain: its actor goes on without it
}

// play plays a story.
func play(t *harness.T, r Rig, s story.Story) {
	vocabulary.Play(t, &world{driver: newDriver(t, r)}, s)
}

// open opens the client. For the other namespace, the two change places: objects named "o1" are in the client's.
func (w *world) open(_ story.Step, o Open) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.the() != nil:
		return story.SkipStep("the client is open")
	case o.Namespace == "other":
		w.Own, w.Other = w.Other, w.Own
	}
	if w.given = w.Own; o.Namespace == "all" {
		w.given = ""
	}
	if !w.connect() {
		return story.ErrEnd
	}
	w.first = w.now()
	return nil
}

// openAgain opens another client in place of the first.
func (w *world) openAgain(story.Step) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.the() == nil {
		return story.SkipStep("the client is not open")
	}
	if !w.connect() {
		return story.ErrEnd
	}
	return nil
}

// options returns those that a step means, with the label of a call. It opens the client if no step has.
func (w *world) options(o Options) (metav1.ListOptions, error) {
	out := metav1.ListOptions{ResourceVersionMatch: o.ResourceVersionMatch, LabelSelector: o.LabelSelector, FieldSelector: o.FieldSelector, Limit: o.Limit,
		TimeoutSeconds: o.TimeoutSeconds, AllowWatchBookmarks: o.AllowWatchBookmarks, SendInitialEvents: o.SendInitialEvents}
	if err := w.open(story.Step{}, Open{}); errors.Is(err, story.ErrEnd) {
		return out, err
	}
	var err error
	if out.ResourceVersion, err = w.version(o.ResourceVersion); err != nil {
		return out, err
	}
	if o.Continue != "" {
		l, err := w.named(o.Continue)
		if err == nil && l.Continue == "" {
			err = story.SkipStep("the list %s has no continue token", o.Continue)
		}
		if err != nil {
			return out, err
		}
		out.Continue = l.Continue
	}
	if o.Untagged {
		return out, nil
	}
	return w.tagged(out), nil
}

// version returns the resourceVersion that a step means.
func (w *world) version(rv string) (string, error) {
	switch _, err := strconv.ParseUint(rv, 10, 64); {
	case rv == "" || err == nil:
		return rv, nil
	case rv == "first":
		return w.first, nil
	case rv == "now":
		return w.now(), nil
	case rv == "future":
		n, err := strconv.ParseUint(w.now(), 10, 64)
		if err != nil {
			return "", story.SkipStep("resourceVersions are no numbers here")
		}
		return strconv.FormatUint(n+1000, 10), nil
	}
	l, err := w.named(rv)
	if err != nil {
		return "", err
	}
	return l.ResourceVersion, nil
}

// named returns a list by its name. The error, if there is none, makes the step not apply.
func (w *world) named(list string) (*List, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lists.Get(list)
}

// add makes a call beside what follows, and returns when it has begun. With the story its context ends, unless it has returned;
// a watch that is still open is stopped. The history has that: what ends by it was not ended by another call.
func (w *world) add(x *asked, args any, do func(context.Context) harness.Answer) {
	var ctx context.Context
	ctx, x.cancel = context.WithCancel(context.WithoutCancel(w.t.Context()))
	x.done = make(chan struct{})
	begun := make(chan struct{})
	w.t.Go(func() {
		defer close(x.done)
		x.call = w.t.Begin(harness.Call{Actor: x.actor, Kind: x.kind, Args: args})
		close(begun)
		w.t.Try(x.actor, x.call, func() { w.t.End(x.call, x.actor, x.kind, do(ctx)) })
	})
	<-begun
	w.t.Cleanup(func() {
		switch {
		case !x.returned():
			w.leave(x)
		case x.opened() && !x.watch.ended.Load():
			x.watch.stop()
		case !x.opened():
			x.cancel()
		}
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, x)
}

// leave ends the context of a call.
func (w *world) leave(x *asked) {
	w.t.Do(harness.Call{Actor: x.actor, Kind: cancelKind, Args: endArgs{x.call}}, func(context.Context) harness.Answer {
		x.cancel()
		return harness.Answer{}
	})
}

func (x *asked) returned() bool { return rig.Closed(x.done) }

// opened reports whether x is a watch that was opened, whatever became of it since.
func (x *asked) opened() bool { return x.watch != nil && x.returned() && x.watch.w != nil }

// ended reports whether nothing comes of x any more: it has returned, or is a watch whose stream has ended.
func (x *asked) ended() bool {
	if x.opened() {
		return rig.Closed(x.watch.done)
	}
	return x.returned()
}

// released reports whether a step has stopped x, or ended its context.
func (x *asked) released() bool { return x.left || x.opened() && x.watch.ended.Load() }

// last returns the last call of an actor. The error, if there is none, makes the step not apply.
func (w *world) last(actor string) (*asked, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range slices.Backward(w.calls) {
		if x.actor == actor {
			return x, nil
		}
	}
	return nil, story.SkipStep("%s has made no call", actor)
}

// await waits until a call has returned. The story goes on beside one that takes long.
func (w *world) await(x *asked) {
	patience := time.Minute
	if w.t.Virtual() {
		patience = 10 * time.Minute
	}
	select {
	case <-x.done:
	case <-time.After(patience):
	case <-w.t.Context().Done():
	}
}

// list lists, and goes on for s.N pages as long as there is a continue token.
func (w *world) list(s story.Step, o Options) error {
	s.As = cmp.Or(s.As, "the last of "+s.Actor)
	for range max(s.N, 1) {
		l, err := w.listOne(s, o)
		if l == nil || l.Continue == "" {
			return err
		}
		o.Continue, o.ResourceVersion, o.ResourceVersionMatch = s.As, "", ""
	}
	return nil
}

// listOne makes a list, and returns what came of it: nil, if that was an error, or nothing yet.
func (w *world) listOne(s story.Step, a Options) (*List, error) {
	o, err := w.options(a)
	if err != nil {
		return nil, err
	}
	if a.Untagged && !w.setBare(true) {
		return nil, story.SkipStep("another call without a tag is under way")
	}
	var got *List
	x := &asked{actor: s.Actor, kind: rig.List}
	w.add(x, w.called(o), func(ctx context.Context) (answer harness.Answer) {
		if a.Untagged {
			defer w.setBare(false)
		}
		got, answer = w.listed(ctx, o)
		return answer
	})
	if w.await(x); !x.returned() || got == nil {
		return nil, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lists.Set(s.As, got)
	return got, nil
}

// setBare notes whether a call without a tag is under way, and reports whether that is new.
func (w *world) setBare(now bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	was := w.bare
	w.bare = now
	return was != now
}

func (w *world) watch(s story.Step, a Options) error {
	if x, err := w.last(s.Actor); err == nil && !x.ended() && !x.released() && !x.late {
		return story.SkipStep("%s is busy", s.Actor)
	}
	a.Untagged = false
	o, err := w.options(a)
	if err != nil {
		return err
	}
	x := &asked{actor: s.Actor, kind: rig.Watch, watch: w.reading(s.Actor), read: !a.Unread}
	w.add(x, w.called(o), func(ctx context.Context) harness.Answer {
		x.watch.call = x.call
		return x.watch.open(ctx, o)
	})
	if x.read {
		w.t.Go(func() {
			if <-x.done; x.opened() {
				x.watch.readSlowly(time.Duration(s.For))
			}
		})
	}
	w.await(x)
	return nil
}

func (w *world) read(s story.Step) error {
	x, err := w.last(s.Actor)
	switch {
	case err != nil:
		return err
	case !x.opened() || x.read:
		return story.SkipStep("%s is not open, or read already", s.Actor)
	}
	x.read = true
	w.t.Go(func() { x.watch.readSlowly(time.Duration(s.For)) })
	return nil
}

func (w *world) stop(s story.Step) error {
	x, err := w.last(s.Actor)
	if err == nil && !x.opened() {
		err = story.SkipStep("%s is not open", s.Actor)
	}
	if err == nil {
		x.watch.stop()
	}
	return err
}

func (w *world) cancelCall(s story.Step) error {
	x, err := w.last(s.Actor)
	switch {
	case err != nil:
		return err
	case x.left || x.ended():
		return story.SkipStep("the call of %s is over", s.Actor)
	}
	x.left = true
	w.leave(x)
	return nil
}

func (w *world) until(s story.Step, a Wait) error {
	o, err := w.options(Options{ResourceVersion: cmp.Or(a.ResourceVersion, "now"), LabelSelector: a.LabelSelector})
	var unless *Precondition
	if a.Unless != "" {
		unless = &Precondition{Name: a.Unless, There: !a.Gone}
	}
	switch {
	case err != nil:
		return err
	case unless != nil && w.given == "":
		return story.SkipStep("a precondition is about an object of one namespace")
	}
	c := Condition{cmp.Or(a.Type, "ADDED"), s.Obj}
	w.add(&asked{actor: s.Actor, kind: untilKind}, awaited{w.called(o), c, unless}, func(ctx context.Context) harness.Answer { return w.waited(ctx, o, unless, c) })
	return nil
}

// settle settles all calls, or the last of an actor.
func (w *world) settle(s story.Step, _ rig.None) error {
	if s.Actor == "" {
		return w.settleAll()
	}
	x, err := w.last(s.Actor)
	switch {
	case err != nil:
		return err
	case w.t.Virtual():
		return w.settleOne(x)
	case x.opened() && !x.ended():
		w.arrived(x.watch)
	}
	return nil
}

// settleOne waits, in virtual time, until nothing moves, and records that a call had all the time that it needs.
func (w *world) settleOne(x *asked) error {
	switch {
	case x.over:
		return story.SkipStep("the call of %s is over", x.actor)
	case x.opened() && (!x.read || x.watch.pausing.Load()):
		return story.SkipStep("%s is not read, or slowly", x.actor)
	}
	w.t.Idle()
	x.over = x.ended()
	w.t.Settled(x.actor, x.call, "")
	return nil
}

// awaitEnd waits until a call has ended: in real time for s.For at most. A watch that waits for its headers, and whose context has ended,
// had all the time that it needs then.
func (w *world) awaitEnd(s story.Step, _ rig.None) error {
	x, err := w.last(s.Actor)
	if err != nil {
		return err
	}
	if w.t.Virtual() {
		return w.settleOne(x)
	}
	end := x.done
	if x.opened() {
		end = x.watch.done
	}
	select {
	case <-end:
	case <-time.After(time.Duration(s.For)):
		if x.late = true; x.kind == rig.Watch && x.left && !x.returned() {
			w.t.Settled(x.actor, x.call, "")
		}
	case <-w.t.Context().Done():
	}
	return nil
}

// settleAll waits until nothing moves, and records that all calls had the time that they need, but for watches that nobody
// reads, or slowly. While something still goes wrong, that is true of calls alone that were stopped, or whose context ended.
func (w *world) settleAll() error {
	why := ""
	if w.t.Virtual() {
		why = w.Idle()
	}
	w.mu.Lock()
	calls := slices.Clone(w.calls)
	w.mu.Unlock()
	var open []*reading
	for _, x := range calls {
		switch {
		case x.over || x.kind == rig.List, x.opened() && (!x.read || x.watch.pausing.Load()), why != "" && !x.released():
		case w.t.Virtual():
			x.over = x.ended()
			w.t.Settled(x.actor, x.call, "")
		case x.opened() && !x.ended():
			open = append(open, x.watch)
		}
	}
	if !w.t.Virtual() {
		w.arrived(open...)
	}
	if why != "" {
		return story.SkipStep("%s", why)
	}
	return nil
}
