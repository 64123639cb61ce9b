package informer

// What is refused while another watch is open, and stays open, need not trouble an informer: it has another source.
var besideHistories = map[string][]judged{
	"resume/errors": {
		{name: "a list that is given up for the watch that is open", history: begun + `
			... 30s
			s2 END clean
			s3 WATCH rv=6
			s3 <- ok
			s4 LIST rv=6
			s4 <- 500
			i SETTLED
			i STORE a@5:x b@6:x`},
		{name: "a list that is given up, and the stop in that moment", history: begun + `
			... 30s
			s3 LIST rv=6
			s3 <- 500
			i SETTLED
			i STORE a@5:x b@6:x
			i STOP
			s2 END stopped
			i RETURN`},
		{name: "one that failed, and the watch that was open ends", tested: 1, bad: 1, want: "another request", got: "none", history: begun + `
			... 30s
			s3 LIST rv=6
			s3 <- 500 !
			... 30s
			s2 END clean
			i SETTLED !
			i STORE a@5:x b@6:x`},
		{name: "one that failed, and the watch that was open tells an ERROR", tested: 2, bad: 2, want: "another request", got: "none", history: begun + `
			... 30s
			s3 LIST rv=6
			s3 <- 500 !
			... 30s
			s2 ERROR 500 !
			i SETTLED !
			i STORE a@5:x b@6:x`},
	},
	"resume/expired": {
		{name: "a list that is refused while a watch is open, and another watch from there", history: begun + `
			... 30s
			s3 LIST rv=6
			s3 <- 410
			... 1s
			s4 WATCH rv=6
			s4 <- ok
			... 30s
			s2 END clean`},
		{name: "a list that is refused after the watch had ended", tested: 1, bad: 1, want: "a list that may be newer", got: "WATCH from @6", history: begun + `
			... 30s
			s2 ERROR 500
			s2 END clean
			s3 LIST rv=6
			s3 <- 410 !
			... 1s
			s4 WATCH rv=6 !`},
		{name: "a list that is refused at the moment in which the watch ends", tested: 1, bad: 1, want: "a list that may be newer", got: "WATCH from @6", history: begun + `
			... 30s
			s3 LIST rv=6
			s3 <- 410 !
			s2 END clean
			... 1s
			s4 WATCH rv=6 !`},
		{name: "beside a streaming list that has not come to its mark", tested: 1, bad: 1, want: "a list that may be newer", got: "WATCH from @6", history: begun + `
			... 30s
			s2 ERROR 500
			s2 END clean
			s3 WATCH initial=true rv=6
			s3 <- ok
			s4 LIST rv=6
			s4 <- 410 !
			... 1s
			s5 WATCH rv=6 !`},
	},
	"resume/too-large": {
		{name: "lists beside an open watch", history: begun + times(4, `
			... 20s
			s3 LIST rv=6
			s3 <- 504 cause=ResourceVersionTooLarge`) + `
			... 1s
			s2 END clean`},
	},
	"resume/version": {
		{name: "a watch that was asked for before a list was answered", tested: 2, history: begun + `
			s2 END clean
			s3 LIST rv=6
			s4 WATCH rv=6
			s4 <- ok
			s3 <- @9 a@5:x b@9:x`},
		{name: "the next watch is opened before the one before has ended", tested: 2, history: begun + `
			... 30s
			s3 WATCH rv=6
			s3 <- ok
			... 2s
			s2 END clean
			s3 ADDED c@7
			... 30s
			s3 END clean
			s4 WATCH rv=7
			s4 <- ok`},
		{name: "a watch from before, while another is open", tested: 1, history: begun + `
			... 30s
			s3 LIST
			s3 <- @9 a@5:x b@9:x
			s4 WATCH rv=6
			s4 <- ok
			... 1s
			s2 END clean`},
	},
}
