package informer

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// configMap has something of most that a copy could lose; rig.Whole adds the rest. An owner it has in virtual time alone: a real cluster would delete
// what is owned by what is not there.
func (d *driver) configMap(ns, name, content string, labels map[string]string) *corev1.ConfigMap {
	m := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ns, Labels: maps.Clone(labels), Annotations: map[string]string{"lwtest/about": content}},
		Data:       map[string]string{"spec": content},
		BinaryData: map[string][]byte{"bytes": {0xff, 0}},
	}
	if d.t.Virtual() {
		m.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "owner", UID: "owner"}}
	}
	return m
}

// putHeld puts an object that does not go before it is let go.
func (d *driver) putHeld(name, content string) {
	m := d.configMap(d.home, name, content, nil)
	m.Finalizers = []string{rig.Finalizer}
	d.create(m)
}

// putFixed puts an object that is not to be changed any more.
func (d *driver) putFixed(name string) {
	m := d.configMap(d.home, name, "fixed", nil)
	m.Immutable = ptr(true)
	d.create(m)
}

func (d *driver) create(m *corev1.ConfigMap) {
	d.became(m.Name, func(ctx context.Context, w rig.Writer) error {
		_, err := w.Create(ctx, m, metav1.CreateOptions{})
		return err
	})
	d.alive[d.home+"/"+m.Name] = true
}

// terminate deletes one that is held: it stays, with a deletionTimestamp.
func (d *driver) terminate(name string) {
	d.became(name, func(ctx context.Context, w rig.Writer) error { return w.Delete(ctx, name, metav1.DeleteOptions{}) })
}

// letGo takes the finalizer from one that terminates, with which it is gone.
func (d *driver) letGo(name, content string) {
	m := d.configMap(d.home, name, content, nil)
	d.ends(d.home, name, func(ctx context.Context, w rig.Writer) error {
		_, err := w.Update(ctx, m, metav1.UpdateOptions{})
		return err
	})
}

// became makes a write whose answer may not have the object as it is then: that is read.
func (d *driver) became(name string, write func(context.Context, rig.Writer) error) {
	d.write(putKind, d.home+"/"+name, func(ctx context.Context) harness.Answer {
		w := d.server.ConfigMaps(d.home)
		err := write(ctx, w)
		if err == nil {
			var l *corev1.ConfigMapList
			if l, err = w.List(ctx, metav1.ListOptions{}); err == nil {
				if i := slices.IndexFunc(l.Items, func(m corev1.ConfigMap) bool { return m.Name == name }); i >= 0 {
					return harness.Answer{Obj: d.kept(&l.Items[i])}
				}
			}
		}
		d.t.GiveUp("the drive's own write failed: %v", err)
		return harness.Answer{Err: &history.Error{Msg: "the drive's own write failed"}}
	})
}

// driveTerminating has objects that are deleted and stay until their finalizer is taken away.
func driveTerminating(d *driver) {
	if d.t.Has(Handlers) {
		d.two()
	}
	d.some(2)
	for _, name := range []string{"held0", "held1", "held2"} {
		d.putHeld(name, "1")
	}
	d.terminate("held0")
	d.start()
	d.settle()
	d.terminate("held1")
	d.settle()
	d.away(func() { d.terminate("held2") })
	d.settle()
	d.letGo("held0", "1")
	d.settle()
	d.away(func() { d.letGo("held1", "1") })
	d.settle()
	d.letGo("held2", "1")
	d.settle()
}
