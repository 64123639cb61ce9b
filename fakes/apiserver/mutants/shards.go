package mutants

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

const everyHash = "shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000000')"

// otherShard is a list that has another shard than the one that it was asked for, and says it has that.
func otherShard(f func(string) string) lister {
	return func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
		right, err := api.List(ctx, r, o)
		if err != nil || o.ShardSelector == "" {
			return right, err
		}
		o.ShardSelector = f(o.ShardSelector)
		l, err := api.List(ctx, r, o)
		if err != nil { // a range of nothing
			setItems(right, nil)
			return right, nil
		}
		shardOf(l).Selector = shardOf(right).Selector
		return l, nil
	}
}

// shardOf is the shardInfo of a list, nil where it says nothing.
func shardOf(l runtime.Object) *metav1.ShardInfo {
	if s, ok := l.(metav1.ShardedListInterface); ok {
		return s.GetShardInfo()
	}
	return nil
}

// start is that of a range, as a selector has it.
var start = regexp.MustCompile(`, '0x([0-9a-f]{16})',`)

// laterStarts moves the start of each range by one.
func laterStarts(selector string) string {
	return start.ReplaceAllStringFunc(selector, func(s string) string {
		n, _ := strconv.ParseUint(start.FindStringSubmatch(s)[1], 16, 64) // 16 digits
		return fmt.Sprintf(", '0x%016x',", min(n, 1<<64-3)+1)
	})
}

// unreadableShard says that a list was refused for its shardSelector.
func unreadableShard(err error) bool {
	return err != nil && strings.HasPrefix(err.Error(), "invalid shard selector")
}

// shards are faults of lists and watches that are a part of the whole.
func shards() []Mutant { return append(append(shardLists(), shardWatches()...), shardsUntold()...) }

func shardLists() []Mutant {
	return []Mutant{
		{
			Name: "shard-whole", Rule: "watchcache/shard/partition/lists",
			About: "a list says that it is the shard that was asked for, and has everything",
			Open:  calling(calls{list: otherShard(func(string) string { return everyHash })}),
		},
		{
			Name: "shard-first-range-only", Rule: "watchcache/shard/partition/lists",
			About: "of several ranges that a list is asked for it has only the first",
			Open:  calling(calls{list: otherShard(func(s string) string { return strings.SplitN(s, "||", 2)[0] })}),
		},
		{
			Name: "shard-start-excluded", Rule: "watchcache/shard/partition/lists",
			About: "a shard does not have what hashes to the very start of a range: of two that meet there neither has it",
			Open:  calling(calls{list: otherShard(laterStarts)}),
		},
		{
			Name: "shard-by-other-field", Rule: "watchcache/shard/partition/lists",
			About: "whatever field a shard is to be chosen by, it is chosen by the namespace",
			Open:  calling(calls{list: otherShard(func(s string) string { return strings.ReplaceAll(s, ".uid", ".namespace") })}),
		},
		{
			Name: "shard-next-page-whole", Rule: "watchcache/shard/partition/lists",
			About: "only the first page of a list is of the shard",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if o.Continue == "" || o.ShardSelector == "" {
					return api.List(ctx, r, o)
				}
				return otherShard(func(string) string { return everyHash })(ctx, api, r, o)
			}}),
		},
		{
			Name: "shard-echo-of-other", Rule: "watchcache/shard/partition/echo",
			About: "shardInfo of a list has the first range only, the list all of them",
			Open: calling(calls{list: changed(func(_ *metav1.ListOptions, l runtime.Object, all []runtime.Object) []runtime.Object {
				if info := shardOf(l); info != nil {
					info.Selector = strings.SplitN(info.Selector, " ||", 2)[0]
				}
				return all
			})}),
		},
		{
			Name: "shard-unreadable-ignored", Rule: "watchcache/shard/partition/unreadable",
			About: "a list with a shardSelector that cannot be read is whole",
			Open:  calling(calls{list: onRefusal(unreadableShard, func(o *metav1.ListOptions) { o.ShardSelector = "" })}),
		},
	}
}

func shardWatches() []Mutant {
	return []Mutant{
		{
			Name: "shard-watch-whole", Rule: "watchcache/shard/partition/watches",
			About: "lists are shards, watches give everything",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				o.ShardSelector = ""
				return nil
			}),
		},
		{
			Name: "shard-initial-alone", Rule: "watchcache/shard/partition/watches",
			About: "only the initial events of a watch are of the shard, and all changes are given",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				if from(&o) {
					o.ShardSelector = ""
				}
				return api.Watch(ctx, r, o)
			}}),
		},
		{
			Name: "shard-deletions-withheld", Rule: "watchcache/shard/partition/watches",
			About: "a watch of a shard is not told of deletions",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				whole := o.ShardSelector == ""
				return keep(func(_ watch.Event, c apiserver.Cause) bool { return whole || c != apiserver.Deleted })
			}),
		},
		{
			Name: "shard-watch-unreadable-ignored", Rule: "watchcache/shard/partition/unreadable",
			About: "a watch with a shardSelector that cannot be read gives everything",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if !strings.Contains(o.ShardSelector, "shardRange(") {
					o.ShardSelector = ""
				}
				return nil
			}),
		},
		{
			Name: "shard-events-doubled", Rule: "watchcache/shard/partition/clauses",
			About: "a watch of a shard gives each change twice",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				whole := o.ShardSelector == ""
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if whole || !change(c) {
						return pass(e, c)
					}
					return []watch.Event{e, copyOf(e)}
				}
			}),
		},
		{
			Name: "shard-updates-as-added", Rule: "watchcache/shard/partition/clauses",
			About: "a watch of a shard takes every change for the object's coming",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				whole := o.ShardSelector == ""
				return retype(func(e watch.Event, _ apiserver.Cause) watch.EventType {
					if e.Type == watch.Modified && !whole {
						return watch.Added
					}
					return e.Type
				})
			}),
		},
	}
}

// shardsUntold are faults by which a client takes a part for the whole, or the whole for a part.
func shardsUntold() []Mutant {
	return []Mutant{
		{
			Name: "shards-untold", Rule: "watchcache/shard/absent",
			About: "lists are shards, and do not say so: a client takes them for all there is (kube-apiserver 1.37.1, lists of custom resources)",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				l, err := api.List(ctx, r, o)
				if s, ok := l.(metav1.ShardedListInterface); ok && err == nil {
					s.SetShardInfo(nil)
				}
				return l, err
			}}),
		},
		{
			Name: "shards-without-lists", Rule: "watchcache/shard/absent",
			About: "lists do not know shards, watches do",
			Open:  calling(calls{list: asking(func(o *metav1.ListOptions) { o.ShardSelector = "" })}),
		},
		{
			Name: "shard-told-of-all", Rule: "watchcache/shard/absent",
			About: "a whole list says that it is a shard, of all hashes",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if o.ShardSelector == "" {
					o.ShardSelector = everyHash
				}
				return api.List(ctx, r, o)
			}}),
		},
	}
}
