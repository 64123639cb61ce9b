package watchcache

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// driver is what the drives of this kind work with: each call of the subject
// is recorded, under the actor that makes it.
type driver struct {
	t          *harness.T
	s          Subject
	namespaces []string      // two that begin alike, or as many as manyNamespaces
	count      *atomic.Int64 // names and contents that differ
	tokens     *tokens
	slowest    *atomic.Int64 // of the writes so far, in nanoseconds
	used       *atomic.Bool  // something was asked
	once       bool          // a refusal is not asked for again
	turns      *turns
	cluster    *clustered                       // nil: what is tested has namespaces
	versions   VersionServer                    // nil: what is tested has one version
	way        Way                              // in which it asks
	hurry      func(actor string) time.Duration // after which an actor gives its next request up; 0: it waits. Nil: nobody does
}

// in returns the client of a namespace.
func (d *driver) in(namespace string) Client {
	d.used.Store(true)
	switch {
	case d.cluster != nil:
		return *d.cluster
	case d.versions != nil:
		return d.versions.InVersion(namespace, d.way.Other)
	}
	return d.s.In(namespace)
}

// ownNamespaces are used where a subject has none of its own; the second
// begins like the first.
var ownNamespaces = []string{"a", "ab"}

// manyNamespaces are used where two are not enough: the third ends like the first.
var manyNamespaces = []string{"a", "ab", "ba", "abb", "bab"}

// newDriver finds out where the run may work; own is where, unless the subject says.
func newDriver(t *harness.T, s Subject, own []string) (*driver, bool) {
	d := &driver{t: t, s: s, namespaces: own, count: &atomic.Int64{}, used: &atomic.Bool{}, slowest: &atomic.Int64{}, tokens: &tokens{}, turns: &turns{}}
	n, ok := s.(Namespacer)
	if !ok {
		return d, true
	}
	ns, err := n.Namespaces(t.Context(), len(own))
	if err != nil {
		t.GiveUp("no namespaces to work in: %v", err)
		return nil, false
	}
	d.namespaces = ns
	return d, true
}

// drive makes a Drive of a function on a driver with two namespaces.
func drive(f func(*driver)) func(*harness.T, Subject) { return driveIn(ownNamespaces, f) }

// driveIn is drive with as many namespaces as own.
func driveIn(own []string, f func(*driver)) func(*harness.T, Subject) {
	return func(t *harness.T, s Subject) {
		if d, ok := newDriver(t, s, own); ok {
			f(d)
		}
	}
}

// next is a text that this run has not used before.
func (d *driver) next(prefix string) string {
	return fmt.Sprint(prefix, d.count.Add(1))
}

// object is a new object that differs in content from all others of the run.
func (d *driver) object(ns, name string, labels map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, Labels: labels},
		Data:       map[string]string{Spec: d.next("v")},
	}
}

// changed is an object with the same identity and version, new labels (nil:
// the same) and new content.
func (d *driver) changed(old *corev1.ConfigMap, labels map[string]string) *corev1.ConfigMap {
	m := old.DeepCopy()
	if labels != nil {
		m.Labels = labels
	}
	if m.Data == nil {
		m.Data = map[string]string{}
	}
	m.Data[Spec] = d.next("v")
	return m
}

func (d *driver) create(actor string, m *corev1.ConfigMap) *corev1.ConfigMap {
	m = m.DeepCopy() // whatever a subject makes of it, the drive's is as it was
	return d.writeWith(writeCall(actor, replay.Create, d.ref(m), replay.WriteArgs{GenerateName: m.GenerateName}), func(ctx context.Context) (*corev1.ConfigMap, error) {
		return d.in(m.Namespace).Create(ctx, m, metav1.CreateOptions{})
	})
}

func (d *driver) update(actor string, m *corev1.ConfigMap) *corev1.ConfigMap {
	m = m.DeepCopy() // as above
	return d.write(actor, replay.Update, d.ref(m), func(ctx context.Context) (*corev1.ConfigMap, error) {
		return d.in(m.Namespace).Update(ctx, m, metav1.UpdateOptions{})
	})
}

// patch sets labels, annotations and data of an object by a merge patch, where
// it has any, and names no owner; a resourceVersion in m is a precondition. A
// client without patches records nothing.
func (d *driver) patch(actor string, m *corev1.ConfigMap) *corev1.ConfigMap {
	return d.patchWith(actor, m, replay.WriteArgs{})
}

// patchWith is patch, of a subresource or as a strategic merge patch, too.
func (d *driver) patchWith(actor string, m *corev1.ConfigMap, args replay.WriteArgs) *corev1.ConfigMap {
	p, ok := d.in(m.Namespace).(Patcher)
	if !ok {
		d.t.GiveUp("the feature %s is declared, but the client has no Patch", Patch)
		return nil
	}
	meta := map[string]any{}
	if len(m.Labels) > 0 {
		meta["labels"] = m.Labels
	}
	if len(m.Annotations) > 0 {
		meta["annotations"] = m.Annotations
	}
	if m.ResourceVersion != "" {
		meta["resourceVersion"] = m.ResourceVersion
	}
	b, err := json.Marshal(map[string]any{"metadata": meta, "data": m.Data})
	if err != nil {
		d.t.GiveUp("%v", err)
		return nil
	}
	named := m.DeepCopy()
	named.UID, named.OwnerReferences = "", nil
	return d.writeWith(writeCall(actor, replay.Patch, d.ref(named), args), func(ctx context.Context) (*corev1.ConfigMap, error) {
		return p.Patch(ctx, m.Name, cmp.Or(args.Type, types.MergePatchType), b, patchOptions(args), subresources(args)...)
	})
}

// writeCall is the call of a write with arguments; where all are empty it has none.
func writeCall(actor, verb string, in history.Ref, args replay.WriteArgs) harness.Call {
	c := harness.Call{Actor: actor, Kind: verb, Obj: in}
	if !reflect.ValueOf(args).IsZero() {
		c.Args = args
	}
	return c
}

// subresources are as a Patcher takes them.
func subresources(args replay.WriteArgs) []string {
	if args.Subresource == "" {
		return nil
	}
	return []string{args.Subresource}
}

// write records a write that answers with an object, and gives that object, nil where there is none.
func (d *driver) write(actor, verb string, in history.Ref, f func(context.Context) (*corev1.ConfigMap, error)) *corev1.ConfigMap {
	return d.writeWith(harness.Call{Actor: actor, Kind: verb, Obj: in}, f)
}

// writeWith is write, with arguments.
func (d *driver) writeWith(c harness.Call, f func(context.Context) (*corev1.ConfigMap, error)) *corev1.ConfigMap {
	var out *corev1.ConfigMap
	_, a := d.do(c, func(ctx context.Context) (harness.Answer, error) {
		began := time.Now()
		m, err := f(ctx)
		if took := int64(time.Since(began)); took > d.slowest.Load() {
			d.slowest.Store(took) // of two at once either will do
		}
		if err == nil {
			out = m
		}
		return d.answer(m), err
	})
	d.t.Wait()
	if a.Err != nil {
		return nil
	}
	return out
}

// remove deletes an object; pre may be nil.
func (d *driver) remove(actor, ns, name string, pre *metav1.Preconditions) {
	d.removeWith(actor, ns, name, metav1.DeleteOptions{Preconditions: pre})
}

// removeNow deletes an object with a grace period of 0 seconds, as a forced deletion does.
func (d *driver) removeNow(actor, ns, name string) {
	d.removeWith(actor, ns, name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))})
}

// waysToDelete are such as hang neither on a garbage collector nor, but for an object on a node, on a grace period.
var waysToDelete = []metav1.DeleteOptions{
	{PropagationPolicy: new(metav1.DeletePropagationBackground)},
	{GracePeriodSeconds: new(int64(0))},
	{GracePeriodSeconds: new(int64(30))},
	{GracePeriodSeconds: new(int64(30)), PropagationPolicy: new(metav1.DeletePropagationBackground)},
}

// policies are all that a deletion may say of what an object owns.
var policies = []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan}

// removeWith deletes an object with these options.
func (d *driver) removeWith(actor, ns, name string, o metav1.DeleteOptions) {
	d.removeBy(actor, ns, name, o, func(ctx context.Context) (harness.Answer, error) {
		return harness.Answer{}, d.in(ns).Delete(ctx, name, o)
	})
}

// removeBy records a delete that f makes.
func (d *driver) removeBy(actor, ns, name string, o metav1.DeleteOptions, f func(context.Context) (harness.Answer, error)) {
	args := replay.WriteArgs{DryRun: len(o.DryRun) > 0, GracePeriodSeconds: o.GracePeriodSeconds}
	if o.PropagationPolicy != nil {
		args.PropagationPolicy = *o.PropagationPolicy
	}
	c := writeCall(actor, replay.Delete, preconditions(ns+"/"+name, o.Preconditions), args)
	d.do(c, f)
	d.t.Wait()
}

// preconditions are what a history keeps of a deletion's.
func preconditions(key string, pre *metav1.Preconditions) history.Ref {
	in := history.Ref{Key: key}
	if pre != nil && pre.UID != nil {
		in.UID = string(*pre.UID)
	}
	if pre != nil && pre.ResourceVersion != nil {
		in.RV = *pre.ResourceVersion
	}
	return in
}

// list records a list, and gives it, nil where it was refused.
func (d *driver) list(actor, ns string, o metav1.ListOptions) *corev1.ConfigMapList {
	l, _ := d.tryList(actor, ns, o)
	return l
}

// tryList is list, and gives the error, too. By what the subject does not declare nothing is selected.
func (d *driver) tryList(actor, ns string, o metav1.ListOptions) (out *corev1.ConfigMapList, failed error) {
	if o.LabelSelector != "" && !d.t.Has(LabelWatch) || o.FieldSelector != "" && !d.t.Has(FieldWatch) {
		return nil, errUndeclared
	}
	args := replay.Args{Namespace: ns, Options: o}
	args.Options.Continue = d.tokens.ask(o.Continue)
	_, a := d.do(harness.Call{Actor: actor, Kind: replay.List, Args: args.Flat()}, func(ctx context.Context) (harness.Answer, error) {
		l, err := d.reader(ns).List(ctx, o)
		failed = err
		switch {
		case err != nil:
			return harness.Answer{}, err
		case l == nil:
			failed = errNothing
			return harness.Answer{Err: nothing}, nil
		}
		out = l
		return d.listAnswer(l), nil
	})
	if a.Err != nil { // the caller may have given up
		return nil, cmp.Or(failed, errNothing)
	}
	return out, failed
}

func (d *driver) listAnswer(l *corev1.ConfigMapList) harness.Answer {
	a := harness.Answer{Obj: history.Ref{RV: l.ResourceVersion}, Items: make([]history.Ref, 0, len(l.Items))}
	for i := range l.Items {
		a.Items = append(a.Items, d.stored(&l.Items[i]))
	}
	if l.Continue != "" || l.RemainingItemCount != nil || l.ShardInfo != nil {
		a.Body = replay.ListBody{Continue: d.tokens.give(l.Continue), Remaining: l.RemainingItemCount, ShardInfo: l.ShardInfo}
	}
	return a
}

// pages takes a whole list in pages.
func (d *driver) pages(actor, ns string, o metav1.ListOptions) {
	for range 100 {
		l := d.list(actor, ns, o)
		if l == nil || l.Continue == "" {
			return
		}
		o.Continue, o.ResourceVersion, o.ResourceVersionMatch = l.Continue, "", ""
	}
}

// get records a get of the most recent state, and gives it, nil where there is none.
func (d *driver) get(actor, ns, name string) *corev1.ConfigMap { return d.getAt(actor, ns, name, "") }

// getAt is get from a state that is not older than a resourceVersion.
func (d *driver) getAt(actor, ns, name, rv string) *corev1.ConfigMap {
	var out *corev1.ConfigMap
	args := replay.Args{Namespace: ns, Name: name, Options: metav1.ListOptions{ResourceVersion: rv}}
	_, a := d.do(harness.Call{Actor: actor, Kind: replay.Get, Obj: history.Ref{Key: ns + "/" + name}, Args: args.Flat()}, func(ctx context.Context) (harness.Answer, error) {
		m, err := d.reader(ns).Get(ctx, name, metav1.GetOptions{ResourceVersion: rv})
		if err == nil {
			out = m
		}
		return d.answer(m), err
	})
	if a.Err != nil {
		return nil
	}
	return out
}
