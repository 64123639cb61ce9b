package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/conformance/watchcache"
)

// remoteServer is a server of an adapter. Of what it does not have, its features say nothing.
type remoteServer struct {
	*session
	h string
}

func (s *session) openServer() (watchcache.Subject, error) {
	r := remoteServer{s, s.handle("s")}
	return r, r.do(s.t.Context(), "wc.open", WCServer{r.h}, nil)
}

// do makes a request; the error is an APIStatus of apimachinery where there was a Status.
func (r remoteServer) do(ctx context.Context, op string, args, into any) error {
	err := r.call(ctx, op, args, into)
	var f *Failure
	if errors.As(err, &f) {
		return statusOr(f)
	}
	return err
}

// In implements watchcache.Subject.
func (r remoteServer) In(namespace string) watchcache.Client { return remoteClient{r, namespace} }

// Compact implements watchcache.Compactor.
func (r remoteServer) Compact(ctx context.Context) (string, error) {
	var c WCCompacted
	err := r.do(ctx, "wc.compact", WCServer{r.h}, &c)
	return c.Kept, err
}

// MoveWindow implements watchcache.WindowMover.
func (r remoteServer) MoveWindow(ctx context.Context) error {
	return r.do(ctx, "wc.window", WCServer{r.h}, nil)
}

// Restart implements watchcache.Restarter.
func (r remoteServer) Restart(ctx context.Context) error {
	return r.do(ctx, "wc.restart", WCServer{r.h}, nil)
}

// SetLag implements watchcache.Lagger.
func (r remoteServer) SetLag(ctx context.Context, d time.Duration) error {
	return r.do(ctx, "wc.lag", WCLag{r.h, d.Milliseconds()}, nil)
}

// SetReady implements watchcache.Starter.
func (r remoteServer) SetReady(ctx context.Context, ready bool) error {
	return r.do(ctx, "wc.ready", WCReady{r.h, ready}, nil)
}

// SetStorageFault implements watchcache.StorageFaulter.
func (r remoteServer) SetStorageFault(ctx context.Context, fault json.RawMessage) error {
	return r.do(ctx, "wc.storage", WCStorage{r.h, fault}, nil)
}

// WriteOther implements watchcache.OtherWriter.
func (r remoteServer) WriteOther(ctx context.Context) (string, error) {
	var o WCOther
	err := r.do(ctx, "wc.writeother", WCServer{r.h}, &o)
	return o.ResourceVersion, err
}

// DeleteTogether implements watchcache.Deleter.
func (r remoteServer) DeleteTogether(namespace string, names ...string) error {
	return r.do(r.t.Context(), "wc.deletetogether", WCTogether{r.h, namespace, names}, nil)
}

// remoteClient asks it in one namespace, or in all.
type remoteClient struct {
	remoteServer
	namespace string
}

// Create implements watchcache.Client.
func (c remoteClient) Create(ctx context.Context, m *corev1.ConfigMap, o metav1.CreateOptions) (*corev1.ConfigMap, error) {
	return c.write(ctx, "wc.create", m, len(o.DryRun) > 0, "")
}

// Update implements watchcache.Client.
func (c remoteClient) Update(ctx context.Context, m *corev1.ConfigMap, o metav1.UpdateOptions) (*corev1.ConfigMap, error) {
	return c.write(ctx, "wc.update", m, len(o.DryRun) > 0, "")
}

// UpdateStatus implements watchcache.StatusUpdater.
func (c remoteClient) UpdateStatus(ctx context.Context, m *corev1.ConfigMap, o metav1.UpdateOptions) (*corev1.ConfigMap, error) {
	return c.write(ctx, "wc.update", m, len(o.DryRun) > 0, "status")
}

func (c remoteClient) write(ctx context.Context, op string, m *corev1.ConfigMap, dry bool, part string) (*corev1.ConfigMap, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return c.object(ctx, op, WCWrite{H: c.h, Namespace: c.namespace, Object: b, DryRun: dry, Subresource: part})
}

// Patch implements watchcache.Patcher.
func (c remoteClient) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, o metav1.PatchOptions, parts ...string) (*corev1.ConfigMap, error) {
	p := WCPatch{H: c.h, Namespace: c.namespace, Name: name, Type: string(pt), Patch: string(data), Options: o}
	if len(parts) > 0 {
		p.Subresource = parts[0]
	}
	return c.object(ctx, "wc.patch", p)
}

// Delete implements watchcache.Client.
func (c remoteClient) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	return c.do(ctx, "wc.delete", WCDelete{H: c.h, Namespace: c.namespace, Name: name, Options: o}, nil)
}

// DeleteCollection implements watchcache.CollectionDeleter.
func (c remoteClient) DeleteCollection(ctx context.Context, o metav1.DeleteOptions, l metav1.ListOptions) error {
	return c.do(ctx, "wc.deletecollection", WCDelete{H: c.h, Namespace: c.namespace, Options: o, List: &l}, nil)
}

// Get implements watchcache.Client.
func (c remoteClient) Get(ctx context.Context, name string, o metav1.GetOptions) (*corev1.ConfigMap, error) {
	return c.object(ctx, "wc.get", WCGet{H: c.h, Namespace: c.namespace, Name: name, Options: o})
}

func (c remoteClient) object(ctx context.Context, op string, args any) (*corev1.ConfigMap, error) {
	var o WCObject
	if err := c.do(ctx, op, args, &o); err != nil {
		return nil, err
	}
	return configMap(o.Object)
}

func configMap(b json.RawMessage) (*corev1.ConfigMap, error) {
	m := &corev1.ConfigMap{}
	if err := json.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("its answer holds no object: %w", err)
	}
	return m, nil
}

// List implements watchcache.Client.
func (c remoteClient) List(ctx context.Context, o metav1.ListOptions) (*corev1.ConfigMapList, error) {
	var l WCListed
	if err := c.do(ctx, "wc.list", WCList{c.h, c.namespace, o}, &l); err != nil {
		return nil, err
	}
	out := &corev1.ConfigMapList{ListMeta: l.Metadata, Items: []corev1.ConfigMap{}}
	for _, i := range l.Items {
		m, err := configMap(i)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, *m)
	}
	return out, nil
}

// Watch implements watchcache.Client.
func (c remoteClient) Watch(ctx context.Context, o metav1.ListOptions) (apiwatch.Interface, error) {
	w := &watch{session: c.session, w: c.handle("w"), read: "wc.read", stop: "wc.stop"}
	err := w.open(ctx, "wc.watch", WCWatch{WCList{c.h, c.namespace, o}, w.w}, nil)
	var f *Failure
	switch {
	case errors.As(err, &f):
		return nil, statusOr(f)
	case err != nil:
		return nil, err
	}
	out := &serverWatch{w: w, events: make(chan apiwatch.Event), stopped: make(chan struct{})}
	go out.read(ctx)
	return out, nil
}

// serverWatch hands on the events of a watch: the next is asked for when one was taken.
type serverWatch struct {
	w       *watch
	events  chan apiwatch.Event
	stopped chan struct{}
	once    sync.Once
}

// ResultChan implements watch.Interface.
func (s *serverWatch) ResultChan() <-chan apiwatch.Event { return s.events }

// Stop implements watch.Interface.
func (s *serverWatch) Stop() {
	s.once.Do(func() { close(s.stopped); s.w.Stop() })
}

func (s *serverWatch) read(ctx context.Context) {
	defer close(s.events)
	for e, ok := s.w.Next(ctx); ok; e, ok = s.w.Next(ctx) {
		select {
		case s.events <- apiwatch.Event{Type: apiwatch.EventType(e.Type), Object: shown(e.Type, e.Object)}:
		case <-s.stopped:
			return
		}
	}
}

// shown is the object of an event as the suite wants it; what it cannot read is an ERROR's.
func shown(kind string, b json.RawMessage) runtime.Object {
	if kind == string(apiwatch.Error) {
		st := &metav1.Status{}
		if err := json.Unmarshal(b, st); err != nil {
			st = &metav1.Status{Message: err.Error()}
		}
		return st
	}
	m, err := configMap(b)
	if err != nil {
		return &apierrors.NewInternalError(err).ErrStatus
	}
	return m
}
