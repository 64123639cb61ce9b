package informer

// met is a handler that was told of two objects.
const met = written + `
	h1 HANDLE
	i RUN
	` + listed + `
	h1 ADD a@5:x initial
	h1 ADD b@6:x initial
`

var notifyHistories = map[string][]judged{
	"notify/order": {
		{name: "one life and the next", tested: 6, history: met + `
			w a@7:y
			w -a@8
			w a#2@9:x
			s2 MODIFIED a@7:y
			s2 DELETED a@8:y
			s2 ADDED a#2@9:x
			h1 UPDATE a@7:y
			h1 DELETE a@8:y
			h1 ADD a#2@9:x
			h1 UPDATE a#2@9:x`},
		{name: "updates are merged", tested: 3, history: met + `
			w a@7:y
			w a@8:z
			h1 UPDATE a@8:z`},
		{name: "of another uid", tested: 3, history: met + `
			w -a@7
			w a#2@8:z
			h1 UPDATE a#2@8:z`},
		{name: "each handler for itself", tested: 4, history: met + `
			h2 HANDLE
			h2 ADD b@6:x initial
			h2 ADD a@5:x initial
			h2 SETTLED`},
		{name: "told as it was, and as it was stored", tested: 3, history: met + `
			w -a@7
			s2 ERROR 410
			s3 LIST rv=6
			s3 <- @7 b@6:x
			h1 DELETE a@5:x unknown`},
		{name: "what the server's fault makes of it", tested: 2, history: met + `
			s2 FAULT double
			h1 ADD a@5:x
			h1 DELETE z@3`},
		{name: "a second add", tested: 3, bad: 1, want: "UPDATE, or nothing: the handler knows default/a @5", got: "ADD default/a @7", history: written + `
			h1 HANDLE
			i RUN
			h1 ADD a@5:x !
			h1 ADD b@6:x
			w a@7:y
			h1 ADD a@7:y !`},
		{name: "an update first", tested: 1, bad: 1, want: "ADD first", got: "UPDATE default/a @5", history: written + `
			h1 HANDLE
			i RUN
			h1 UPDATE a@5:x old=a@5:x !`},
		{name: "a delete first", tested: 1, bad: 1, want: "ADD first", got: "DELETE default/a @7", history: written + `
			h1 HANDLE
			i RUN
			w -a@7
			h1 DELETE a@7:x !`},
		{name: "a second delete", tested: 4, bad: 1, want: "ADD first", got: "DELETE default/a @7", history: met + `
			w -a@7
			s2 DELETED a@7:x
			h1 DELETE a@7:x
			h1 DELETE a@7:x !`},
		{name: "an update after the delete", tested: 4, bad: 1, want: "ADD first", got: "UPDATE default/a @8", history: met + `
			w -a@7
			s2 DELETED a@7:x
			h1 DELETE a@7:x
			w a#2@8:x
			h1 UPDATE a#2@8:x !`},
		{name: "an update without the old state", tested: 2, bad: 1, want: "UPDATE with the old state default/a @5", got: "no old state", history: written + `
			h1 HANDLE
			i RUN
			h1 ADD a@5:x !
			w a@7:y
			h1 UPDATE a@7:y old=none !`},
		{name: "an update without the old state, of who brings none", tested: 2, history: `
			has handlers new-state-only
			` + written + `
			h1 HANDLE
			i RUN
			h1 ADD a@5:x
			w a@7:y
			h1 UPDATE a@7:y old=none`},
		{name: "an old state that is wrong, of who brings none", tested: 2, bad: 1, want: "whose old state is default/a @5", got: "default/a @7", history: `
			has handlers new-state-only
			` + written + `
			h1 HANDLE
			i RUN
			h1 ADD a@5:x !
			w a@7:y
			h1 UPDATE a@7:y old=a@7:y !`},
		{name: "an update with the new state as the old", tested: 2, bad: 1, want: "whose old state is default/a @5", got: "default/a @7", history: written + `
			h1 HANDLE
			i RUN
			h1 ADD a@5:x !
			w a@7:y
			h1 UPDATE a@7:y old=a@7:y !`},
		{name: "an update with an old state that it was not told of", tested: 3, bad: 1, want: "whose old state is default/a @7", got: "default/a @5", history: written + `
			h1 HANDLE
			i RUN
			h1 ADD a@5:x
			w a@7:y
			h1 UPDATE a@7:y !
			w a@8:z
			h1 UPDATE a@8:z old=a@5:x !`},
		{name: "an update with an old state of another content", tested: 2, bad: 1, want: `"spec":"x"`, got: `"spec":"y"`, history: written + `
			h1 HANDLE
			i RUN
			h1 ADD a@5:x !
			w a@7:y
			h1 UPDATE a@7:y old=a@5:y !`},
		{name: "nothing is told", history: begun + `
			h1 HANDLE`},
	},
	"notify/sequential": {
		{name: "one after the other", tested: 1, history: met},
		{name: "two handlers at a time", tested: 2, history: met + `
			h2 HANDLE
			h2> ADD b@6:x initial
			w a@7:y
			h1> UPDATE a@7:y
			h1<
			h2<`},
		{name: "one is alone", history: written + `
			h1 HANDLE
			i RUN
			h1 ADD a@5:x`},
		{name: "beside the one before", tested: 1, bad: 1, want: "after this one has returned", got: "ADD default/b @6 during it", history: written + `
			h1 HANDLE
			i RUN
			h1> ADD a@5:x !
			h1> ADD b@6:x !
			h1<
			h1<`},
		{name: "beside one that never returns", tested: 1, bad: 1, want: "after this one has returned", got: "ADD default/b @6 during it", history: written + `
			h1 HANDLE
			i RUN
			h1> ADD a@5:x !
			h1> ADD b@6:x !`},
		{name: "nothing is told", history: begun + `
			h1 HANDLE`},
	},
	"notify/after-store": {
		{name: "a write that has no answer, ever", history: `
			h1 HANDLE
			i RUN
			w> a
			h1 ADD a@6 held=none`},
		{name: "as it is, and later", tested: 9, history: `
			w a@5:x+one
			w b@6:x
			h1 HANDLE
			i RUN index
			h1 ADD a@5:x+one
			h1 ADD b@6:x
			w a@7:y+two
			h1 UPDATE a@7:y+two
			w a@8:z+two
			w a@9:z+one
			w -b@10
			h1 UPDATE a@8:z+two held=a@9:z+one indexed=b
			h1 UPDATE a@9:z+one
			s1 WATCH rv=6
			s1 <- ok
			s1 DELETED b@10:x
			h1 DELETE b@10:x`},
		{name: "it is gone already", tested: 3, history: written + `
			h1 HANDLE
			i RUN
			h1 ADD a@5:x
			w a@7:y
			w -a@8
			s1 WATCH rv=6
			s1 <- ok
			s1 MODIFIED a@7:y
			s1 DELETED a@8:y
			h1 UPDATE a@7:y held=none
			h1 DELETE a@8:y`},
		{name: "it is there again", tested: 2, history: written + `
			h1 HANDLE
			i RUN
			h1 ADD a@5:x
			w -a@7
			w a#2@8:x
			s1 WATCH rv=6
			s1 <- ok
			s1 DELETED a@7:x
			h1 DELETE a@7:x held=a#2@8:x`},
		{name: "a deletion that is under way", tested: 1, history: written + `
			h1 HANDLE
			i RUN
			w> -a
			h1 ADD a@5:x held=none
			w< -a@7`},
		{name: "the index, while another value is being written", tested: 1, history: `
			w a@5:x+one
			h1 HANDLE
			i RUN index
			w> a
			h1 ADD a@5:x+one indexed=b
			w< a@6:x+two`},
		{name: "no index, no value", tested: 2, history: `
			w a@5:x+one
			w b@6:x
			h1 HANDLE
			h2 HANDLE
			i RUN
			h1 ADD a@5:x+one indexed=b
			h2 ADD b@6:x indexed=a`},
		{name: "before it is there", tested: 1, bad: 1, want: "default/a @5 or newer in the store", got: "not in the store", history: written + `
			h1 HANDLE
			i RUN
			h1 ADD a@5:x held=none !`},
		{name: "before it is there, and an earlier one was deleted", tested: 1, bad: 1, want: "default/a @7 or newer in the store", got: "not in the store", history: `
			w a@5:x
			w -a@6
			w a#2@7:x
			h1 HANDLE
			i RUN
			h1 ADD a#2@7:x held=none !
			w -a@8`},
		{name: "before it is changed", tested: 2, bad: 1, want: "default/a @7 or newer in the store", got: "default/a @5", history: written + `
			h1 HANDLE
			i RUN
			h1 ADD a@5:x
			w a@7:y
			h1 UPDATE a@7:y held=a@5:x !`},
		{name: "before it is gone", tested: 2, bad: 1, want: "a store without the object: default/a deleted @7", got: "default/a @5", history: written + `
			h1 HANDLE
			i RUN
			h1 ADD a@5:x
			w -a@7 !
			s1 WATCH rv=6
			s1 <- ok
			s1 DELETED a@7:x
			h1 DELETE a@7:x held=a@5:x !`},
		{name: "before it is gone, after a change", tested: 3, bad: 1, want: "a store without the object: default/a deleted @8", got: "default/a @7", history: written + `
			h1 HANDLE
			i RUN
			h1 ADD a@5:x
			w a@7:y
			h1 UPDATE a@7:y
			w -a@8 !
			w a#2@9:x
			s1 WATCH rv=6
			s1 <- ok
			s1 DELETED a@8:y
			h1 DELETE a@8:y held=a@7:y !`},
		{name: "before it is in the index", tested: 2, bad: 1, want: `an index that has default/a under "one"`, got: "[]", history: `
			w a@5:x+one
			h1 HANDLE
			i RUN index
			h1 ADD a@5:x+one indexed=none !`},
		{name: "before it is in the index, and it changes later", tested: 2, bad: 1, want: `an index that has default/a under "two"`, got: "[default/b]", history: `
			w a@5:x
			w a@6:x+two
			h1 HANDLE
			i RUN index
			h1 ADD a@6:x+two indexed=b !
			w a@7:x+one`},
		{name: "of what nobody wrote", history: `
			h1 HANDLE
			i RUN
			s1 WATCH
			s1 FAULT lie
			h1 ADD z@3 held=none`},
		{name: "a delete of what it was not told", tested: 0, history: written + `
			h1 HANDLE
			i RUN
			w -a@7
			h1 DELETE a@7:x`, also: "notify/order"},
	},
}
