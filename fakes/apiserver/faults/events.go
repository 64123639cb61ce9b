package faults

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
	"github.com/lwtest/lwtest/fakes/internal/nth"
)

// disturbed is a watch with one fault.
type disturbed struct {
	nth.Count
	ctx   context.Context
	fault *Fault
	how   Events
	rand  *rand.Rand
	empty func() runtime.Object // of the resource
	last  string                // resourceVersion that the client knows
	held  []watch.Event         // to come after the next
	out   *apiserver.Relay
}

// disturb puts a fault between a watch and its client.
func (a api) disturb(ctx context.Context, w watch.Interface, f *Fault, r apiserver.Request, o metav1.ListOptions) watch.Interface {
	var res apiserver.Resource
	if i := slices.IndexFunc(a.resources, func(one apiserver.Resource) bool { return one.GroupVersionResource == r.Resource }); i >= 0 {
		res = a.resources[i]
	}
	d := a.disturbance(ctx, f, o)
	d.empty = func() runtime.Object {
		obj := res.New()
		if res.Custom {
			obj.GetObjectKind().SetGroupVersionKind(res.GroupVersion().WithKind(res.Kind))
		}
		return obj
	}
	return apiserver.NewRelay(ctx, w, d.run)
}

// disturbance returns a watch with one fault, without the objects of bookmarks.
func (a api) disturbance(ctx context.Context, f *Fault, o metav1.ListOptions) *disturbed {
	d := &disturbed{ctx: ctx, fault: f, rand: rand.New(rand.NewPCG(a.set.seed(), 3)), last: o.ResourceVersion}
	now := &metav1.Duration{}
	switch {
	case f.Events != nil:
		d.how = *f.Events
	case f.Hang == Body:
		d.how = Events{Do: Stall, After: now, For: f.For}
	default:
		d.how = Events{Do: Break, After: now}
	}
	return d
}

func (d *disturbed) run(out *apiserver.Relay) {
	d.out = out
	var moment <-chan time.Time
	if after := d.how.After; after != nil {
		if after.Duration == 0 && !d.do(nil) {
			return
		}
		if after.Duration > 0 {
			timer := time.NewTimer(after.Duration)
			defer timer.Stop()
			moment = timer.C
		}
	}
	for {
		select {
		case e, ok := <-out.In():
			if !ok || !d.pass(e) {
				return
			}
		case <-moment:
			if !d.do(nil) {
				return
			}
		case <-out.Stopped():
			return
		case <-d.ctx.Done():
			return
		}
	}
}

// pass sends an event on, or does to it what is to be done; false: the watch is over.
func (d *disturbed) pass(e watch.Event) bool {
	if len(d.held) == 0 && d.chooses(e) {
		return d.do(&e)
	}
	held := d.held
	d.held = nil
	return d.send(append([]watch.Event{e}, held...)...)
}

func (d *disturbed) chooses(e watch.Event) bool {
	h := &d.how
	m, err := meta.Accessor(e.Object)
	switch {
	case h.After != nil, err != nil, len(h.Types) > 0 && !slices.Contains(h.Types, string(e.Type)), h.Object != "" && m.GetName() != h.Object:
		return false
	}
	return d.Strikes(h.Nth, h.Times, h.Probability, d.rand)
}

func (d *disturbed) send(all ...watch.Event) bool {
	for _, e := range all {
		if m, err := meta.Accessor(e.Object); err == nil {
			d.last = m.GetResourceVersion()
		}
		if !d.out.Send(e) {
			return false
		}
	}
	return true
}

// do is what the fault does to an event, or at a moment; false: the watch is over.
func (d *disturbed) do(e *watch.Event) bool {
	d.strike(e)
	var sent []watch.Event
	if e != nil {
		sent = []watch.Event{*e}
	}
	switch d.how.Do {
	case Drop:
		return true
	case Double:
		return d.send(*e, watch.Event{Type: e.Type, Object: e.Object.DeepCopyObject()})
	case Swap:
		d.held = sent
		return true
	case Delay:
		return d.pause() && d.send(sent...)
	case Early:
		m, _ := meta.Accessor(e.Object) // it was chosen by it
		return d.send(d.bookmark(m.GetResourceVersion()), *e)
	case Lie:
		return d.send(d.bookmark(ahead(d.last, d.how.By))) && d.send(sent...)
	case Error:
		s := d.how.Status
		if s == nil {
			s = &Status{Code: 410}
		}
		status := s.error(d.fault.Name).(*apierrors.StatusError).ErrStatus
		if d.send(watch.Event{Type: watch.Error, Object: &status}) && d.how.For != nil {
			d.pause()
		}
		return false
	case Break:
		d.out.Break()
		return false
	case Stall:
		return d.pause()
	case Truncate, Garble, Replace:
		f := &Frame{Event: *e, Half: d.how.Do == Truncate}
		if d.how.Do == Replace {
			f.Bytes = []byte(d.how.Frame)
		}
		return d.out.Send(watch.Event{Type: e.Type, Object: f}) && !f.Half
	}
	return false // Close
}

// strike leaves a line in the log.
func (d *disturbed) strike(e *watch.Event) {
	does, obj := string(d.how.Do), runtime.Object(nil)
	if e != nil {
		does, obj = does+" "+string(e.Type), e.Object
	}
	requestlog.Strike(d.ctx, d.fault.Name, does, false, obj)
	tell(d.ctx, d.fault, does)
}

// pause sends nothing on for as long as is said, or for ever; false: the client has gone meanwhile.
func (d *disturbed) pause() bool {
	var over <-chan time.Time
	if d.how.For != nil {
		timer := time.NewTimer(d.how.For.Duration)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
		return true
	case <-d.out.Stopped():
	case <-d.ctx.Done():
	}
	return false
}

func (d *disturbed) bookmark(rv string) watch.Event {
	obj := d.empty()
	if m, err := meta.Accessor(obj); err == nil {
		m.SetResourceVersion(rv)
	}
	return watch.Event{Type: watch.Bookmark, Object: obj}
}

// ahead is a resourceVersion so much later.
func ahead(rv string, by int64) string {
	if by == 0 {
		by = 1000
	}
	n, _ := strconv.ParseInt(rv, 10, 64) // "" and what is no number is 0
	return strconv.FormatInt(max(1, n+by), 10)
}
