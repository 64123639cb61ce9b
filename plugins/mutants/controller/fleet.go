// Package controller has controllers with exactly one fault each, and ones that are odd but correct.
package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
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
// register, a ConfigMap that it does not own and that a finalizer takes away. Its fields are the faults and oddities of rows.
type fleet struct {
	workers int
	resync  time.Duration
	draws   bool // names of ships are drawn, so each create is preceded by a list from the API server
	apply   bool // ships are written by server-side apply
	beats   time.Duration

	memory       bool          // ships that this life has created are not created again
	stale        bool          // with drawn names: ships are counted in the cache
	trusts       time.Duration // so long ships that are not in the cache count, too
	keeps        bool          // what is too much it leaves
	edge         bool          // ships are deleted only when the size is seen to fall
	once         bool          // what fails is not tried again
	tight        bool          // what is refused is tried again at once, sixty times
	overwrites   bool          // ships are updated as they are wanted, without a resourceVersion
	ignoreExists bool          // an AlreadyExists ends the reconciliation, as if all were done
	byName       bool          // a deletion of a ship has no precondition
	clean        bool          // the claims of fleets that are not in the cache are deleted at the start
	early        bool          // the finalizer is taken away before the register
	noFinalizer  bool          // the register is taken away when the deletion is seen
	mustRegister bool          // a deletion waits for the entry in the register
	ahead        int64
	statusFirst  bool // the status is written before the work, and the work is left when the status says that it is done
	flips        bool // the status has the time of the last look
	polls        bool
	deaf         bool // it goes on for five minutes when it is told to stop
	paints       bool // a new life paints all ships anew
	keepsOld     bool // what was read first is written, whatever has happened since
	recreates    bool // a change of colour makes the claim anew
}

// living is one life of a fleet.
type living struct {
	fleet
	client        dynamic.Interface
	queue         workqueue.TypedRateLimitingInterface[string]
	fleets, ships cache.SharedIndexInformer

	mu            sync.Mutex
	made, painted map[string]bool
	held          map[string]*unstructured.Unstructured
	launched      []*unstructured.Unstructured // that the cache has not shown yet
}

// run is one life.
func (f fleet) run(ctx context.Context, config *clientrest.Config) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	l := &living{fleet: f, client: client, made: map[string]bool{}, painted: map[string]bool{}, held: map[string]*unstructured.Unstructured{},
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, l.resync)
	l.fleets, l.ships = factory.ForResource(fleets).Informer(), factory.ForResource(configMaps).Informer()
	if err := l.handle(); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	if !cache.WaitForCacheSync(ctx.Done(), l.fleets.HasSynced, l.ships.HasSynced) {
		return nil
	}
	if l.clean {
		l.sweepClaims(ctx)
	}
	return l.work(ctx)
}

// handle queues fleets that change, and those whose ships do.
func (l *living) handle() error {
	own := func(obj any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
			l.queue.Add(key)
		}
	}
	owner := func(obj any) {
		if d, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = d.Obj
		}
		if m, err := meta.Accessor(obj); err == nil && m.GetLabels()[fleetName] != "" {
			l.queue.Add(m.GetNamespace() + "/" + m.GetLabels()[fleetName])
		}
	}
	deleted := func(obj any) {
		if m, err := meta.Accessor(obj); err == nil && l.noFinalizer {
			_ = l.client.Resource(configMaps).Namespace(m.GetNamespace()).Delete(context.Background(), "register-"+m.GetName(), metav1.DeleteOptions{})
		}
		own(obj)
	}
	_, err1 := l.fleets.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: own, DeleteFunc: deleted, UpdateFunc: func(old, now any) {
		if l.edge {
			if was, is := size(old.(*unstructured.Unstructured)), size(now.(*unstructured.Unstructured)); is < was {
				l.shrink(now.(*unstructured.Unstructured), is, was)
			}
		}
		own(now)
	}})
	_, err2 := l.ships.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: owner, DeleteFunc: owner, UpdateFunc: func(_, now any) { owner(now) }})
	return errors.Join(err1, err2)
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
	if l.polls {
		workers.Go(func() {
			for ctx.Err() == nil {
				_, _ = l.client.Resource(fleets).List(ctx, metav1.ListOptions{}) // what it says is not needed
				time.Sleep(100 * time.Millisecond)
			}
		})
	}
	<-ctx.Done()
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
	if err != nil && !l.once && ctx.Err() == nil {
		l.queue.AddRateLimited(key)
		return
	}
	l.queue.Forget(key)
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

// reconcile makes one fleet as it should be.
func (l *living) reconcile(ctx context.Context, key string) error {
	obj, exists, err := l.fleets.GetIndexer().GetByKey(key)
	if err != nil || !exists {
		return err
	}
	f := obj.(*unstructured.Unstructured).DeepCopy()
	if f.GetDeletionTimestamp() != nil {
		return l.finish(ctx, f)
	}
	if l.statusFirst {
		mine := fmt.Sprint(f.GetUID(), f.GetGeneration())
		if g, _, _ := unstructured.NestedInt64(f.Object, "status", "observedGeneration"); g == f.GetGeneration() && !l.made[mine] {
			return nil // another life has done it
		}
		l.made[mine] = true
		if err := l.report(ctx, f, size(f)); err != nil {
			return err
		}
	}
	if !l.noFinalizer && !slices.Contains(f.GetFinalizers(), finalizer) {
		patch := fmt.Sprintf(`{"metadata":{"resourceVersion":%q,"finalizers":[%q]}}`, f.GetResourceVersion(), finalizer)
		_, err := l.client.Resource(fleets).Namespace(f.GetNamespace()).Patch(ctx, f.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		return err // its event brings it again
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
	return l.report(ctx, f, n)
}

// register enters the fleet in the register.
func (l *living) register(ctx context.Context, f *unstructured.Unstructured) error {
	if _, exists, err := l.ships.GetIndexer().GetByKey(f.GetNamespace() + "/register-" + f.GetName()); err != nil || exists {
		return err
	}
	if there, err := l.live(ctx, f); err != nil || !there {
		return err // the cache is behind, and nobody would take the entry away
	}
	entry := object("v1", "ConfigMap", "register-"+f.GetName(), map[string]any{"data": map[string]any{"fleet": f.GetName()}})
	_, err := l.client.Resource(configMaps).Namespace(f.GetNamespace()).Create(ctx, entry, metav1.CreateOptions{})
	return l.exists(err)
}

// live asks the API server whether a fleet is there, and is not being deleted.
func (l *living) live(ctx context.Context, f *unstructured.Unstructured) (bool, error) {
	now, err := l.client.Resource(fleets).Namespace(f.GetNamespace()).Get(ctx, f.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && now.GetUID() == f.GetUID() && now.GetDeletionTimestamp() == nil, err
}

// exists is the error of a create, unless what was to be created is there.
func (l *living) exists(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// claim makes the claim of a fleet.
func (l *living) claim(ctx context.Context, f *unstructured.Unstructured) error {
	all := l.client.Resource(claims).Namespace(f.GetNamespace())
	have, err := all.Get(ctx, f.GetName(), metav1.GetOptions{})
	if err == nil && l.recreates && have.GetLabels()["colour"] != colour(f) && have.GetDeletionTimestamp() == nil {
		if err := all.Delete(ctx, f.GetName(), metav1.DeleteOptions{}); err != nil {
			return err
		}
		return errors.New("it is made anew when it is gone")
	}
	if !apierrors.IsNotFound(err) {
		return err
	}
	made := object("v1", "PersistentVolumeClaim", f.GetName(), map[string]any{"spec": map[string]any{"accessModes": []any{"ReadWriteOnce"}, "resources": map[string]any{"requests": map[string]any{"storage": "1Gi"}}}})
	made.SetLabels(map[string]string{fleetName: f.GetName()})
	made.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(f, f.GroupVersionKind())})
	_, err = all.Create(ctx, made, metav1.CreateOptions{})
	return l.exists(err)
}

func object(version, kind, name string, rest map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: rest}
	u.SetAPIVersion(version)
	u.SetKind(kind)
	u.SetName(name)
	return u
}

// owned returns the ships of a fleet.
func (l *living) owned(ctx context.Context, f *unstructured.Unstructured) (all []*unstructured.Unstructured, err error) {
	if l.draws && !l.stale {
		list, err := l.client.Resource(configMaps).Namespace(f.GetNamespace()).List(ctx, metav1.ListOptions{LabelSelector: fleetName + "=" + f.GetName()})
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			all = append(all, &list.Items[i])
		}
	} else {
		for _, obj := range l.ships.GetIndexer().List() {
			all = append(all, obj.(*unstructured.Unstructured))
		}
		all = append(all, l.unseen(all)...)
	}
	return slices.DeleteFunc(all, func(s *unstructured.Unstructured) bool {
		owner := metav1.GetControllerOf(s)
		return owner == nil || owner.UID != f.GetUID() && !l.byName || s.GetLabels()[fleetName] != f.GetName() || s.GetDeletionTimestamp() != nil
	}), nil
}

// unseen returns the ships that were launched a short while ago and are not among those of the cache.
func (l *living) unseen(seen []*unstructured.Unstructured) []*unstructured.Unstructured {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.launched = slices.DeleteFunc(l.launched, func(s *unstructured.Unstructured) bool {
		return time.Since(s.GetCreationTimestamp().Time) > l.trusts || slices.ContainsFunc(seen, func(o *unstructured.Unstructured) bool { return o.GetUID() == s.GetUID() })
	})
	return slices.Clone(l.launched)
}

// sail makes the ships of a fleet, and returns how many there are.
func (l *living) sail(ctx context.Context, f *unstructured.Unstructured) (int64, error) {
	have, err := l.owned(ctx, f)
	if err != nil {
		return 0, err
	}
	slices.SortFunc(have, func(a, b *unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	wanted := int(size(f))
	if l.draws {
		for i := len(have); i < wanted; i++ {
			if err := l.launch(ctx, f, ""); err != nil {
				return 0, err
			}
		}
	} else {
		for i := range wanted {
			name := fmt.Sprintf("%s-%d", f.GetName(), i)
			if !slices.ContainsFunc(have, func(s *unstructured.Unstructured) bool { return s.GetName() == name }) {
				if err := l.launch(ctx, f, name); err != nil {
					return 0, err
				}
			}
		}
	}
	for i, s := range have {
		if !l.draws { // which of them are needless their names say
			if i, err = strconv.Atoi(strings.TrimPrefix(s.GetName(), f.GetName()+"-")); err != nil {
				continue
			}
		}
		if i >= wanted {
			if !l.edge && !l.keeps {
				err = l.sink(ctx, s)
			}
		} else {
			err = l.paint(ctx, f, s)
		}
		if err != nil {
			return 0, err
		}
	}
	return int64(wanted), nil
}

// ship is one as it should be.
func (l *living) ship(f *unstructured.Unstructured, name string) *unstructured.Unstructured {
	s := object("v1", "ConfigMap", name, map[string]any{"data": map[string]any{"colour": colour(f)}})
	if name == "" {
		s.SetGenerateName(f.GetName() + "-")
	}
	s.SetLabels(map[string]string{fleetName: f.GetName()})
	s.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(f, f.GroupVersionKind())})
	return s
}

// launch creates a ship.
func (l *living) launch(ctx context.Context, f *unstructured.Unstructured, name string) error {
	id := string(f.GetUID()) + name
	l.mu.Lock()
	again := l.memory && l.made[id]
	l.made[id] = true
	l.mu.Unlock()
	if again {
		return nil
	}
	all := l.client.Resource(configMaps).Namespace(f.GetNamespace())
	if l.apply && name != "" {
		_, err := all.Apply(ctx, name, l.ship(f, name), metav1.ApplyOptions{FieldManager: "fleet", Force: true})
		return err
	}
	made, err := all.Create(ctx, l.ship(f, name), metav1.CreateOptions{})
	if err == nil && l.trusts > 0 {
		l.mu.Lock()
		l.launched = append(l.launched, made)
		l.mu.Unlock()
	}
	if l.ignoreExists && err != nil {
		return nil
	}
	return l.exists(err)
}

// paint gives a ship its colour.
func (l *living) paint(ctx context.Context, f, s *unstructured.Unstructured) error {
	have, _, _ := unstructured.NestedString(s.Object, "data", "colour")
	l.mu.Lock()
	anew := l.paints && !l.painted[s.GetName()]
	l.painted[s.GetName()] = true
	l.mu.Unlock()
	if have == colour(f) && !anew {
		return nil
	}
	all := l.client.Resource(configMaps).Namespace(s.GetNamespace())
	switch {
	case l.overwrites:
		_, err := all.Update(ctx, l.ship(f, s.GetName()), metav1.UpdateOptions{})
		return err
	case l.keepsOld:
		return l.paintHeld(ctx, f, s)
	case l.apply:
		_, err := all.Apply(ctx, s.GetName(), l.ship(f, s.GetName()), metav1.ApplyOptions{FieldManager: "fleet", Force: true})
		return err
	}
	now := s.DeepCopy()
	data := map[string]any{"colour": colour(f)}
	if anew {
		data["painted"] = time.Now().Format(time.RFC3339)
	}
	now.Object["data"] = data
	_, err := all.Update(ctx, now, metav1.UpdateOptions{})
	return err
}

// paintHeld updates what this life has read first of a ship, until that is written.
func (l *living) paintHeld(ctx context.Context, f, s *unstructured.Unstructured) error {
	l.mu.Lock()
	held := l.held[s.GetName()]
	if held == nil {
		held = s.DeepCopy()
		l.held[s.GetName()] = held
	}
	l.mu.Unlock()
	held.Object["data"] = map[string]any{"colour": colour(f)}
	_, err := l.client.Resource(configMaps).Namespace(s.GetNamespace()).Update(ctx, held, metav1.UpdateOptions{})
	if err == nil {
		l.mu.Lock()
		delete(l.held, s.GetName())
		l.mu.Unlock()
	}
	return err
}

// sink deletes a ship.
func (l *living) sink(ctx context.Context, s *unstructured.Unstructured) error {
	o := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(s.GetUID()))}
	if l.byName {
		o.Preconditions = nil
	}
	err := l.client.Resource(configMaps).Namespace(s.GetNamespace()).Delete(ctx, s.GetName(), o)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

// shrink deletes the ships that a change of size makes needless.
func (l *living) shrink(f *unstructured.Unstructured, is, was int64) {
	for i := is; i < was; i++ {
		_ = l.client.Resource(configMaps).Namespace(f.GetNamespace()).Delete(context.Background(), fmt.Sprintf("%s-%d", f.GetName(), i), metav1.DeleteOptions{})
	}
}

// report writes the status of a fleet, if it says something else.
func (l *living) report(ctx context.Context, f *unstructured.Unstructured, n int64) error {
	want := map[string]any{"ships": n, "observedGeneration": f.GetGeneration() + l.ahead}
	if l.flips {
		want["looked"] = time.Now().Format(time.RFC3339Nano)
	}
	if l.beats > 0 {
		want["beat"] = time.Now().Truncate(l.beats).Format(time.RFC3339)
	}
	have, _, _ := unstructured.NestedMap(f.Object, "status")
	a, err1 := json.Marshal(have)
	b, err2 := json.Marshal(want)
	if string(a) == string(b) || err1 != nil || err2 != nil {
		return errors.Join(err1, err2)
	}
	f.Object["status"] = want
	_, err := l.client.Resource(fleets).Namespace(f.GetNamespace()).UpdateStatus(ctx, f, metav1.UpdateOptions{})
	return err
}

// finish takes a fleet that is deleted out of the register, and lets it go.
func (l *living) finish(ctx context.Context, f *unstructured.Unstructured) error {
	if !slices.Contains(f.GetFinalizers(), finalizer) && !l.noFinalizer {
		return nil
	}
	if l.early {
		if err := l.letGo(ctx, f); err != nil {
			return err
		}
	}
	err := l.client.Resource(configMaps).Namespace(f.GetNamespace()).Delete(ctx, "register-"+f.GetName(), metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) && !l.mustRegister {
		err = nil
	}
	if err != nil || l.early || l.noFinalizer {
		return err
	}
	return l.letGo(ctx, f)
}

// letGo takes the finalizer away.
func (l *living) letGo(ctx context.Context, f *unstructured.Unstructured) error {
	rest := slices.DeleteFunc(slices.Clone(f.GetFinalizers()), func(s string) bool { return s == finalizer })
	b, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": f.GetResourceVersion(), "finalizers": rest}})
	if err != nil {
		return err
	}
	_, err = l.client.Resource(fleets).Namespace(f.GetNamespace()).Patch(ctx, f.GetName(), types.MergePatchType, b, metav1.PatchOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// sweepClaims deletes the claims of fleets that are not in the cache.
func (l *living) sweepClaims(ctx context.Context) {
	list, err := l.client.Resource(claims).List(ctx, metav1.ListOptions{LabelSelector: fleetName})
	if err != nil {
		return
	}
	for _, c := range list.Items {
		if _, exists, _ := l.fleets.GetIndexer().GetByKey(c.GetNamespace() + "/" + c.GetLabels()[fleetName]); !exists {
			_ = l.client.Resource(claims).Namespace(c.GetNamespace()).Delete(ctx, c.GetName(), metav1.DeleteOptions{})
		}
	}
}
