package watchcache_test

import "testing"

func TestWatchUnset(t *testing.T) {
	judge(t, "watch/unset", append([]judged{
		{name: "without bookmarks there is no mark", says: good, history: written + `
			w1 -> WATCH ns=a
			w1 <- ADDED a/y @4 v=3
			w1 <- SETTLED`},
		{name: "it is not of a watch from N or \"0\"", says: untested, history: written + `
			w1 -> WATCH ns=a rv=4
			w1 <- ADDED a/x @2 v=1
			w1 <- SETTLED
			w2 -> WATCH ns=a rv=0
			w2 <- ADDED a/x @2 v=1
			w2 <- SETTLED`},
	}, begins("")...))
}

func TestWatchZero(t *testing.T) {
	judge(t, "watch/zero", append([]judged{
		{name: "an old state", says: good, history: written + `
			w1 -> WATCH ns=a rv=0
			w1 <- ADDED a/x @2 v=1
			w1 <- MODIFIED a/x @3 v=2
			w1 <- ADDED a/y @4 v=3
			w1 <- DELETED a/x @5 v=2
			w1 <- SETTLED`},
		{name: "it is not of a watch from N or unset", says: untested, history: written + `
			w1 -> WATCH ns=a rv=4
			w1 <- ADDED a/x @2 v=1
			w1 <- SETTLED
			w2 -> WATCH ns=a
			w2 <- ADDED a/x @2 v=1
			w2 <- SETTLED`},
	}, begins(" rv=0")...))
}

// begins are histories of watches that begin with a state.
func begins(rv string) []judged {
	return []judged{
		{name: "in any order, and an end that nobody asked for", says: good, history: created + `
			w1 -> WATCH bookmarks` + rv + `
			w1 <- ADDED a/z @4 v=3
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2
			w1 <- END-MARK @4
			w1 <- BOOKMARK @4`},
		{name: "the selector's part alone", says: good, history: created + `
			w1 -> WATCH labels=app=one` + rv + `
			w1 <- ADDED a/x @2 v=1 app=one
			w1 <- SETTLED`},
		{name: "it moves on while it is sent", says: good, history: created + `
			w1 -> WATCH ns=a` + rv + `
			w1 <- ADDED a/x @2 v=1 app=one
			c1 -> UPDATE a/x v=5 app=one
			c1 <- @5
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3
			w1 <- MODIFIED a/x @5 v=5 app=one
			w1 <- SETTLED`},
		{name: "made while it was settled first, and given", says: good, history: `
			w1 -> WATCH ns=a` + rv + `
			c1 -> CREATE a/x v=1
			w1 <- SETTLED
			c1 <- @4
			w1 <- ADDED a/x @4 v=1
			c1 -> CREATE a/y v=1
			c1 <- @5
			w1 <- ADDED a/y @5 v=1
			w1 <- SETTLED`},
		{name: "made while it was settled first, and never given", says: bad, history: `
			w1 -> WATCH ns=a` + rv + `
			c1 -> CREATE a/x v=1
			w1 <- SETTLED
			c1 <- @4
			c1 -> CREATE a/y v=1
			c1 <- @5
			w1 <- ADDED a/y @5 v=1
			w1 <- SETTLED`,
			bad: found("the objects of one state, each once as ADDED, and then the changes after it", "1 events that no state explains; of the state @5 a/x @4 is missing", 1, 7)},
		{name: "nothing, and it is deleted only later", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @4
			w1 -> WATCH ns=a` + rv + `
			w1 <- SETTLED
			c1 -> DELETE a/x
			c1 <- ok
			w1 <- DELETED a/x @5 v=1
			w1 <- SETTLED`,
			bad: found("the objects of one state, each once as ADDED, and then the changes after it", "0 events that no state explains; of the state @4 a/x @4 is missing", 3)},
		{name: "one object is missing", says: bad, history: created + `
			w1 -> WATCH ns=a` + rv + `
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/z @4 v=3
			w1 <- SETTLED`,
			bad: found("each change after the state that it began with", "a/y @3, which came after the state @2, is missing", 7, 8, 9)},
		{name: "of two states: an old object beside a new one", says: bad, history: created + `
			c1 -> UPDATE a/y v=5
			c1 <- @5
			c1 -> CREATE a/w v=6
			c1 <- @6
			w1 -> WATCH ns=a` + rv + `
			w1 <- ADDED a/w @6 v=6
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3
			w1 <- SETTLED`,
			bad: found("the objects of one state, each once as ADDED, and then the changes after it",
				"4 events that no state explains; of the state @6 a/y @3 in place of a/y @5", 11, 12, 13, 14)},
		{name: "an object twice", says: bad, history: created + `
			w1 -> WATCH ns=a bookmarks` + rv + `
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3
			w1 <- END-MARK @4`,
			bad: found("the objects of one state, each once as ADDED, and then the changes after it",
				"4 events that no state explains; of the state @4 ADDED a/x @2 among the initial events", 7, 8, 9, 10)},
		{name: "the first change behind the state is missing", says: bad, history: created + `
			w1 -> WATCH ns=a` + rv + `
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3
			c1 -> UPDATE a/x v=5
			c1 <- @5
			c1 -> UPDATE a/x v=6
			c1 <- @6
			w1 <- MODIFIED a/x @6 v=6
			w1 <- SETTLED`,
			bad: found("each change after the state that it began with", "a/x @5, which came after the state @4, is missing", 7, 8, 9, 10)},
		{name: "nothing comes behind the state", says: bad, history: created + `
			w1 -> WATCH ns=a` + rv + `
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3
			c1 -> UPDATE a/x v=5
			c1 <- @5
			w1 <- SETTLED`,
			bad: found("each change after the state that it began with", "a/x @5, which came after the state @4, is missing", 7, 8, 9, 10)},
		{name: "in real time the sentinel may be a part of the state", says: untested, history: created + `
			... real time
			w1 -> WATCH ns=a` + rv + `
			w1 <- ADDED a/z @4 v=3
			w1 <- SETTLED @4
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2`},
		{name: "in real time it has come whole behind a change", says: good, history: created + `
			... real time
			w1 -> WATCH ns=a` + rv + `
			w1 <- ADDED a/z @4 v=3
			w1 <- SETTLED @4
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2
			c1 -> UPDATE a/z v=5
			c1 <- @5
			w1 <- MODIFIED a/z @5 v=5
			w1 <- SETTLED @5`},
		{name: "one that ended before anybody could tell", says: untested, history: created + `
			w1 -> WATCH ns=a` + rv + `
			w1 <- ADDED a/z @4 v=3
			w1 <- ENDED
			w2 -> WATCH ns=a` + rv + `
			w2 <- ADDED a/z @4 v=3
			w2 <- STOPPED`},
		{name: "the cache is behind: 504 in the stream", says: untested, history: created + `
			w1 -> WATCH ns=a` + rv + `
			w1 <- ERROR 504 Timeout cause=ResourceVersionTooLarge`},
		{name: "nothing was there", says: untested, history: `
			w1 -> WATCH ns=a` + rv + `
			w1 <- SETTLED`},
		{name: "what a lost answer may have made", says: odd, history: created + `
			c1 -> UPDATE a/x @2 v=5
			c1 <- lost
			w1 -> WATCH ns=a` + rv + `
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3
			w1 <- ADDED a/x @5 v=5
			w1 <- SETTLED
			w2 -> WATCH ns=a` + rv + `
			w2 <- ADDED a/x @2 v=1
			w2 <- ADDED a/y @3 v=2
			w2 <- ADDED a/z @4 v=3
			w2 <- SETTLED`},
		{name: "a deletion that nobody has shown", says: odd, history: written + `
			w1 -> WATCH ns=a` + rv + `
			w1 <- ADDED a/y @4 v=3
			w1 <- SETTLED
			w2 -> WATCH ns=a` + rv + `
			w2 <- ADDED a/x @3 v=2
			w2 <- ADDED a/y @4 v=3
			w2 <- SETTLED`},
		{name: "several deletions of one revision, behind the state", says: good, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> CREATE a/y v=2
			c1 <- @3
			w1 -> WATCH ns=a` + rv + `
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/x @2 v=1
			c1 -> DELETE a/x
			c2 -> DELETE a/y
			c1 <- ok
			c2 <- ok
			w1 <- DELETED a/y @4 v=2
			w1 <- DELETED a/x @4 v=1
			w1 <- SETTLED`},
		{name: "foreign objects", says: odd, history: created + `
			w1 -> WATCH` + rv + `
			w1 <- ADDED ~/9 @9
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED ~/1 @1
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3
			w1 <- DELETED ~/1 @10
			w1 <- SETTLED`},
		{name: "writes without resourceVersions", says: undecided, undecided: "no resourceVersion", history: `
			c1 -> CREATE a/x v=1
			c1 <- ok`},
	}
}

// created are three objects.
const created = `
	c1 -> CREATE a/x v=1 app=one
	c1 <- @2
	c1 -> CREATE a/y v=2
	c1 <- @3
	c1 -> CREATE a/z v=3
	c1 <- @4
`

func TestWatchUnsetFresh(t *testing.T) {
	judge(t, "watch/unset-fresh", []judged{
		{name: "all that was answered before", says: good, history: created + `
			w1 -> WATCH ns=a
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3
			w1 <- SETTLED`},
		{name: "what was answered meanwhile may be there or not", says: good, history: created + `
			c2 -> UPDATE a/x v=5
			w1 -> WATCH ns=a
			c2 <- @5
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3
			w1 <- MODIFIED a/x @5 v=5
			w1 <- SETTLED`},
		{name: "what was done elsewhere cannot be seen here", says: good, history: created + `
			c1 -> CREATE b/x v=5
			c1 <- @5
			w1 -> WATCH ns=a
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2
			w1 <- ADDED a/z @4 v=3
			w1 <- SETTLED`},
		{name: "an older state, and then what it lacks", says: bad, history: created + `
			w1 -> WATCH ns=a
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2
			c1 -> UPDATE a/x v=5
			c1 <- @5
			w1 <- MODIFIED a/x @5 v=5
			w1 <- ADDED a/z @4 v=3
			w1 <- SETTLED`,
			bad: found("a state that has the write @4, which was answered before the watch was asked for", "the state @3 at the newest", 7, 8, 9, 12)},
		{name: "an older state, before a mark", says: bad, history: created + `
			w1 -> WATCH ns=a bookmarks
			w1 <- ADDED a/x @2 v=1
			w1 <- ADDED a/y @3 v=2
			w1 <- END-MARK @3
			w1 <- ADDED a/z @4 v=3`,
			bad: found("a state that has the write @4, which was answered before the watch was asked for", "the state @3 at the newest", 7, 8, 9)},
		{name: "a state that nothing explains: watch/unset judges that", says: untested, history: created + `
			w1 -> WATCH ns=a
			w1 <- ADDED a/z @4 v=3
			w1 <- SETTLED`},
		{name: "at \"0\" it may be old", says: untested, history: created + `
			w1 -> WATCH ns=a rv=0
			w1 <- ADDED a/x @2 v=1
			w1 <- SETTLED`},
		{name: "504 in the stream", says: untested, history: created + `
			w1 -> WATCH ns=a
			w1 <- ERROR 504 Timeout`},
		{name: "writes without resourceVersions", says: undecided, undecided: "no resourceVersion", history: `
			c1 -> CREATE a/x v=1
			c1 <- ok`},
	})
}
