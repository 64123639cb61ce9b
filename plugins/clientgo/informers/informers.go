// Package informers puts client-go's informers and reflectors to the informer suite.
package informers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo"
)

// Prefix is what stands before the name of a way in a connect string.
const Prefix = "go:client-go/"

// way is one way in which client-go keeps a copy.
type way struct {
	name     string
	about    string
	features []harness.Feature
	new      func(informer.Config) (informer.Informer, error)
}

var shared = []harness.Feature{informer.ClientGoSemantics, informer.HasSynced, informer.Handlers, informer.HandlerSynced, informer.InitialFlag, informer.DeleteState,
	informer.Removal, informer.RemovalWaits, informer.Indexes, informer.Resync, informer.Transforms, informer.Version, informer.ErrorHook, informer.Restarts}

var ways = []way{
	{"shared-informer", "SharedIndexInformer on list and watch functions", slices.Concat(shared, []harness.Feature{informer.Streams}), newShared},
}

// Names are those of the ways, for targets.
func Names() (out []string) {
	for _, w := range ways {
		out = append(out, w.name)
	}
	return out
}

// Target is one of the ways as a target, on servers that open makes, which have these features.
func Target(name string, open func(*harness.T) (rig.Server, error), serverHas ...harness.Feature) (harness.Target, error) {
	clientgo.Quiet()
	i := slices.IndexFunc(ways, func(w way) bool { return w.name == name })
	if i < 0 {
		return harness.Target{}, fmt.Errorf("there is no %q: say one of %v", name, Names())
	}
	w := ways[i]
	cases := informer.Suite.Bind(informer.Plugin("client-go "+name+" "+clientgo.Version(), open,
		func(*harness.T) (informer.Subject, error) { return subject{w}, nil }, slices.Concat(w.features, serverHas, []harness.Feature{harness.VirtualTime})...))
	return harness.Target{Name: Prefix + name, Cases: cases}, nil
}

type subject struct{ way }

// New implements informer.Subject.
func (s subject) New(c informer.Config) (informer.Informer, error) { return s.new(c) }

// direct is a ListerWatcher of list and watch functions.
func direct(c informer.Config) *cache.ListWatch {
	d := c.Server.Direct
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return d.List(ctx, c.Resource, c.Namespace, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return d.Watch(ctx, c.Resource, c.Namespace, o)
		},
	}
}

func newShared(c informer.Config) (informer.Informer, error) {
	indexers := cache.Indexers{}
	if c.Index == informer.ByApp {
		indexers[informer.ByApp] = byApp
	}
	inf := cache.NewSharedIndexInformer(direct(c), &corev1.ConfigMap{}, c.Resync, indexers)
	return configured(inf, c)
}

func configured(inf cache.SharedIndexInformer, c informer.Config) (informer.Informer, error) {
	if c.Transform == informer.Mark {
		if err := inf.SetTransform(mark); err != nil {
			return nil, err
		}
	}
	if c.Failed != nil {
		if err := inf.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) { c.Failed(err) }); err != nil {
			return nil, err
		}
	}
	return sharedInformer{inf, c.Index}, nil
}

// mark is the transform of that name.
func mark(x any) (any, error) {
	o, ok := x.(metav1.Object)
	if !ok {
		return x, nil
	}
	notes := map[string]string{informer.Marked: "yes"}
	for k, v := range o.GetAnnotations() {
		notes[k] = v
	}
	notes[informer.Marked] = "yes"
	o.SetAnnotations(notes)
	return x, nil
}

// byApp is the index of that name.
func byApp(x any) ([]string, error) {
	o, ok := x.(metav1.Object)
	if !ok || o.GetLabels()["app"] == "" {
		return nil, nil
	}
	return []string{o.GetLabels()["app"]}, nil
}

type sharedInformer struct {
	cache.SharedIndexInformer
	index string
}

// Run implements informer.Informer.
func (s sharedInformer) Run(ctx context.Context) { s.RunWithContext(ctx) }

// Get implements informer.Informer.
func (s sharedInformer) Get(key string) (json.RawMessage, error) {
	x, ok, err := s.GetStore().GetByKey(key)
	if !ok || err != nil {
		return nil, err
	}
	return plain(x), nil
}

// List implements informer.Informer.
func (s sharedInformer) List() ([]json.RawMessage, error) { return all(s.GetStore().List()), nil }

// ByIndex implements informer.Indexed.
func (s sharedInformer) ByIndex(value string) ([]json.RawMessage, error) {
	got, err := s.GetIndexer().ByIndex(s.index, value)
	return all(got), err
}

// Version implements informer.Versioned.
func (s sharedInformer) Version() string { return s.GetStore().LastStoreSyncResourceVersion() }

func all(list []any) (out []json.RawMessage) {
	for _, x := range list {
		out = append(out, plain(x))
	}
	return out
}

// plain is an object in JSON.
func plain(o any) json.RawMessage {
	b, err := json.Marshal(o)
	if err != nil {
		return json.RawMessage(fmt.Sprintf("%q", err)) // nothing that a client has decoded
	}
	return b
}
