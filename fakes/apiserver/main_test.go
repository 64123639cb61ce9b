package apiserver_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	ctx        = context.Background()
	configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")
	events     = corev1.SchemeGroupVersion.WithResource("events")
	pods       = corev1.SchemeGroupVersion.WithResource("pods")
)

// bubble runs f in virtual time with a server that it closes.
func bubble(t *testing.T, o apiserver.Options, f func(*testing.T, *apiserver.Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := apiserver.New(o)
		defer func() { require.NoError(t, s.Close()) }()
		f(t, s)
	})
}

// pod is one that may be on a node.
func pod(name, node string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{
		NodeName: node, Containers: []corev1.Container{{Name: "c", Image: "i"}},
	}}
}

// cm is a configmap; labels are pairs.
func cm(name string, labels ...string) *corev1.ConfigMap {
	o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	for i := 0; i < len(labels); i += 2 {
		metav1.SetMetaDataLabel(&o.ObjectMeta, labels[i], labels[i+1])
	}
	return o
}

func create(t *testing.T, s apiserver.API, ns string, o *corev1.ConfigMap) *corev1.ConfigMap {
	t.Helper()
	o, err := apiserver.ConfigMaps(s, ns).Create(ctx, o, metav1.CreateOptions{})
	require.NoError(t, err)
	return o
}

// update changes something of the object that is stored.
func update(t *testing.T, s apiserver.API, ns, name string, f func(*corev1.ConfigMap)) *corev1.ConfigMap {
	t.Helper()
	c := apiserver.ConfigMaps(s, ns)
	o, err := c.Get(ctx, name, metav1.GetOptions{})
	require.NoError(t, err)
	f(o)
	o, err = c.Update(ctx, o, metav1.UpdateOptions{})
	require.NoError(t, err)
	return o
}

// touch gives the object a new resourceVersion.
func touch(t *testing.T, s apiserver.API, ns, name string) *corev1.ConfigMap {
	t.Helper()
	return update(t, s, ns, name, func(o *corev1.ConfigMap) {
		o.Data = map[string]string{"n": o.ResourceVersion}
	})
}

func remove(t *testing.T, s apiserver.API, ns, name string) {
	t.Helper()
	require.NoError(t, apiserver.ConfigMaps(s, ns).Delete(ctx, name, metav1.DeleteOptions{}))
}

// names of a list's items with their resourceVersions, and the list's own.
func names(l *corev1.ConfigMapList) []string {
	var out []string
	for _, o := range l.Items {
		out = append(out, o.Name+"@"+o.ResourceVersion)
	}
	return append(out, "@"+l.ResourceVersion)
}

// tape is everything a watch has sent.
type tape struct {
	watch.Interface
	mu    sync.Mutex
	lines []string
	last  watch.Event
	ended bool
	done  chan struct{}
}

// record reads a watch until it ends.
func record(t *testing.T, s apiserver.API, req apiserver.Request, o metav1.ListOptions) *tape {
	t.Helper()
	return recordContext(ctx, t, s, req, o)
}

func recordContext(ctx context.Context, t *testing.T, s apiserver.API, req apiserver.Request, o metav1.ListOptions) *tape {
	t.Helper()
	w, err := s.Watch(ctx, req, o)
	require.NoError(t, err)
	r := &tape{Interface: w, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		for e := range w.ResultChan() {
			r.mu.Lock()
			r.lines, r.last = append(r.lines, line(e)), e
			r.mu.Unlock()
		}
		r.mu.Lock()
		r.ended = true
		r.mu.Unlock()
	}()
	return r
}

func line(e watch.Event) string {
	if s, ok := e.Object.(*metav1.Status); ok {
		return fmt.Sprintf("%s %d %s", e.Type, s.Code, s.Message)
	}
	m := e.Object.(metav1.Object)
	out := fmt.Sprintf("%s %s@%s", e.Type, m.GetName(), m.GetResourceVersion())
	if m.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true" {
		out += " end"
	}
	return out
}

// got is what has come since the last look, when everything is at rest. Only in a bubble.
func (r *tape) got() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	r.lines = nil
	return lines
}

func (r *tape) over() bool {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

// status of an error that must be one.
func status(t *testing.T, err error) metav1.Status {
	t.Helper()
	var known apierrors.APIStatus
	require.True(t, errors.As(err, &known), "%T %v", err, err)
	return known.Status()
}

func ptr[T any](v T) *T { return &v }
