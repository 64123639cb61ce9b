// Package workloads stands in for kube-controller-manager and kube-scheduler where none runs. It works on an apiserver.API, in the process
// and in virtual time too.
//
// It makes pods of Deployments, ReplicaSets, ReplicationControllers, StatefulSets, DaemonSets, Jobs and CronJobs. It keeps their statuses,
// EndpointSlices, Endpoints and the status of PodDisruptionBudgets, binds claims to volumes, collects garbage, and takes the taint not-ready
// from nodes that are ready. The test TestCompared compares the states that users see with those of a kube-controller-manager, and lists the
// differences.
//
// It also evicts pods from nodes with NoExecute taints. It is a stand-in: one worker does all, without leader election. Unlike kube-controller-manager it does not
//   - taint nodes that are not ready, or delete pods of nodes that are gone
//   - follow podFailurePolicy, successPolicy and backoffLimitPerIndex of Jobs
//   - scale by HorizontalPodAutoscalers, count ResourceQuotas, or sign certificates
//   - mirror Endpoints that users make, or give topology hints
//
// A PersistentVolumeClaim that no volume fits gets a new hostPath volume, whatever its class. A real cluster does so only where a provisioner
// of that class runs, and Options.Provisioner is one, for a real kube-controller-manager. The scheduler knows node names, selectors, required node affinity, taints, and requests of CPU and memory. It does not
// know affinity between pods, topology spread, preemption, ports or volumes.
package workloads

import (
	"context"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Options of Run.
type Options struct {
	// Controllers does what kube-controller-manager does.
	Controllers bool
	// Without has resources whose controllers run elsewhere, such as statefulsets.apps. "*" is the garbage collector's.
	Without []schema.GroupResource
	// Scheduler binds pods to nodes, as kube-scheduler does.
	Scheduler bool
	// Provisioner makes volumes for claims whose class or annotation names ProvisionerName, and deletes them when the claims are gone. Something
	// else must bind them. Controllers makes volumes itself.
	Provisioner bool
	// Resources are those that the server has; nil: apiserver.Resources(). Custom resources are found by their definitions.
	Resources []apiserver.Resource
}

var (
	pods                   = corev1.SchemeGroupVersion.WithResource("pods")
	nodes                  = corev1.SchemeGroupVersion.WithResource("nodes")
	services               = corev1.SchemeGroupVersion.WithResource("services")
	endpoints              = corev1.SchemeGroupVersion.WithResource("endpoints")
	claims                 = corev1.SchemeGroupVersion.WithResource("persistentvolumeclaims")
	volumes                = corev1.SchemeGroupVersion.WithResource("persistentvolumes")
	replicationControllers = corev1.SchemeGroupVersion.WithResource("replicationcontrollers")
	deployments            = appsv1.SchemeGroupVersion.WithResource("deployments")
	replicaSets            = appsv1.SchemeGroupVersion.WithResource("replicasets")
	statefulSets           = appsv1.SchemeGroupVersion.WithResource("statefulsets")
	daemonSets             = appsv1.SchemeGroupVersion.WithResource("daemonsets")
	revisions              = appsv1.SchemeGroupVersion.WithResource("controllerrevisions")
	jobs                   = batchv1.SchemeGroupVersion.WithResource("jobs")
	cronJobs               = batchv1.SchemeGroupVersion.WithResource("cronjobs")
	endpointSlices         = discoveryv1.SchemeGroupVersion.WithResource("endpointslices")
	budgets                = policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets")
	definitions            = apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")
)

// everything is what the garbage collector works on, in Options.Without.
var everything = schema.GroupResource{Resource: "*"}

// controller keeps the objects of one resource up to date.
type controller struct {
	resource schema.GroupVersionResource
	sync     func(m *manager, namespace, name string) error
	also     []link
}

// link maps an object of another resource to the objects of a controller that must be synced when it changes.
type link struct {
	resource schema.GroupVersionResource
	concerns func(m *manager, obj metav1.Object) []types.NamespacedName
}

// controllers are those of Options.Controllers. The collector of garbage is not among them: it takes every resource.
func controllers() []*controller {
	return []*controller{
		{deployments, (*manager).syncDeployment, []link{{replicaSets, owner("Deployment", deployments)}, {pods, ownerOfOwner}}},
		{statefulSets, (*manager).syncStatefulSet, []link{{pods, owner("StatefulSet", statefulSets)}, {revisions, owner("StatefulSet", statefulSets)}}},
		{daemonSets, (*manager).syncDaemonSet, []link{{pods, owner("DaemonSet", daemonSets)}, {revisions, owner("DaemonSet", daemonSets)}, {nodes, everyDaemonSet}}},
		{cronJobs, (*manager).syncCronJob, []link{{jobs, owner("CronJob", cronJobs)}}},
		{services, (*manager).syncService, []link{{pods, selecting(services)}, {endpointSlices, owner("Service", services)}, {endpoints, sameName}}},
		{budgets, (*manager).syncBudget, []link{{pods, selecting(budgets)}}},
		{claims, (*manager).syncClaim, []link{{pods, claimsOf}, {volumes, claimsOf}}},
		{volumes, (*manager).syncVolume, []link{{claims, volumeOf}}},
		{jobs, (*manager).syncJob, []link{{pods, owner("Job", jobs)}}},
		{nodes, (*manager).untaint, nil},
		{pods, (*manager).evict, []link{{nodes, podsOn}}},
		{replicaSets, (*manager).syncReplicaSet, []link{{pods, owner("ReplicaSet", replicaSets)}}},
		{replicationControllers, (*manager).syncReplicationController, []link{{pods, owner("ReplicationController", replicationControllers)}}},
	}
}

// schedulers are those of Options.Scheduler.
func schedulers() []*controller {
	return []*controller{{pods, (*manager).schedule, []link{{nodes, pending}}}}
}

// manager is a run.
type manager struct {
	ctx         context.Context // of the run
	api         apiserver.API
	o           Options
	controllers []*controller
	cache       *cache
	queue       *queue
	running     sync.WaitGroup
	kinds       map[schema.GroupKind]apiserver.Resource // of built-in resources
	events      int                                     // how many there are, for their names
	backoffs    map[types.UID]backoff                   // of Jobs
	tainted     map[types.NamespacedName]time.Time      // since when pods are on nodes with taints that they tolerate for some time

	mu      sync.Mutex
	follows map[schema.GroupResource]func() // stops following
}

// Run does what o says until ctx ends, and then returns nil. What fails is tried again. Several runs on one server would fight.
func Run(ctx context.Context, api apiserver.API, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.Resources == nil {
		o.Resources = apiserver.Resources()
	}
	m := &manager{ctx: ctx, api: api, o: o, cache: newCache(), queue: newQueue(), kinds: map[schema.GroupKind]apiserver.Resource{}, follows: map[schema.GroupResource]func(){}, backoffs: map[types.UID]backoff{}, tainted: map[types.NamespacedName]time.Time{}}
	defer m.running.Wait()
	defer m.queue.close()
	defer cancel()
	if o.Controllers {
		m.controllers = slices.DeleteFunc(controllers(), func(c *controller) bool { return slices.Contains(o.Without, c.resource.GroupResource()) })
	}
	if o.Provisioner && !o.Controllers {
		m.controllers = append(m.controllers, provisioners()...)
	}
	if o.Scheduler {
		m.controllers = append(m.controllers, schedulers()...)
	}
	var first sync.WaitGroup
	for _, r := range m.followed() {
		first.Add(1)
		m.follow(r.GroupVersionResource, sync.OnceFunc(first.Done))
	}
	first.Wait() // an owner that was not yet listed is not absent
	for ctx.Err() == nil {
		if it, ok := m.queue.next(ctx); ok {
			m.work(it)
		}
	}
	return nil
}

// followed are the resources that are listed and watched, each in one version.
func (m *manager) followed() (all []apiserver.Resource) {
	seen := map[schema.GroupResource]bool{}
	for _, r := range m.o.Resources {
		if r.Uncollected || seen[r.GroupResource()] || !m.o.Controllers && !m.typed(r.GroupVersionResource) {
			continue
		}
		seen[r.GroupResource()] = true
		m.kinds[schema.GroupKind{Group: r.Group, Kind: r.Kind}] = r
		all = append(all, r)
	}
	return all
}

// typed reports whether a controller reads more of a resource than metadata.
func (m *manager) typed(r schema.GroupVersionResource) bool {
	return r == definitions || slices.ContainsFunc(m.controllers, func(c *controller) bool {
		return c.resource == r || slices.ContainsFunc(c.also, func(l link) bool { return l.resource == r })
	})
}

// work does one item of the queue, and tries again later if that fails.
func (m *manager) work(it item) {
	var err error
	if it.controller == nil && slices.Contains(m.o.Without, everything) {
		return
	}
	if it.controller == nil {
		err = m.collect(it.place)
	} else {
		err = it.controller.sync(m, it.Namespace, it.Name)
	}
	switch {
	case err == nil || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		m.queue.forget(it)
	default:
		m.queue.retry(it)
	}
}

// changed queues the objects that a change concerns. old is nil for a new object, now is nil for one that is gone.
func (m *manager) changed(r schema.GroupVersionResource, old, now metav1.Object) {
	either := []metav1.Object{old, now}
	either = slices.DeleteFunc(either, func(o metav1.Object) bool { return o == nil })
	for _, c := range m.controllers {
		for _, o := range either {
			if c.resource == r {
				m.queue.add(item{controller: c, place: placeOf(r, o)})
			}
			for _, l := range c.also {
				if l.resource != r {
					continue
				}
				for _, key := range l.concerns(m, o) {
					m.queue.add(item{controller: c, place: place{c.resource.GroupResource(), key}})
				}
			}
		}
	}
	if m.o.Controllers {
		m.concernsCollector(r, old, now)
	}
}

// after syncs an object again after d.
func (m *manager) after(r schema.GroupVersionResource, o metav1.Object, d time.Duration) {
	for _, c := range m.controllers {
		if c.resource == r {
			m.queue.addAfter(item{controller: c, place: placeOf(r, o)}, max(d, 0))
		}
	}
}
