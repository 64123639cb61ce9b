package informer

var expiredHistories = map[string][]judged{
	"resume/expired": {
		{name: "a streaming list of it was refused, and a list is not", tested: 1, history: begun + `
			s2 ERROR 500
			... 1s
			s3 WATCH initial=true rv=6
			s3 <- 410
			s4 LIST rv=6`},
		{name: "a watch from it was refused, and a streaming list is not", tested: 1, history: begun + `
			s2 END clean
			... 1s
			s3 WATCH rv=6
			s3 <- 410
			s4 WATCH initial=true rv=6`},
		{name: "what it had seen by a streaming list", tested: 1, bad: 1, want: "not older than @9", got: "LIST of @6", history: written + `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			s1 ADDED a@5:x
			s1 BOOKMARK @9 end
			s1 ERROR 410 !
			s2 LIST rv=6 !`},
		{name: "watches from there, told once", tested: 1, bad: 1, want: "not older than @7", got: "WATCH from @7", history: expired + `
			s3 WATCH rv=7 !
			s3 <- 500
			... 1s
			s3 WATCH rv=7
			s3 <- 500`},
		{name: "after the last of two", tested: 2, bad: 1, want: "not older than @6", got: "WATCH from @6", history: begun + `
			s2 ERROR 410
			s3 LIST rv=6
			s3 <- 410 !
			s4 WATCH rv=6 !`},
		{name: "the server breaks the contract", history: begun + `
			s2 FAULT swap
			s2 ERROR 500
			... 1s
			s3 WATCH rv=6
			s3 <- 410
			s4 WATCH rv=6`},
		{name: "a list of what is not older", tested: 1, history: expired + `
			... 1s
			s3 LIST rv=7`},
		{name: "a list of the most recent", tested: 1, history: expired + `s3 LIST`},
		{name: "a list of the most recent, in pages", tested: 1, history: expired + `
			s3 LIST limit=500
			s3 <- @8 a@7:y continue=t
			s4 LIST limit=500 continue=t
			s4 <- @8 b@6:x
			s5 WATCH rv=8`},
		{name: "a list that says it in words", tested: 1, history: expired + `s3 LIST rv=7 match=NotOlderThan limit=500`},
		{name: "a streaming list", tested: 1, history: expired + `s3 WATCH initial=true rv=7`},
		{name: "a list that is refused, and again", tested: 1, history: expired + `
			s3 LIST rv=7
			s3 <- 500
			... 1s
			s4 LIST rv=7
			s4 FAULT reset lost
			... 1s
			s5 LIST rv=7
			s5 <- @8 a@7:y b@6:x
			s6 WATCH rv=8`},
		{name: "the first list", tested: 2, history: `
			i RUN
			s1 LIST rv=0
			s1 <- 410
			... 1s
			s2 LIST
			s2 <- 410
			... 1s
			s3 LIST`},
		{name: "a list after a watch, then the most recent", tested: 2, history: expired + `
			s3 LIST rv=7
			s3 <- 410
			s4 LIST`},
		{name: "a list of what is newer than it refused", tested: 1, history: begun + `
			s2 ERROR 500
			s3 LIST rv=6
			s3 <- 410
			s4 LIST rv=7`},
		{name: "a page", tested: 1, history: begun + `
			s2 ERROR 500
			... 1s
			s3 LIST limit=1
			s3 <- @7 a@5:x continue=t
			s4 LIST limit=1 continue=t
			s4 <- 410
			s5 LIST rv=6`},
		{name: "a streaming list, which as a watch fails, and a watch", tested: 1, history: expired + `
			s3 WATCH initial=true
			s3 <- ok
			s3 ADDED a@7:y
			s3 BOOKMARK @8 end
			s3 ERROR 500
			... 1s
			s4 WATCH rv=8`},
		{name: "a streaming list that fails before its end, and a watch", tested: 1, bad: 1, want: "not older than @7", got: "WATCH from @7", history: expired + `
			s3 WATCH initial=true
			s3 <- ok
			s3 ADDED a@7:y
			s3 ERROR 500
			... 1s
			s4 WATCH rv=7 !`},
		{name: "a streaming list, then a list", tested: 1, history: `
			i RUN
			s1 WATCH initial=true
			s1 <- 410
			... 1s
			s2 LIST rv=0`},
		{name: "a streaming list of the most recent, again", tested: 1, history: `
			i RUN
			s1 WATCH initial=true
			s1 <- 410
			... 1s
			s2 WATCH initial=true
			s2 <- ok
			s2 BOOKMARK @4 end`},
		{name: "what it had seen is what it took, not what broke off", tested: 1, history: begun + `
			s2 BOOKMARK @9
			s2 END broken
			s3 WATCH rv=6
			s3 <- 410
			s4 LIST rv=6`},
		{name: "what it had seen is not what was lost, or not whole", tested: 1, history: begun + `
			s2 ERROR 500
			... 1s
			s3 LIST rv=6
			s3 FAULT reset lost
			s3 <- @9 a@5:x
			... 1s
			s4 LIST rv=6
			s4 <- @9 a@5:x continue=t
			s5 LIST continue=t
			s5 <- 410
			s6 LIST rv=6`},
		{name: "what it had seen is not what a streaming list began", tested: 2, history: begun + `
			s2 ERROR 410
			... 1s
			s3 WATCH initial=true rv=6
			s3 <- ok
			s3 ADDED b@9:x
			s3 ERROR 410
			... 1s
			s4 WATCH initial=true rv=6
			s4 <- ok
			s4 BOOKMARK @9 end`},
		{name: "a watch from there", tested: 1, bad: 1, want: "not older than @7", got: "WATCH from @7", history: expired + `s3 WATCH rv=7 !`},
		{name: "a watch after a list that was refused", tested: 1, bad: 1, want: "not older than @7", got: "WATCH from @7", history: expired + `
			s3 LIST rv=7
			s3 <- 500
			... 1s
			s4 WATCH rv=7 !`},
		{name: "a watch after a list that was lost", tested: 1, bad: 1, want: "not older than @7", got: "WATCH from @7", history: expired + `
			s3 LIST rv=7
			s3 FAULT reset lost
			s3 <- @8 a@7:y b@6:x
			... 1s
			s4 WATCH rv=7 !`},
		{name: "a watch that was refused, and the same again", tested: 1, bad: 1, want: "not older than @6", got: "WATCH from @6", history: begun + `
			s2 END broken
			s3 WATCH rv=6
			s3 <- 410 !
			s4 WATCH rv=6 !`},
		{name: "a list of anything", tested: 1, bad: 1, want: "not older than @7", got: "LIST of @0", history: expired + `s3 LIST rv=0 !`},
		{name: "a list of what is older", tested: 1, bad: 1, want: "not older than @7", got: "LIST of @6", history: expired + `s3 LIST rv=6 !`},
		{name: "a streaming list of what is older", tested: 1, bad: 1, want: "not older than @7", got: "WATCH of @6", history: expired + `s3 WATCH initial=true rv=6 !`},
		{name: "a list of exactly that", tested: 1, bad: 1, want: "not older than @7", got: "LIST of @7, with resourceVersionMatch=Exact", history: expired + `s3 LIST rv=7 match=Exact !`},
		{name: "a list with a limit", tested: 1, bad: 1, want: "not older than @7", got: "LIST of @7 with limit 3, which means exactly that version to a server", history: expired + `s3 LIST rv=7 limit=3 !`},
		{name: "the same list again", tested: 1, bad: 1, want: "not older than @6", got: "LIST of @6, which was refused", history: begun + `
			s2 ERROR 500
			s3 LIST rv=6
			s3 <- 410 !
			s4 LIST rv=6 !`},
		{name: "the same streaming list again", tested: 1, bad: 1, want: "not older than @6", got: "WATCH of @6, which was refused", history: begun + `
			s2 ERROR 500
			s3 WATCH initial=true rv=6
			s3 <- 410 !
			s4 WATCH initial=true rv=6 !`},
		{name: "the next page", tested: 1, bad: 1, want: "not older than", got: "with a continue token", history: `
			i RUN
			s1 LIST limit=1
			s1 <- @7 a@5 continue=t
			s2 LIST limit=1 continue=t
			s2 <- 410 !
			s3 LIST limit=1 continue=t !`},
		{name: "another error", history: begun + `
			s2 ERROR 500
			s3 WATCH rv=6
			s3 <- 504
			s4 LIST rv=6`},
		{name: "nothing follows", history: expired},
		{name: "after the stop", history: begun + `
			i STOP
			s3 WATCH rv=7
			s3 <- 410
			s4 WATCH rv=7`},
	},
	"resume/too-large": {
		{name: "given up after four", undecided: "lists were refused 3 times, and no LIST with resourceVersion unset followed", history: begun + `
			s2 ERROR 500` + times(3, `
			... 1s
			s3 LIST rv=6
			s3 <- 504 cause=ResourceVersionTooLarge`) + `
			.. GAVE-UP deadline
			s3 LIST rv=6
			s3 <- 504 cause=ResourceVersionTooLarge`},
		{name: "then the most recent, and later the same again", tested: 1, undecided: "lists were refused 1 times", history: begun + `
			s2 ERROR 500` + times(3, `
			... 1s
			s3 LIST rv=6
			s3 <- 504 cause=ResourceVersionTooLarge`) + `
			... 1s
			s4 LIST
			s4 <- @6 a@5:x b@6:x
			s4 LIST rv=6
			s4 <- 504 cause=ResourceVersionTooLarge`},
		{name: "then the most recent", tested: 1, history: begun + `
			s2 ERROR 500
			... 1s
			s3 LIST rv=6
			s3 <- 504 cause=ResourceVersionTooLarge
			... 1s
			s4 LIST`},
		{name: "after three", tested: 1, history: begun + `
			s2 ERROR 500` + times(3, `
			... 1s
			s3 LIST rv=6
			s3 <- 504 cause=Other cause=ResourceVersionTooLarge`) + `
			... 1s
			s4 LIST`},
		{name: "a streaming list", tested: 1, history: begun + `
			s2 ERROR 500
			s3 WATCH initial=true rv=6
			s3 <- ok
			s3 ERROR 504 cause=ResourceVersionTooLarge
			... 1s
			s4 WATCH initial=true
			s4 <- ok
			s4 BOOKMARK @9 end`},
		{name: "over HTTP, asked again by the client alone", tested: 1, history: begun + `
			s2 ERROR 500` + times(43, `
			... 1s
			s3 LIST rv=6 wire
			s3 <- 504 cause=ResourceVersionTooLarge retry=1`) + `
			... 1s
			s4 LIST`},
		{name: "never", tested: 1, bad: 1, want: "a LIST with resourceVersion unset", got: "LIST of @6 again, 4 times", history: begun + `
			s2 ERROR 500
			s3 LIST rv=6
			s3 <- 504 cause=ResourceVersionTooLarge !` + times(2, `
			... 1s
			s3 LIST rv=6
			s3 <- 504 cause=ResourceVersionTooLarge`) + `
			... 4s
			s3 LIST rv=6
			s3 <- 504 cause=ResourceVersionTooLarge !
			s3 LIST rv=6
			s3 <- 504 cause=ResourceVersionTooLarge`},
		{name: "never, of streaming lists and watches", tested: 1, bad: 1, want: "a LIST with resourceVersion unset", got: "WATCH of @6 again, 4 times", history: begun + `
			s2 ERROR 500
			s3 WATCH initial=true rv=6
			s3 <- ok
			s3 ERROR 504 cause=ResourceVersionTooLarge !` + times(2, `
			... 1s
			s3 WATCH rv=6
			s3 <- 504 cause=ResourceVersionTooLarge`) + `
			... 4s
			s3 WATCH initial=true rv=6
			s3 <- 504 cause=ResourceVersionTooLarge !`},
		{name: "never, though watches of nothing come between", tested: 1, bad: 1, want: "a LIST with resourceVersion unset", got: "4 times", history: begun + `
			s2 ERROR 500
			s3 LIST rv=6
			s3 <- 504 cause=ResourceVersionTooLarge !
			s3 WATCH rv=6
			s3 <- 500` + times(2, `
			... 1s
			s3 LIST rv=6
			s3 <- 504 cause=ResourceVersionTooLarge`) + `
			... 4s
			s3 LIST rv=6
			s3 <- 504 cause=ResourceVersionTooLarge !`},
		{name: "never, over HTTP", tested: 1, bad: 1, want: "a LIST with resourceVersion unset", got: "LIST of @6 again, 44 times", history: begun + `
			s2 ERROR 500
			s3 LIST rv=6 wire
			s3 <- 504 cause=ResourceVersionTooLarge retry=1 !` + times(42, `
			... 1s
			s3 LIST rv=6 wire
			s3 <- 504 cause=ResourceVersionTooLarge retry=1`) + `
			... 4s
			s3 LIST rv=6 wire
			s3 <- 504 cause=ResourceVersionTooLarge retry=1 !`},
		{name: "never, over HTTP, and nobody says when to come back", tested: 1, bad: 1, want: "a LIST with resourceVersion unset", got: "LIST of @6 again, 4 times", history: "\nhas client-go-semantics\n" + begun + `
			s2 ERROR 500
			s3 LIST rv=6 wire
			s3 <- 504 cause=ResourceVersionTooLarge !` + times(2, `
			... 1s
			s3 LIST rv=6 wire
			s3 <- 504 cause=ResourceVersionTooLarge`) + `
			... 4s
			s3 LIST rv=6 wire
			s3 <- 504 cause=ResourceVersionTooLarge !`},
		{name: "over HTTP, repeated by a client that is not client-go's", tested: 1, history: begun + `
			s2 ERROR 500` + times(43, `
			... 1s
			s3 LIST rv=6 wire
			s3 <- 504 cause=ResourceVersionTooLarge`) + `
			... 1s
			s4 LIST`},
		{name: "never, of one", tested: 1, bad: 1, want: "a LIST with resourceVersion unset", got: "LIST of @6 again, 44 times", history: begun + `
			s2 ERROR 500
			s3 LIST rv=6 wire
			s3 <- 504 cause=ResourceVersionTooLarge !` + times(42, `
			... 1s
			s3 LIST rv=6 wire
			s3 <- 504 cause=ResourceVersionTooLarge`) + `
			s3 LIST rv=6 wire
			s3 <- 504 cause=ResourceVersionTooLarge !`},
		{name: "it has caught up", tested: 1, undecided: "lists of @6 were refused 3 times, and then answered", history: begun + `
			s2 ERROR 500` + times(3, `
			... 1s
			s3 LIST rv=6
			s3 <- 504 cause=ResourceVersionTooLarge`) + `
			... 1s
			s3 LIST rv=6
			s3 <- @6 a@5:x b@6:x
			s3 WATCH rv=6
			s3 <- ok
			s3 ERROR 500
			s3 LIST rv=6
			s3 <- 504 cause=ResourceVersionTooLarge`},
		{name: "another 504", history: begun + `
			s2 ERROR 500` + times(5, `
			... 1s
			s3 LIST rv=6
			s3 <- 504 cause=Other`)},
		{name: "of the most recent it is the server's own affair", history: `
			i RUN` + times(4, `
			s3 LIST
			s3 <- 504 cause=ResourceVersionTooLarge`)},
	},
}
