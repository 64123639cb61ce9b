package listerwatcher

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
)

// calling is a call under way.
type calling struct {
	d      *driver
	actor  string
	call   int32
	cancel context.CancelFunc
	done   chan struct{} // closed when it has returned
}

// begin makes a call beside what follows, and returns when it has begun.
func (d *driver) begin(ctx context.Context, c harness.Call, do func(context.Context, *calling) harness.Answer) *calling {
	x := &calling{d: d, actor: c.Actor, done: make(chan struct{})}
	ctx, x.cancel = context.WithCancel(ctx)
	begun := make(chan struct{})
	d.t.Go(func() {
		defer close(x.done)
		x.call = d.t.Begin(c)
		close(begun)
		d.t.Try(c.Actor, x.call, func() { d.t.End(x.call, c.Actor, c.Kind, do(ctx, x)) })
	})
	<-begun
	return x
}

// leave cancels its context.
func (w *calling) leave() {
	w.d.t.Do(harness.Call{Actor: w.actor, Kind: cancelKind, Args: endArgs{w.call}}, func(context.Context) harness.Answer {
		w.cancel()
		return harness.Answer{}
	})
}

// untilKind is the kind of a wait's call.
const untilKind = "UNTIL"

// awaited are the arguments of one, as a history keeps them.
type awaited struct {
	called
	Condition Condition     `json:"condition"`
	Unless    *Precondition `json:"unless,omitempty"`
}

// waiting returns the call of a wait with options, and what it does.
func (d *driver) waiting(actor string, o metav1.ListOptions, unless *Precondition, c Condition) (harness.Call, func(context.Context, *calling) harness.Answer) {
	call := harness.Call{Actor: actor, Kind: untilKind, Args: awaited{called{d.given, configMaps.Resource, o}, c, unless}}
	return call, func(ctx context.Context, _ *calling) harness.Answer {
		given := o.DeepCopy()
		if unless == nil {
			e, err := d.client.(Waiter).Until(ctx, given, c)
			return d.met(e, err, o, *given)
		}
		e, err := d.client.(Preconditioned).UntilUnless(ctx, given, *unless, c)
		if e == nil && err == nil {
			return harness.Answer{Body: returned{Held: true, After: changed(o, *given)}}
		}
		return d.met(e, err, o, *given)
	}
}

// met is what a history keeps of the end of a wait.
func (d *driver) met(e *Event, err error, before, after metav1.ListOptions) harness.Answer {
	switch {
	case err != nil:
		return d.refused(err, before, after)
	case e == nil:
		return harness.Answer{Body: returned{After: changed(before, after)}} // of no type
	}
	return harness.Answer{Obj: rig.Object(d.t, e.Object), Body: returned{Met: e.Type, After: changed(before, after)}}
}
