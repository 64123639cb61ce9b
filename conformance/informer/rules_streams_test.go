package informer

var streamHistories = map[string][]judged{
	"sync/watchlist-refused": {
		{name: "a list", tested: 1, history: `
			i RUN
			s1 WATCH initial=true
			s1 <- 400
			... 1s
			s2 LIST rv=0
			s2 <- @4`},
		{name: "a list in the end", tested: 1, history: `
			i RUN` + times(3, `
			s1 WATCH initial=true
			s1 <- 422
			... 1s`) + `
			s2 LIST rv=0
			s2 <- @4`},
		{name: "a list, after many", tested: 1, history: `
			i RUN
			s1 WATCH initial=true
			s1 <- 422
			... 1s
			s1 WATCH initial=true
			s1 <- 422
			... 2s
			s1 WATCH initial=true
			s1 <- 422
			... 4s
			s1 WATCH initial=true
			s1 <- 422
			... 8s
			s1 WATCH initial=true
			s1 <- 422
			... 16s
			s2 LIST rv=0
			s2 <- @4`},
		{name: "many, and the next was served", tested: 1, bad: 1, want: "a LIST", got: "a streaming list again, 4 times", history: `
			i RUN
			s1 WATCH initial=true !
			s1 <- 403
			... 1s` + times(2, `
			s1 WATCH initial=true
			s1 <- 403
			... 1s`) + `
			s1 WATCH initial=true !
			s1 <- 403
			... 1s
			s1 WATCH initial=true
			s1 <- ok
			s1 BOOKMARK @4 initial-events-end
			... 1s`},
		{name: "a list, each time", tested: 2, history: `
			i RUN` + times(2, `
			s1 WATCH initial=true
			s1 <- 404
			... 1s
			s2 LIST rv=4
			s2 <- @4
			s3 WATCH rv=4
			s3 <- ok
			s3 ERROR 410
			... 1s`)},
		{name: "over HTTP, asked again by the client alone", tested: 1, history: `
			i RUN` + times(43, `
			... 1s
			s1 WATCH initial=true wire
			s1 <- 500`) + `
			s2 LIST rv=0
			s2 <- @4`},
		{name: "never", tested: 1, bad: 1, want: "a LIST", got: "a streaming list again, 4 times", history: `
			i RUN
			s1 WATCH initial=true !
			s1 <- 403
			... 1s` + times(2, `
			s1 WATCH initial=true
			s1 <- 403
			... 1s`) + `
			s1 WATCH initial=true !
			s1 <- 403`},
		{name: "never, with every code, told once", tested: 1, bad: 1, want: "a LIST", got: "a streaming list again, 5 times", history: `
			i RUN
			s1 WATCH initial=true !
			s1 <- 400
			... 1s
			s1 WATCH initial=true
			s1 <- 404
			... 2s
			s1 WATCH initial=true
			s1 <- 500
			... 4s
			s1 WATCH initial=true
			s1 <- 503
			... 8s
			s1 WATCH initial=true !
			s1 <- 503
			... 8s`},
		{name: "never, over HTTP", tested: 1, bad: 1, want: "a LIST", got: "a streaming list again, 44 times", history: `
			i RUN
			s1 WATCH initial=true wire !
			s1 <- 503` + times(42, `
			... 1s
			s1 WATCH initial=true wire
			s1 <- 503`) + `
			s1 WATCH initial=true wire !
			s1 <- 503`},
		{name: "too few to say", undecided: "3 streaming lists failed", history: `
			i RUN` + times(3, `
			s1 WATCH initial=true
			s1 <- 422`)},
		{name: "the next was served", history: `
			i RUN` + times(3, `
			s1 WATCH initial=true
			s1 <- 422`) + `
			s1 WATCH initial=true
			s1 <- ok
			s1 BOOKMARK @4 end`},
		{name: "none asked for", history: begun},
		{name: "a watch is no streaming list", history: begun + times(4, `
			s2 ERROR 410
			s2 LIST
			s2 <- @6 a@5:x b@6:x
			s2 WATCH rv=6 initial=false
			s2 <- 500`)},
	},
	"sync/watchlist-fallback": {
		{name: "over HTTP, lost, and asked again by the client alone", tested: 1, history: `
			i RUN` + times(11, `
			... 1s
			s1 WATCH initial=true wire
			s1 <- ok
			s1 FAULT reset lost
			s1 END broken`) + `
			s2 LIST rv=0
			s2 <- @4`},
		{name: "no connection, however often", history: `
			i RUN` + times(60, `
			... 1s
			s1 WATCH initial=true wire
			s1 FAULT reset lost
			s1 END broken`) + times(60, `
			... 1s
			s1 WATCH initial=true wire
			s1 <- 0`), also: "resume/pace"},
		{name: "refused as too large is another rule's", history: `
			i RUN` + times(4, `
			s1 WATCH initial=true rv=9
			s1 <- 504 cause=ResourceVersionTooLarge
			... 1s`), also: "resume/too-large"},
		{name: "ended as too large is another rule's", history: `
			i RUN` + times(4, `
			s1 WATCH initial=true rv=9
			s1 <- ok
			s1 ERROR 504 cause=ResourceVersionTooLarge
			... 1s`), also: "resume/too-large"},
		{name: "a list, after one that ends", tested: 1, history: `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			s1 ADDED a@5
			s1 END clean
			s2 LIST rv=0
			s2 <- @5 a@5`},
		{name: "a list, after one that it gave up", tested: 1, history: `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			... 10m
			s1 END stopped
			s2 LIST rv=0
			s2 <- @4`},
		{name: "a list, after three that were busy", tested: 1, history: `
			i RUN` + times(3, `
			s1 WATCH initial=true
			s1 <- 429
			... 1s`) + `
			s2 LIST rv=0
			s2 <- @4`},
		{name: "a list, after an ERROR", tested: 1, history: `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			s1 ADDED a@5
			s1 ERROR 500
			... 1s
			s2 LIST rv=0
			s2 <- @5 a@5`},
		{name: "over HTTP, asked again by the client alone", tested: 1, history: `
			i RUN` + times(4, `
			... 1s
			s1 WATCH initial=true wire
			s1 <- 429`) + `
			s2 LIST rv=0
			s2 <- @4`},
		{name: "never: they end early", tested: 1, bad: 1, want: "a LIST", got: "a streaming list again, 4 times", history: `
			i RUN
			s1 WATCH initial=true !
			s1 <- ok
			s1 ADDED a@5
			s1 END clean` + times(2, `
			... 1s
			s1 WATCH initial=true
			s1 <- ok
			s1 ADDED a@5
			s1 END broken`) + `
			... 1s
			s1 WATCH initial=true !
			s1 <- ok
			s1 END clean`},
		{name: "never: they have no mark", tested: 1, bad: 1, want: "a LIST", got: "a streaming list again, 4 times", history: `
			i RUN
			s1 WATCH initial=true !
			s1 <- ok
			s1 ADDED a@5
			s1 BOOKMARK @5
			... 10m
			s1 END stopped` + times(2, `
			s1 WATCH initial=true
			s1 <- ok
			s1 ADDED a@5
			... 10m
			s1 END stopped`) + `
			s1 WATCH initial=true !
			s1 <- ok
			... 10m
			s1 END stopped
			s1 WATCH initial=true
			s1 <- ok`},
		{name: "never: each is an ERROR", tested: 1, bad: 1, want: "a LIST", got: "a streaming list again, 4 times", history: `
			i RUN
			s1 WATCH initial=true !
			s1 <- ok
			s1 ERROR 410` + times(2, `
			... 1s
			s1 WATCH initial=true
			s1 <- ok
			s1 ERROR 500`) + `
			... 2s
			s1 WATCH initial=true !
			s1 <- ok
			s1 ERROR 500`},
		{name: "never: busy, or gone, or no rights", tested: 1, bad: 1, want: "a LIST", got: "a streaming list again, 4 times", history: `
			i RUN
			s1 WATCH initial=true !
			s1 <- 429` + times(2, `
			... 1s
			s1 WATCH initial=true
			s1 <- 410`) + `
			... 2s
			s1 WATCH initial=true !
			s1 <- 401`},
		{name: "over HTTP, of those that ended it was not the client that asked again", tested: 1, bad: 1, want: "a LIST", got: "4 times", history: `
			i RUN
			s1 WATCH initial=true wire !
			s1 <- ok
			s1 END clean` + times(2, `
			... 1s
			s1 WATCH initial=true wire
			s1 <- ok
			s1 END clean`) + `
			... 1s
			s1 WATCH initial=true wire !
			s1 <- ok
			s1 END clean`},
		{name: "too few to say", undecided: "1 streaming lists failed", history: `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			s1 END clean`},
		{name: "one that is still open", history: `
			i RUN
			s1 WATCH initial=true
			s1 <- ok`},
		{name: "one that a stop has ended", history: `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			i STOP
			s1 END stopped
			i RETURN`},
		{name: "it came to its end", history: `
			i RUN` + times(4, `
			s1 WATCH initial=true
			s1 <- ok
			s1 BOOKMARK @4 end
			... 2s
			s1 ERROR 500
			... 1s`)},
		{name: "too large is another rule's", history: `
			i RUN` + times(2, `
			s1 WATCH initial=true rv=9
			s1 <- 504 cause=ResourceVersionTooLarge
			... 1s
			s1 WATCH initial=true rv=9
			s1 <- ok
			s1 ERROR 504 cause=ResourceVersionTooLarge
			... 1s`), also: "resume/too-large"},
		{name: "none asked for", history: begun},
	},
}
