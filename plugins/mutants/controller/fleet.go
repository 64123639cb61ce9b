// Package controller has controllers with exactly one fault each, and ones that are odd but correct.
package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/workqueue"
)

var (
	fleets     = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "fleets"}
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	claims     = schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}
)

const (
	finalizer = "example.com/fleet"
	fleetName = "example.com/name" // label of a fleet's ships
)

// fleet is a controller. Each Fleet has ships: as many ConfigMaps as its size says, of its colour. It has a claim too, and an entry in the
// register, a ConfigMap that it does not own and that a finalizer takes away. Its fields are the faults and oddities of rows, which say what
// they mean.
type fleet struct {
	workers, tries              int
	resync, beats, batch, pause time.Duration
	trusts                      time.Duration // so long ships that are not in the cache count, too
	ahead                       int64
	// Oddities: how ships, claims and the status are written, and when.
	draws, apply, bare, holds, elects, patches, replaces, recreates, steps, unaware bool
	// What it believes, and forgets.
	memory, stale, byName, keepsOld, statusFirst, locks, first, marks, halves, logs bool
	// What it leaves, or deletes.
	keeps, edge, clean, early, noFinalizer, mustRegister, waits, own, wipes, trims, foreign bool
	// What it does after an error.
	once, tight, even, exits, trips, shrugs, trouble, unwatches bool
	// What it writes.
	overwrites, tidies, spins, most, paints, shuffles, renames bool
	// When it reads, and how it stops.
	polls, stares, deaf, leaves, lingers bool
}

// living is one life of a fleet.
type living struct {
	fleet
	id            string
	client        dynamic.Interface
	queue         workqueue.TypedRateLimitingInterface[string]
	fleets, ships cache.SharedIndexInformer
	end           context.CancelCauseFunc // of the process
	held          map[string]*unstructured.Unstructured

	mu       sync.Mutex
	notes    map[string]bool              // what this life remembers
	launched []*unstructured.Unstructured // that the cache has not shown yet
}

// note remembers something, and reports whether that is so already.
func (l *living) note(what string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.notes[what]
	l.notes[what] = true
	return was
}

// run is one life.
func (f fleet) run(ctx context.Context, config *clientrest.Config) error {
	if f.spins || f.stares { // nothing slows it down
		config = clientrest.CopyConfig(config)
		config.QPS = -1
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	life, end := context.WithCancelCause(ctx)
	defer end(nil)
	l := &living{fleet: f, id: string(uuid.NewUUID()), client: client, end: end, held: map[string]*unstructured.Unstructured{}, notes: map[string]bool{},
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())}
	defer l.queue.ShutDown()
	work := l.live
	if l.elects {
		work = func(ctx context.Context) error { return l.lead(ctx, config) }
	}
	if err = work(life); life.Err() != nil && ctx.Err() == nil {
		err = context.Cause(life)
	}
	return err
}

// lead lives while it holds a Lease.
func (l *living) lead(ctx context.Context, config *clientrest.Config) error {
	client, err := coordination.NewForConfig(config)
	if err != nil {
		return err
	}
	var working sync.WaitGroup
	e, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:          &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Namespace: "default", Name: "fleet"}, Client: client, LockConfig: resourcelock.ResourceLockConfig{Identity: l.id}},
		LeaseDuration: time.Minute, RenewDeadline: 40 * time.Second, RetryPeriod: 20 * time.Second, ReleaseOnCancel: !l.leaves,
		Callbacks: leaderelection.LeaderCallbacks{OnStoppedLeading: func() {}, OnStartedLeading: func(ctx context.Context) {
			working.Go(func() { err = l.live(ctx) })
		}},
	})
	if err != nil {
		return err
	}
	e.Run(ctx)
	working.Wait()
	return err
}

// live watches and works until ctx ends.
func (l *living) live(ctx context.Context) error {
	watching, unwatch := context.WithCancel(ctx)
	factory := dynamicinformer.NewDynamicSharedInformerFactory(l.client, l.resync)
	defer factory.Shutdown()
	defer unwatch()
	l.fleets, l.ships = factory.ForResource(fleets).Informer(), factory.ForResource(configMaps).Informer()
	if err := l.handle(unwatch); err != nil {
		return err
	}
	factory.Start(watching.Done())
	if !cache.WaitForCacheSync(ctx.Done(), l.fleets.HasSynced, l.ships.HasSynced) {
		return nil
	}
	if l.clean {
		l.sweepClaims(ctx)
	}
	return l.work(ctx)
}

// handle queues fleets that change, and those whose ships do.
func (l *living) handle(unwatch func()) error {
	own := func(obj any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
			l.queue.AddAfter(key, l.batch)
		}
	}
	_, err := l.fleets.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: own, DeleteFunc: own, UpdateFunc: func(old, now any) {
		if l.edge {
			f := now.(*unstructured.Unstructured)
			for i := size(f); i < size(old.(*unstructured.Unstructured)); i++ {
				_ = l.configMaps(f).Delete(context.Background(), fmt.Sprintf("%s-%d", f.GetName(), i), metav1.DeleteOptions{})
			}
		}
		own(now)
	}})
	if l.unwatches {
		err = errors.Join(err, l.fleets.SetWatchErrorHandler(func(*cache.Reflector, error) { unwatch() }))
	}
	if l.unaware || err != nil {
		return err
	}
	_, err = l.ships.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: l.seen, UpdateFunc: func(_, now any) { l.seen(now) }, AddFunc: l.seen})
	return err
}

// seen queues the fleet of a ship.
func (l *living) seen(obj any) {
	if d, vanished := obj.(cache.DeletedFinalStateUnknown); vanished {
		if obj = d.Obj; l.trips {
			l.end(fmt.Errorf("%T is no ship", d))
		}
	}
	if m, err := meta.Accessor(obj); err == nil && m.GetLabels()[fleetName] != "" {
		l.queue.AddAfter(m.GetNamespace()+"/"+m.GetLabels()[fleetName], l.batch)
	}
}

// work reconciles what is in the queue until ctx ends.
func (l *living) work(ctx context.Context) error {
	var workers sync.WaitGroup
	for range max(l.workers, 1) {
		workers.Go(func() {
			for {
				key, ended := l.queue.Get()
				if ended {
					return
				}
				l.one(ctx, key)
				l.queue.Done(key)
			}
		})
	}
	<-ctx.Done()
	if l.lingers {
		go func() { time.Sleep(5 * time.Minute) }()
	}
	if l.deaf {
		time.Sleep(2 * time.Minute)
	}
	l.queue.ShutDown()
	workers.Wait()
	return nil
}

func (l *living) one(ctx context.Context, key string) {
	err := l.reconcile(ctx, key)
	for i := 0; l.tight && err != nil && i < 60; i++ {
		err = l.reconcile(ctx, key)
	}
	if err != nil && ctx.Err() == nil && !l.once && (l.tries == 0 || l.queue.NumRequeues(key) < l.tries) {
		if !apierrors.IsConflict(err) {
			l.note("trouble")
		}
		switch {
		case l.exits:
			l.end(err)
		case l.even:
			l.queue.AddAfter(key, 10*time.Millisecond)
		default:
			l.queue.AddRateLimited(key)
		}
		return
	}
	l.queue.Forget(key)
	for l.stares && ctx.Err() == nil {
		_, _ = l.client.Resource(fleets).List(ctx, metav1.ListOptions{}) // it looks at nothing
	}
	if l.polls {
		_, _ = l.client.Resource(fleets).List(ctx, metav1.ListOptions{}) // what it says is not needed
	}
	if l.beats > 0 {
		l.queue.AddAfter(key, l.beats)
	}
}

func size(f *unstructured.Unstructured) int64 {
	n, _, _ := unstructured.NestedInt64(f.Object, "spec", "size")
	return n
}

func colour(f *unstructured.Unstructured) string {
	c, _, _ := unstructured.NestedString(f.Object, "spec", "colour")
	return c
}

// observed reports whether the status says that the work is done.
func observed(f *unstructured.Unstructured) bool {
	g, _, _ := unstructured.NestedInt64(f.Object, "status", "observedGeneration")
	return g == f.GetGeneration()
}

// reconcile makes one fleet as it should be.
func (l *living) reconcile(ctx context.Context, key string) error {
	obj, exists, err := l.fleets.GetIndexer().GetByKey(key)
	if err != nil || !exists {
		if l.byName {
			delete(l.held, key)
		}
		if namespace, name, _ := strings.Cut(key, "/"); l.noFinalizer && err == nil {
			err = l.client.Resource(configMaps).Namespace(namespace).Delete(ctx, "register-"+name, metav1.DeleteOptions{})
		}
		return err
	}
	f := obj.(*unstructured.Unstructured).DeepCopy()
	if f.GetDeletionTimestamp() != nil {
		return l.finish(ctx, f)
	}
	if ready, err := l.prepare(ctx, key, f); err != nil || !ready {
		return err
	}
	if err := l.register(ctx, f); err != nil {
		return err
	}
	if err := l.claim(ctx, f); err != nil {
		return err
	}
	n, err := l.sail(ctx, f)
	if err != nil || l.statusFirst {
		return err
	}
	if l.byName {
		l.held[key] = f.DeepCopy()
	}
	return l.report(ctx, f, n)
}

// prepare reports whether the work on a fleet can begin.
func (l *living) prepare(ctx context.Context, key string, f *unstructured.Unstructured) (bool, error) {
	switch {
	case l.byName && l.held[key] != nil && fmt.Sprint(l.held[key].Object["spec"]) == fmt.Sprint(f.Object["spec"]):
		return false, nil
	case l.statusFirst:
		if mine := l.note(fmt.Sprint(f.GetUID(), f.GetGeneration())); observed(f) && !mine {
			return false, nil // another life has done it
		}
		if err := l.report(ctx, f, size(f)); err != nil {
			return false, err
		}
	case l.locks && !observed(f) && f.GetAnnotations()[lockKey] == "":
		if err := l.annotate(ctx, f, lockKey, l.id); err != nil {
			return false, err
		}
	case l.locks && !observed(f) && f.GetAnnotations()[lockKey] != l.id:
		return false, errors.New("another works on it")
	}
	if !l.noFinalizer && !l.bare && !slices.Contains(f.GetFinalizers(), l.finalizer()) {
		return false, l.tie(ctx, f) // its event brings it again
	}
	return true, nil
}
