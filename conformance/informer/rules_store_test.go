package informer

// bookmarked has bookmarks given to the store.
const bookmarked = "has " + string(Bookmarks) + "\n"

// heldWrite is a write of the informer's own whose answer it does not have yet.
const heldWrite = `
	i HELD-WRITE a@7:y
	s2 MODIFIED a@7:y
`

var storeHistories = map[string][]judged{
	"store/never-back": {
		{name: "a newer state stays", tested: 1, history: begun + heldWrite + `
			w a@8:z
			s2 MODIFIED a@8:z
			i STORE a@8:z b@6:x
			... 10s
			i ANSWERED a@7:y
			i STORE a@8:z b@6:x`},
		{name: "what was deleted stays away", tested: 1, history: begun + heldWrite + `
			i STORE a@7:y b@6:x
			w -a@8
			s2 DELETED a@8:y
			i STORE b@6:x
			... 10s
			i ANSWERED a@7:y
			i STORE b@6:x`},
		{name: "what was created anew stays", tested: 1, history: begun + heldWrite + `
			i STORE a@7:y b@6:x
			w -a@8
			s2 DELETED a@8:y
			w a#2@9:z
			s2 ADDED a#2@9:z
			i STORE a#2@9:z b@6:x` + `
			w -a@10
			s2 DELETED a@10:z
			i STORE b@6:x
			i ANSWERED a@7:y
			i STORE b@6:x`},
		{name: "the answer comes first", tested: 1, history: begun + heldWrite + `
			i ANSWERED a@7:y
			i STORE a@7:y b@6:x
			w a@8:z
			s2 MODIFIED a@8:z
			i STORE a@8:z b@6:x`},
		{name: "the informer had nothing newer yet", history: begun + heldWrite + `
			i STORE a@5:x b@6:x
			w a@8:z
			i ANSWERED a@7:y
			i STORE a@7:y b@6:x`},
		{name: "nor the deletion", history: begun + `
			i HELD-WRITE c@7:y
			w -c@8
			i STORE a@5:x b@6:x
			i ANSWERED c@7:y
			i STORE a@5:x b@6:x c@7:y`},
		{name: "its own write stays, until another one changes it", tested: 2, history: begun + `
			w a@7:y
			i WRITE a@8:z
			i STORE a@8:z b@6:x
			s2 MODIFIED a@7:y
			i STORE a@8:z b@6:x
			s2 MODIFIED a@8:z
			w -a@9
			s2 DELETED a@9:z
			i STORE b@6:x`},
		{name: "it has not kept the answer, and takes the events in order", history: begun + `
			w a@7:y
			i WRITE a@8:z
			i STORE a@5:x b@6:x
			s2 MODIFIED a@7:y
			i STORE a@7:y b@6:x`},
		{name: "a list from a server that is behind", also: "converge/no-time-travel", history: begun + `
			i WRITE a@7:y
			i STORE a@7:y b@6:x
			s2 ERROR 410
			s2 END clean
			s3 LIST rv=6
			s3 <- @6 a@5:x b@6:x
			i STORE a@5:x b@6:x`},
		{name: "an event takes back what it wrote", tested: 1, bad: 1, want: "default/a @8, which it wrote itself, or newer", got: "default/a @7", also: "converge/no-time-travel", history: begun + `
			w a@7:y
			i WRITE a@8:z !
			i STORE a@8:z b@6:x !
			s2 MODIFIED a@7:y
			i STORE a@7:y b@6:x !`},
		{name: "an event of a deletion takes it away", tested: 1, bad: 1, want: "default/a @8, which it wrote itself, or newer", got: "not in the store", also: "converge/no-time-travel", history: begun + `
			w -a@7
			i WRITE a#2@8:z !
			i STORE a#2@8:z b@6:x !
			s2 DELETED a@7:x
			i STORE b@6:x !`},
		{name: "it never knew whether the object was", history: begun + heldWrite + `
			i ANSWERED a@7:y`},
		{name: "the copy goes back", tested: 1, bad: 1, want: "what the store had before the answer came: default/a @8", got: "default/a @7", also: "converge/no-time-travel", history: begun + `
			i HELD-WRITE a@7:y !
			s2 MODIFIED a@7:y
			w a@8:z
			s2 MODIFIED a@8:z
			i STORE a@8:z b@6:x !
			... 10s
			i ANSWERED a@7:y !
			i STORE a@7:y b@6:x !`},
		{name: "what was deleted comes to life", tested: 1, bad: 1, want: "nothing, for it was deleted", got: "default/a @7", also: "converge/no-time-travel", history: begun + `
			i HELD-WRITE a@7:y !
			s2 MODIFIED a@7:y
			i STORE a@7:y b@6:x
			w -a@8
			s2 DELETED a@8:y
			i STORE b@6:x !
			... 10s
			i ANSWERED a@7:y !
			i STORE a@7:y b@6:x !`},
	},
	"store/index": {
		{name: "as the store has it", tested: 2, history: `
			w a@5:x+one
			w b@6:x+one
			w c@7:x
			i RUN index
			i SETTLED
			i STORE a@5:x+one b@6:x+one c@7:x
			i INDEX one b@6:x+one a@5:x+one
			i INDEX none-has-it
			w a@8:y+two
			i SETTLED
			i STORE b@6:x+one c@7:x a@8:y+two
			i INDEX one b@6:x+one`},
		{name: "one is missing", tested: 1, bad: 1, want: `under "one": default/a @5 default/b @6`, got: "default/a", history: `
			w a@5:x+one
			w b@6:x+one
			i RUN index
			i SETTLED
			i STORE a@5:x+one b@6:x+one !
			i INDEX one a@5:x+one !`},
		{name: "one is left of before", tested: 1, bad: 1, want: `under "one": `, got: "default/a", history: `
			w a@5:x+one
			w a@6:x+two
			i RUN index
			i SETTLED
			i STORE a@6:x+two !
			i INDEX one a@6:x+two !`},
		{name: "one is there that the store does not have", tested: 1, bad: 1, want: `under "one": `, got: "default/a", history: `
			w a@5:x+one
			w -a@6
			i RUN index
			i SETTLED
			i STORE !
			i INDEX one a@5:x+one !`},
		{name: "of two namespaces", tested: 1, history: `
			w a@5:x+one
			w elsewhere/a@6:x+one
			i RUN ns= index
			i SETTLED
			i STORE a@5:x+one elsewhere/a@6:x+one
			i INDEX one a@5:x+one elsewhere/a@6:x+one`},
		{name: "of two namespaces one", tested: 1, bad: 1, want: `under "one": default/a @5 elsewhere/a @6`, got: "default/a @5", history: `
			w a@5:x+one
			w elsewhere/a@6:x+one
			i RUN ns= index
			i SETTLED
			i STORE a@5:x+one elsewhere/a@6:x+one !
			i INDEX one a@5:x+one !`},
		{name: "one is there twice", tested: 1, bad: 1, want: `under "one": default/a`, got: "default/a @5 default/a @5", history: `
			w a@5:x+one
			i RUN index
			i SETTLED
			i STORE a@5:x+one !
			i INDEX one a@5:x+one a@5:x+one !`, also: "store/snapshot"},
		{name: "something moves", history: `
			w a@5:x+one
			i RUN index
			i STORE a@5:x+one
			i INDEX one
			i SETTLED
			i STORE a@5:x+one
			w a@6:x+two
			i INDEX one`},
		{name: "the store is not read", history: `
			w a@5:x+one
			i RUN index
			i SETTLED
			i INDEX one`},
		{name: "something moves, and the index has what it had", tested: 2, history: `
			w a@5:x+one
			i RUN index
			i INDEX one a@5:x+one
			w a@6:x+two
			i INDEX one a@5:x+one`},
		{name: "something moves, and one is there that has another value", tested: 2, bad: 1, want: `under "one" only objects with that value`, got: "default/a @6, which has another value", history: `
			w a@5:x+one
			w b@7:x+one
			i RUN index
			i INDEX one a@5:x+one b@7:x+one
			w a@6:x+two
			i INDEX one a@6:x+two b@7:x+one !`},
		{name: "something moves, and it is what it was, or not yet", tested: 3, history: `
			w a@5:x+one
			i RUN index
			i INDEX one
			i INDEX one a@5:x+one
			w a@6:y+two
			i INDEX one a@5:x+one
			i INDEX one
			i INDEX two a@6:y+two`},
		{name: "something moves, and it is there as nobody wrote it", tested: 1, bad: 1, want: "a state that the object had", got: "default/a @6", history: `
			w a@5:x+one
			i RUN index
			i INDEX one a@6:x+one !`},
		{name: "something moves, and its content is another", tested: 1, bad: 1, want: "a state that the object had", got: "default/a @5", history: `
			w a@5:x+one
			i RUN index
			i INDEX one a@5:y+one !`},
		{name: "something moves, and it is gone though it had no other value", tested: 2, bad: 1, want: "a state that default/a had between the earlier readings and this one", got: "no default/a", history: `
			w a@5:x+one
			w b@6:x+one
			i RUN index
			i INDEX one a@5:x+one
			w a@7:y+one
			i INDEX one b@6:x+one !`},
		{name: "something moves, and it goes back behind the store", tested: 1, bad: 1, want: "a state that default/a had between the earlier readings and this one", got: "default/a @5", history: `
			w a@5:x+one
			i RUN index
			w a@6:y+one
			i STORE a@6:y+one
			i INDEX one a@5:x+one !`},
		{name: "something moves, it was deleted and made anew", tested: 2, history: `
			w a@5:x+one
			i RUN index
			i INDEX one a@5:x+one
			w -a@6
			i INDEX one
			w a@7:x+one
			i INDEX one a@7:x+one`},
		{name: "something moves, and nobody knows of a write", tested: 1, history: `
			w a@5:x+one
			i RUN index
			i STORE a@5:x+one
			w> a
			i INDEX one a@6:y+one`},
		{name: "something moves, and one is there that has none", tested: 1, bad: 1, want: `under "one" only objects with that value`, got: "default/a @6, which has another value", history: `
			w a@5:x+one
			i RUN index
			w a@6:x
			i INDEX one a@6:x !`},
	},
	"store/snapshot": {
		{name: "each key once", tested: 3, history: `
			w a@5:x+one
			w elsewhere/a@6:x
			i RUN
			i STORE a@5:x+one
			i INDEX one a@5:x+one
			i SYNCED no
			i PUSH a@5:x+one`},
		{name: "two states in one reading", tested: 1, bad: 1, want: "each key once", got: "default/a @5 and @7", history: begun + `
			w a@7:y
			i STORE a@5:x b@6:x a@7:y !`},
		{name: "twice in the index", tested: 1, bad: 1, want: "each key once", got: "default/a @5 and @5", history: `
			w a@5:x+one
			i RUN
			i INDEX one a@5:x+one a@5:x+one !`},
		{name: "beside each other, one of before a change", tested: 3, history: begun + `
			w a@7:y
			i> STORE
			i> STORE
			i< a@7:y b@6:x
			i< a@5:x b@6:x`},
		{name: "beside each other, each with what the other has not", tested: 3, bad: 1, want: "one reading older than the other", got: "one has default/a @7 and default/b @6, the other default/a @5 and default/b @8", history: begun + `
			w a@7:y
			w b@8:y
			i> STORE
			i> STORE
			i< a@7:y b@6:x !
			i< a@5:x b@8:y !`},
		{name: "beside each other, one has what is new, the other what is old", tested: 4, bad: 1, want: "one reading older than the other", got: "one has default/c @7 and default/a @5, the other no default/c and no default/a", history: begun + `
			i STORE a@5:x b@6:x
			w c@7
			w -a@8
			i> STORE
			i> STORE
			i< a@5:x b@6:x c@7 !
			i< b@6:x !`},
		{name: "beside each other, and a third after one of them", tested: 4, history: begun + `
			w a@7:y
			w b@8:y
			i> STORE
			i STORE a@5:x b@6:x
			i< a@7:y b@8:y
			i STORE a@7:y b@8:y`},
		{name: "twice in a push", tested: 1, bad: 1, want: "each key once", got: "default/a @5 and @5", history: begun + `
			i PUSH a@5:x a@5:x !`},
		{name: "no reading", history: begun + `
			i SYNCED no
			i! STORE`},
	},
	"store/read-your-writes": {
		{name: "at least that", tested: 3, history: `
			i RUN
			i WRITE a@7
			i READ a a@7
			w a@9
			i READ a a@9
			w -a@10
			i READ a`},
		{name: "an older one", tested: 1, bad: 1, want: "default/a @10 or newer", got: "@9", history: `
			i RUN
			i WRITE a@9
			i WRITE a@10 !
			i READ a a@9 !`},
		{name: "nothing", tested: 1, bad: 1, want: "default/a @7 or newer", got: "no resourceVersion", history: `
			i RUN
			i WRITE a@7 !
			i READ a !`},
		{name: "written while it was read", history: `
			i RUN
			i> READ a
			i WRITE a@7
			i<`},
		{name: "nothing was written", history: `
			i RUN
			i READ a
			i WRITE b@7
			i READ a`},
		{name: "it could not be read", history: `
			i RUN
			i WRITE a@7
			i! READ a`},
	},
	"store/transform": {
		{name: "all of it", tested: 9, history: `
			w a@5:x+one
			h1 HANDLE
			i RUN transform index
			i STORE a@5:x+one*
			i INDEX one a@5:x+one*
			i PUSH a@5:x+one*
			h1 ADD a@5:x+one* old=none
			w a@6:x
			h1 UPDATE a@6:x*
			w -a@7
			h1 DELETE a@6:x* unknown`},
		{name: "a delete that shows nothing", tested: 2, history: `
			w a@5:x
			h1 HANDLE
			i RUN transform
			h1 ADD a@5:x*
			w -a@7
			h1 DELETE a unknown`},
		{name: "no transform", history: begun + `
			i STORE a@5:x b@6:x`},
		{name: "in the store", tested: 2, bad: 1, want: "a transformed object", got: "STORE: default/b @6", history: written + `
			i RUN transform
			i STORE a@5:x* b@6:x !`},
		{name: "in the index", tested: 1, bad: 1, want: "a transformed object", got: "INDEX: default/b @6", history: `
			w b@6:x+one
			i RUN transform
			i INDEX one b@6:x+one !`},
		{name: "in a push", tested: 1, bad: 1, want: "a transformed object", got: "PUSH: default/b @6", history: written + `
			i RUN transform
			i PUSH b@6:x !`},
		{name: "in an add", tested: 2, bad: 1, want: "a transformed object", got: "ADD: default/b @6", history: written + `
			h1 HANDLE
			i RUN transform
			h1 ADD b@6:x held=b@6:x* !`},
		{name: "in what the store had at an add", tested: 2, bad: 1, want: "a transformed object", got: "the store at ADD: default/b @6", history: written + `
			h1 HANDLE
			i RUN transform
			h1 ADD b@6:x* held=b@6:x !`},
		{name: "in a delete", tested: 3, bad: 1, want: "a transformed object", got: "DELETE: default/b @7", history: written + `
			h1 HANDLE
			i RUN transform
			s1 WATCH rv=6
			s1 <- ok
			h1 ADD b@6:x*
			w -b@7
			s1 DELETED b@7:x
			h1 DELETE b@7:x !`},
		{name: "in the old state", tested: 5, bad: 1, want: "a transformed object", got: "the old state of UPDATE: default/b @6", history: written + `
			h1 HANDLE
			i RUN transform
			h1 ADD b@6:x*
			w b@7:y
			h1 UPDATE b@7:y* old=b@6:x !`, also: "notify/order"},
	},
}
