package mutants_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

var ctx = context.Background()

func seconds(n int64) *int64 { return &n }

// write creates or updates.
func write(api apiserver.API, ns, name string, labels map[string]string) {
	c := apiserver.ConfigMaps(api, ns)
	o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	if _, err := c.Create(ctx, o, metav1.CreateOptions{}); apierrors.IsAlreadyExists(err) {
		_, _ = c.Update(ctx, o, metav1.UpdateOptions{})
	}
}

func remove(api apiserver.API, ns, name string) {
	_ = apiserver.ConfigMaps(api, ns).Delete(ctx, name, metav1.DeleteOptions{})
}

func show(l *corev1.ConfigMapList, err error) []string {
	out := []string{l.ResourceVersion, fmt.Sprint(err)}
	for _, o := range l.Items {
		out = append(out, fmt.Sprint(o.Name, "@", o.ResourceVersion, o.Labels, o.UID != ""))
	}
	return out
}

// tape is what a watch has sent.
type tape struct {
	watch.Interface
	mu  sync.Mutex
	all []string
}

func record(t *testing.T, api apiserver.API, ns string, o metav1.ListOptions) *tape {
	t.Helper()
	w, err := apiserver.ConfigMaps(api, ns).Watch(ctx, o)
	require.NoError(t, err)
	r := &tape{Interface: w}
	go func() {
		for e := range w.ResultChan() {
			m := e.Object.(metav1.Object)
			r.mu.Lock()
			r.all = append(r.all, fmt.Sprintf("%s %s/%s@%s %v", e.Type, m.GetNamespace(), m.GetName(), m.GetResourceVersion(), m.GetLabels()))
			r.mu.Unlock()
		}
	}()
	return r
}

func (r *tape) lines() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all
}
