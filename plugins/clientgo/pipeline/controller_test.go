package pipeline_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// wiring is how the handlers feed the queue; the zero value is right, each field breaks one thing.
type wiring struct {
	onlyNewOwner  bool // an object that changes hands wakes its new owner alone
	noTombstones  bool // a delete that nobody saw is none
	noRetry       bool // what fails is forgotten
	doneEarly     bool // the queue may give a key again while a worker has it
	dropsReplaced bool // an object that was deleted and made again between two looks is taken for the same

	tells func(cache.ResourceEventHandlerFuncs) cache.ResourceEventHandlerFuncs // what informers tell instead; nil: what they do
}

// controller is wired as the deployment controller is: three informers of one factory wake the deployment that an
// object belongs to, and workers look at it. What a look is made of is in the listers.
type controller struct {
	wiring
	queue       workqueue.TypedRateLimitingInterface[string]
	deployments appslisters.DeploymentLister
	sets        appslisters.ReplicaSetLister
	pods        corelisters.PodLister
	fails       func(key string) bool // whether this sync does

	mu      sync.Mutex
	handled []call
	looks   map[string]string // the last, by key
	busy    map[string]bool   // keys that a worker has in hand
	wrong   []string
}

// call is one of a handler.
type call struct {
	kind, name string
	how        how
	old, state state // old is of an update
}

type how string

const (
	added   how = "added"
	updated how = "updated"
	deleted how = "deleted"
)

func (c call) String() string { return fmt.Sprintf("%s %s %s: %v", c.kind, c.name, c.how, c.state) }

func newController(f informers.SharedInformerFactory, w wiring, fails func(string) bool) (*controller, error) {
	apps := f.Apps().V1()
	c := &controller{wiring: w, fails: fails, looks: map[string]string{}, busy: map[string]bool{},
		queue:       workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
		deployments: apps.Deployments().Lister(), sets: apps.ReplicaSets().Lister(), pods: f.Core().V1().Pods().Lister()}
	for kind, inf := range map[string]cache.SharedIndexInformer{deployment: apps.Deployments().Informer(), replicaSet: apps.ReplicaSets().Informer(), pod: f.Core().V1().Pods().Informer()} {
		if _, err := inf.AddEventHandler(c.handler(kind)); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *controller) handler(kind string) cache.ResourceEventHandler {
	h := cache.ResourceEventHandlerFuncs{
		AddFunc: func(x any) {
			c.record(kind, added, nil, x)
			c.wake(x)
		},
		UpdateFunc: func(old, x any) {
			c.record(kind, updated, old, x)
			if c.dropsReplaced && old.(metav1.Object).GetUID() != x.(metav1.Object).GetUID() {
				return
			}
			if !c.onlyNewOwner {
				c.wake(old)
			}
			c.wake(x)
		},
		DeleteFunc: func(x any) {
			d, unknown := x.(cache.DeletedFinalStateUnknown)
			if unknown {
				x = d.Obj
			}
			if c.record(kind, deleted, nil, x); unknown && c.noTombstones {
				return
			}
			c.wake(x)
		},
	}
	if c.tells != nil {
		h = c.tells(h)
	}
	return h
}

func (c *controller) record(kind string, how how, old, x any) {
	o := x.(metav1.Object)
	now := call{kind: kind, name: o.GetName(), how: how, state: stateOf(o)}
	if was, ok := old.(metav1.Object); ok {
		now.old = stateOf(was)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handled = append(c.handled, now)
}

// wake enqueues the deployment that an object is, or belongs to.
func (c *controller) wake(x any) {
	switch o := x.(type) {
	case *appsv1.Deployment:
		c.queue.Add(o.Name)
	case *appsv1.ReplicaSet:
		if owner := metav1.GetControllerOf(o); owner != nil {
			c.queue.Add(owner.Name)
		}
	case *corev1.Pod:
		if owner := metav1.GetControllerOf(o); owner != nil {
			if set, err := c.sets.ReplicaSets(o.Namespace).Get(owner.Name); err == nil { // else its own event will come
				c.wake(set)
			}
		}
	}
}

func (c *controller) work(ctx context.Context) {
	for {
		key, stop := c.queue.Get()
		if stop {
			return
		}
		if c.doneEarly {
			c.queue.Done(key)
		}
		if err := c.sync(ctx, key); err != nil && !c.noRetry {
			c.queue.AddRateLimited(key)
		} else {
			c.queue.Forget(key)
		}
		c.queue.Done(key)
	}
}

// sync looks at a deployment and all that is its own.
func (c *controller) sync(ctx context.Context, key string) error {
	c.hold(key, true)
	defer c.hold(key, false)
	time.Sleep(time.Second) // of the bubble: others have the time to change what it looks at
	if c.fails(key) {
		return fmt.Errorf("%s fails this time", key)
	}
	d, err := c.deployments.Deployments(namespace).Get(key)
	if err != nil {
		c.saw(key, nothing)
		return nil
	}
	sets, _ := c.sets.ReplicaSets(namespace).List(labels.Everything()) // its error is the selector's
	pods, _ := c.pods.Pods(namespace).List(labels.Everything())
	c.saw(key, look(d, sets, pods))
	return ctx.Err()
}

func (c *controller) saw(key, look string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looks[key] = look
}

func (c *controller) hold(key string, on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if on && c.busy[key] {
		c.wrong = append(c.wrong, "two workers have "+key)
	}
	c.busy[key] = on
}

const nothing = "nothing"

// look is what there is of a deployment: itself, its replica sets and their pods.
func look(d *appsv1.Deployment, sets []*appsv1.ReplicaSet, pods []*corev1.Pod) string {
	all := []string{"deployment " + stateOf(d).String()}
	for _, s := range sets {
		if !metav1.IsControlledBy(s, d) {
			continue
		}
		all = append(all, "replicaset "+stateOf(s).String())
		for _, p := range pods {
			if metav1.IsControlledBy(p, s) {
				all = append(all, "pod "+stateOf(p).String())
			}
		}
	}
	slices.Sort(all)
	return fmt.Sprint(all)
}
