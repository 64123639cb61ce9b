package watchcache_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/replay/handmade"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
)

// halved has objects in both halves: a uid of the form u2 hashes into the low
// one (0x08c4…), one of a single letter into the high one (0xaf63…).
const halved = `
	c1 -> CREATE a/x v=1 app=one
	c1 <- @2
	c1 -> CREATE a/y v=2 app=two
	c1 <- @3 uid=q
	c1 -> CREATE a/z v=3 app=one
	c1 <- @4 uid=p
`

const (
	lowShard  = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
	highShard = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')"
)

func TestShardLists(t *testing.T) {
	judge(t, "shard/partition/lists", []judged{
		{name: "halves, of one state", says: good, history: halved + `
			l1 -> LIST ns=a shard=low
			l1 <- @4 [a/x @2 v=1 app=one] shard=low
			l1 -> LIST ns=a shard=high
			l1 <- @4 [a/y @3 v=2 app=two, a/z @4 v=3 app=one] shard=high`},
		{name: "several ranges, and a single hash", says: good, history: halved + `
			l1 -> LIST ns=a shard=shardRange(object.metadata.uid,'0x0000000000000000','0xaf63ec4c860207bc')||shardRange(object.metadata.uid,'0xaf63ec4c860207bd','0x10000000000000000')
			l1 <- @4 [a/x @2 v=1 app=one, a/z @4 v=3 app=one] shard=ranges
			l1 -> LIST ns=a shard=shardRange(object.metadata.uid,'0xaf63ec4c860207bc','0xaf63ec4c860207bd')
			l1 <- @4 [a/y @3 v=2 app=two] shard=one`},
		{name: "with a label, in pages, with an empty last one", says: good, history: halved + `
			l1 -> LIST ns=a shard=high labels=app=one
			l1 <- @4 [a/z @4 v=3 app=one] shard=high
			l1 -> LIST ns=a shard=high limit=1
			l1 <- @4 [a/y @3 v=2 app=two] continue=t1 shard=high
			l1 -> LIST ns=a shard=high limit=1 continue=t1
			l1 <- @4 [a/z @4 v=3 app=one] continue=t2 shard=high
			l1 -> LIST ns=a shard=high limit=1 continue=t2
			l1 <- @4 [] shard=high`},
		{name: "by namespace", says: good, history: halved + `
			c1 -> CREATE ab/x v=4
			c1 <- @5
			l1 -> LIST shard=shardRange(object.metadata.namespace,'0x0000000000000000','0x8000000000000000')
			l1 <- @5 [ab/x @5 v=4] shard=namespaces`},
		{name: "created again, with a uid of the other half", says: good, history: halved + `
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> CREATE a/x v=4
			c1 <- @6 uid=h
			l1 -> LIST ns=a shard=low
			l1 <- @6 [] shard=low
			l1 -> LIST ns=a shard=high
			l1 <- @6 [a/x @6 v=4, a/y @3 v=2 app=two, a/z @4 v=3 app=one] shard=high`},
		{name: "it had been deleted, or had not yet", says: odd, history: halved + `
			c1 -> DELETE a/x
			l1 -> LIST ns=a shard=low
			l1 <- @5 [] shard=low
			l1 -> LIST ns=a shard=low
			l1 <- @5 [a/x @2 v=1 app=one] shard=low
			c1 <- ok`},
		{name: "of objects of others no uid is kept", says: odd, history: halved + `
			l1 -> LIST shard=high
			l1 <- @9 [~/1 @1, a/y @3 v=2 app=two, a/z @4 v=3 app=one] shard=high`},
		{name: "an unreadable selector that the server can read: its shardInfo says what it is", says: good, history: halved + `
			l1 -> LIST ns=a shard=x.shardRange(object.metadata.uid,'''0x0000000000000000''','0x8000000000000000')
			l1 <- @4 [a/x @2 v=1 app=one] shard=low`},
		{name: "whole lists, refused ones, and what says nothing of a shard", says: untested, history: halved + `
			l1 -> LIST ns=a
			l1 <- @4 [a/x @2 v=1 app=one]
			l1 -> LIST ns=a shard=low
			l1 <- @4 [a/y @3 v=2 app=two]
			l1 -> LIST ns=a shard=bad
			l1 <- 500
			l1 -> LIST ns=a shard=high
			l1 <- lost`},
		{name: "an object of the other half", says: bad, history: halved + `
			l1 -> LIST ns=a shard=low
			l1 <- @4 [a/x @2 v=1 app=one, a/y @3 v=2 app=two] shard=low`,
			bad: found("only what hashes into "+lowShard, `a/y, whose object.metadata.uid "q" hashes to 0xaf63ec4c860207bc`, 7, 8)},
		{name: "an object of another namespace's hash", says: bad, history: halved + `
			l1 -> LIST ns=a shard=shardRange(object.metadata.namespace,'0x0000000000000000','0x8000000000000000')
			l1 <- @2 [a/x @2 v=1 app=one] shard=namespaces`,
			bad: found("only what hashes into shardRange(object.metadata.namespace, '0x0000000000000000', '0x8000000000000000')", `a/x, whose object.metadata.namespace "a" hashes to 0xaf63dc4c8601ec8c`, 7, 8)},
		{name: "one is in neither half", says: bad, history: halved + `
			l1 -> LIST ns=a shard=low
			l1 <- @4 [a/x @2 v=1 app=one] shard=low
			l1 -> LIST ns=a shard=high
			l1 <- @4 [a/z @4 v=3 app=one] shard=high`,
			bad: found("a/y @3 in the list, which is the state of a/y at the list's resourceVersion 4", "it is missing", 3, 9, 10)},
		{name: "what hashes to the start of a range", says: bad, history: halved + `
			l1 -> LIST ns=a shard=shardRange(object.metadata.uid,'0xaf63ec4c860207bc','0xaf63ec4c860207bd')
			l1 <- @4 [] shard=one`,
			bad: found("a/y @3 in the list, which is the state of a/y at the list's resourceVersion 4", "it is missing", 3, 7, 8)},
		{name: "of an older state", says: bad, history: halved + `
			c1 -> UPDATE a/x v=4
			c1 <- @5
			l1 -> LIST ns=a shard=low
			l1 <- @5 [a/x @2 v=1 app=one] shard=low`,
			bad: found("a/x @5, which is the state of a/x at the list's resourceVersion 5", "a/x @2", 7, 9, 10)},
	})
}

// told begins a history whose server knows shards.
const told = halved + `
	l1 -> LIST ns=a shard=low
	l1 <- @4 [a/x @2 v=1 app=one] shard=low
`

func TestShardWatches(t *testing.T) {
	const changed = told + `
		w0 -> WATCH ns=a rv=4
		w1 -> WATCH ns=a rv=4 shard=low
		w2 -> WATCH ns=a rv=4 shard=high
		c1 -> UPDATE a/y v=4
		c1 <- @5
		c1 -> UPDATE a/x v=5
		c1 <- @6
		w0 <- #9 MODIFIED a/y @5 v=4
		w0 <- #9 MODIFIED a/x @6 v=5
		w0 <- #9 SETTLED
	`
	judge(t, "shard/partition/watches", []judged{
		{name: "each change to one of them", says: good, history: changed + `
			w1 <- MODIFIED a/x @6 v=5
			w2 <- MODIFIED a/y @5 v=4
			w1 <- SETTLED
			w2 <- SETTLED`},
		{name: "created again, with a uid of the other half", says: good, history: changed + `
			c1 -> DELETE a/x
			c1 <- ok
			c1 -> CREATE a/x v=6
			c1 <- @8 uid=h
			w1 <- MODIFIED a/x @6 v=5
			w1 <- DELETED a/x @7 v=5 uid=u2
			w2 <- MODIFIED a/y @5 v=4
			w2 <- ADDED a/x @8 v=6
			w1 <- SETTLED
			w2 <- SETTLED`},
		{name: "a server that does not know shards", says: untested, history: halved + `
			l1 -> LIST ns=a shard=low
			l1 <- @4 [a/x @2 v=1 app=one, a/y @3 v=2 app=two, a/z @4 v=3 app=one]
			w1 -> WATCH ns=a rv=4 shard=low
			c1 -> UPDATE a/y v=4
			c1 <- @5
			w1 <- MODIFIED a/y @5 v=4
			w1 <- SETTLED`},
		{name: "nobody can tell whether it knows them", says: untested, history: halved + `
			w1 -> WATCH ns=a rv=4 shard=low
			c1 -> UPDATE a/y v=4
			c1 <- @5
			w1 <- MODIFIED a/y @5 v=4
			w1 <- SETTLED`},
		{name: "it ended before", says: odd, history: changed + `
			w1 <- ENDED
			w2 <- MODIFIED a/y @5 v=4`},
		{name: "a change of the other half", says: bad, history: changed + `
			w1 <- MODIFIED a/y @5 v=4`,
			bad: found("only what the watch's shard selects", "MODIFIED a/y @5", 10, 19)},
		{name: "one is told to neither", says: bad, history: changed + `
			w1 <- SETTLED
			w2 <- MODIFIED a/y @5 v=4
			w2 <- SETTLED`,
			bad: found("MODIFIED for a/x @6", "no MODIFIED, though the watch had all the time it needs", 14, 10, 19)},
		{name: "initial events of the other half", says: bad, history: told + `
			w1 -> WATCH ns=a shard=high
			w1 <- ADDED a/x @2 v=1 app=one`,
			bad: found("only what the watch's shard selects", "ADDED a/x @2 {app=one}", 9, 10)},
	})
}

func TestShardEcho(t *testing.T) {
	judge(t, "shard/partition/echo", []judged{
		{name: "as it was asked for, and printed otherwise", says: good, history: halved + `
			l1 -> LIST ns=b shard=low
			l1 <- @4 [] shard=low
			l1 -> LIST ns=b shard=shardRange(object.metadata.uid,'0x0000000000000000','0x4000000000000000')||shardRange(object.metadata.uid,'0x4000000000000000','0x8000000000000000')
			l1 <- @4 [] shard=low`},
		{name: "in other words that nobody but the server knows", says: good, history: halved + `
			l1 -> LIST ns=b shard=low
			l1 <- @4 [] shard=low
			l1 -> LIST ns=b shard=x.y
			l1 <- @4 [] shard=x.y`},
		{name: "not asked for, refused, unreadable", says: untested, history: halved + `
			l1 -> LIST ns=b
			l1 <- @4 []
			l1 -> LIST ns=b shard=low
			l1 <- 504 Timeout
			l1 -> LIST ns=b shard=bad
			l1 <- @4 []
			w1 -> WATCH ns=b shard=low`},
		{name: "no shardInfo", says: bad, history: halved + `
			l1 -> LIST ns=b shard=low
			l1 <- @4 []`,
			bad: found("shardInfo with the selector "+lowShard, "a list without shardInfo", 7, 8)},
		{name: "another shard", says: bad, history: halved + `
			l1 -> LIST ns=b shard=low
			l1 <- @4 [] shard=high`,
			bad: found("shardInfo with the selector "+lowShard, "the selector "+highShard, 7, 8)},
		{name: "another field", says: bad, history: halved + `
			l1 -> LIST ns=b shard=low
			l1 <- @4 [] shard=shardRange(object.metadata.namespace,'0x0000000000000000','0x8000000000000000')`,
			bad: found("shardInfo with the selector "+lowShard, "the selector shardRange(object.metadata.namespace,'0x0000000000000000','0x8000000000000000')", 7, 8)},
		{name: "nothing in it", says: bad, history: halved + `
			l1 -> LIST ns=b shard=low
			l1 <- @4 [] shard=`,
			bad: found("shardInfo with the selector "+lowShard, "the selector ", 7, 8)},
	})
}

func TestShardUnreadable(t *testing.T) {
	judge(t, "shard/partition/unreadable", []judged{
		{name: "refused, with whatever code", says: good, history: halved + `
			l1 -> LIST ns=a shard=bad
			l1 <- 500
			l1 -> LIST ns=a shard=shardRange(object.metadata.uid,'0x8000000000000000','0x0000000000000000')
			l1 <- 400 BadRequest
			w1 -> WATCH ns=a shard=bad
			w1 <- 422 Invalid`},
		{name: "refused in its stream", says: good, history: halved + `
			w1 -> WATCH ns=a shard=bad
			w1 <- ok
			w1 <- ERROR 400 BadRequest`},
		{name: "the server can read what we cannot", says: untested, history: halved + `
			l1 -> LIST ns=a shard=x.shardRange(object.metadata.uid,'''0x0000000000000000''','0x8000000000000000')
			l1 <- @4 [a/x @2 v=1 app=one] shard=low
			w1 -> WATCH ns=a shard=x.shardRange(object.metadata.uid,'''0x0000000000000000''','0x8000000000000000')
			w1 <- ok
			w1 <- ADDED a/x @2 v=1 app=one`},
		{name: "readable, throttled, lost, a watch that has shown nothing", says: untested, history: halved + `
			l1 -> LIST ns=a shard=low
			l1 <- @4 [a/x @2 v=1 app=one] shard=low
			l1 -> LIST ns=a shard=bad
			l1 <- 429 TooManyRequests retry=1
			l1 -> LIST ns=a shard=bad
			l1 <- lost
			w1 -> WATCH ns=a shard=bad
			w1 <- ok
			w1 <- ENDED`},
		{name: "taken for none", says: bad, history: halved + `
			l1 -> LIST ns=a shard=bad
			l1 <- @4 [a/x @2 v=1 app=one, a/y @3 v=2 app=two, a/z @4 v=3 app=one]`,
			bad: found(`an error: "bad" is no shardSelector`, "a list @4 of 3 items", 7, 8)},
		{name: "told again", says: bad, history: halved + `
			l1 -> LIST ns=a shard=bad
			l1 <- @4 [] shard=bad`,
			bad: found(`an error: "bad" is no shardSelector`, "a list @4 of 0 items", 7, 8)},
		{name: "a watch of everything", says: bad, history: halved + `
			w1 -> WATCH ns=a shard=bad
			w1 <- ok
			w1 <- ADDED a/x @2 v=1 app=one`,
			bad: found(`an error: "bad" is no shardSelector`, "a watch, with ADDED a/x @2", 7, 9)},
	})
}

func TestShardClauses(t *testing.T) {
	judge(t, "shard/partition/clauses", []judged{
		{name: "a list, and a watch from it", says: good, history: told + `
			w1 -> WATCH ns=a rv=4 shard=low
			c1 -> UPDATE a/x v=4
			c1 <- @5
			w1 <- MODIFIED a/x @5 v=4
			w1 <- SETTLED`},
		{name: "faults of whole lists and watches are other rules'", says: odd, history: told + `
			w1 -> WATCH ns=a rv=4
			c1 -> UPDATE a/x v=4
			c1 <- @5
			w1 <- MODIFIED a/x @5 v=4
			w1 <- MODIFIED a/x @5 v=4`},
		{name: "no shards", says: untested, history: halved + `
			l1 -> LIST ns=a shard=low
			l1 <- @4 [a/x @2 v=1 app=one, a/y @3 v=2 app=two, a/z @4 v=3 app=one]`},
		{name: "a change twice", says: bad, history: told + `
			w1 -> WATCH ns=a rv=4 shard=low
			c1 -> UPDATE a/x v=4
			c1 <- @5
			w1 <- MODIFIED a/x @5 v=4
			w1 <- MODIFIED a/x @5 v=4`,
			bad: found("watch/unique: each change once", "MODIFIED a/x @5 again", 12, 13)},
		{name: "an older list after a newer one", says: bad, history: told + `
			c1 -> UPDATE a/x v=4
			c1 <- @5
			l1 -> LIST ns=a shard=low
			l1 <- @4 [a/x @2 v=1 app=one] shard=low`,
			bad: slices.Concat(found("list/most-recent: a resourceVersion of at least 5, which a write before it was answered with", "a list @4", 11, 12),
				found("write/visible: a resourceVersion of at least 5, which a write before it was answered with", "a list @4", 11, 12))},
	})
}

func TestShardAbsent(t *testing.T) {
	const three = "a/x @2 v=1 app=one, a/y @3 v=2 app=two, a/z @4 v=3 app=one"
	judge(t, "shard/absent", []judged{
		{name: "whole lists and watches, also with what is no selector", says: good, history: halved + `
			l1 -> LIST ns=a shard=low
			l1 <- @4 [` + three + `]
			l1 -> LIST ns=a shard=bad
			l1 <- @4 [` + three + `]
			w1 -> WATCH ns=a rv=4 shard=low
			c1 -> UPDATE a/y v=4
			c1 <- @5
			w1 <- MODIFIED a/y @5 v=4
			w1 <- SETTLED`},
		{name: "without resourceVersions", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- ok
			l1 -> LIST ns=a shard=low
			l1 <- ok [a/x v=1]`},
		{name: "whole lists beside shards", says: good, history: told + `
			l1 -> LIST ns=a
			l1 <- @4 [` + three + `]`},
		{name: "a refusal tells it, too", says: untested, history: halved + `
			l1 -> LIST ns=a shard=low
			l1 <- 400 BadRequest
			l1 -> LIST ns=a
			l1 <- @4 [` + three + `]`},
		{name: "nothing but shards", says: untested, history: told},
		{name: "a shard that does not say so", says: bad, history: halved + `
			l1 -> LIST ns=a shard=high
			l1 <- @4 [a/y @3 v=2 app=two, a/z @4 v=3 app=one]`,
			bad: found("a/x @2 in the list, which is the state of a/x at the list's resourceVersion 4", "it is missing", 1, 7, 8)},
		{name: "a watch of a shard, where lists are whole", says: bad, history: halved + `
			l1 -> LIST ns=a shard=low
			l1 <- @4 [` + three + `]
			w1 -> WATCH ns=a rv=4 shard=low
			c1 -> UPDATE a/y v=4
			c1 <- @5
			w1 <- SETTLED`,
			bad: slices.Concat(found("watch/reliable: MODIFIED for a/y @5", "no MODIFIED, though the watch had all the time it needs", 10, 9, 12),
				found("write/visible: MODIFIED for a/y @5", "no MODIFIED, though the watch had all the time it needs", 10, 9, 12))},
		{name: "a change twice", says: bad, history: halved + `
			l1 -> LIST ns=a shard=low
			l1 <- @4 [` + three + `]
			w1 -> WATCH ns=a rv=4 shard=low
			c1 -> UPDATE a/y v=4
			c1 <- @5
			w1 <- MODIFIED a/y @5 v=4
			w1 <- MODIFIED a/y @5 v=4`,
			bad: found("watch/unique: each change once", "MODIFIED a/y @5 again", 12, 13)},
		{name: "a whole list that says it is a shard", says: bad, history: halved + `
			l1 -> LIST ns=a
			l1 <- @4 [` + three + `] shard=low`,
			bad: found("no shardInfo: the list was asked for whole", "the selector "+lowShard, 7, 8)},
	})
}

// What is found of a request for a shard is found by provisional rules alone:
// it fails nobody. All other rules look at all other requests as ever.
func TestShardsFailNobody(t *testing.T) {
	const faults = `
		l1 -> LIST ns=a SHARD
		l1 <- @4 [a/x @2 v=9 app=one, a/x @2 v=1 app=one]
		w1 -> WATCH ns=a rv=4 SHARD
		c1 -> UPDATE a/x v=4
		c1 <- @5
		w1 <- ADDED a/x @5 v=4
		w1 <- MODIFIED a/x @5 v=4
		w1 <- BOOKMARK @3
		w1 <- SETTLED
	`
	levels := func(text string) (out []harness.Level) {
		h := handmade.History(t, halved+text)
		for _, r := range watchcache.Suite.Rules {
			if len(r.Judge(h).Bad) > 0 && !slices.Contains(out, r.Clause.Level) {
				out = append(out, r.Clause.Level)
			}
		}
		return out
	}
	assert.Equal(t, []harness.Level{harness.Must}, levels(strings.ReplaceAll(faults, "SHARD", "")))
	assert.Equal(t, []harness.Level{harness.Provisional}, levels(strings.ReplaceAll(faults, "SHARD", "shard=low")))
	shards := strings.ReplaceAll(strings.ReplaceAll(faults, "SHARD", "shard=low"), "app=one]", "app=one] shard=low")
	assert.Equal(t, []harness.Level{harness.Provisional}, levels(shards))
}
