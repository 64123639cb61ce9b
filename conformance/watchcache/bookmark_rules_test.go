package watchcache_test

import "testing"

func TestBookmarkNoneMissing(t *testing.T) {
	judge(t, "bookmark/complete/none-missing", []judged{
		{name: "all before it", says: good, history: written + `
			w1 -> WATCH rv=1 bookmarks
			w1 <- ADDED a/x @2 v=1
			w1 <- MODIFIED a/x @3 v=2
			w1 <- BOOKMARK @3
			w1 <- ADDED a/y @4 v=3
			w1 <- BOOKMARK @4`},
		{name: "a loss that it hides", says: bad, history: written + `
			w1 -> WATCH rv=1 bookmarks
			w1 <- ADDED a/x @2 v=1
			w1 <- BOOKMARK @4`,
			bad: append(found("MODIFIED for a/x @3 before the bookmark @4", "a bookmark without it", 3, 9, 11),
				found("ADDED for a/y @4 before the bookmark @4", "a bookmark without it", 5, 9, 11)...)},
		{name: "a deletion that nobody shows", says: bad, history: written + `
			c1 -> CREATE a/z v=4
			c1 <- @6
			w1 -> WATCH rv=4 bookmarks
			w1 <- ADDED a/z @6 v=4
			w1 <- BOOKMARK @6`,
			bad: found("DELETED for the deletion of a/x before the bookmark @6", "a bookmark without it", 7, 11, 13)},
		{name: "one of several deletions of its revision", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			c1 -> CREATE a/y v=1
			c1 <- @3
			c1 -> DELETE a/x
			c2 -> DELETE a/y
			c1 <- ok
			c2 <- ok
			w2 -> WATCH rv=3
			w2 <- DELETED a/x @4 v=1
			w2 <- DELETED a/y @4 v=1
			w1 -> WATCH rv=3 bookmarks
			w1 <- DELETED a/y @4 v=1
			w1 <- BOOKMARK @4`,
			bad: found("DELETED for the deletion of a/x @4 before the bookmark @4", "a bookmark without it", 5, 12, 14)},
		{name: "it comes only after", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH rv=1 bookmarks
			w1 <- BOOKMARK @2
			w1 <- ADDED a/x @2 v=1`,
			bad: found("ADDED for a/x @2 before the bookmark @2", "a bookmark without it", 1, 3, 4)},
		{name: "initial events without one object", says: bad, history: written + `
			w1 -> WATCH initial=true bookmarks
			w1 <- ADDED a/x @3 v=2
			w1 <- END-MARK @4`,
			bad: found("a/y @4 among the initial events that end @4", "a bookmark without it", 5, 9, 11)},
		{name: "initial events with another content", says: bad, history: written + `
			w1 -> WATCH initial=true bookmarks
			w1 <- ADDED a/x @3 v=9 app=one
			w1 <- ADDED a/y @4 v=3 app=two
			w1 <- END-MARK @4`,
			bad: found("a/x @3 as it was written", `a/x @3 with content "spec=9", which was written as "spec=2"`, 3, 9, 10, 12)},
		{name: "initial events with an old state", says: bad, history: written + `
			w1 -> WATCH initial=true bookmarks
			w1 <- ADDED a/x @2 v=1
			w1 <- END-MARK @3`,
			bad: found("a/x @3 among the initial events that end @3", "a bookmark without it", 3, 9, 11)},
		{name: "initial events with what was deleted", says: bad, history: written + `
			w2 -> WATCH rv=4
			w2 <- DELETED a/x @5 v=2
			c1 -> CREATE a/z v=4
			c1 <- @6
			w1 -> WATCH initial=true bookmarks
			w1 <- ADDED a/x @3 v=2
			w1 <- ADDED a/y @4 v=3
			w1 <- ADDED a/z @6 v=4
			w1 <- END-MARK @6`,
			bad: found("no a/x: it is not in the state @6", "it was shown", 7, 13, 17)},
		{name: "initial events in any order, bookmarks that repeat", says: good, history: written + `
			w1 -> WATCH bookmarks
			w1 <- ADDED a/y @4 v=3
			w1 <- ADDED a/x @3 v=2
			w1 <- END-MARK @4
			w1 <- BOOKMARK @4
			w1 <- BOOKMARK @4`},
		{name: "an end mark that nobody asked for", says: odd, history: written + `
			w1 -> WATCH rv=0 bookmarks
			w1 <- ADDED a/x @2 v=1
			w1 <- END-MARK @2
			w1 <- MODIFIED a/x @3 v=2
			w1 <- BOOKMARK @3`},
		{name: "changes among the initial events", says: odd, history: written + `
			w1 -> WATCH initial=true bookmarks
			w1 <- ADDED a/x @2 v=1
			w1 <- MODIFIED a/x @3 v=2
			w1 <- END-MARK @3`},
		{name: "a deletion that may lie after it", says: odd, history: written + `
			w1 -> WATCH initial=true bookmarks
			w1 <- ADDED a/x @3 v=2
			w1 <- ADDED a/y @4 v=3
			w1 <- END-MARK @5`},
		{name: "a lost write that something shows", says: bad, history: `
			c1 -> CREATE a/x v=1
			c1 <- lost
			w2 -> WATCH rv=1
			w2 <- ADDED a/x @2 v=1 uid=u2
			w1 -> WATCH rv=1 bookmarks
			w1 <- BOOKMARK @2`,
			bad: found("ADDED for a/x @2 before the bookmark @2", "a bookmark without it", 1, 5, 6)},
		{name: "a lost write that nothing shows", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- lost
			c1 -> CREATE a/y v=1
			c1 <- @3
			w1 -> WATCH rv=3 bookmarks
			w1 <- BOOKMARK @4`},
		{name: "a deletion with another version's number", says: odd, history: written + `
			c1 -> CREATE a/z v=4
			c1 <- @6
			w1 -> WATCH rv=4 bookmarks
			w1 <- DELETED a/x @3 v=2
			w1 <- ADDED a/z @6 v=4
			w1 <- BOOKMARK @6`},
		{name: "an empty state is just the end mark", says: untested, history: `
			w1 -> WATCH initial=true bookmarks
			w1 <- END-MARK @5`},
		{name: "no bookmarks", says: untested, history: written + `
			w1 -> WATCH rv=1 bookmarks
			w1 <- ADDED a/y @4 v=3`},
		{name: "nothing of the scope before it", says: untested, history: written + `
			w1 -> WATCH ns=b rv=1 bookmarks
			w1 <- BOOKMARK @4`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}

func TestBookmarkNoneFollows(t *testing.T) {
	judge(t, "bookmark/complete/none-follows", []judged{
		{name: "only later ones", says: good, history: `
			w1 -> WATCH rv=1 bookmarks
			w1 <- BOOKMARK @4
			w1 <- ADDED a/x @5`},
		{name: "one of its revision", says: bad, history: `
			w1 -> WATCH rv=1 bookmarks
			w1 <- ADDED a/x @4
			w1 <- BOOKMARK @5
			w1 <- ADDED a/y @5`,
			bad: found("only events after @5, which the bookmark at #3 promised", "ADDED a/y @5", 3, 4)},
		{name: "an earlier one, after a bookmark that went back", says: bad, history: `
			w1 -> WATCH rv=1 bookmarks
			w1 <- BOOKMARK @6
			w1 <- BOOKMARK @4
			w1 <- ADDED a/y @5`,
			bad: found("only events after @6, which the bookmark at #2 promised", "ADDED a/y @5", 2, 4)},
		{name: "an initial event after the end mark", says: bad, history: `
			w1 -> WATCH initial=true bookmarks
			w1 <- END-MARK @6
			w1 <- ADDED a/y @5`,
			bad: found("only events after @6, which the bookmark at #2 promised", "ADDED a/y @5", 2, 3)},
		{name: "a foreign one", says: bad, history: `
			w1 -> WATCH rv=1 bookmarks
			w1 <- BOOKMARK @6
			w1 <- ADDED ~/1 @5`,
			bad: found("only events after @6, which the bookmark at #2 promised", "ADDED ~/1 @5", 2, 3)},
		{name: "on another watch", says: odd, history: `
			w1 -> WATCH rv=1 bookmarks
			w2 -> WATCH rv=1 bookmarks
			w1 <- BOOKMARK @6
			w2 <- ADDED a/y @5
			w1 -> WATCH rv=1 bookmarks
			w1 <- ADDED a/y @5`},
		{name: "bookmarks that repeat", says: untested, history: `
			w1 -> WATCH rv=1 bookmarks
			w1 <- ADDED a/y @5
			w1 <- BOOKMARK @5
			w1 <- BOOKMARK @5`},
		{name: "a server that sends nothing", says: untested, history: `w1 -> WATCH rv=1 bookmarks`},
	})
}
