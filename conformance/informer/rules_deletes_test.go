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

var deletesHistories = map[string][]judged{
	"converge/deletes": {
		{name: "one that left the selection and came back", tested: 0, history: `
			w a@5:x+one
			i RUN one
			i SETTLED
			i STORE a@5:x+one
			w a@6:x+two
			w a@7:x+one
			i SETTLED
			i STORE a@7:x+one`},
		{name: "one that left the selection stays", tested: 1, bad: 1, want: "not the old default/a", got: "default/a @5", also: "converge/equal", history: `
			w a@5:x+one
			i RUN one
			i SETTLED
			i STORE a@5:x+one
			w a@6:x+two !
			i SETTLED
			i STORE a@5:x+one !`},
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
		{name: "it heard of an earlier one of the name", tested: 1, bad: 1, want: "DELETE: default/a deleted @9", got: "no notification", history: known + `
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
		{name: "a handler hears twice, and nothing is shown", tested: 2, bad: 1, want: "one DELETE", got: "2 of default/a", history: known + `
			s2 END clean
			w -a@7
			s3 LIST rv=6
			s3 <- @7 b@6:x
			h1 DELETE a unknown !
			h1 DELETE a unknown !` + rests + `
			i STORE b@6:x`, also: "notify/order"},
		{name: "a handler hears twice of the first of two that had the name", tested: 2, bad: 1, want: "one DELETE", got: "2 of default/a", history: known + `
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
		{name: "still there", tested: 2, bad: 2, want: "not the old default/a", got: "default/a @5", history: known + `
			s2 END clean
			w -a@7 !
			s3 WATCH rv=6
			s3 <- ok
			i SETTLED !
			h1 SETTLED
			i STORE a@5:x b@6:x !`, also: "converge/equal notify/complete"},
		{name: "the old one is there in the place of the new", tested: 2, bad: 2, want: "not the old default/a", got: "default/a @5", history: known + `
			s2 END clean
			w -a@7 !
			w a#2@8:x
			s3 WATCH rv=6
			s3 <- ok
			i SETTLED !
			h1 SETTLED
			i STORE a@5:x b@6:x !`, also: "converge/equal converge/recreated notify/complete"},
		{name: "a handler does not hear", tested: 2, bad: 1, want: "DELETE: default/a deleted @7", got: "no notification", history: known + `
			s2 END clean
			w -a@7 !
			s3 WATCH rv=6
			s3 <- ok
			i SETTLED !
			h1 SETTLED
			i STORE b@6:x`, also: "notify/complete"},
		{name: "a handler hears of another only", tested: 2, bad: 1, want: "DELETE: default/a deleted @7", got: "no notification", history: known + `
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
		{name: "a handler hears an update of the old", tested: 2, bad: 1, want: "DELETE: default/a deleted @7", got: "no notification", history: known + `
			s2 END clean
			w -a@7 !
			s3 WATCH rv=6
			s3 <- ok
			h1 UPDATE a@5:x
			i SETTLED !
			h1 SETTLED
			i STORE b@6:x`, also: "notify/complete"},
		{name: "a handler hears twice", tested: 2, bad: 1, want: "one DELETE", got: "2 of default/a", history: known + `
			s2 END clean
			w -a@7
			s3 WATCH rv=6
			s3 <- ok
			s3 DELETED a@7:x
			h1 DELETE a@7:x !
			h1 DELETE a@7:x !` + rests + `
			i STORE b@6:x`, also: "notify/order"},
		{name: "it heard only before", tested: 2, bad: 1, want: "DELETE: default/a deleted @7", got: "no notification", history: known + `
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
		{name: "taken for the old one", tested: 2, bad: 2, want: "default/a with the uid of the new object", got: "default/a @5 with the uid of the old one", history: written + `
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
		{name: "by the handler alone", tested: 2, bad: 1, want: "or UPDATE to another uid", got: "no notification after ADD default/a @5", history: written + `
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
		{name: "an update of one uid", tested: 1, bad: 1, want: "whose old state has the uid of the notification before", got: "whose old state has another uid", history: `
			w a@5:x
			h1 HANDLE
			i RUN
			h1 ADD a@5:x !
			w -a@6
			w a#2@7:x
			h1 UPDATE a#2@7:x old=a#2@7:x !`, also: "notify/order"},
		{name: "an update without the old, of who brings none", history: `
			has handlers new-state-only
			w a@5:x
			h1 HANDLE
			i RUN
			h1 ADD a@5:x
			w -a@6
			w a#2@7:x
			h1 UPDATE a#2@7:x old=none`},
		{name: "an update without the old", tested: 1, bad: 1, want: "whose old state has the uid of the notification before", got: "whose old state has another uid", history: `
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
