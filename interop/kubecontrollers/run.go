package kubecontrollers

import (
	"context"
	"sync"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/statefulset"
)

// workers is how many workers each controller has. kube-controller-manager has five, which changes nothing for one object.
const workers = 2

// process is what the controllers of one life share, as they do in kube-controller-manager.
type process struct {
	config  *rest.Config
	client  kubernetes.Interface
	factory informers.SharedInformerFactory
	started chan struct{} // closed when the informers are
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
		p := &process{c, client, informers.NewSharedInformerFactory(client, 0), make(chan struct{})}
		var loops []func(context.Context)
		for _, construct := range all {
			loop, err := construct(ctx, p)
			if err != nil {
				return err
			}
			loops = append(loops, loop)
		}
		p.factory.Start(ctx.Done())
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
