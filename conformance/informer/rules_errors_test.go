package informer

// errorHistories are of errors that a watch meets.
var errorHistories = map[string][]judged{
	"resume/connections": {
		{name: "each is closed", tested: 5, history: begun + times(5, `
			s2 ERROR 500
			... 1s
			s2 END stopped
			... 3s
			s2 WATCH rv=6
			s2 <- ok`)},
		{name: "the server closes them", tested: 0, history: begun + times(5, `
			s2 ERROR 500
			s2 END clean
			... 3s
			s2 WATCH rv=6
			s2 <- ok`)},
		{name: "they are about to be closed", tested: 5, history: begun + times(5, `
			s2 ERROR 500
			s2 WATCH rv=6
			s2 <- ok`)},
		{name: "two are open, and one follows the other", tested: 1, history: begun + times(9, `
			... 20s
			s3 WATCH rv=6
			s3 <- ok
			s2 END stopped
			... 20s
			s2 WATCH rv=6
			s2 <- ok
			s3 END stopped`) + `
			s2 ERROR 500
			s2 END stopped`},
		{name: "one is opened after the other, and none is closed", tested: 1, bad: 1, want: "a watch is closed before others follow it", got: "4 are open when it opens another one", history: begun + `
			s2 END stopped` + times(4, `
			... 20s
			s3 WATCH rv=6 !
			s3 <- ok`) + `
			... 20s
			s3 WATCH rv=6 !
			s3 <- ok`},
		{name: "a connection for each answer, and none is closed", tested: 1, bad: 1, want: "a connection that carries nothing is used again, or closed", got: "9 that have carried nothing for 5s, and the client opens another", history: "i RUN\n" + times(9, `
			s1 LIST wire
			s1 <- 500
			s1 END clean
			... 3s`) + `
			s1 LIST idle=9x5 !
			s1 <- ok
			s1 END clean`},
		{name: "a pool of its own for each answer, which closes after four seconds", tested: 1, history: "i RUN\n" + times(9, `
			s1 LIST wire
			s1 <- ok
			s1 END clean`) + `
			s1 LIST idle=99x4
			s1 <- ok
			s1 END clean`},
		{name: "nine are left of nine requests at once", tested: 1, history: "i RUN\n" + times(9, `
			s1 LIST wire
			s1 <- ok`) + `
			s2 LIST idle=9x5
			s2 <- ok
			s2 END clean`},
		{name: "what cannot be read, and it stays open", tested: 4, bad: 1, want: "every watch that brought an ERROR, or what cannot be read, is closed", got: "4 are open", history: begun + times(3, `
			s2 SPOILED garble !
			... 3s
			s2 WATCH rv=6
			s2 <- ok`) + `
			s2 SPOILED garble !
			... 3s
			s2 WATCH rv=6 !
			s2 <- ok`},
		{name: "they stay open", tested: 6, bad: 1, want: "every watch that brought an ERROR, or what cannot be read, is closed", got: "4 are open", history: begun + times(3, `
			s2 ERROR 500 !
			... 3s
			s2 WATCH rv=6
			s2 <- ok`) + `
			s2 ERROR 500 !
			... 30s
			s2 WATCH rv=6 !
			s2 <- ok` + times(2, `
			s2 ERROR 500
			... 3s
			s2 WATCH rv=6
			s2 <- ok`)},
	},
	"resume/errors": {
		{name: "a streaming list that came to its end, and ended", history: `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			s1 BOOKMARK @4 end
			s1 END clean
			i SETTLED`},
		{name: "another request after each", tested: 5, history: begun + `
			s2 ERROR 500
			s2 END clean
			... 1s
			s3 LIST rv=6
			s3 <- 503
			... 1s
			s4 LIST rv=6
			s4 FAULT reset lost
			s4 END broken
			... 1s
			s5 LIST rv=6
			s5 FAULT latency
			s5 <- @6 a@5:x b@6:x
			s6 WATCH rv=6
			s6 <- ok
			s6 SPOILED garble
			s6 END clean
			... 1s
			s7 WATCH initial=true rv=6
			s7 <- ok
			s7 END broken
			... 1s
			s8 WATCH initial=true rv=6
			s8 <- ok
			s8 BOOKMARK @6 end
			i SETTLED`},
		{name: "one that hangs, and stays", history: `
			i RUN
			s1 LIST rv=0
			s1 FAULT hang lost
			i SETTLED`},
		{name: "none, ever", tested: 1, bad: 1, want: "another request", got: "none, although nothing fails any more", history: begun + `
			s2 END clean
			s3 WATCH rv=6
			s3 <- 500 !
			i SETTLED !`},
		{name: "none, after an ERROR", tested: 1, bad: 1, want: "another request", got: "none", history: begun + `
			s2 ERROR 403 !
			s2 END clean
			i SETTLED !`},
		{name: "none, after what could not be read", tested: 1, bad: 1, want: "another request", got: "none", history: begun + `
			s2 SPOILED garble
			s2 END clean !
			i SETTLED !`},
		{name: "none, after a streaming list without its end", tested: 1, bad: 1, want: "another request", got: "none", history: `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			s1 ADDED a@5
			s1 END clean !
			i SETTLED !`, undecided: ""},
		{name: "none, after a list that was lost", tested: 1, bad: 1, want: "another request", got: "none", history: `
			i RUN
			s1 LIST rv=0
			s1 FAULT reset lost
			s1 END broken !
			i SETTLED !`},
		{name: "none until all was calm", tested: 1, bad: 1, want: "another request", got: "none", history: `
			i RUN
			s1 LIST rv=0
			s1 <- 500 !
			i SETTLED !
			s2 LIST rv=0`},
		{name: "nothing goes wrong", history: begun + `
			s2 FAULT delay
			s2 END clean
			s3 WATCH rv=6
			s3 <- ok
			i SETTLED`},
		{name: "no rest after it", history: begun + `
			i SETTLED
			s2 ERROR 500`},
		{name: "stopped", history: `
			i RUN
			s1 LIST rv=0
			s1 <- 500
			i STOP
			i RETURN
			i SETTLED`},
	},
}
