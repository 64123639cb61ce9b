package listerwatcher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// driver is what the drives of this kind work with.
type driver struct {
	*rig.Driver
	t       *harness.T
	subject Subject
	client  Client
	given   string // namespace that the client is opened with; empty: all
	mark    string // a label of all that it puts; "": none
}

func newDriver(t *harness.T, r Rig) *driver {
	d := &driver{Driver: rig.NewDriver(t, r.Server), t: t, subject: r.Subject}
	d.given = d.Own
	return d
}

// connect opens the client, and reports whether that succeeded. If not, it gives the case up.
func (d *driver) connect() bool {
	var err error
	d.t.Try(history.Engine, 0, func() {
		d.client, err = d.subject.Open(Config{Server: d.Server.Endpoint("client"), Resource: configMaps, Namespace: d.given})
	})
	if err != nil {
		d.t.GiveUp("the client could not be opened: %v", err)
	}
	return err == nil
}

// drive makes a Drive of a function on a driver whose client is open, of the first namespace unless where says another.
func drive(f func(*driver), where ...func(*driver)) func(*harness.T, Rig) {
	return func(t *harness.T, r Rig) {
		d := newDriver(t, r)
		for _, w := range where {
			w(d)
		}
		if d.connect() {
			f(d)
		}
	}
}

// abroad is the other namespace.
func abroad(d *driver) {
	d.Own, d.Other = d.Other, d.Own
	d.given = d.Own
}

// everywhere is all of them.
func everywhere(d *driver) { d.given = "" }

// called are the arguments of a call, as a history keeps them.
type called struct {
	Namespace string             `json:"namespace"`
	Resource  string             `json:"resource"`
	Options   metav1.ListOptions `json:"options"`
}

// returned is the body of a call's return.
type returned struct {
	rig.ListBody
	After *metav1.ListOptions `json:"after,omitempty"` // the caller's options, where they have changed
	Met   string              `json:"met,omitempty"`   // of a wait: the type of the event that met its condition
	Held  bool                `json:"held,omitempty"`  // of a wait: its precondition held
	*rig.StatusBody
}

// tagged gives options a selector that selects everything and that no other call has: by it a request is known
// to be of this call. See tagOf.
func (d *driver) tagged(o metav1.ListOptions) metav1.ListOptions {
	tag := fmt.Sprintf("%s!=%d", callTag, d.Count.Add(1))
	if o.LabelSelector != "" {
		tag = o.LabelSelector + "," + tag
	}
	o.LabelSelector = tag
	return o
}

const callTag = "lwtest-call"

// list makes one call.
func (d *driver) list(actor string, o metav1.ListOptions) (int32, *List) {
	return d.listAs(actor, d.tagged(o))
}

// listAs makes one with these options as they are. Without a tag it must be the only one, and the last: whatever
// request comes without one is taken to be of it.
func (d *driver) listAs(actor string, o metav1.ListOptions) (int32, *List) {
	var got *List
	num, _ := d.t.Do(d.call(actor, rig.List, o), func(ctx context.Context) (a harness.Answer) {
		got, a = d.listed(ctx, o)
		return a
	})
	return num, got
}

// call is a call with options.
func (d *driver) call(actor, kind string, o metav1.ListOptions) harness.Call {
	return harness.Call{Actor: actor, Kind: kind, Args: called{d.given, configMaps.Resource, o}}
}

// listed lists. It returns what the client does, which is nil for an error, and what a history keeps of it.
func (d *driver) listed(ctx context.Context, o metav1.ListOptions) (*List, harness.Answer) {
	given := o.DeepCopy()
	l, err := d.client.(Lister).List(ctx, given)
	switch {
	case err != nil:
		return nil, d.refused(err, o, *given)
	case l == nil:
		return nil, harness.Answer{Err: nothing}
	}
	a := rig.ListOf(d.t, l.ListMeta, l.Items)
	body := returned{After: changed(o, *given)}
	body.ListBody, _ = a.Body.(rig.ListBody)
	a.Body = body
	return l, a
}

var nothing = &history.Error{Msg: "the client answered with neither a list nor an error"}

// changed are the caller's options after the call; nil where they are as they were.
func changed(before, after metav1.ListOptions) *metav1.ListOptions {
	a, _ := json.Marshal(before) // plain data
	b, _ := json.Marshal(after)
	if string(a) == string(b) {
		return nil
	}
	return &after
}

// refused is what a history keeps of an error of the client's.
func (d *driver) refused(err error, before, after metav1.ListOptions) harness.Answer {
	a := harness.Answer{Err: &history.Error{Msg: err.Error()}}
	body := returned{After: changed(before, after)}
	var known apierrors.APIStatus
	if errors.As(err, &known) {
		s := known.Status()
		a.Err = &history.Error{Code: int(s.Code), Reason: string(s.Reason), Msg: s.Message}
		if b, ok := rig.BodyOf(s).(rig.StatusBody); ok {
			body.StatusBody = &b
		}
	}
	a.Body = body
	return a
}

// put creates a ConfigMap, or changes the one of that name, and gives it as it is then.
func (d *driver) put(name, content string) *corev1.ConfigMap {
	return d.putObject(d.configMap(name, content))
}

// putLong puts one of so many bytes.
func (d *driver) putLong(name, content string, bytes int) {
	m := d.configMap(name, content)
	m.Data["long"] = rig.Text(bytes)
	d.putObject(m)
}

func (d *driver) putObject(m *corev1.ConfigMap) *corev1.ConfigMap {
	out, err := d.Server.ConfigMaps(m.Namespace).Create(d.t.Context(), m, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		out, err = d.Server.ConfigMaps(m.Namespace).Update(d.t.Context(), m, metav1.UpdateOptions{})
	}
	if err != nil {
		d.t.GiveUp("the drive's own write failed: %v", err)
		return m
	}
	return out
}

// remove deletes one.
func (d *driver) remove(name string) {
	if err := d.Server.ConfigMaps(d.Own).Delete(d.t.Context(), name, metav1.DeleteOptions{}); err != nil {
		d.t.GiveUp("the drive's own delete failed: %v", err)
	}
}

// now is the resourceVersion of the present.
func (d *driver) now() string {
	l, err := d.Server.ConfigMaps(d.Own).List(d.t.Context(), metav1.ListOptions{Limit: 1})
	if err != nil {
		d.t.GiveUp("the drive's own list failed: %v", err)
		return ""
	}
	return l.ResourceVersion
}

// fault has the server misbehave until the function that it gives is called.
func (d *driver) fault(f rig.Fault) (end func()) {
	if f.Name == "" {
		f.Name = fmt.Sprint("f", d.Count.Add(1))
	}
	faulty, ok := rig.Part[rig.Faulty](d.t, d.Server, rig.Faults)
	if !ok {
		return func() {}
	}
	if err := faulty.Add(f); err != nil {
		d.t.GiveUp("the server does not misbehave as asked: %v", err)
	}
	return func() { faulty.Remove(f.Name) }
}

// sentinelLimit is how long something may take in real time; after that nothing is known of what did not come.
const sentinelLimit = 10 * time.Second

// settle records that watches have been given all that is due: in virtual time nothing moves any more, in real
// time what was written last has come.
func (d *driver) settle(rs ...*reading) {
	if d.t.Virtual() {
		d.t.Idle()
		for _, r := range rs {
			d.t.Settled(r.actor, r.call, "")
		}
		return
	}
	for _, r := range d.reached(rs) {
		d.t.Settled(r.actor, r.call, "")
	}
}

// reached gives, in real time, those of some watches that an object has come to which was made after all else.
func (d *driver) reached(rs []*reading) (came []*reading) {
	name := fmt.Sprint("sentinel-", d.Count.Add(1))
	var waits []<-chan struct{}
	for _, r := range rs {
		waits = append(waits, r.expect(name))
	}
	d.put(name, "")
	limit := time.After(sentinelLimit)
	for i, r := range rs {
		select {
		case <-waits[i]:
			came = append(came, r)
		case <-r.done:
		case <-limit:
			return came
		}
	}
	return came
}

// arrive waits until a watch has been given what was written, and records nothing of that.
func (d *driver) arrive(r *reading) {
	if d.t.Virtual() {
		d.t.Wait()
		return
	}
	d.reached([]*reading{r})
}

// over waits until the stream has ended, in real time until a limit, and records in virtual time that it had all the time
// it needs.
func (d *driver) over(r *reading, limit time.Duration) {
	if d.t.Virtual() {
		d.settle(r)
		return
	}
	select {
	case <-r.done:
	case <-time.After(limit):
	}
}

// endLimit is how long, in real time, is waited for an end that may never come: of nine in one drive.
const endLimit = 3 * time.Second

// opening has the context of a call end before it has an answer. A call that does not return is given up with the
// case; one of a client that opens its watch later returns at once, and its stream must end: it is stopped, if stop says so.
func (d *driver) opening(actor string, stop bool) {
	o := d.tagged(metav1.ListOptions{ResourceVersion: d.now()})
	given := o.DeepCopy()
	ctx, cancel := context.WithCancel(d.t.Context())
	defer cancel()
	begun := make(chan int32, 1)
	opened := make(chan *reading, 1)
	d.t.Go(func() {
		defer close(opened)
		num := d.t.Begin(harness.Call{Actor: actor, Kind: rig.Watch, Args: called{d.given, configMaps.Resource, o}})
		begun <- num
		d.t.Try(actor, num, func() {
			w, err := d.client.(Watcher).Watch(ctx, given)
			if err != nil {
				d.t.End(num, actor, rig.Watch, d.refused(err, o, *given))
				return
			}
			d.t.End(num, actor, rig.Watch, harness.Answer{})
			if w != nil {
				r := d.reading(actor)
				r.call, r.w, r.cancel = num, w, cancel
				opened <- r
			}
		})
	})
	num := <-begun
	d.t.Sleep(time.Second)
	if stop {
		select {
		case r := <-opened:
			if r != nil {
				d.t.Go(r.read)
				r.stop()
				d.over(r, endLimit)
			}
			return
		default: // it waits for its answer, and there is nothing to stop
		}
	}
	d.t.Do(harness.Call{Actor: actor, Kind: cancelKind, Args: endArgs{num}}, func(context.Context) harness.Answer {
		cancel()
		return harness.Answer{}
	})
	d.t.Sleep(time.Second)
	select {
	case r := <-opened:
		if r != nil {
			d.t.Go(r.read)
			d.over(r, endLimit)
			r.end()
		}
	default:
		d.t.Settled(actor, num, "")
	}
}
