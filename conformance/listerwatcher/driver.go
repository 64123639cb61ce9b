package listerwatcher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

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
	client  atomic.Value // *Client: the one that makes the calls from now on
	given   string       // namespace that the client is opened with; empty: all
}

func newDriver(t *harness.T, r Rig) *driver {
	d := &driver{Driver: rig.NewDriver(t, r.Server), t: t, subject: r.Subject}
	d.given = d.Own
	return d
}

// connect opens the client, and reports whether that succeeded. If not, it gives the case up.
func (d *driver) connect() bool {
	var err error
	var client Client
	d.t.Try(history.Engine, 0, func() {
		client, err = d.subject.Open(Config{Server: d.Server.Endpoint("client"), Resource: configMaps, Namespace: d.given})
	})
	if err != nil {
		d.t.GiveUp("the client could not be opened: %v", err)
		return false
	}
	d.client.Store(&client)
	return true
}

// the is the client that makes the calls now; nil: none is open.
func (d *driver) the() Client {
	if c, ok := d.client.Load().(*Client); ok {
		return *c
	}
	return nil
}

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

// called returns the arguments of a call.
func (d *driver) called(o metav1.ListOptions) called { return called{d.given, configMaps.Resource, o} }

// listed lists. It returns what the client does, which is nil for an error, and what a history keeps of it.
func (d *driver) listed(ctx context.Context, o metav1.ListOptions) (*List, harness.Answer) {
	given := o.DeepCopy()
	l, err := d.the().(Lister).List(ctx, given)
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
		if b, ok := rig.StatusBodyOf(s).(rig.StatusBody); ok {
			body.StatusBody = &b
		}
	}
	a.Body = body
	return a
}

// untilKind is the kind of a wait's call.
const untilKind = "UNTIL"

// awaited are the arguments of one, as a history keeps them.
type awaited struct {
	called
	Condition Condition     `json:"condition"`
	Unless    *Precondition `json:"unless,omitempty"`
}

// waited makes a wait, and returns what a history keeps of its end.
func (d *driver) waited(ctx context.Context, o metav1.ListOptions, unless *Precondition, c Condition) harness.Answer {
	given := o.DeepCopy()
	if unless == nil {
		e, err := d.the().(Waiter).Until(ctx, given, c)
		return d.met(e, err, o, *given)
	}
	e, err := d.the().(Preconditioned).UntilUnless(ctx, given, *unless, c)
	if e == nil && err == nil {
		return harness.Answer{Body: returned{Held: true, After: changed(o, *given)}}
	}
	return d.met(e, err, o, *given)
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

// now is the resourceVersion of the present.
func (d *driver) now() string {
	l, err := d.Server.ConfigMaps(d.Own).List(d.t.Context(), metav1.ListOptions{Limit: 1})
	if err != nil {
		d.t.GiveUp("the drive's own list failed: %v", err)
		return ""
	}
	return l.ResourceVersion
}

// sentinelLimit is how long something may take in real time; after that nothing is known of what did not come.
const sentinelLimit = 10 * time.Second

// arrived waits, in real time, until what was written last has come to watches, and records those to which it has. One further object is
// not enough: a watch that opens late has it among its initial state, in any order. The second comes after all of that.
func (d *driver) arrived(rs ...*reading) {
	for _, r := range d.reached(d.reached(rs)) {
		d.t.Settled(r.actor, r.call, "")
	}
}

// reached puts a further object, and returns, in real time, the watches to which it has come.
func (d *driver) reached(rs []*reading) (came []*reading) {
	name := fmt.Sprint("sentinel-", d.Count.Add(1))
	var waits []<-chan struct{}
	for _, r := range rs {
		waits = append(waits, r.expect(name))
	}
	if _, err := d.Server.ConfigMaps(d.Own).Create(d.t.Context(), d.ConfigMap(name, "", map[string]string{"app": "one"}), metav1.CreateOptions{}); err != nil {
		d.t.GiveUp("the drive's own write failed: %v", err)
	}
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
