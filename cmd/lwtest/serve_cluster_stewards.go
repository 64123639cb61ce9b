package main

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// steward does the least that pods need of a scheduler and of a controller manager, where none runs: nodes that are ready lose the taint
// not-ready, and a pod without a node gets the ready one that has the fewest pods. Nothing else of pod or node counts.
type steward struct {
	o      servingCluster
	client kubernetes.Interface
	nodes  corelisters.NodeLister
	pods   corelisters.PodLister
	queue  workqueue.TypedRateLimitingInterface[struct{}] // all is one piece of work
}

// startSteward starts the steward if there is something to do for it.
func (c *cluster) startSteward(ctx context.Context, o servingCluster) error {
	if o.scheduler != "" && o.controller != "" {
		return nil
	}
	client, err := kubernetes.NewForConfig(c.server.RESTConfig())
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	nodes, pods := factory.Core().V1().Nodes(), factory.Core().V1().Pods()
	s := &steward{o: o, client: client, nodes: nodes.Lister(), pods: pods.Lister(),
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[struct{}]())}
	changed := func(any) { s.queue.Add(struct{}{}) }
	for _, informer := range []cache.SharedIndexInformer{nodes.Informer(), pods.Informer()} {
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: changed, UpdateFunc: func(_, x any) { changed(x) }, DeleteFunc: changed}); err != nil {
			return err
		}
	}
	factory.Start(ctx.Done())
	context.AfterFunc(ctx, s.queue.ShutDown)
	c.running.Go(func() {
		factory.WaitForCacheSync(ctx.Done())
		s.work(ctx)
		factory.Shutdown()
	})
	return nil
}

func (s *steward) work(ctx context.Context) {
	for {
		item, end := s.queue.Get()
		if end {
			return
		}
		if s.sync(ctx) == nil {
			s.queue.Forget(item)
		} else { // mostly a conflict: the caches are behind
			s.queue.AddRateLimited(item)
		}
		s.queue.Done(item)
	}
}

// sync brings all nodes and pods up to date once. It returns the first error, after which all is tried again.
func (s *steward) sync(ctx context.Context) error {
	nodes, err := s.nodes.List(labels.Everything())
	if err != nil {
		return err
	}
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(n *v1.Node) bool { return !isReady(n) })
	if s.o.controller == "" {
		for _, n := range nodes {
			if err := s.untaint(ctx, n); err != nil {
				return err
			}
		}
	}
	if s.o.scheduler != "" || len(nodes) == 0 {
		return nil
	}
	return s.assign(ctx, nodes)
}

func isReady(n *v1.Node) bool {
	return slices.ContainsFunc(n.Status.Conditions, func(c v1.NodeCondition) bool { return c.Type == v1.NodeReady && c.Status == v1.ConditionTrue })
}

// untaint removes the taint not-ready, which each node gets when it is created.
func (s *steward) untaint(ctx context.Context, n *v1.Node) error {
	notReady := func(t v1.Taint) bool { return t.Key == v1.TaintNodeNotReady && t.Effect == v1.TaintEffectNoSchedule }
	if !slices.ContainsFunc(n.Spec.Taints, notReady) {
		return nil
	}
	n = n.DeepCopy()
	n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, notReady)
	_, err := s.client.CoreV1().Nodes().Update(ctx, n, metav1.UpdateOptions{})
	return err
}

// assign gives pods a node.
func (s *steward) assign(ctx context.Context, nodes []*v1.Node) error {
	pods, err := s.pods.List(labels.Everything())
	if err != nil {
		return err
	}
	has := map[string]int{}
	for _, p := range pods {
		has[p.Spec.NodeName]++
	}
	for _, p := range pods {
		if p.Spec.NodeName != "" || p.Spec.SchedulerName != v1.DefaultSchedulerName || len(p.Spec.SchedulingGates) > 0 || p.DeletionTimestamp != nil {
			continue
		}
		node := slices.MinFunc(nodes, func(a, b *v1.Node) int { return has[a.Name] - has[b.Name] }).Name
		err := s.client.CoreV1().Pods(p.Namespace).Bind(ctx, &v1.Binding{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name, UID: p.UID},
			Target: v1.ObjectReference{Kind: "Node", Name: node}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		has[node]++
	}
	return nil
}
