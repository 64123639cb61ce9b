// Package mutants has API servers with exactly one fault each, and names the rule that must catch it.
//
// A fault is at most ten lines: an option of the store, or a wrapper of its API; the client that a test
// uses is never touched. About names real software that had the bug, where there is one.
package mutants

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Mutant is a server with one fault.
type Mutant struct {
	Name  string // unique, [a-z0-9-]
	Rule  string // kind/clause[/aspect] that must catch it
	About string // what is wrong with it, and where that was seen
	// Resource is the plural name of what the fault is about; "": any, such as configmaps.
	Resource string
	// Withholds are beginnings of addresses of rules that must not pass on it: of Nulls only.
	Withholds []string
	// Open makes one over a new store with these options. The store is for closing, compacting and
	// the like; calls go to the API.
	Open func(apiserver.Options) (apiserver.API, *apiserver.Server)
}

// All mutants, in the order of the contract. Each call makes a new slice.
func All() []Mutant {
	var all []Mutant
	for _, section := range [][][]Mutant{oldReads(), oldWatches(), oldWrites()} {
		all = append(all, slices.Concat(section...)...)
	}
	for _, section := range [][][]row{readRows, watchRows, writeRows} {
		all = append(all, mutantsOf(slices.Concat(section...))...)
	}
	return append(all, limitedMutants(all)...)
}

// watching is a store of whose watches f changes what they ask for or send, but for those that limited takes.
func watching(f func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		limit := o.OnWatch
		o.OnWatch = func(r *apiserver.Request, l *metav1.ListOptions) apiserver.Tap {
			if limit != nil {
				if tap := limit(r, l); tap != nil {
					return tap
				}
			}
			return f(r, l)
		}
		s := apiserver.New(o)
		return s, s
	}
}

// calling is a store behind an API that answers some calls itself.
func calling(c calls) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		s := apiserver.New(o)
		c.API = s
		return c, s
	}
}

// calls are what a faulty API does in place of the store, which is given first; nil: what the store does.
type calls struct {
	apiserver.API
	create func(context.Context, apiserver.API, apiserver.Request, runtime.Object, metav1.CreateOptions) (runtime.Object, error)
	get    func(context.Context, apiserver.API, apiserver.Request, metav1.GetOptions) (runtime.Object, error)
	list   func(context.Context, apiserver.API, apiserver.Request, metav1.ListOptions) (runtime.Object, error)
	watch  func(context.Context, apiserver.API, apiserver.Request, metav1.ListOptions) (watch.Interface, error)
	update func(context.Context, apiserver.API, apiserver.Request, runtime.Object, metav1.UpdateOptions) (runtime.Object, error)
	patch  func(context.Context, apiserver.API, apiserver.Request, types.PatchType, []byte, metav1.PatchOptions) (runtime.Object, error)
	remove func(context.Context, apiserver.API, apiserver.Request, metav1.DeleteOptions) (runtime.Object, error)
	sweep  func(context.Context, apiserver.API, apiserver.Request, metav1.DeleteOptions, metav1.ListOptions) (runtime.Object, error)
}

func (c calls) Create(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	if c.create == nil {
		return c.API.Create(ctx, r, obj, o)
	}
	return c.create(ctx, c.API, r, obj, o)
}

func (c calls) Get(ctx context.Context, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
	if c.get == nil {
		return c.API.Get(ctx, r, o)
	}
	return c.get(ctx, c.API, r, o)
}

func (c calls) List(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	if c.list == nil {
		return c.API.List(ctx, r, o)
	}
	return c.list(ctx, c.API, r, o)
}

func (c calls) Watch(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
	if c.watch == nil {
		return c.API.Watch(ctx, r, o)
	}
	return c.watch(ctx, c.API, r, o)
}

func (c calls) Update(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
	if c.update == nil {
		return c.API.Update(ctx, r, obj, o)
	}
	return c.update(ctx, c.API, r, obj, o)
}

func (c calls) Patch(ctx context.Context, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
	if c.patch == nil {
		return c.API.Patch(ctx, r, pt, data, o)
	}
	return c.patch(ctx, c.API, r, pt, data, o)
}

func (c calls) Delete(ctx context.Context, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
	if c.remove == nil {
		return c.API.Delete(ctx, r, o)
	}
	return c.remove(ctx, c.API, r, o)
}

func (c calls) DeleteCollection(ctx context.Context, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
	if c.sweep == nil {
		return c.API.DeleteCollection(ctx, r, o, which)
	}
	return c.sweep(ctx, c.API, r, o, which)
}
