package mutants

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// shardListRows are faults of lists of a shard.
var shardListRows = []row{
	{name: "shard-whole", rule: "shard/partition/lists", about: "a list says that it is the shard that was asked for, and has everything",
		on: "list", when: sharded, answer: otherShard(everyHash)},
	{name: "shard-first-range-only", rule: "shard/partition/lists", about: "of several ranges that a list is asked for it has only the first",
		on: "list", when: sharded, answer: otherShard(func(s string) string { return strings.SplitN(s, "||", 2)[0] })},
	{name: "shard-start-excluded", rule: "shard/partition/lists", about: "a shard lacks what hashes to the very start of a range: of two that meet there neither has it",
		on: "list", when: sharded, answer: otherShard(laterStarts)},
	{name: "shard-by-other-field", rule: "shard/partition/lists", about: "whatever field a shard is to be chosen by, it is chosen by the namespace",
		on: "list", when: sharded, answer: otherShard(func(s string) string { return strings.ReplaceAll(s, ".uid", ".namespace") })},
	{name: "shard-next-page-whole", rule: "shard/partition/lists", about: "only the first page of a list is of the shard",
		on: "list", when: all(sharded, continued), answer: otherShard(everyHash)},
	{name: "shard-echo-of-other", rule: "shard/partition/echo", about: "shardInfo of a list has the first range only, the list all of them",
		on: "list", answer: func(c *call) {
			if info := shardOf(c.got); info != nil {
				info.Selector = strings.SplitN(info.Selector, " ||", 2)[0]
			}
		}},
	{name: "shard-unreadable-ignored", rule: "shard/partition/unreadable", about: "a list with a shardSelector that cannot be read is whole",
		on: "list", when: sharded, refused: anyError, answer: again(anyShard)},

	{name: "shards-untold", rule: "shard/absent", about: "lists are shards, and do not say so: a client takes them for all there is (kube-apiserver 1.37.1, lists of custom resources)",
		on: "list", when: sharded, answer: func(c *call) {
			if s, ok := c.got.(metav1.ShardedListInterface); ok {
				s.SetShardInfo(nil)
			}
		}},
	{name: "shards-without-lists", rule: "shard/absent", about: "lists do not know shards, watches do",
		on: "list", ask: anyShard},
	{name: "shard-told-of-all", rule: "shard/absent", about: "a whole list says that it is a shard, of all hashes",
		on: "list", when: not(sharded), ask: func(c *call) { c.list.ShardSelector = everyHash("") }},
}

// shardWatchRows are faults of watches of a shard.
var shardWatchRows = []row{
	{name: "shard-watch-whole", rule: "shard/partition/watches", about: "lists are shards, watches give everything",
		on: "watch", ask: anyShard},
	{name: "shard-initial-alone", rule: "shard/partition/watches", about: "only the initial events of a watch are of the shard, and all changes are given",
		on: "watch", when: at, ask: anyShard},
	{name: "shard-deletions-withheld", rule: "shard/partition/watches", about: "a watch of a shard is not told of deletions",
		on: "watch", when: sharded, events: drop(cause(apiserver.Deleted))},
	{name: "shard-watch-unreadable-ignored", rule: "shard/partition/unreadable", about: "a watch with a shardSelector that cannot be read gives everything",
		on: "watch", when: unreadableShard, ask: anyShard},
	{name: "shard-events-doubled", rule: "shard/partition/clauses", about: "a watch of a shard gives each change twice",
		on: "watch", when: sharded, events: double(changes)},
	{name: "shard-updates-as-added", rule: "shard/partition/clauses", about: "a watch of a shard gives every change as ADDED",
		on: "watch", when: sharded, events: as(watch.Added, typed(watch.Modified))},
}

// unreadableShard reports whether no range is in a shardSelector.
func unreadableShard(c *call) bool { return !strings.Contains(c.list.ShardSelector, "shardRange(") }

// everyHash is the selector of the shard that is everything.
func everyHash(string) string {
	return "shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000000')"
}

// shardOf returns the shardInfo of a list; nil: it has none.
func shardOf(l runtime.Object) *metav1.ShardInfo {
	if s, ok := l.(metav1.ShardedListInterface); ok {
		return s.GetShardInfo()
	}
	return nil
}

// otherShard answers with another shard than the one that was asked for, and says that it is that.
func otherShard(f func(selector string) string) func(*call) {
	return func(c *call) {
		right := c.got
		c.list.ShardSelector = f(c.list.ShardSelector)
		if c.next(); c.err != nil { // a range of nothing
			setItems(right, nil)
			c.got, c.err = right, nil
			return
		}
		shardOf(c.got).Selector = shardOf(right).Selector
	}
}

var rangeStart = regexp.MustCompile(`, '0x([0-9a-f]{16})',`)

// laterStarts moves the start of each range by one.
func laterStarts(selector string) string {
	return rangeStart.ReplaceAllStringFunc(selector, func(s string) string {
		n, _ := strconv.ParseUint(rangeStart.FindStringSubmatch(s)[1], 16, 64) // 16 digits
		return fmt.Sprintf(", '0x%016x',", min(n, 1<<64-3)+1)
	})
}
