package informer

import (
	"context"
	"encoding/json"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// The kinds of the drive's own writes. One is made after the other.
const (
	foundKind  = "FOUND" // none: what was there before
	putKind    = "PUT"   // creates or updates; returns the object as it is then
	deleteKind = "DELETE-OBJECT"
	// It returns the object's key and uid, and a resourceVersion by which it is gone.
)

// find records what is there before the drive begins: a cluster may put objects of its own into each namespace, once.
func (d *driver) find() {
	for _, ns := range []string{d.home, d.abroad} {
		l, err := d.server.ConfigMaps(ns).List(d.t.Context(), metav1.ListOptions{})
		if err != nil {
			d.t.GiveUp("the drive's own list failed: %v", err)
			return
		}
		for i := range l.Items {
			d.t.Do(harness.Call{Actor: writerActor, Kind: foundKind, Obj: history.Ref{Key: ns + "/" + l.Items[i].Name}}, func(context.Context) harness.Answer {
				return harness.Answer{Obj: d.kept(&l.Items[i])}
			})
		}
	}
}

// put creates a ConfigMap, or changes the one of that name.
func (d *driver) put(name, content string) string {
	return d.putIn(d.home, name, content, map[string]string{"app": "one"})
}

// label puts it with another value of the label app; "": without one.
func (d *driver) label(name, app string) { d.labelIn(d.home, name, app) }

func (d *driver) labelIn(ns, name, app string) {
	labels := map[string]string{}
	if app != "" {
		labels["app"] = app
	}
	d.putIn(ns, name, "labelled "+app, labels)
}

// putIn gives the object's resourceVersion.
func (d *driver) putIn(ns, name, content string, labels map[string]string) string {
	return d.putObject(d.configMap(ns, name, content, labels))
}

// putLong puts one of so many bytes.
func (d *driver) putLong(name, content string, bytes int) {
	m := d.configMap(d.home, name, content, nil)
	m.Data["long"] = rig.Text(bytes)
	d.putObject(m)
}

func (d *driver) putObject(m *corev1.ConfigMap) string {
	ns, name := m.Namespace, m.Name
	a := d.write(putKind, ns+"/"+name, func(ctx context.Context) harness.Answer {
		w := d.server.ConfigMaps(ns)
		write := func() (*corev1.ConfigMap, error) { return w.Create(ctx, m, metav1.CreateOptions{}) }
		if d.alive[ns+"/"+name] {
			write = func() (*corev1.ConfigMap, error) { return w.Update(ctx, m, metav1.UpdateOptions{}) }
		}
		out, err := write()
		if err != nil {
			d.t.GiveUp("the drive's own write failed: %v", err)
			return harness.Answer{Err: &history.Error{Msg: err.Error()}}
		}
		d.alive[ns+"/"+name], d.written[ns+"/"+name] = true, out.ResourceVersion
		return harness.Answer{Obj: d.kept(out)}
	})
	return a.Obj.RV
}

// kept is what a history keeps of the drive's own object.
func (d *driver) kept(m *corev1.ConfigMap) history.Ref {
	return d.objects(rawOf(m))[0]
}

// remove deletes one.
func (d *driver) remove(name string) { d.removeIn(d.home, name) }

func (d *driver) removeIn(ns, name string) {
	d.ends(ns, name, func(ctx context.Context, w rig.Writer) error { return w.Delete(ctx, name, metav1.DeleteOptions{}) })
}

// ends makes the write by which an object is gone.
func (d *driver) ends(ns, name string, write func(context.Context, rig.Writer) error) {
	d.write(deleteKind, ns+"/"+name, func(ctx context.Context) harness.Answer {
		delete(d.alive, ns+"/"+name)
		w := d.server.ConfigMaps(ns)
		if err := write(ctx, w); err != nil {
			d.t.GiveUp("the drive's own delete failed: %v", err)
			return harness.Answer{Err: &history.Error{Msg: err.Error()}}
		}
		l, err := w.List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil {
			d.t.GiveUp("the drive's own list failed: %v", err)
			return harness.Answer{Err: &history.Error{Msg: err.Error()}}
		}
		return harness.Answer{Obj: history.Ref{Key: ns + "/" + name, RV: l.ResourceVersion}}
	})
}

// write makes one, in the writer's turn, and has its answer when all that comes of it at that instant has come.
func (d *driver) write(kind, key string, do func(context.Context) harness.Answer) harness.Answer {
	turn := func(actor string) {
		if !d.hasty {
			d.turns.Take(d.t, actor)
		}
	}
	turn(writerActor)
	_, a := d.t.Do(harness.Call{Actor: writerActor, Kind: kind, Obj: history.Ref{Key: key}}, func(ctx context.Context) harness.Answer {
		a := do(ctx)
		turn(writerActor + ", answered")
		return a
	})
	return a
}

// gate is where a handler's calls may be held, all or those of some objects.
type gate struct {
	mu   sync.Mutex
	open chan struct{} // closed while nothing is held
	only string        // calls of this object alone are held; "": all
	held bool
	seen map[string]bool // keys of objects that calls were about
}

func (g *gate) init() {
	g.open, g.seen = make(chan struct{}), map[string]bool{}
	close(g.open)
}

// hold has calls wait from now on: those of an object, or all ("").
func (g *gate) hold(only string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.only = only; !g.held {
		g.open, g.held = make(chan struct{}), true
	}
}

// release lets them go on.
func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held {
		close(g.open)
		g.held = false
	}
}

// pass waits where calls of that object are held, or until the case ends.
func (g *gate) pass(ctx context.Context, key string) {
	g.mu.Lock()
	g.seen[key] = true
	open, only := g.open, g.only
	g.mu.Unlock()
	if only != "" && only != key {
		return
	}
	select {
	case <-open:
	case <-ctx.Done():
	}
}

func (g *gate) isHeld() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.held
}

func (g *gate) has(key string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seen[key]
}

// rawOf is an object in JSON, as all objects come to the history.
func rawOf(m *corev1.ConfigMap) []json.RawMessage {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // it is plain data
	}
	return []json.RawMessage{b}
}
