package watchcache

import (
	"context"
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// Compactor is an optional part of a Subject (feature compaction).
type Compactor interface {
	// Compact lets the states before the present go: those that lists at
	// exactly an old resourceVersion, and continue tokens, are answered from.
	// It returns when that can be seen, with the oldest resourceVersion that is
	// kept, or "" where that is not known. Other clients of the same store are
	// affected, too.
	Compact(context.Context) (kept string, err error)
}

// WindowMover is an optional part of a Subject (feature window).
type WindowMover interface {
	// MoveWindow lets the events before the present go: those that watches from
	// an old resourceVersion are answered from. It returns when that can be seen.
	MoveWindow(context.Context) error
}

// Restarter is an optional part of a Subject (feature restart).
type Restarter interface {
	// Restart ends the server as a crash or an upgrade does, and starts it
	// again over what it had stored. It returns when it serves again.
	Restart(context.Context) error
}

// Lagger is an optional part of a Subject (feature lag).
type Lagger interface {
	// SetLag makes the cache that answers fall behind its storage by so long; 0: it has caught up
	// when this returns, or does soon after.
	SetLag(context.Context, time.Duration) error
}

// Starter is an optional part of a Subject (feature starting).
type Starter interface {
	// SetReady makes the cache that answers not ready, as after a start, or ready again.
	SetReady(context.Context, bool) error
}

// Deleter is an optional part of a Subject (feature together): it deletes
// several objects in one revision, as a transaction of the store does.
type Deleter interface {
	DeleteTogether(namespace string, names ...string) error
}

// OtherWriter is an optional part of a Subject (feature other-resource).
type OtherWriter interface {
	// WriteOther changes an object of another resource, whose resourceVersions come from the same sequence. It returns the
	// resourceVersion that a list of that resource has then.
	WriteOther(context.Context) (resourceVersion string, err error)
}

// StorageFaulter is an optional part of a Subject (feature storage-faults).
type StorageFaulter interface {
	// SetStorageFault has the storage go wrong in this way from now on, in place of an earlier one; nil ends it. The fault is in JSON, as in
	// files of faults between an API server and its etcd (docs/faults.md).
	SetStorageFault(ctx context.Context, fault json.RawMessage) error
}

// What lets history go (Compact, MoveWindow) runs beside checks that are
// harness.Quiet: they list and watch in their first second, and from then on
// read what is open. kube-apiserver looks into the history of its cache only
// when a watch begins (cacher, GetIntervalLocked), and feeds it from the events
// as they come after that; etcd tells only those of its watchers that are
// behind that something was compacted (mvcc, watcherGroup.chooseAll).
//
// DeleteTogether runs beside those only, too: the cache takes the deletions of
// one revision in one by one, and keeps after each what a list at exactly that
// revision is answered from (cacher, processEvent and storeSnapshotter). Who
// lists all namespaces in pages just then is told of more than there is to come.

// compactionSpan is how long a check takes in which something is compacted:
// kube-apiserver looks at what etcd has compacted every 15 seconds.
const compactionSpan = time.Minute

// windowSpan is how long it takes to move the window of a watch cache that
// keeps events for 75 seconds.
const windowSpan = 4 * time.Minute

// compact says whether it could be done.
func (d *driver) compact() bool {
	c, ok := d.s.(Compactor)
	if !ok {
		d.t.GiveUp("the feature %s is declared, but the subject has no Compact", Compaction)
		return false
	}
	return d.admin(replay.Compact, func(ctx context.Context) (string, error) { return c.Compact(ctx) })
}

// moveWindow says whether it could be done.
func (d *driver) moveWindow() bool {
	m, ok := d.s.(WindowMover)
	if !ok {
		d.t.GiveUp("the feature %s is declared, but the subject has no MoveWindow", Window)
		return false
	}
	return d.admin(replay.MoveWindow, func(ctx context.Context) (string, error) { return "", m.MoveWindow(ctx) })
}

// restart says whether it could be done.
func (d *driver) restart() bool {
	r, ok := d.s.(Restarter)
	if !ok {
		d.t.GiveUp("the feature %s is declared, but the subject has no Restart", Restart)
		return false
	}
	return d.admin(replay.Restart, func(ctx context.Context) (string, error) { return "", r.Restart(ctx) })
}

// admin records what is done to the server, and gives the case up where it cannot be.
func (d *driver) admin(kind string, f func(context.Context) (string, error)) bool {
	d.turn("admin")
	_, a := d.t.Do(harness.Call{Actor: "admin", Kind: kind}, func(ctx context.Context) harness.Answer {
		rv, err := f(ctx)
		if err != nil {
			return d.refused(err)
		}
		return harness.Answer{Obj: history.Ref{RV: rv}}
	})
	if a.Err != nil {
		d.t.GiveUp("%s: %s", kind, a.Err)
		return false
	}
	d.t.Wait()
	return true
}

// listOffer is list, and gives the token that a refusal offered, too.
func (d *driver) listOffer(actor, ns string, o metav1.ListOptions) (answered bool, offer string) {
	_, err := d.tryList(actor, ns, o)
	return err == nil, offered(err)
}

// offered is the token that a refusal has to go on with, "" for none.
func offered(err error) string {
	if s, ok := err.(statusError); ok {
		return s.Status().Continue
	}
	return ""
}

// statusError is an error with a Status.
type statusError interface{ Status() metav1.Status }
