package workloads

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// object is one with its kind known.
type object interface {
	metav1.Object
	runtime.Object
}

// place is where an object is.
type place struct {
	schema.GroupResource
	types.NamespacedName
}

func placeOf(r schema.GroupVersionResource, o metav1.Object) place {
	return place{r.GroupResource(), types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}}
}

// cache holds the last known state of all objects: what watches bring, and at once what writes are answered with. Nobody changes an object in it.
type cache struct {
	mu     sync.Mutex
	tables map[schema.GroupResource]*table
	index  map[string]map[place]metav1.Object // see keysOf
	uids   map[types.UID]place
	doomed map[types.UID]bool // deleted by us, whatever older events say
}

type table struct {
	resource schema.GroupVersionResource
	objects  map[types.NamespacedName]metav1.Object
	revision uint64 // of the last event
}

func newCache() *cache {
	return &cache{tables: map[schema.GroupResource]*table{}, index: map[string]map[place]metav1.Object{}, uids: map[types.UID]place{}, doomed: map[types.UID]bool{}}
}

// keysOf returns the keys of an object in the index: its resource and namespace, the same with "free" if it has no controller, the UIDs of
// its owners, and for a pod its node.
func keysOf(at place, o metav1.Object) []string {
	home := namespaceKey(at.GroupResource, at.Namespace)
	out := []string{home}
	for _, ref := range o.GetOwnerReferences() {
		out = append(out, string(ref.UID))
	}
	if metav1.GetControllerOfNoCopy(o) == nil {
		out = append(out, "free/"+home)
	}
	if p, ok := o.(*corev1.Pod); ok {
		out = append(out, "on/"+p.Spec.NodeName)
	}
	return out
}

func namespaceKey(r schema.GroupResource, namespace string) string {
	return "in/" + r.String() + "/" + namespace
}

func revision(o metav1.Object) uint64 {
	n, _ := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
	return n
}

// table returns that of a resource. The lock is held.
func (c *cache) table(r schema.GroupVersionResource) *table {
	t := c.tables[r.GroupResource()]
	if t == nil {
		t = &table{objects: map[types.NamespacedName]metav1.Object{}}
		c.tables[r.GroupResource()] = t
	}
	t.resource = r
	return t
}

// put stores an object, unless what is there is as new, and returns what was there. An answer is dropped if the watch was there first: the
// object may be gone since.
func (c *cache) put(r schema.GroupVersionResource, o metav1.Object, answer bool) (old metav1.Object, changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, at, rev := c.table(r), placeOf(r, o), revision(o)
	if old = t.objects[at.NamespacedName]; old != nil && revision(old) >= rev || answer && rev <= t.revision {
		return old, false
	}
	if !answer {
		t.revision = max(t.revision, rev)
	}
	if c.doomed[o.GetUID()] && o.GetDeletionTimestamp() == nil {
		now := metav1.Now()
		o.SetDeletionTimestamp(&now)
	}
	c.unlink(at, old)
	t.objects[at.NamespacedName], c.uids[o.GetUID()] = o, at
	for _, key := range keysOf(at, o) {
		if c.index[key] == nil {
			c.index[key] = map[place]metav1.Object{}
		}
		c.index[key][at] = o
	}
	return old, true
}

// remove drops an object at a revision, if there is none newer, and returns what was there.
func (c *cache) remove(r schema.GroupVersionResource, o metav1.Object) (old metav1.Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, at := c.table(r), placeOf(r, o)
	t.revision = max(t.revision, revision(o))
	delete(c.doomed, o.GetUID())
	if old = t.objects[at.NamespacedName]; old == nil || revision(old) > revision(o) {
		return nil
	}
	c.unlink(at, old)
	delete(t.objects, at.NamespacedName)
	return old
}

func (c *cache) unlink(at place, old metav1.Object) {
	if old == nil {
		return
	}
	delete(c.uids, old.GetUID())
	for _, key := range keysOf(at, old) {
		if delete(c.index[key], at); len(c.index[key]) == 0 {
			delete(c.index, key)
		}
	}
}

// doom marks an object as being deleted, until the watch says more.
func (c *cache) doom(r schema.GroupVersionResource, o object) (marked metav1.Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := placeOf(r, o)
	old, ok := c.table(r).objects[at.NamespacedName].(object)
	if !ok || old.GetUID() != o.GetUID() || old.GetDeletionTimestamp() != nil {
		return nil
	}
	now := metav1.Now()
	marked = old.DeepCopyObject().(object)
	marked.SetDeletionTimestamp(&now)
	c.doomed[o.GetUID()] = true
	c.table(r).objects[at.NamespacedName] = marked
	for _, key := range keysOf(at, marked) {
		c.index[key][at] = marked
	}
	return marked
}

// absent returns the objects that a list at a revision does not have.
func (c *cache) absent(r schema.GroupVersionResource, rev uint64, listed map[types.UID]bool) (gone []metav1.Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.table(r)
	t.revision = max(t.revision, rev)
	for _, o := range t.objects {
		if !listed[o.GetUID()] && revision(o) <= rev {
			gone = append(gone, o)
		}
	}
	return gone
}

func (c *cache) get(at place) metav1.Object {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.tables[at.GroupResource]; t != nil {
		return t.objects[at.NamespacedName]
	}
	return nil
}

// resource returns the followed version of a resource, if there is one.
func (c *cache) resource(gr schema.GroupResource) (r schema.GroupVersionResource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.tables[gr]; t != nil {
		r = t.resource
	}
	return r
}

func (c *cache) byUID(uid types.UID) (place, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.uids[uid]
	return at, ok
}

// places returns the places of the objects that have a key in the index, sorted.
func (c *cache) places(key string) (all []place) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := range c.index[key] {
		all = append(all, at)
	}
	slices.SortFunc(all, func(a, b place) int {
		if n := strings.Compare(a.GroupResource.String(), b.GroupResource.String()); n != 0 {
			return n
		}
		return strings.Compare(a.NamespacedName.String(), b.NamespacedName.String())
	})
	return all
}

// count returns how many objects have a key in the index.
func (c *cache) count(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.index[key])
}

// get returns an object from the cache.
func get[T object](m *manager, r schema.GroupVersionResource, namespace, name string) (T, bool) {
	o, ok := m.cache.get(place{r.GroupResource(), types.NamespacedName{Namespace: namespace, Name: name}}).(T)
	return o, ok
}

// indexed returns the objects of a resource that have a key in the index, sorted by name.
func indexed[T object](m *manager, r schema.GroupVersionResource, key string) (all []T) {
	m.cache.mu.Lock()
	for at, o := range m.cache.index[key] {
		if typed, ok := o.(T); ok && at.GroupResource == r.GroupResource() {
			all = append(all, typed)
		}
	}
	m.cache.mu.Unlock()
	slices.SortFunc(all, func(a, b T) int { return strings.Compare(a.GetName(), b.GetName()) })
	return all
}

// in returns the objects of a resource in a namespace, by name.
func in[T object](m *manager, r schema.GroupVersionResource, namespace string) []T {
	return indexed[T](m, r, namespaceKey(r.GroupResource(), namespace))
}

// everywhere returns all objects of a resource, by namespace and name.
func everywhere[T object](m *manager, r schema.GroupVersionResource) (all []T) {
	m.cache.mu.Lock()
	for _, o := range m.cache.table(r).objects {
		if typed, ok := o.(T); ok {
			all = append(all, typed)
		}
	}
	m.cache.mu.Unlock()
	slices.SortFunc(all, func(a, b T) int {
		if n := strings.Compare(a.GetNamespace(), b.GetNamespace()); n != 0 {
			return n
		}
		return strings.Compare(a.GetName(), b.GetName())
	})
	return all
}
