package rig

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// WriterActor is the actor of the drive's own writes, which have these kinds. One write is made after the other.
const (
	WriterActor = "writer"

	FoundKind  = "FOUND"         // no write: an object that was there before
	PutKind    = "PUT"           // creates or updates; returns the object as it is then
	DeleteKind = "DELETE-OBJECT" // returns the object's key, and a resourceVersion at which it is gone
)

// Driver is what the drivers of all client-side kinds share: the server, the faults that it is told to have, and the
// drive's own writes. Only Turns and Count may be used concurrently.
type Driver struct {
	T          *harness.T
	Server     Server
	Own, Other string        // namespaces: the client's, and another
	Turns      harness.Turns // of handlers and of the drive's own writes
	Hasty      bool          // writes take no turns: a drive that makes no pause lets no fake time pass
	Count      atomic.Int64  // for names and contents that must be new

	objects map[string]*written // what the drive has put and not deleted, by key
	doomed  string              // the object that the last change made, and the next deletes
	faults  story.Refs[func()]  // what ends each fault
	accept  func()              // ends the refusal of connections; nil: they are accepted
	lags    bool                // the second view gets nothing new
	record  *recorder
}

// written is what the driver knows of an object that it has put.
type written struct {
	rv          string // its resourceVersion after the last write
	held        bool   // it has a finalizer
	terminating bool
	fixed       bool // it is immutable
}

// NewDriver returns a driver for a server. From now on the history has what the server is asked and answers.
func NewDriver(t *harness.T, s Server) *Driver {
	d := &Driver{T: t, Server: s, objects: map[string]*written{}, record: record(t, s)}
	d.Own, d.Other = s.Namespaces()
	return d
}

// Base returns the driver itself: it makes Driver a Stage, and so what embeds it.
func (d *Driver) Base() *Driver { return d }

// Find records the objects that are there before the drive begins: a cluster may put some into each namespace.
func (d *Driver) Find() {
	for _, ns := range []string{d.Own, d.Other} {
		l, err := d.Server.ConfigMaps(ns).List(d.T.Context(), metav1.ListOptions{})
		if err != nil {
			d.T.GiveUp("the drive's own list failed: %v", err)
			return
		}
		for i := range l.Items {
			d.T.Do(harness.Call{Actor: WriterActor, Kind: FoundKind, Obj: history.Ref{Key: ns + "/" + l.Items[i].Name}}, func(context.Context) harness.Answer {
				return harness.Answer{Obj: d.ref(&l.Items[i])}
			})
		}
	}
}

// Key returns the key of a step's object: "o1" is in the client's namespace, "other/o1" in the other one.
func (d *Driver) Key(obj string) string {
	ns, name := d.split(obj)
	return ns + "/" + name
}

func (d *Driver) split(obj string) (ns, name string) {
	if name, other := strings.CutPrefix(obj, "other/"); other {
		return d.Other, name
	}
	return d.Own, obj
}

// Exists reports whether the drive has put an object and not deleted it.
func (d *Driver) Exists(obj string) bool { return d.objects[d.Key(obj)] != nil }

// Version returns the resourceVersion of the drive's last write of an object; empty: it does not exist.
func (d *Driver) Version(key string) string {
	if o := d.objects[key]; o != nil {
		return o.rv
	}
	return ""
}

// Keys returns the keys of all objects that the drive has put and not deleted.
func (d *Driver) Keys() []string { return slices.Collect(maps.Keys(d.objects)) }

// Fresh returns a content that no object has had.
func (d *Driver) Fresh() string { return fmt.Sprint("v", d.Count.Add(1)) }

// ConfigMap returns an object with something of most that a copy could lose; Whole adds the rest. It has an owner in
// virtual time alone: a real cluster would delete an object whose owner does not exist.
func (d *Driver) ConfigMap(obj, content string, labels map[string]string) *corev1.ConfigMap {
	ns, name := d.split(obj)
	m := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ns, Labels: labels, Annotations: map[string]string{"lwtest/about": content}},
		Data:       map[string]string{"spec": content},
		BinaryData: map[string][]byte{"bytes": {0xff, 0}},
	}
	if d.T.Virtual() {
		m.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "owner", UID: "owner"}}
	}
	return m
}

// PutObject creates a ConfigMap, or updates the one with its name.
func (d *Driver) PutObject(m *corev1.ConfigMap) {
	key := m.Namespace + "/" + m.Name
	d.write(PutKind, key, func(ctx context.Context) harness.Answer {
		w := d.Server.ConfigMaps(m.Namespace)
		put := func() (*corev1.ConfigMap, error) { return w.Create(ctx, m, metav1.CreateOptions{}) }
		if d.objects[key] != nil {
			put = func() (*corev1.ConfigMap, error) { return w.Update(ctx, m, metav1.UpdateOptions{}) }
		}
		out, err := put()
		if err != nil {
			return d.failed("write", err)
		}
		d.objects[key] = &written{rv: out.ResourceVersion, held: len(m.Finalizers) > 0, fixed: m.Immutable != nil}
		return harness.Answer{Obj: d.ref(out)}
	})
}

// HoldAnswers makes the server hold back half of each answer to a write of the client's for so long, until release is called: writes that it has
// met stay held.
func (d *Driver) HoldAnswers(long time.Duration) (release func()) {
	const name = "held-answers"
	d.Fault(name, Fault{Verbs: []string{"create", "update", "patch"}, Hang: "body", For: Duration(long)})
	return func() { d.clear(name) }
}

// Noted returns the object under a key, and whether its annotation "note" has this value.
func (d *Driver) Noted(key, note string) (history.Ref, bool) {
	ns, name, _ := strings.Cut(key, "/")
	l, err := d.Server.ConfigMaps(ns).List(d.T.Context(), metav1.ListOptions{})
	if err != nil {
		return history.Ref{}, false
	}
	for i := range l.Items {
		if m := &l.Items[i]; m.Name == name && m.Annotations["note"] == note {
			return d.ref(m), true
		}
	}
	return history.Ref{}, false
}

// Learn tells the driver of a write that was not its own.
func (d *Driver) Learn(key, rv string) {
	if d.objects[key] == nil {
		d.objects[key] = &written{}
	}
	d.objects[key].rv = rv
}

// Put puts an object with a content and the label app=one.
func (d *Driver) Put(obj, content string) {
	d.PutObject(d.ConfigMap(obj, content, map[string]string{"app": "one"}))
}

// Label puts an object with a value of the label app; empty: without the label.
func (d *Driver) Label(obj, app string) {
	labels := map[string]string{}
	if app != "" {
		labels["app"] = app
	}
	d.PutObject(d.ConfigMap(obj, "labelled "+app, labels))
}

// Delete deletes an object. One with a finalizer stays, with a deletionTimestamp.
func (d *Driver) Delete(obj string) {
	ns, name := d.split(obj)
	if o := d.objects[ns+"/"+name]; o != nil && o.held {
		d.terminate(ns, name)
		return
	}
	d.gone(ns, name, func(ctx context.Context, w Writer) error { return w.Delete(ctx, name, metav1.DeleteOptions{}) })
}

// terminate deletes an object that has a finalizer. The answer may not have it as it is then: that is read.
func (d *Driver) terminate(ns, name string) {
	d.write(PutKind, ns+"/"+name, func(ctx context.Context) harness.Answer {
		w := d.Server.ConfigMaps(ns)
		if err := w.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			return d.failed("delete", err)
		}
		l, err := w.List(ctx, metav1.ListOptions{})
		if err != nil {
			return d.failed("list", err)
		}
		i := slices.IndexFunc(l.Items, func(m corev1.ConfigMap) bool { return m.Name == name })
		if i < 0 {
			return d.failed("delete", fmt.Errorf("%s is gone, though it has a finalizer", name))
		}
		d.objects[ns+"/"+name].terminating = true
		return harness.Answer{Obj: d.ref(&l.Items[i])}
	})
}

// RemoveFinalizer removes the finalizer of an object that terminates: it is gone then.
func (d *Driver) RemoveFinalizer(obj, content string) {
	ns, name := d.split(obj)
	m := d.ConfigMap(obj, content, nil)
	d.gone(ns, name, func(ctx context.Context, w Writer) error {
		_, err := w.Update(ctx, m, metav1.UpdateOptions{})
		return err
	})
}

// DeleteTogether deletes several objects of the client's namespace by one write. Each deletion is recorded as one of its
// own, and the client must not see any before all are recorded: no watch may be open.
func (d *Driver) DeleteTogether(names []string) {
	r, ok := Part[Reviser](d.T, d.Server, Revisions)
	if !ok {
		return
	}
	for i, name := range names {
		d.gone(d.Own, name, func(context.Context, Writer) error {
			if i > 0 {
				return nil // the first has deleted it
			}
			return r.DeleteTogether(d.Own, names...)
		})
	}
}

// gone makes the write that ends an object.
func (d *Driver) gone(ns, name string, write func(context.Context, Writer) error) {
	key := ns + "/" + name
	d.write(DeleteKind, key, func(ctx context.Context) harness.Answer {
		delete(d.objects, key)
		w := d.Server.ConfigMaps(ns)
		if err := write(ctx, w); err != nil {
			return d.failed("delete", err)
		}
		l, err := w.List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil {
			return d.failed("list", err)
		}
		return harness.Answer{Obj: history.Ref{Key: key, RV: l.ResourceVersion}}
	})
}

func (d *Driver) failed(what string, err error) harness.Answer {
	d.T.GiveUp("the drive's own %s failed: %v", what, err)
	return harness.Answer{Err: &history.Error{Msg: err.Error()}}
}

// write makes a write, in the writer's turn, and returns when everything has come that follows from it at that instant.
func (d *Driver) write(kind, key string, do func(context.Context) harness.Answer) {
	turn := func(actor string) {
		if !d.Hasty {
			d.Turns.Take(d.T, actor)
		}
	}
	turn(WriterActor)
	d.T.Do(harness.Call{Actor: WriterActor, Kind: kind, Obj: history.Ref{Key: key}}, func(ctx context.Context) harness.Answer {
		a := do(ctx)
		turn(WriterActor + ", answered")
		return a
	})
}

// ref returns what a history keeps of an object.
func (d *Driver) ref(m *corev1.ConfigMap) history.Ref {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // it is plain data
	}
	return Object(d.T, b)
}

// deleteAll deletes all that the drive has put, in the order of the keys.
func (d *Driver) deleteAll() {
	for _, key := range slices.Sorted(maps.Keys(d.objects)) {
		ns, name, _ := strings.Cut(key, "/")
		if ns == d.Other {
			name = "other/" + name
		}
		if !d.objects[key].terminating {
			d.Delete(name)
		}
	}
}

// Pause lets a moment pass: in virtual time until nothing moves, without any time.
func (d *Driver) Pause() {
	if d.T.Virtual() {
		d.T.Wait()
		return
	}
	d.T.Sleep(50 * time.Millisecond)
}

// Fault arms a fault under a name; one with the same name ends. The client's namespace stands for "$NAMESPACE" in frames.
func (d *Driver) Fault(name string, f Fault) {
	faulty, ok := Part[Faulty](d.T, d.Server, Faults)
	if !ok {
		return
	}
	d.clear(name)
	f.Name = name
	if f.Events != nil {
		e := *f.Events
		e.Frame = strings.ReplaceAll(e.Frame, "$NAMESPACE", d.Own)
		f.Events = &e
	}
	if err := faulty.Add(f); err != nil {
		d.T.GiveUp("the server refuses the fault %s: %v", name, err)
		return
	}
	d.faults.Set(name, func() { faulty.Remove(name) })
}

// clear ends the faults whose names match a pattern, and returns how many there were.
func (d *Driver) clear(pattern string) int {
	names := d.faults.Names(pattern)
	for _, name := range names {
		end, _ := d.faults.Get(name)
		end()
		d.faults.Delete(name)
	}
	return len(names)
}

// Closed reports whether c is closed.
func Closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
