package informer

var pagesHistories = map[string][]judged{
	"pages/complete": {
		{name: "a watch from a list that is not whole", tested: 1, bad: 1, want: "all pages of a list before a WATCH from it", got: "WATCH from @8", history: begun + `
			s2 ERROR 410
			s3 LIST limit=1
			s3 <- @8 a@5:x continue=t !
			s4 WATCH rv=8 !`},
		{name: "the rest of a list that has expired, as it is by now, and a watch from that", tested: 1, bad: 1, want: "a new LIST before the WATCH: the first pages were of @6", got: "WATCH from @7", history: begun + `
			s2 ERROR 500
			s3 LIST limit=1
			s3 <- @6 a@5:x continue=t !
			w -a@7
			s4 LIST limit=1 continue=t
			s4 <- 410
			s5 LIST limit=1 continue=rest
			s5 <- @7 b@6:x !
			s6 WATCH rv=7 !
			s6 <- ok`, also: "resume/expired"},
		{name: "the rest of a list that has expired, and a list anew", tested: 1, history: begun + `
			s2 ERROR 500
			s3 LIST limit=1
			s3 <- @6 a@5:x continue=t
			w -a@7
			s4 LIST limit=1 continue=t
			s4 <- 500
			s5 LIST limit=1 continue=rest
			s5 <- @7 b@6:x
			s6 LIST
			s6 <- @7 b@6:x
			s7 WATCH rv=7
			s7 <- ok`},
		{name: "the rest as it is by now is thrown away, and a watch goes on from before", tested: 1, history: begun + `
			s2 ERROR 500
			w c@7
			s3 LIST limit=1
			s3 <- @7 a@5:x continue=t
			w -a@8
			s4 LIST limit=1 continue=t
			s4 <- 500
			s5 LIST limit=1 continue=rest
			s5 <- @8 b@6:x c@7
			s6 WATCH rv=6
			s6 <- ok`},
		{name: "the rest as it is by now is no newer than what it has", tested: 1, history: begun + `
			w -a@7
			s2 DELETED a@7
			s2 ERROR 500
			s3 LIST limit=1
			s3 <- @6 a@5:x continue=t
			s4 LIST limit=1 continue=t
			s4 <- 500
			s5 LIST limit=1 continue=rest
			s5 <- @7 b@6:x
			s6 WATCH rv=7
			s6 <- ok`},
		{name: "the pages of a list that another has come between", history: begun + `
			s2 ERROR 500
			s3 LIST limit=1
			s3 <- @6 a@5:x continue=t
			w c@7
			s4 LIST limit=1
			s4 <- @7 a@5:x continue=u
			s5 LIST limit=1 continue=t
			s5 <- @6 b@6:x
			s6 LIST limit=1 continue=u
			s6 <- @7 b@6:x c@7
			s7 WATCH rv=7
			s7 <- ok`},
		{name: "a watch from before a list that is not whole, and from it when it is", history: begun + `
			s2 ERROR 500
			s3 LIST limit=1
			s3 <- @8 a@5:x continue=t
			s4 WATCH rv=6
			s4 <- 500
			s4 LIST limit=1 continue=t
			s4 <- @8 b@6:x
			s5 WATCH rv=8`},
		{name: "three pages", tested: 2, history: written + `
			w c@7
			i RUN
			s1 LIST limit=1
			s1 <- @7 a@5:x continue=t
			i STORE
			s2 LIST limit=1 continue=t
			s2 <- @7 b@6:x continue=u
			i STORE
			s2 LIST limit=1 continue=u
			s2 <- @7 c@7
			i STORE a@5:x b@6:x c@7`},
		{name: "it was read after the last events, and before a bookmark", tested: 1, history: begun + `
			w a@7:y
			s2 MODIFIED a@7:y
			i SETTLED
			i STORE a@7:y b@6:x
			s2 BOOKMARK @9
			s2 ERROR 410
			s3 LIST limit=1
			s3 <- @9 a@7:y continue=t
			i STORE a@7:y b@6:x`},
		{name: "stopped meanwhile", history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x
			s2 ERROR 410
			s3 LIST limit=1
			s3 <- @6 a@5:x continue=t
			i STOP
			i RETURN
			i STORE a@5:x b@6:x`},
		{name: "the server breaks the contract", history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x
			s2 FAULT early
			s2 ERROR 410
			s3 LIST limit=1
			s3 <- @6 a@5:x continue=t
			i STORE a@5:x`},
		{name: "the first", tested: 2, history: written + `
			i RUN
			s1 LIST limit=1
			i STORE
			s1 <- @6 a@5:x continue=t
			i STORE
			s2 LIST limit=1 continue=t
			i STORE
			s2 <- @6 b@6:x
			i STORE a@5:x b@6:x`},
		{name: "a later one", tested: 2, history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x
			s2 ERROR 410
			w -a@7
			w c@8
			s3 LIST limit=1
			s3 <- @8 b@6:x continue=t
			i STORE b@6:x a@5:x
			s4 LIST limit=1 continue=t
			s4 <- 500
			i STORE a@5:x b@6:x
			s5 LIST
			s5 <- @8 b@6:x c@8
			i STORE b@6:x c@8`},
		{name: "one that fails, and the next", tested: 1, history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x
			s2 ERROR 410
			w -a@7
			s3 LIST limit=1
			s3 <- @7 b@6:x continue=t
			s4 LIST limit=1 continue=t
			s4 <- 410
			i STORE a@5:x b@6:x
			s5 WATCH initial=true
			s5 <- ok
			s5 ADDED b@6:x
			s5 BOOKMARK @7 end
			i STORE b@6:x`},
		{name: "it was read before the last events", history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x
			w a@7:y
			s2 MODIFIED a@7:y
			s2 ERROR 410
			s3 LIST limit=1
			s3 <- @7 a@7:y continue=t
			i STORE a@7:y b@6:x`},
		{name: "it was read before the last list", history: written + `
			i RUN
			i STORE
			` + listed + `
			s2 ERROR 410
			s3 LIST limit=1
			s3 <- @6 a@5:x continue=t
			i STORE a@5:x b@6:x`},
		{name: "what it was sent before the list it applies late", history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x
			w a@7:y
			s2 MODIFIED a@7:y
			i STORE a@5:x b@6:x
			s2 ERROR 410
			s3 LIST limit=1
			s3 <- @7 a@7:y continue=t
			i STORE a@7:y b@6:x`},
		{name: "the first, piece by piece", tested: 1, bad: 1, want: "the store as it was before the LIST", got: "default/a @5", history: written + `
			i RUN
			s1 LIST limit=1
			s1 <- @6 a@5:x continue=t !
			i STORE a@5:x !
			s2 LIST limit=1 continue=t
			s2 <- @6 b@6:x`},
		{name: "the first page takes the place of all", tested: 2, bad: 2, want: "the store as it was before the LIST", got: "no default/b", history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x
			s2 ERROR 410
			s3 LIST limit=1
			s3 <- @6 a@5:x continue=t !
			i STORE a@5:x !
			s4 LIST limit=1 continue=t
			s4 <- 410
			i STORE a@5:x !`, also: "converge/no-time-travel"},
		{name: "a change comes by a page", tested: 1, bad: 1, want: "the store as it was before the LIST", got: "default/a @7", history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x
			s2 ERROR 410
			w a@7:y
			s3 LIST limit=1
			s3 <- @7 a@7:y continue=t !
			i STORE a@7:y b@6:x !`},
		{name: "a page that is not the last, and a watch", tested: 1, bad: 1, want: "the store as it was before the LIST", got: "no default/b", history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x
			s2 ERROR 410
			s3 LIST limit=1
			s3 <- @6 a@5:x continue=t !
			i STORE a@5:x !
			s4 WATCH rv=6
			s4 <- ok
			i STORE a@5:x`, also: "converge/no-time-travel"},
		{name: "after the stop", history: begun + `
			s2 ERROR 410
			s3 LIST limit=1
			s3 <- @6 a@5:x continue=t
			i STOP
			i RETURN
			i STORE a@5:x b@6:x`},
		{name: "no pages", history: begun + `
			i STORE a@5:x b@6:x`},
		{name: "no reading between", history: written + `
			i RUN
			s1 LIST limit=1
			i STORE
			s1 <- @6 a@5:x continue=t
			i SYNCED no
			s2 LIST limit=1 continue=t
			i> STORE
			s2 <- @6 b@6:x
			i< a@5:x b@6:x`},
		{name: "a page that was refused", history: `
			i RUN
			s1 LIST limit=1
			s1 <- 410
			i STORE`},
	},
}
