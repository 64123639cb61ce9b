package informer

const (
	// known is an informer that has two objects, all at rest, and a handler that was told of them.
	known = written + `
		h1 HANDLE
		i RUN
		` + listed + `
		h1 ADD a@5:x initial
		h1 ADD b@6:x initial
		i SETTLED
		h1 SETTLED
		i STORE a@5:x b@6:x
	`
	// rest is the end of one whose store is read after it.
	rests = `
		i SETTLED
		h1 SETTLED
	`
)

var convergeHistories = map[string][]judged{
	"converge/equal": {
		{name: "what is under way may have come", tested: 1, history: begun + `
			w> c
			w> -a
			i SETTLED
			i STORE b@6:x c@7
			w< -a@8
			w< c@7`},
		{name: "stopped later", tested: 1, bad: 1, want: "default/b @6", got: "nothing under its key", history: `
			w a@5:x
			w b@6:x !
			i RUN
			i SETTLED
			i STORE a@5:x !
			i STOP`},
		{name: "one is old, and transformed", tested: 1, bad: 1, want: "default/a @6", got: "default/a @5", history: `
			w a@5:x
			w a@6:y !
			i RUN transform
			i SETTLED
			i STORE a@5:x* !`},
		{name: "one is of the old uid, of metadata alone", tested: 1, bad: 1, want: "default/a @7", got: "default/a @7", history: `
			has metadata-only
			w a#2@7:x !
			i RUN
			i SETTLED
			i STORE a@7 !`, also: "converge/no-time-travel"},
		{name: "what the server made unreadable by what it sent in its place", history: begun + `
			s2 SPOILED replace
			s2 SPOILED garble
			w c@7
			i SETTLED
			i STORE a@5:x b@6:x`},
		{name: "as it was written", tested: 2, history: begun + `
			i SETTLED
			i STORE b@6:x a@5:x
			w a@7:y
			w -b@8
			w c@9
			w b#2@10:z
			i SETTLED
			i STORE a@7:y c@9 b#2@10:z`},
		{name: "nothing", tested: 1, history: `
			i RUN
			i SETTLED
			i STORE`},
		{name: "of its own namespace", tested: 2, history: `
			w a@5
			w elsewhere/b@6
			w elsewherebut/c@7
			i RUN
			j RUN ns=elsewhere
			i SETTLED
			j SETTLED
			i STORE a@5
			j STORE elsewhere/b@6`},
		{name: "what changes nothing, and what failed", tested: 1, history: begun + `
			w a@5:x
			w! c
			i SETTLED
			i STORE a@5:x b@6:x`},
		{name: "transformed", tested: 1, history: `
			w a@5:x
			i RUN transform
			i SETTLED
			i STORE a@5:x*`},
		{name: "of metadata alone", tested: 1, history: `
			has metadata-only
			w a@5:x
			i RUN
			i SETTLED
			i STORE a@5`},
		{name: "while an object is held by no handler, and before it has come", tested: 1, history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x
			w c@7
			i STORE a@5:x b@6:x`},
		{name: "one is missing", tested: 1, bad: 1, want: "default/b @6", got: "nothing under its key", history: `
			w a@5:x
			w b@6:x !
			i RUN
			i SETTLED
			i STORE a@5:x !`},
		{name: "one is old", tested: 1, bad: 1, want: "default/a @7", got: "default/a @5", history: begun + `
			w a@7:y !
			i SETTLED
			i STORE a@5:x b@6:x !`},
		{name: "one was deleted", tested: 1, bad: 1, want: "not default/a: default/a deleted @7", got: "default/a @5", history: begun + `
			w -a@7 !
			i SETTLED
			i STORE a@5:x b@6:x !`},
		{name: "one is of the old uid", tested: 1, bad: 1, want: "default/a @7", got: "default/a @7", history: `
			w a@5:x
			w -a@6
			w a#2@7:x !
			i RUN
			i SETTLED
			i STORE a@7:x !`, also: "converge/no-time-travel"},
		{name: "one has another content", tested: 1, bad: 1, want: `"spec":"x"`, got: `"spec":"y"`, history: `
			w a@5:x !
			i RUN
			i SETTLED
			i STORE a@5:y !`},
		{name: "one is nobody's", tested: 1, bad: 1, want: "only what the server has", got: "default/z @3", history: begun + `
			i SETTLED
			i STORE a@5:x z@3 b@6:x !`, also: "converge/no-time-travel"},
		{name: "one is of another namespace", tested: 1, bad: 1, want: "only what the server has", got: "elsewhere/b @6", history: `
			w elsewhere/b@6
			i RUN
			i SETTLED
			i STORE elsewhere/b@6 !`},
		{name: "it was equal, and is not any more", tested: 2, bad: 1, want: "default/c @7", got: "nothing", history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x
			w c@7 !
			i SETTLED
			i STORE a@5:x b@6:x !`},
		{name: "of the second informer", tested: 1, bad: 1, want: "elsewhere/b @6", got: "nothing", history: `
			w elsewhere/b@6 !
			j RUN ns=elsewhere
			j SETTLED
			j STORE !`},
		{name: "not at rest", history: begun + `
			i STORE a@5:x`},
		{name: "not read", history: begun + `
			i SETTLED
			i SYNCED yes`},
		{name: "something moves while it is read", history: begun + `
			i SETTLED
			i> STORE
			w c@7
			i< a@5:x b@6:x`},
		{name: "stopped", history: begun + `
			i STOP
			s2 END stopped
			i RETURN
			w c@7
			i SETTLED
			i STORE a@5:x b@6:x`},
		{name: "the server breaks the contract", history: begun + `
			s2 FAULT drop
			w c@7
			i SETTLED
			i STORE a@5:x b@6:x`},
	},
	"converge/no-time-travel": {
		{name: "forward, and back", tested: 3, bad: 1, want: "default/a @6 or newer", got: "default/a @5", history: `
			w a@5:x
			w a@6:y
			i RUN
			i STORE a@5:x
			i STORE a@6:y !
			i STORE a@5:x !`},
		{name: "gone, which it was not, and back", tested: 3, bad: 2, want: "it is not deleted", got: "default/a gone", history: `
			w a@5:x
			w a@6:y
			i RUN
			i STORE a@6:y !
			i STORE !
			i STORE a@5:x !`},
		{name: "a write of another is under way, and later one of it", tested: 1, bad: 1, want: "a state that the object had", got: "default/a @9", history: `
			i RUN
			w> b
			i STORE a@9 !
			w> a`},
		{name: "one of it is under way only later", tested: 1, bad: 1, want: "a state that the object had", got: "default/a @9", history: `
			i RUN
			i STORE a@9 !
			w> a`},
		{name: "forward", tested: 8, history: begun + `
			i STORE
			i STORE a@5:x
			w a@7:y
			w -b@8
			w a@9:z
			i STORE a@7:y b@6:x
			i STORE a@9:z
			w -a@10
			w a#2@11:x
			i STORE
			i STORE a#2@11:x
			i STORE a#2@11:x`},
		{name: "deleted and made anew between two looks", tested: 2, history: `
			w a@5:x
			i RUN
			i STORE a@5:x
			w -a@6
			w a#2@7:x
			i STORE a#2@7:x`},
		{name: "a handler", tested: 9, history: `
			w a@5:x
			h1 HANDLE
			i RUN
			h1 ADD a@5:x
			w a@7:y
			w -a@8
			w a#2@9:x
			s1 WATCH rv=4
			s1 <- ok
			s1 DELETED a@8:y
			h1 UPDATE a@7:y
			h1 DELETE a@8:y
			h1 ADD a#2@9:x
			h1 UPDATE a#2@9:x`},
		{name: "a handler that is behind the store", tested: 4, history: `
			w a@5:x
			w a@6:y
			h1 HANDLE
			i RUN
			h1 ADD a@5:x held=a@6:y
			h1 UPDATE a@6:y`},
		{name: "two handlers, each in its time", tested: 6, history: `
			w a@5:x
			h1 HANDLE
			h2 HANDLE
			i RUN
			h1 ADD a@5:x
			w a@6:y
			h1 UPDATE a@6:y
			h2 ADD a@5:x held=a@6:y`},
		{name: "an update that changes nothing, written twice", tested: 2, history: `
			w a@5:x
			i RUN
			i STORE a@5:x
			w a@5:x
			i STORE a@5:x`},
		{name: "the answer comes later", tested: 2, history: `
			w a@5:x
			i RUN
			w> a
			i STORE a@6:y
			w< a@6:y
			i STORE a@6:y`},
		{name: "the answer never comes", tested: 1, history: `
			i RUN
			w> a
			i STORE a@6:y`},
		{name: "a deletion that is under way", tested: 3, history: `
			w a@5:x
			i RUN
			i STORE a@5:x
			w> -a
			i STORE
			w< -a@6
			w a#2@7
			i STORE a#2@7`},
		{name: "behind a rest of before", tested: 2, history: `
			w a@5:x
			i RUN
			i SETTLED
			i STORE a@5:x
			w a@6:y
			i STORE a@5:x`},
		{name: "what a delete says is not what is", tested: 5, history: `
			w a@5:x
			w a@6:y
			h1 HANDLE
			i RUN
			h1 ADD a@5:x
			h1 UPDATE a@6:y
			w -a@7
			h1 DELETE a@5:x unknown`, also: "notify/delete-state"},
		{name: "back", tested: 2, bad: 1, want: "default/a @6 or newer", got: "default/a @5", history: `
			w a@5:x
			w a@6:y
			i RUN
			i STORE a@6:y !
			i STORE a@5:x !`},
		{name: "back, and back again after it was well", tested: 4, bad: 2, want: "default/a @6 or newer", got: "default/a @5", history: `
			w a@5:x
			w a@6:y
			i RUN
			i STORE a@6:y !
			i STORE a@5:x !
			i STORE a@6:y
			i STORE a@5:x !`},
		{name: "the old one for the new", tested: 2, bad: 1, want: "default/a @7 or newer", got: "default/a @5", history: `
			w a@5:x
			w -a@6
			w a#2@7:x
			i RUN
			i STORE a#2@7:x !
			i STORE a@5:x !`},
		{name: "gone, and there again", tested: 3, bad: 1, want: "default/a deleted @6 or newer", got: "default/a @5", history: `
			w a@5:x
			i RUN
			i STORE a@5:x
			w -a@6
			i STORE !
			i STORE a@5:x !`},
		{name: "gone, and not deleted", tested: 2, bad: 1, want: "it is not deleted", got: "default/a gone", history: `
			w a@5:x
			i RUN
			i STORE a@5:x !
			i STORE !`},
		{name: "gone before it was deleted", tested: 2, bad: 1, want: "it is not deleted", got: "default/a gone", history: `
			w a@5:x
			i RUN
			i STORE a@5:x !
			i STORE !
			w -a@6`},
		{name: "gone, of an earlier deletion", tested: 2, bad: 1, want: "it is not deleted", got: "default/a gone", history: `
			w a@5:x
			w -a@6
			w a#2@7:x
			i RUN
			i STORE a#2@7:x !
			i STORE !`},
		{name: "what it never was", tested: 1, bad: 1, want: "a state that the object had", got: "default/a @6", history: `
			w a@5:x
			i RUN
			i STORE a@6:x !`},
		{name: "before it was written", tested: 1, bad: 1, want: "a state that the object had", got: "default/a @7", history: `
			w a@5:x
			i RUN
			i STORE a@7:x !
			w a@6:x`},
		{name: "of a later write that is not made yet", tested: 2, bad: 1, want: "a state that the object had", got: "default/z @3", history: `
			i RUN
			i STORE z@3 !
			w z@4
			i STORE z@4`},
		{name: "at rest it had the last", tested: 2, bad: 1, want: "default/a @6 or newer", got: "default/a @5", history: `
			w a@5:x
			w a@6:y
			i RUN
			i SETTLED
			i STORE a@5:x !
			i STORE a@5:x !`, also: "converge/equal"},
		{name: "at rest it was gone", tested: 1, bad: 1, want: "default/a deleted @6 or newer", got: "default/a @5", history: `
			w a@5:x
			w -a@6
			i RUN
			i SETTLED
			i STORE !
			i STORE a@5:x !`},
		{name: "a handler goes back", tested: 4, bad: 1, want: "default/a @6 or newer", got: "default/a @5", history: `
			w a@5:x
			w a@6:y
			h1 HANDLE
			i RUN
			h1 ADD a@6:y !
			h1 UPDATE a@5:x held=a@6:y !`},
		{name: "a handler is told that it is gone, and of what was before", tested: 4, bad: 1, want: "default/a deleted @6 or newer", got: "default/a @5", history: `
			w a@5:x
			h1 HANDLE
			i RUN
			h1 ADD a@5:x
			w -a@6
			h1 DELETE a@6:x !
			h1 ADD a@5:x held=none !`, also: "notify/delete-state"},
		{name: "a handler is told that it is gone", tested: 3, bad: 1, want: "it is not deleted", got: "default/a gone", history: `
			w a@5:x
			h1 HANDLE
			i RUN
			h1 ADD a@5:x !
			h1 DELETE a@5:x unknown !`},
		{name: "the store goes back, as a handler sees it", tested: 4, bad: 1, want: "default/a @7 or newer", got: "default/a @6", history: `
			w a@5:x
			w a@6:y
			w a@7:z
			h1 HANDLE
			i RUN
			h1 ADD a@5:x held=a@7:z !
			h1 UPDATE a@6:y !`},
		{name: "nothing is shown", history: begun + `
			i STORE
			i SYNCED yes
			i INDEX one`},
		{name: "the server breaks the contract", history: begun + `
			s2 FAULT swap
			i STORE z@3`},
		{name: "the server breaks the contract, and a handler hears of it", history: `
			w a@5:x
			h1 HANDLE
			i RUN
			s1 WATCH rv=4
			s1 FAULT replace
			h1 ADD a@9:x`},
	},
	"converge/deletes": {
		{name: "and a rest more", tested: 2, history: known + `
			s2 END clean
			w -a@7
			s3 WATCH rv=6
			s3 <- ok
			s3 DELETED a@7:x
			h1 DELETE a@7:x` + rests + `
			i STORE b@6:x` + rests + `
			i STORE b@6:x`},
		{name: "the store is not read", tested: 1, history: known + `
			s2 END clean
			w -a@7
			w a#2@8:x
			w -a@9
			s3 LIST rv=6
			s3 <- @9 b@6:x
			h1 DELETE a@5:x unknown` + rests},
		{name: "held, and told when it is not", tested: 1, history: known + `
			h1> UPDATE b@6:x
			s2 END clean
			w -a@7
			s3 WATCH rv=6
			s3 <- ok
			s3 DELETED a@7:x
			i SETTLED
			i STORE b@6:x
			h1<
			h1 DELETE a@7:x` + rests},
		{name: "it heard of an earlier one of the name", tested: 1, bad: 1, want: "a delete: default/a deleted @9", got: "nothing", history: known + `
			w -a@7
			w a#2@8:x
			s2 DELETED a@7:x
			s2 ADDED a#2@8:x
			h1 DELETE a@7:x
			h1 ADD a#2@8:x
			s2 END clean
			w -a@9 !
			s3 WATCH rv=8
			s3 <- ok
			i SETTLED !
			h1 SETTLED
			i STORE b@6:x`, also: "notify/complete"},
		{name: "a handler hears twice, and nothing is shown", tested: 2, bad: 1, want: "one delete", got: "2 of default/a", history: known + `
			s2 END clean
			w -a@7
			s3 LIST rv=6
			s3 <- @7 b@6:x
			h1 DELETE a unknown !
			h1 DELETE a unknown !` + rests + `
			i STORE b@6:x`, also: "notify/order"},
		{name: "a handler hears twice of the first of two that had the name", tested: 2, bad: 1, want: "one delete", got: "2 of default/a", history: known + `
			s2 END clean
			w -a@7
			w a#2@8:x
			s3 WATCH rv=6
			s3 <- ok
			s3 DELETED a@7:x
			s3 ADDED a#2@8:x
			h1 DELETE a@7:x !
			h1 ADD a#2@8:x
			h1 DELETE a@7:x !
			h1 ADD a#2@8:x` + rests + `
			i STORE a#2@8:x b@6:x`, also: "converge/no-time-travel notify/delete-state"},
		{name: "the next watch tells", tested: 2, history: known + `
			s2 END clean
			w -a@7
			s3 WATCH rv=6
			s3 <- ok
			s3 DELETED a@7:x
			h1 DELETE a@7:x` + rests + `
			i STORE b@6:x`},
		{name: "a list tells", tested: 2, history: known + `
			s2 END broken
			w -a@7
			s3 WATCH rv=6
			s3 <- 410
			s4 LIST rv=6
			s4 <- @7 b@6:x
			h1 DELETE a@5:x unknown` + rests + `
			i STORE b@6:x`},
		{name: "a delete that shows nothing", tested: 2, history: known + `
			s2 END clean
			w -a@7
			s3 LIST rv=6
			s3 <- @7 b@6:x
			h1 DELETE a unknown` + rests + `
			i STORE b@6:x`},
		{name: "made anew, an update", tested: 2, history: known + `
			s2 END clean
			w -a@7
			w a#2@8:x
			s3 LIST rv=6
			s3 <- @8 a#2@8:x b@6:x
			h1 UPDATE a#2@8:x` + rests + `
			i STORE a#2@8:x b@6:x`},
		{name: "made anew, a delete and an add", tested: 2, history: known + `
			s2 END clean
			w -a@7
			w a#2@8:x
			s3 WATCH rv=6
			s3 <- ok
			s3 DELETED a@7:x
			s3 ADDED a#2@8:x
			h1 DELETE a@7:x
			h1 ADD a#2@8:x` + rests + `
			i STORE a#2@8:x b@6:x`},
		{name: "deleted, made anew, and deleted again, and told each time without a state", tested: 3, history: known + `
			s2 END clean
			w -a@7
			s3 LIST rv=6
			s3 <- @7 b@6:x
			h1 DELETE a unknown
			s4 WATCH rv=7
			s4 <- ok
			w a#2@8:x
			h1 ADD a#2@8:x
			s4 END clean
			w -a@9
			s5 LIST rv=8
			s5 <- @9 b@6:x
			h1 DELETE a unknown` + rests + `
			i STORE b@6:x`},
		{name: "still there", tested: 2, bad: 2, want: "not default/a of before", got: "default/a @5", history: known + `
			s2 END clean
			w -a@7 !
			s3 WATCH rv=6
			s3 <- ok
			i SETTLED !
			h1 SETTLED
			i STORE a@5:x b@6:x !`, also: "converge/equal notify/complete"},
		{name: "the old one is there in the place of the new", tested: 2, bad: 2, want: "not default/a of before", got: "default/a @5", history: known + `
			s2 END clean
			w -a@7 !
			w a#2@8:x
			s3 WATCH rv=6
			s3 <- ok
			i SETTLED !
			h1 SETTLED
			i STORE a@5:x b@6:x !`, also: "converge/equal converge/recreated notify/complete"},
		{name: "a handler does not hear", tested: 2, bad: 1, want: "a delete: default/a deleted @7", got: "nothing", history: known + `
			s2 END clean
			w -a@7 !
			s3 WATCH rv=6
			s3 <- ok
			i SETTLED !
			h1 SETTLED
			i STORE b@6:x`, also: "notify/complete"},
		{name: "a handler hears of another only", tested: 2, bad: 1, want: "a delete: default/a deleted @7", got: "nothing", history: known + `
			s2 END clean
			w -a@7 !
			w b@8:y
			s3 WATCH rv=6
			s3 <- ok
			s3 DELETED a@7:x
			s3 MODIFIED b@8:y
			h1 UPDATE b@8:y
			i SETTLED !
			h1 SETTLED
			i STORE b@8:y`, also: "notify/complete"},
		{name: "a handler hears an update of the old", tested: 2, bad: 1, want: "a delete: default/a deleted @7", got: "nothing", history: known + `
			s2 END clean
			w -a@7 !
			s3 WATCH rv=6
			s3 <- ok
			h1 UPDATE a@5:x
			i SETTLED !
			h1 SETTLED
			i STORE b@6:x`, also: "notify/complete"},
		{name: "a handler hears twice", tested: 2, bad: 1, want: "one delete", got: "2 of default/a", history: known + `
			s2 END clean
			w -a@7
			s3 WATCH rv=6
			s3 <- ok
			s3 DELETED a@7:x
			h1 DELETE a@7:x !
			h1 DELETE a@7:x !` + rests + `
			i STORE b@6:x`, also: "notify/order"},
		{name: "it heard only before", tested: 2, bad: 1, want: "a delete: default/a deleted @7", got: "nothing", history: known + `
			s2 END clean
			w -a@7 !
			s3 WATCH rv=6
			s3 <- ok
			i SETTLED !
			h1 SETTLED
			i STORE b@6:x
			h1 DELETE a@5:x unknown`, also: "notify/complete"},
		{name: "a watch was open", history: known + `
			w -a@7
			s2 DELETED a@7:x
			h1 DELETE a@7:x` + rests + `
			i STORE b@6:x`},
		{name: "nobody knew it", history: known + `
			s2 END clean
			w c@7
			w -c@8
			s3 WATCH rv=6
			s3 <- ok
			s3 ADDED c@7
			s3 DELETED c@8` + rests + `
			i STORE a@5:x b@6:x`},
		{name: "no rest after it", history: known + `
			s2 END clean
			w -a@7`},
		{name: "a handler that was told of the delete of before", history: known + `
			w -a@7
			s2 DELETED a@7:x
			h1 DELETE a@7:x
			s2 END clean
			w a#2@8:x
			w -a@9
			s3 WATCH rv=7
			s3 <- ok
			s3 DELETED a#2@9:x
			w -b@10
			s3 DELETED b@10:x
			h1 DELETE b@10:x` + rests + `
			i STORE`},
		{name: "a handler that is held", tested: 1, history: known + `
			h1> UPDATE b@6:x
			s2 END clean
			w -a@7
			s3 WATCH rv=6
			s3 <- ok
			s3 DELETED a@7:x
			i SETTLED
			i STORE b@6:x`},
	},
	"converge/recreated": {
		{name: "one that joined late was told of neither yet, and the store is not read", history: known + `
			w -a@7
			w a#2@8:x
			s2 DELETED a@7:x
			s2 ADDED a#2@8:x
			h1 DELETE a@7:x
			h1 ADD a#2@8:x
			h2 HANDLE
			h2> ADD b@6:x
			i SETTLED`},
		{name: "an update", tested: 3, history: known + `
			s2 ERROR 410
			w -a@7
			w a#2@8:x
			s3 LIST rv=6
			s3 <- @8 a#2@8:x b@6:x
			h1 UPDATE a#2@8:x` + rests + `
			i STORE a#2@8:x b@6:x`},
		{name: "a delete and an add", tested: 2, history: known + `
			w -a@7
			w a#2@8:x
			s2 DELETED a@7:x
			s2 ADDED a#2@8:x
			h1 DELETE a@7:x
			h1 ADD a#2@8:x` + rests + `
			i STORE a#2@8:x b@6:x`},
		{name: "taken for the old one", tested: 2, bad: 2, want: "default/a with the uid of the new object", got: "default/a @5 with that of the old", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial !
			h1 ADD b@6:x initial
			i SETTLED
			h1 SETTLED
			i STORE a@5:x b@6:x
			s2 ERROR 410
			w -a@7
			w a#2@8:x !
			s3 LIST rv=6
			s3 <- @8 a#2@8:x b@6:x
			i SETTLED !
			h1 SETTLED
			i STORE a@5:x b@6:x !`, also: "converge/equal notify/complete"},
		{name: "by the handler alone", tested: 2, bad: 1, want: "or an update whose uid differs", got: "nothing after ADD default/a @5", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial !
			h1 ADD b@6:x initial
			i SETTLED
			h1 SETTLED
			i STORE a@5:x b@6:x
			w -a@7
			w a#2@8:x !
			i SETTLED !
			h1 SETTLED
			i STORE a#2@8:x b@6:x`, also: "notify/complete"},
		{name: "an update of one uid", tested: 1, bad: 1, want: "whose old uid is the one told before", got: "old and new of one uid", history: `
			w a@5:x
			h1 HANDLE
			i RUN
			h1 ADD a@5:x !
			w -a@6
			w a#2@7:x
			h1 UPDATE a#2@7:x old=a#2@7:x !`, also: "notify/order"},
		{name: "an update without the old", tested: 1, bad: 1, want: "whose old uid is the one told before", got: "old and new of one uid", history: `
			w a@5:x
			h1 HANDLE
			i RUN
			h1 ADD a@5:x !
			w -a@6
			w a#2@7:x
			h1 UPDATE a#2@7:x old=none !`, also: "notify/order"},
		{name: "changed, and deleted, and there all the time", history: known + `
			w a@7:y
			s2 MODIFIED a@7:y
			h1 UPDATE a@7:y
			w -b@8
			s2 DELETED b@8:x
			h1 DELETE b@8:x` + rests + `
			i STORE a@7:y`},
		{name: "nobody knew the old one", history: `
			w a@5:x
			i RUN
			i SETTLED
			w -a@6
			w a#2@7:x
			i SETTLED
			i STORE a#2@7:x`},
		{name: "a handler that is held", tested: 1, history: known + `
			h1> UPDATE b@6:x
			w -a@7
			w a#2@8:x
			i SETTLED
			i STORE a#2@8:x b@6:x`},
	},
}
