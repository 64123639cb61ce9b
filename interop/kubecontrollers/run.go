package kubecontrollers

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/cronjob"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/disruption"
	"k8s.io/kubernetes/pkg/controller/endpointslice"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/resourcequota"
	"k8s.io/kubernetes/pkg/controller/statefulset"
	"k8s.io/kubernetes/pkg/controller/volume/pvcprotection"
	"k8s.io/kubernetes/pkg/quota/v1/install"

	"k8s.io/apiserver/pkg/quota/v1/generic"
)

// workers is how many workers each controller has. kube-controller-manager has five, which changes nothing for one object.
const workers = 2

// process is what the controllers of one life share, as they do in kube-controller-manager.
type process struct {
	config  *rest.Config
	client  kubernetes.Interface
	factory informers.SharedInformerFactory
	started chan struct{}                   // closed when the informers are
	either  informerfactory.InformerFactory // typed informers, or those of metadata; nil: none uses it
}

// anything makes what controllers need that work on resources of any type.
func (p *process) anything() (metadata.Interface, error) {
	client, err := metadata.NewForConfig(p.config)
	if err != nil {
		return nil, err
	}
	p.either = informerfactory.NewInformerFactory(p.factory, metadatainformer.NewSharedInformerFactory(client, 0))
	return client, nil
}

// constructor makes a controller, as kube-controller-manager does, and returns what runs it until ctx ends.
type constructor func(ctx context.Context, p *process) (func(ctx context.Context), error)

// run returns one life of controllers that share informers. Their requests are limited as kube-controller-manager's are by default: a
// controller that is faster than its watches would else do without end, in no time, what another undoes.
func run(all ...constructor) func(context.Context, *rest.Config) error {
	return func(ctx context.Context, c *rest.Config) error {
		c.QPS, c.Burst = 20, 30
		client, err := kubernetes.NewForConfig(c)
		if err != nil {
			return err
		}
		p := &process{config: c, client: client, factory: informers.NewSharedInformerFactory(client, 0), started: make(chan struct{})}
		var loops []func(context.Context)
		for _, construct := range all {
			loop, err := construct(ctx, p)
			if err != nil {
				return err
			}
			loops = append(loops, loop)
		}
		p.factory.Start(ctx.Done())
		if p.either != nil {
			p.either.Start(ctx.Done())
		}
		close(p.started)
		var running sync.WaitGroup
		for _, loop := range loops {
			running.Go(func() { loop(ctx) })
		}
		running.Wait()
		p.factory.Shutdown()
		return nil
	}
}

func replicaSet(ctx context.Context, p *process) (func(context.Context), error) {
	c := replicaset.NewReplicaSetController(ctx, p.factory.Apps().V1().ReplicaSets(), p.factory.Core().V1().Pods(), p.client, replicaset.BurstReplicas)
	return func(ctx context.Context) { c.Run(ctx, workers) }, nil
}

func deployments(ctx context.Context, p *process) (func(context.Context), error) {
	apps := p.factory.Apps().V1()
	c, err := deployment.NewDeploymentController(ctx, apps.Deployments(), apps.ReplicaSets(), p.factory.Core().V1().Pods(), p.client)
	return func(ctx context.Context) { c.Run(ctx, workers) }, err
}

func statefulSet(ctx context.Context, p *process) (func(context.Context), error) {
	core, apps := p.factory.Core().V1(), p.factory.Apps().V1()
	c := statefulset.NewStatefulSetController(ctx, core.Pods(), apps.StatefulSets(), core.PersistentVolumeClaims(), apps.ControllerRevisions(), p.client)
	return func(ctx context.Context) { c.Run(ctx, workers) }, nil
}

func jobs(ctx context.Context, p *process) (func(context.Context), error) {
	c, err := job.NewController(ctx, p.client, p.factory.Core().V1().Pods(), p.factory.Batch().V1().Jobs(), nil, nil)
	return func(ctx context.Context) { c.Run(ctx, workers) }, err
}

func daemonSet(ctx context.Context, p *process) (func(context.Context), error) {
	core, apps := p.factory.Core().V1(), p.factory.Apps().V1()
	c, err := daemon.NewDaemonSetsController(ctx, apps.DaemonSets(), apps.ControllerRevisions(), core.Pods(), core.Nodes(), p.client, flowcontrol.NewBackOff(time.Second, 15*time.Minute))
	return func(ctx context.Context) { c.Run(ctx, workers) }, err
}

func cronJob(ctx context.Context, p *process) (func(context.Context), error) {
	c, err := cronjob.NewControllerV2(ctx, p.factory.Batch().V1().Jobs(), p.factory.Batch().V1().CronJobs(), p.client)
	return func(ctx context.Context) { c.Run(ctx, workers) }, err
}

func budgets(ctx context.Context, p *process) (func(context.Context), error) {
	core, apps := p.factory.Core().V1(), p.factory.Apps().V1()
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(p.client.Discovery()))
	scales, err := scale.NewForConfig(p.config, mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(p.client.Discovery()))
	if err != nil {
		return nil, err
	}
	c := disruption.NewDisruptionController(ctx, core.Pods(), p.factory.Policy().V1().PodDisruptionBudgets(), core.ReplicationControllers(), apps.ReplicaSets(),
		apps.Deployments(), apps.StatefulSets(), p.client, mapper, scales, p.client.Discovery())
	return func(ctx context.Context) { c.Run(ctx, workers) }, nil
}

func claimProtection(ctx context.Context, p *process) (func(context.Context), error) {
	core := p.factory.Core().V1()
	c, err := pvcprotection.NewPVCProtectionController(klog.FromContext(ctx), core.PersistentVolumeClaims(), core.Pods(), p.client)
	return func(ctx context.Context) { c.Run(ctx, workers) }, err
}

// refresh is how often controllers of any type ask which types there are.
const refresh = 30 * time.Second

func quota(ctx context.Context, p *process) (func(context.Context), error) {
	if _, err := p.anything(); err != nil {
		return nil, err
	}
	known, err := install.NewQuotaConfigurationForControllers(generic.ListerFuncForResourceFunc(p.factory.ForResource), p.factory)
	if err != nil {
		return nil, err
	}
	discover := p.client.Discovery().ServerPreferredNamespacedResources
	c, err := resourcequota.NewController(ctx, &resourcequota.ControllerOptions{
		QuotaClient:               p.client.CoreV1(),
		ResourceQuotaInformer:     p.factory.Core().V1().ResourceQuotas(),
		ResyncPeriod:              func() time.Duration { return 5 * time.Minute },
		InformerFactory:           p.either,
		ReplenishmentResyncPeriod: func() time.Duration { return 12 * time.Hour },
		DiscoveryFunc:             discover,
		IgnoredResourcesFunc:      known.IgnoredResources,
		InformersStarted:          p.started,
		Registry:                  generic.NewRegistry(known.Evaluators()),
		UpdateFilter:              install.DefaultUpdateFilter(),
	})
	return both(func(ctx context.Context) { c.Run(ctx, workers) }, func(ctx context.Context) { c.Sync(ctx, discover, refresh) }), err
}

// both returns a loop that is two.
func both(one, other func(context.Context)) func(context.Context) {
	return func(ctx context.Context) {
		var running sync.WaitGroup
		running.Go(func() { one(ctx) })
		running.Go(func() { other(ctx) })
		running.Wait()
	}
}

func namespaces(ctx context.Context, p *process) (func(context.Context), error) {
	client, err := metadata.NewForConfig(p.config)
	if err != nil {
		return nil, err
	}
	c := namespace.NewNamespaceController(ctx, p.client, client, p.client.Discovery().ServerPreferredNamespacedResources, p.factory.Core().V1().Namespaces(), 5*time.Minute, corev1.FinalizerKubernetes)
	return func(ctx context.Context) { c.Run(ctx, workers) }, nil
}

func garbage(ctx context.Context, p *process) (func(context.Context), error) {
	client, err := p.anything()
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(p.client.Discovery()))
	ignored := garbagecollector.DefaultIgnoredResources()
	graph := garbagecollector.NewDependencyGraphBuilder(ctx, client, mapper, ignored, p.either, p.started)
	c, err := garbagecollector.NewComposedGarbageCollector(ctx, p.client, client, mapper, graph)
	return both(func(ctx context.Context) { c.Run(ctx, workers, refresh) }, func(ctx context.Context) { c.Sync(ctx, p.client.Discovery(), refresh) }), err
}

func endpointSlices(ctx context.Context, p *process) (func(context.Context), error) {
	core := p.factory.Core().V1()
	c := endpointslice.NewController(ctx, core.Pods(), core.Services(), core.Nodes(), p.factory.Discovery().V1().EndpointSlices(), 100, p.client, 0)
	return func(ctx context.Context) { c.Run(ctx, workers) }, nil
}
