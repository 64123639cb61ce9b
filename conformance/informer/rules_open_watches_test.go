package informer

// What is refused while another watch is open, and stays open, need not trouble an informer: it has another source.
var openWatchesHistories = map[string][]judged{
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
		{name: "a list that is given up, and the stop in that moment, in real time", history: "real\n" + begun + `
			... 30s
			s3 LIST rv=6
			s3 <- 500
			i SETTLED
			i STORE a@5:x b@6:x
			i STOP
			s2 END stopped
			i RETURN`},
		{name: "a list that is given up, in real time, where an end is told of late: it was not", history: "real\n" + begun + `
			... 30s
			s3 LIST rv=6
			s3 <- 500
			i SETTLED
			i STORE a@5:x b@6:x
			... 100ms
			s2 END clean`},
		{name: "it was not, a moment after that", history: begun + `
			... 30s
			s3 LIST rv=6
			s3 <- 500
			i SETTLED
			i STORE a@5:x b@6:x
			... 99ms
			s2 END clean`},
		{name: "a list that is given up for the first of three watches", history: begun + `
			... 30s
			s3 WATCH rv=6
			s3 <- ok
			s4 WATCH rv=6
			s4 <- ok
			... 30s
			s3 END clean
			s4 END clean
			s5 LIST rv=6
			s5 <- 500
			... 30s
			i SETTLED
			i STORE a@5:x b@6:x`},
		{name: "a list that failed, in real time, and the informer had ended the watch perhaps, which is not stopped", tested: 1, bad: 1, want: "another request", got: "none", history: "real\n" + begun + `
			... 30s
			s3 LIST rv=6
			s3 <- 500 !
			i SETTLED !
			i STORE a@5:x b@6:x
			... 99ms
			s2 END stopped`},
		{name: "a list that failed, in real time, and the watch had ended perhaps", tested: 1, bad: 1, want: "another request", got: "none", history: "real\n" + begun + `
			... 30s
			s3 LIST rv=6
			s3 <- 500 !
			i SETTLED !
			i STORE a@5:x b@6:x
			... 99ms
			s2 END clean`},
		{name: "a list that failed, in real time, and the informer had ended the watch perhaps", tested: 1, bad: 1, want: "another request", got: "none", history: "real\n" + begun + `
			... 30s
			s3 LIST rv=6
			s3 <- 500 !
			i SETTLED !
			i STORE a@5:x b@6:x
			... 99ms
			s2 END stopped
			i STOP
			i RETURN`},
		{name: "a watch that was opened after a list beside the one that fails", history: begun + `
			... 30s
			s3 LIST rv=6
			s3 <- @6 a@5:x b@6:x
			s4 WATCH rv=6
			s4 <- ok
			... 30s
			s2 ERROR 500
			s2 END clean
			... 30s
			i SETTLED
			i STORE a@5:x b@6:x`},
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
		{name: "a list that is refused when a watch was opened beside it", history: begun + `
			s2 END clean
			s3 LIST rv=6
			s4 WATCH rv=6
			s4 <- ok
			... 1s
			s3 <- 410
			... 1s
			s5 WATCH rv=6`},
		{name: "a list that is refused, and the informer ends the watch in that moment", history: begun + `
			... 30s
			s3 LIST rv=6
			s3 <- 410
			s2 END stopped
			... 1s
			s4 WATCH rv=6`},
		{name: "beside a streaming list that comes to its mark after that", tested: 1, bad: 1, want: "a LIST that may be newer", got: "WATCH from @6", history: begun + `
			... 30s
			s2 ERROR 500
			s2 END clean
			s3 WATCH initial=true rv=6
			s3 <- ok
			s4 LIST rv=6
			s4 <- 410 !
			s3 ADDED a@5:x
			s3 ADDED b@6:x
			s3 BOOKMARK @6 end
			... 1s
			s5 WATCH rv=6 !`},
		{name: "a list that is refused after the watch had ended", tested: 1, bad: 1, want: "a LIST that may be newer", got: "WATCH from @6", history: begun + `
			... 30s
			s2 ERROR 500
			s2 END clean
			s3 LIST rv=6
			s3 <- 410 !
			... 1s
			s4 WATCH rv=6 !`},
		{name: "a list that is refused at the moment in which the watch ends", tested: 1, bad: 1, want: "a LIST that may be newer", got: "WATCH from @6", history: begun + `
			... 30s
			s3 LIST rv=6
			s3 <- 410 !
			s2 END clean
			... 1s
			s4 WATCH rv=6 !`},
		{name: "beside a streaming list that has not come to its mark", tested: 1, bad: 1, want: "a LIST that may be newer", got: "WATCH from @6", history: begun + `
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
	"resume/no-relist": {
		{name: "the next watch is told 410 after the one before has ended", history: begun + `
			... 298s
			s3 WATCH rv=6
			s3 <- ok
			... 2s
			s2 END clean
			... 30s
			s3 ERROR 410
			s3 END clean
			... 1s
			s4 LIST
			s4 <- @9 a@5:x b@6:x`},
		{name: "and before that", history: begun + `
			... 200s
			s3 WATCH rv=6
			s3 <- ok
			... 30s
			s3 ERROR 410
			s3 END clean
			... 1s
			s2 END clean
			s4 LIST
			s4 <- @9 a@5:x b@6:x`},
		{name: "and at that very moment", history: begun + `
			... 298s
			s3 WATCH rv=6
			s3 <- ok
			... 2s
			s2 END clean
			s3 ERROR 410
			s3 END clean
			s4 LIST
			s4 <- @9 a@5:x b@6:x`},
		{name: "it is refused with 410 while the one before is open", history: begun + `
			... 298s
			s3 WATCH rv=6
			s3 <- 410
			... 2s
			s2 END clean
			s4 LIST
			s4 <- @9 a@5:x b@6:x`},
		{name: "it is refused with 410 when the one before has ended", history: begun + `
			... 298s
			s3 WATCH rv=6
			... 2s
			s2 END clean
			... 1s
			s3 <- 410
			s4 LIST
			s4 <- @9 a@5:x b@6:x`},
		{name: "it is answered when the one before has ended, and a list beside it", history: begun + `
			... 298s
			s3 WATCH rv=6
			... 2s
			s2 END clean
			... 1s
			s3 <- ok
			... 30s
			s4 LIST
			s4 <- @9 a@5:x b@6:x`},
		{name: "it ends at once, before the one before", history: begun + `
			... 298s
			s3 WATCH rv=6
			s3 <- ok
			s3 END clean
			... 2s
			s2 END clean
			s4 LIST
			s4 <- @6 a@5:x b@6:x`},
		{name: "it is refused, asked for again, and gone on from", tested: 1, history: begun + `
			... 298s
			s3 WATCH rv=6
			s3 <- 503
			... 2s
			s2 END clean
			s4 WATCH rv=6
			s4 <- ok`},
		{name: "it is answered when the one before has ended, and a list follows it", tested: 1, bad: 1, want: "a WATCH", got: "LIST of no resourceVersion", history: begun + `
			... 298s
			s3 WATCH rv=6
			... 2s
			s2 END clean
			... 1s
			s3 <- ok
			... 30s
			s3 END clean !
			s4 LIST !
			s4 <- @6 a@5:x b@6:x`},
		{name: "it has ended well before the one before", tested: 1, bad: 1, want: "a WATCH", got: "LIST of no resourceVersion", history: begun + `
			... 200s
			s3 WATCH rv=6
			s3 <- ok
			... 60s
			s3 END clean
			... 40s
			s2 END clean !
			s4 LIST !
			s4 <- @6 a@5:x b@6:x`},
		{name: "the informer has ended it before the one before", tested: 1, bad: 1, want: "a WATCH", got: "LIST of no resourceVersion", history: begun + `
			... 200s
			s3 WATCH rv=6
			s3 <- ok
			... 60s
			s3 END stopped
			... 40s
			s2 END clean !
			s4 LIST !
			s4 <- @6 a@5:x b@6:x`},
		{name: "the one before it was refused", tested: 2, bad: 1, want: "a WATCH", got: "LIST of no resourceVersion", history: begun + `
			... 30s
			s2 END clean
			s3 WATCH rv=6
			s3 <- 503
			s4 WATCH rv=6
			s4 <- ok
			... 30s
			s4 END clean !
			s5 LIST !
			s5 <- @6 a@5:x b@6:x`},
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
