package informer

// versionHistories are of a store that tells its version.
var versionHistories = map[string][]judged{
	"store/version": {
		{name: "with what it tells", tested: 7, history: begun + `
			i VERSION
			i STORE
			i VERSION 6
			i STORE a@5:x b@6:x
			w c@7
			w -a@8
			w c@10
			i VERSION 7
			i STORE a@5:x b@6:x c@7
			i VERSION 8
			i STORE b@6:x c@7
			i VERSION 10
			i STORE b@6:x c@10`, also: ""},
		{name: "none told", tested: 0, history: begun + `
			i VERSION
			i STORE`},
		{name: "the store is newer", tested: 1, history: begun + `
			w a@7:y
			w -b@8
			i VERSION 6
			i STORE a@7:y`},
		{name: "gone, and made anew", tested: 1, history: begun + `
			w -b@7
			w b#2@8:x
			i VERSION 6
			i STORE a@5:x`},
		{name: "of another namespace", tested: 1, history: begun + `
			w elsewhere/c@7
			i VERSION 7
			i STORE a@5:x b@6:x`},
		{name: "told while it was being written", tested: 1, history: begun + `
			w> c
			i VERSION 7
			i STORE a@5:x b@6:x
			w< c@7`},
		{name: "the store is not read before the next", tested: 2, history: begun + `
			i VERSION 6
			w c@7
			i SYNCED yes
			i VERSION 7
			i STORE a@5:x b@6:x c@7`},
		{name: "back", tested: 1, bad: 1, want: "not older than @10", got: "@9", history: begun + `
			i VERSION 10 !
			i VERSION 9 !`},
		{name: "back to none", tested: 1, bad: 1, want: "not older than @6", got: "no resourceVersion", history: begun + `
			i VERSION 6 !
			i VERSION !`},
		{name: "a change at it is missing", tested: 1, bad: 1, want: "default/b @6, because the version of the store was @6", got: "not in the store", history: `
			w a@5:x
			w b@6:x !
			i RUN
			i VERSION 6 !
			i STORE a@5:x !`},
		{name: "a change is missing, and a later write changed nothing", tested: 1, bad: 1, want: "default/b @6, because the version of the store was @6", got: "not in the store", history: `
			w a@5:x
			w b@6:x !
			i RUN
			i VERSION 6 !
			i STORE a@5:x !
			w b@6:x`},
		{name: "a change before it is missing", tested: 1, bad: 1, want: "default/a @7, because the version of the store was @10", got: "default/a @5", history: begun + `
			w a@7:y !
			i VERSION 10 !
			i STORE a@5:x b@6:x !`},
		{name: "a deletion before it is missing", tested: 1, bad: 1, want: "default/a deleted @7, because the version of the store was @7", got: "default/a @5", history: begun + `
			w -a@7 !
			i VERSION 7 !
			i STORE a@5:x b@6:x !`},
		{name: "the new one of the name is missing", tested: 1, bad: 1, want: "default/a @8, because the version of the store was @8", got: "not in the store", history: begun + `
			w -a@7
			w a#2@8:x !
			i VERSION 8 !
			i STORE b@6:x !`},
		{name: "what is deleted later is missing", tested: 1, bad: 1, want: "default/b @6, because the version of the store was @6", got: "not in the store", history: `
			w a@5:x
			w b@6:x !
			i RUN
			i VERSION 6 !
			i STORE a@5:x !
			w -b@7`},
		{name: "of two deletions at it one has come", tested: 1, history: begun + `
			w -a@7
			w -b@7 !
			i VERSION 7 !
			i STORE b@6:x !`},
		{name: "of two deletions before it one has come: the watch ended between them", tested: 1, history: begun + `
			w -a@7
			w -b@7
			w c@8 !
			i VERSION 8 !
			i STORE b@6:x c@8 !`},
		{name: "it is not told", history: begun + `
			i STORE a@5:x`},
		{name: "the server breaks the contract", history: begun + `
			s2 FAULT early
			i VERSION 9
			i STORE`},
	},
	"store/version-moves": {
		{name: "with a bookmark, and a deletion", tested: 2, history: bookmarked + begun + `
			s2 BOOKMARK @9
			i SETTLED
			i VERSION 9
			i STORE a@5:x b@6:x
			w -b@10
			s2 DELETED b@10:x
			i SETTLED
			i VERSION 11
			i STORE a@5:x`},
		{name: "with a deletion that was not the last", tested: 1, history: bookmarked + begun + `
			w -b@7
			w a@8:y
			s2 MODIFIED a@8:y
			s2 DELETED b@7:x
			s2 BOOKMARK @8
			s2 BOOKMARK @9
			s2 MODIFIED a@8:y
			i SETTLED
			i VERSION 9
			i STORE a@8:y`},
		{name: "what broke off may not have come", tested: 1, history: bookmarked + begun + `
			s2 BOOKMARK @7
			s2 END clean
			s3 WATCH rv=7
			s3 <- ok
			s3 BOOKMARK @9
			s3 END broken
			s4 WATCH rv=7
			s4 <- ok
			i SETTLED
			i VERSION 7`},
		{name: "nor what a streaming list began", history: bookmarked + `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			s1 BOOKMARK @9
			s1 END clean
			s2 LIST
			s2 <- @4
			i SETTLED
			i VERSION 4`},
		{name: "not with a bookmark", tested: 1, bad: 1, want: "@10 or newer, after BOOKMARK", got: "@9", history: bookmarked + begun + `
			s2 BOOKMARK @10 !
			i SETTLED
			i VERSION 9 !`},
		{name: "not with a deletion", tested: 1, bad: 1, want: "@7 or newer, after DELETED", got: "@6", history: bookmarked + begun + `
			w -b@7
			s2 DELETED b@7:x !
			i SETTLED
			i VERSION 6 !
			i STORE a@5:x`},
		{name: "not with the mark of a streaming list", tested: 1, bad: 1, want: "@6 or newer, after BOOKMARK", got: "no resourceVersion", history: bookmarked + `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			s1 BOOKMARK @6 end !
			i SETTLED
			i VERSION !`},
		{name: "sent later", history: bookmarked + begun + `
			i SETTLED
			i VERSION 6
			s2 BOOKMARK @9`},
		{name: "nothing of the kind was sent last", history: bookmarked + begun + `
			s2 BOOKMARK @6
			w a@7:y
			s2 MODIFIED a@7:y
			i SETTLED
			i VERSION 6`},
		{name: "a store that is given no bookmarks", history: begun + `
			s2 BOOKMARK @9
			i SETTLED
			i VERSION 6`},
		{name: "not at rest", history: bookmarked + begun + `
			s2 BOOKMARK @9
			i VERSION 6`},
	},
}
