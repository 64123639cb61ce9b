package informer

// A list that is made while a watch is open follows from no end of it: what does is the next request after that.
var overlapHistories = map[string][]judged{
	"resume/no-relist": {
		{name: "a list as a precaution while the watch is open", tested: 1, history: begun + `
			... 30s
			s3 LIST
			s3 <- @6 a@5:x b@6:x
			... 30s
			s2 END clean
			s4 WATCH rv=6`},
		{name: "one that follows, of who has made none before", tested: 1, bad: 1, want: "a WATCH", got: "LIST of @6", history: begun + `
			... 30s
			s2 END clean !
			s4 LIST rv=6 !
			s4 <- @6 a@5:x b@6:x
			s5 WATCH rv=6
			s5 <- ok
			... 30s
			s6 LIST`},
		{name: "one while it is open, and one that follows, for the same reason perhaps", history: begun + `
			... 30s
			s3 LIST
			s3 <- @6 a@5:x b@6:x
			... 30s
			s2 END clean
			s4 LIST rv=6`},
		{name: "one while the watch before was open", tested: 1, history: begun + `
			... 30s
			s3 LIST
			s3 <- @6 a@5:x b@6:x
			... 30s
			s2 END clean
			s4 WATCH rv=6
			s4 <- ok
			... 30s
			s4 END clean
			s5 LIST`},
		{name: "one at the very moment of its end", tested: 1, history: begun + `
			... 30s
			s3 LIST
			s3 <- @6 a@5:x b@6:x
			s2 END clean
			s4 WATCH rv=6`},
		{name: "one shortly before its end, in real time, where that may be told of late", history: "real\n" + begun + `
			... 30s
			s3 LIST
			s3 <- @6 a@5:x b@6:x
			... 99ms
			s2 END clean
			s4 WATCH rv=6`},
		{name: "one while it is open, in real time", tested: 1, history: "real\n" + begun + `
			... 30s
			s3 LIST
			s3 <- @6 a@5:x b@6:x
			... 100ms
			s2 END clean
			s4 WATCH rv=6`},
		{name: "one while it is open, and nothing follows", history: begun + `
			... 30s
			s3 LIST
			s3 <- @6 a@5:x b@6:x
			... 30s
			s2 END clean`},
	},
	"resume/errors": {
		{name: "a watch that follows what cannot be read before the client hangs up", tested: 1, history: begun + `
			s2 SPOILED
			s3 WATCH rv=6
			s2 END stopped
			s3 <- ok
			i SETTLED
			i STORE a@5:x b@6:x`},
		{name: "nothing follows what cannot be read but what was asked before", tested: 1, bad: 1, want: "another request", got: "none", history: begun + `
			s3 LIST
			s3 <- @6 a@5:x b@6:x
			s2 SPOILED
			s2 END stopped !
			i SETTLED !
			i STORE a@5:x b@6:x`},
	},
	"resume/version": {
		{name: "from a list that was made meanwhile", tested: 2, history: begun + `
			s2 BOOKMARK @7
			... 30s
			s3 LIST
			s3 <- @9 a@5:x b@6:x
			... 30s
			s2 END clean
			s4 WATCH rv=9`},
		{name: "from before a list that was made meanwhile", tested: 2, bad: 1, want: "a WATCH from @7 or @9", got: "WATCH from @6", history: begun + `
			s2 BOOKMARK @7
			... 30s
			s3 LIST
			s3 <- @9 a@5:x b@6:x
			... 30s
			s2 END clean !
			s4 WATCH rv=6 !`},
	},
	"resume/expired": {
		{name: "what follows the 410 before the watch is closed", tested: 1, history: begun + `
			s2 ERROR 410
			s3 LIST
			s3 <- @7 a@7:y b@6:x
			s4 WATCH rv=7
			s2 END stopped
			s4 <- ok
			s4 END clean
			s5 WATCH rv=7`},
		{name: "a watch that follows the 410 before it is closed", tested: 2, bad: 1, want: "a LIST that may be newer", got: "WATCH from @6", history: begun + `
			s2 ERROR 410 !
			s3 WATCH rv=6 !
			s2 END stopped
			s3 <- 410
			s4 LIST`},
		{name: "a list that was made before the 410", tested: 1, bad: 1, want: "a LIST that may be newer", got: "WATCH from @6", history: begun + `
			... 30s
			s3 LIST
			s3 <- @6 a@5:x b@6:x
			... 30s
			s2 ERROR 410 !
			s2 END clean
			s4 WATCH rv=6 !`},
	},
}
