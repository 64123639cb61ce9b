// Package listwatch puts the ways in which client-go lists and watches to the listerwatcher suite: its typed, dynamic
// and metadata clients, the ListWatch that informers are made of, and what lists in pages, resumes watches and waits.
//
// What it breaks is in known.json, each line with its reason.
package listwatch

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/features"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo"
)

// calls are the functions of a client: those that it has.
type calls struct {
	list  func(context.Context, metav1.ListOptions) (runtime.Object, error)
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error)
	until func(context.Context, metav1.ListOptions, *listerwatcher.Precondition, listerwatcher.Condition) (*watch.Event, error)
}

// way is one way in which client-go lists and watches.
type way struct {
	name     string
	about    string
	features []harness.Feature
	protobuf bool
	open     func(*rest.Config, listerwatcher.Config) (calls, error)
}

var both = []harness.Feature{listerwatcher.Lists, listerwatcher.Watches, listerwatcher.FieldCalls}

func with(more harness.Feature) []harness.Feature { return append(both[:len(both):len(both)], more) }

// ways are all of them.
var ways = []way{
	{"typed", "its typed client, in JSON", with(listerwatcher.JSON), false, typed},
	{"typed-protobuf", "its typed client, in protobuf", with(listerwatcher.Protobuf), true, typed},
	{"dynamic", "its dynamic client", with(listerwatcher.JSON), false, dynamics},
	{"metadata", "its metadata client", with(listerwatcher.MetadataOnly), false, metadatas},
	{"list-watch", "cache.NewListWatchFromClient", []harness.Feature{listerwatcher.Lists, listerwatcher.Watches, listerwatcher.JSON}, false, fromClient},
	{"factory-list-watch", "the ListWatch of a shared informer factory with tweaked options", with(listerwatcher.JSON), false, ofFactory},
	{"pager", "ListPager.List", paging(), false, pages},
	{"pager-each", "ListPager.EachListItem", paging(listerwatcher.ItemsOnly), false, eachItem},
	{"retry-watcher", "RetryWatcher", []harness.Feature{listerwatcher.Watches, listerwatcher.Retries, listerwatcher.FieldCalls, listerwatcher.JSON}, false, retries},
	{"until", "tools/watch.Until", []harness.Feature{listerwatcher.Waits, listerwatcher.Retries}, false, until},
	{"until-with-sync", "tools/watch.UntilWithSync", []harness.Feature{listerwatcher.Waits, listerwatcher.Retries, listerwatcher.Preconditions}, false, untilWithSync},
	{"until-without-retry", "tools/watch.UntilWithoutRetry", []harness.Feature{listerwatcher.Waits}, false, untilWithoutRetry},
}

func paging(more ...harness.Feature) []harness.Feature {
	return append([]harness.Feature{listerwatcher.Lists, listerwatcher.Pages, listerwatcher.FieldCalls, listerwatcher.JSON}, more...)
}

// Names are those of the ways, for targets.
func Names() (out []string) {
	for _, w := range ways {
		out = append(out, w.name)
	}
	return out
}

// Cases binds the suite to one of the ways, on servers that open makes, which have these features; VirtualTime is one
// of them, where they work in it.
func Cases(name, version string, open func(*harness.T) (rig.Server, error), serverHas ...harness.Feature) ([]harness.Case, error) {
	s, has, err := Subject(name, nil)
	if err != nil {
		return nil, err
	}
	return listerwatcher.Suite.Bind(listerwatcher.Plugin("client-go "+name+" "+version, open,
		func(*harness.T) (listerwatcher.Subject, error) { return s, nil }, slices.Concat(has, serverHas)...)), nil
}

// Target is one of the ways as a target of that name, on servers that open makes, which have these features.
func Target(name string, open func(*harness.T) (rig.Server, error), serverHas ...harness.Feature) (harness.Target, error) {
	clientgo.Quiet()
	cases, err := Cases(name, clientgo.Version(), open, serverHas...)
	if err != nil {
		return harness.Target{}, err
	}
	lines, err := Known(name)
	return harness.Target{Name: Prefix + name, Known: lines, Cases: cases}, err
}

// Known is what one of the ways is known to fail.
func Known(name string) ([]harness.Known, error) {
	lines, err := harness.ParseKnown("plugins/clientgo/listwatch/known.json", known)
	streams := features.FeatureGates().Enabled(features.WatchListClient)
	return slices.DeleteFunc(lines, func(l harness.Known) bool {
		return !l.OnTarget(Prefix+name) || l.Rule == "until/prompt" && !streams // the pause is that after a streaming list
	}), err
}

//go:embed known.json
var known []byte

// Prefix is what stands before the name of a way in a connect string.
const Prefix = "go:client-go/"

// About says in words what a way is.
func About(name string) string {
	if i := slices.IndexFunc(ways, func(w way) bool { return w.name == name }); i >= 0 {
		return ways[i].about
	}
	return ""
}

// Subject is one of the ways, and what it has. change, if there is one, changes what its clients are configured by.
func Subject(name string, change func(*rest.Config)) (listerwatcher.Subject, []harness.Feature, error) {
	i := slices.IndexFunc(ways, func(w way) bool { return w.name == name })
	if i < 0 {
		return nil, nil, fmt.Errorf("there is no %q: say one of %v", name, Names())
	}
	return subject{ways[i], change}, append([]harness.Feature{listerwatcher.ClientGoSemantics, listerwatcher.AllNamespaces, listerwatcher.AsksAgain, rig.HTTP2}, ways[i].features...), nil
}

type subject struct {
	way
	change func(*rest.Config)
}

// Open implements listerwatcher.Subject.
func (s subject) Open(c listerwatcher.Config) (listerwatcher.Client, error) {
	config := &rest.Config{Host: c.Server.URL, BearerToken: c.Server.Token, Dial: c.Server.Dial, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAData: c.Server.CA}}
	if config.ContentType = "application/json"; s.protobuf {
		config.ContentType = "application/vnd.kubernetes.protobuf"
	}
	if s.change != nil {
		s.change(config)
	}
	of, err := s.open(config, c)
	if err != nil {
		return nil, err
	}
	return client{of}, nil
}

func typed(config *rest.Config, c listerwatcher.Config) (calls, error) {
	all, err := kubernetes.NewForConfig(config)
	if err != nil {
		return calls{}, err
	}
	of := all.CoreV1().ConfigMaps(c.Namespace)
	return calls{list: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return of.List(ctx, o) }, watch: of.Watch}, nil
}

func dynamics(config *rest.Config, c listerwatcher.Config) (calls, error) {
	all, err := dynamic.NewForConfig(config)
	if err != nil {
		return calls{}, err
	}
	of := all.Resource(c.Resource).Namespace(c.Namespace)
	return calls{list: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return of.List(ctx, o) }, watch: of.Watch}, nil
}

func metadatas(config *rest.Config, c listerwatcher.Config) (calls, error) {
	all, err := metadata.NewForConfig(config)
	if err != nil {
		return calls{}, err
	}
	of := all.Resource(c.Resource).Namespace(c.Namespace)
	return calls{list: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return of.List(ctx, o) }, watch: of.Watch}, nil
}

func fromClient(config *rest.Config, c listerwatcher.Config) (calls, error) {
	all, err := kubernetes.NewForConfig(config)
	if err != nil {
		return calls{}, err
	}
	lw := cache.NewListWatchFromClient(all.CoreV1().RESTClient(), c.Resource.Resource, c.Namespace, fields.Everything())
	return calls{list: lw.ListWithContext, watch: lw.WatchWithContext}, nil
}

// client is calls as the suite wants them.
type client struct{ calls }

// List implements listerwatcher.Lister.
func (c client) List(ctx context.Context, o *metav1.ListOptions) (*listerwatcher.List, error) {
	l, err := c.list(ctx, *o)
	if err != nil {
		return nil, err
	}
	m, err := meta.ListAccessor(l)
	if err != nil {
		return nil, err
	}
	out := &listerwatcher.List{ListMeta: metav1.ListMeta{ResourceVersion: m.GetResourceVersion(), Continue: m.GetContinue(), RemainingItemCount: m.GetRemainingItemCount()}}
	items, err := meta.ExtractList(l)
	if err != nil {
		return nil, err
	}
	for _, i := range items {
		out.Items = append(out.Items, plain(i))
	}
	return out, nil
}

// plain is an object in JSON.
func plain(o runtime.Object) json.RawMessage {
	b, err := json.Marshal(o)
	if err != nil {
		return json.RawMessage(fmt.Sprintf("%q", err)) // nothing that a client has decoded
	}
	return b
}

// Watch implements listerwatcher.Watcher.
func (c client) Watch(ctx context.Context, o *metav1.ListOptions) (listerwatcher.Watch, error) {
	w, err := c.watch(ctx, *o)
	if err != nil {
		return nil, err
	}
	return open{w}, nil
}

type open struct{ watch.Interface }

// Next implements listerwatcher.Watch.
func (w open) Next(ctx context.Context) (listerwatcher.Event, bool) {
	select {
	case e, ok := <-w.ResultChan():
		if !ok {
			return listerwatcher.Event{}, false
		}
		return listerwatcher.Event{Type: string(e.Type), Object: plain(e.Object)}, true
	case <-ctx.Done():
		return listerwatcher.Event{}, false
	}
}

// Until implements listerwatcher.Waiter.
func (c client) Until(ctx context.Context, o *metav1.ListOptions, cond listerwatcher.Condition) (*listerwatcher.Event, error) {
	return c.untilUnless(ctx, o, nil, cond)
}

// UntilUnless implements listerwatcher.Preconditioned.
func (c client) UntilUnless(ctx context.Context, o *metav1.ListOptions, p listerwatcher.Precondition, cond listerwatcher.Condition) (*listerwatcher.Event, error) {
	return c.untilUnless(ctx, o, &p, cond)
}

func (c client) untilUnless(ctx context.Context, o *metav1.ListOptions, p *listerwatcher.Precondition, cond listerwatcher.Condition) (*listerwatcher.Event, error) {
	e, err := c.until(ctx, *o, p, cond)
	if err != nil || e == nil {
		return nil, err
	}
	return &listerwatcher.Event{Type: string(e.Type), Object: plain(e.Object)}, nil
}
