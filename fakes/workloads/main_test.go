package workloads_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/yaml"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/schemas"
	"github.com/lwtest/lwtest/fakes/workloads"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

var (
	pods        = corev1.SchemeGroupVersion.WithResource("pods")
	nodes       = corev1.SchemeGroupVersion.WithResource("nodes")
	deployments = appsv1.SchemeGroupVersion.WithResource("deployments")
	replicaSets = appsv1.SchemeGroupVersion.WithResource("replicasets")
)

// cluster is a server with workloads and a tiny kubelet.
type cluster struct {
	t *testing.T
	*apiserver.Server
	kubelet *kubelet
	rest    func() // waits until nothing more happens
}

// bubble runs f in virtual time in a cluster of two nodes.
func bubble(t *testing.T, o workloads.Options, f func(c *cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := apiserver.New(apiserver.Options{Namespaces: true, NamespaceController: true, Accounts: true, Types: schemas.Types})
		ctx, cancel := context.WithCancel(ctx)
		c := &cluster{t: t, Server: s, kubelet: &kubelet{api: s, ready: time.Second}}
		for _, name := range []string{"node-1", "node-2"} {
			c.create(readyNode(name))
		}
		var running sync.WaitGroup
		running.Go(func() { require.NoError(t, workloads.Run(ctx, s, o)) })
		running.Go(func() { c.kubelet.run(ctx) })
		defer func() {
			cancel()
			running.Wait()
			require.NoError(t, s.Close())
		}()
		f(c)
	})
}

func readyNode(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
		Status: corev1.NodeStatus{
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			Allocatable: corev1.ResourceList{}, Capacity: corev1.ResourceList{},
		}}
}

var everything = workloads.Options{Controllers: true, Scheduler: true}

// wait waits so long, in virtual time.
func (c *cluster) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func resourceOf(o runtime.Object) schema.GroupVersionResource {
	for _, r := range apiserver.Resources() {
		if fmt.Sprintf("%T", r.New()) == fmt.Sprintf("%T", o) {
			return r.GroupVersionResource
		}
	}
	panic(fmt.Sprintf("%T is not served", o))
}

func (c *cluster) create(o runtime.Object) runtime.Object {
	c.t.Helper()
	m := o.(metav1.Object)
	out, err := c.Create(ctx, apiserver.Request{Resource: resourceOf(o), Namespace: m.GetNamespace()}, o, metav1.CreateOptions{})
	require.NoError(c.t, err)
	return out
}

// apply creates what a manifest has.
func (c *cluster) apply(manifest string) {
	c.t.Helper()
	require.NoError(c.t, rest.Load(ctx, c.Server, nil, strings.NewReader(manifest)))
}

// get reads an object of the namespace default; nil: there is none.
func get[T metav1.Object](c *cluster, r schema.GroupVersionResource, name string) (none T, ok bool) {
	c.t.Helper()
	o, err := c.Get(ctx, apiserver.Request{Resource: r, Namespace: "default", Name: name}, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return none, false
	}
	require.NoError(c.t, err)
	return o.(T), true
}

// the is get of what exists.
func the[T metav1.Object](c *cluster, r schema.GroupVersionResource, name string) T {
	c.t.Helper()
	o, ok := get[T](c, r, name)
	require.True(c.t, ok, "%s %s does not exist", r.Resource, name)
	return o
}

// change updates an object of the namespace default.
func change[T interface {
	metav1.Object
	runtime.Object
}](c *cluster, r schema.GroupVersionResource, name string, f func(T)) {
	c.t.Helper()
	for {
		o := the[T](c, r, name)
		f(o)
		_, err := c.Update(ctx, apiserver.Request{Resource: r, Namespace: "default", Name: name}, o, metav1.UpdateOptions{})
		if apierrors.IsConflict(err) {
			continue
		}
		require.NoError(c.t, err)
		return
	}
}

// merge patches an object of the namespace default.
func (c *cluster) merge(r schema.GroupVersionResource, name, patch string) {
	c.t.Helper()
	data, err := yaml.YAMLToJSON([]byte(patch))
	require.NoError(c.t, err)
	_, err = c.Patch(ctx, apiserver.Request{Resource: r, Namespace: "default", Name: name}, types.StrategicMergePatchType, data, metav1.PatchOptions{})
	require.NoError(c.t, err)
}

func (c *cluster) remove(r schema.GroupVersionResource, name string, policy metav1.DeletionPropagation) {
	c.t.Helper()
	_, err := c.Delete(ctx, apiserver.Request{Resource: r, Namespace: "default", Name: name}, metav1.DeleteOptions{PropagationPolicy: &policy})
	require.NoError(c.t, err)
}

// list reads all objects of the namespace default.
func list[T metav1.Object](c *cluster, r schema.GroupVersionResource) (all []T) {
	c.t.Helper()
	l, err := c.List(ctx, apiserver.Request{Resource: r, Namespace: "default"}, metav1.ListOptions{})
	require.NoError(c.t, err)
	items, err := meta.ExtractList(l)
	require.NoError(c.t, err)
	for _, o := range items {
		all = append(all, o.(T))
	}
	return all
}

func names[T metav1.Object](all []T) (out []string) {
	for _, o := range all {
		out = append(out, o.GetName())
	}
	return out
}

// kubelet is the least that a kubelet does: pods on a node run, are ready after a while, and are gone when they are deleted. Those with
// the annotation test/ends succeed or fail, a second after they have started.
type kubelet struct {
	api   apiserver.API
	mu    sync.Mutex
	ready time.Duration // how long a pod takes until it is ready; negative: it never is
}

func (k *kubelet) setReady(d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ready = d
}

func (k *kubelet) run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	for ctx.Err() == nil {
		w, err := k.api.Watch(ctx, apiserver.Request{Resource: pods}, metav1.ListOptions{})
		if err != nil {
			return
		}
		for e := range w.ResultChan() {
			if p, ok := e.Object.(*corev1.Pod); ok && e.Type != watch.Deleted && e.Type != watch.Bookmark {
				running.Go(func() { k.sync(ctx, p) })
			}
		}
	}
}

func (k *kubelet) sync(ctx context.Context, p *corev1.Pod) {
	req := apiserver.Request{Resource: pods, Namespace: p.Namespace, Name: p.Name}
	k.mu.Lock()
	takes := k.ready
	k.mu.Unlock()
	ends, delay := corev1.PodPhase(p.Annotations["test/ends"]), time.Second
	now := p.DeepCopy()
	switch {
	case p.Spec.NodeName == "":
		return
	case p.DeletionTimestamp != nil:
		zero := int64(0)
		_, _ = k.api.Delete(ctx, req, metav1.DeleteOptions{GracePeriodSeconds: &zero, Preconditions: &metav1.Preconditions{UID: &p.UID}})
		return
	case p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed:
		return
	case p.Status.Phase == corev1.PodPending:
		now.Status.Phase, now.Status.PodIP = corev1.PodRunning, "10.0.0.1"
		now.Status.PodIPs, now.Status.StartTime, delay = []corev1.PodIP{{IP: "10.0.0.1"}}, new(metav1.Now()), 0
	case ends != "":
		now.Status.Phase = ends
	case !isReady(p) && takes >= 0:
		now.Status.Conditions, delay = append(now.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue}), takes
	default:
		return
	}
	select {
	case <-ctx.Done():
		return
	case <-time.After(delay):
	}
	for i := range now.Status.Conditions {
		if c := &now.Status.Conditions[i]; c.Type == corev1.PodReady && c.LastTransitionTime.IsZero() {
			c.LastTransitionTime = metav1.Now()
		}
	}
	req.Subresource = "status"
	_, _ = k.api.Update(ctx, req, now, metav1.UpdateOptions{}) // a conflict: another event follows
}

func isReady(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue })
}
