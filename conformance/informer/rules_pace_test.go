package informer

import "fmt"

// refused is a request that is refused, after each of these pauses.
func refused(with string, pauses ...string) string {
	s := ""
	for _, p := range pauses {
		s += fmt.Sprintf("s1 LIST rv=0\ns1 <- %s\n... %s\n", with, p)
	}
	return s
}

var paceHistories = map[string][]judged{
	"resume/busy-loop": {
		{name: "nothing fails", history: begun},
		{name: "ten a second, and then all is well", tested: 90, history: begun + `
			... 2s` + times(90, `
			s2 END clean
			... 100ms
			s2 WATCH rv=6
			s2 <- 503`) + `
			... 30s
			s2 WATCH rv=6
			s2 <- ok`},
		{name: "for two seconds, watches end at once and are opened again soon", tested: 40, also: "resume/pace", history: "real\n" + begun + times(40, `
			s2 END clean
			... 50ms
			s2 WATCH rv=6
			s2 <- ok`) + `
			s2 MODIFIED b@7:x`},
		{name: "watch after watch that brings something new", history: begun + `
			s2 MODIFIED a@7:y
			s2 END clean
			s2 WATCH rv=7
			s2 <- ok
			s2 MODIFIED a@8:z
			s2 END clean
			s2 WATCH rv=7
			s2 <- ok
			s2 MODIFIED a@8:z
			s2 MODIFIED a@9:y`, also: "resume/version"},
		{name: "the same event again and again, with a pause", tested: 98, history: begun + times(99, `
			s2 MODIFIED a@7:y
			s2 END broken
			... 100ms
			s2 WATCH rv=6
			s2 <- ok`)},
		{name: "the same event again and again", tested: 101, bad: 1, want: "fewer than 100 failures in 10s", got: "100 watches in 1s", history: begun + `
			s2 MODIFIED a@7:y
			s2 END stopped
			... 10ms
			s2 WATCH rv=6 !
			s2 <- ok
			s2 MODIFIED a@7:y
			s2 END stopped` + times(99, `
			... 10ms
			s2 WATCH rv=6
			s2 <- ok
			s2 MODIFIED a@7:y
			s2 END stopped`) + `
			... 10ms
			s2 WATCH rv=6 !
			s2 <- ok
			s2 MODIFIED a@7:y
			s2 END stopped`},
		{name: "a hundred without a pause", tested: 101, bad: 1, also: "resume/pace", want: "fewer than 100 failures in 10s", got: "100 watches in 1s", history: begun + `
			... 2s
			s2 END clean
			... 1s
			s2 WATCH rv=6 !
			s2 <- 503` + times(99, `
			... 10ms
			s2 WATCH rv=6
			s2 <- 503`) + `
			... 10ms
			s2 WATCH rv=6 !
			s2 <- 503`},
	},
	"resume/pace": {
		{name: "pauses that the server asked for", tested: 1, history: "i RUN\n" + refused("429 retry=1", "1s", "1s", "1s", "1s", "1s", "1s", "1s") + `
			s1 LIST rv=0`},
		{name: "shorter pauses than the server asked for", tested: 1, bad: 1, want: "pauses that grow", got: "6 pauses of 1s to 1s", history: `
			i RUN
			s1 LIST rv=0
			s1 <- 429 retry=2 !
			... 1s
			` + refused("429 retry=2", "1s", "1s", "1s", "1s", "1s") + `
			s1 LIST rv=0 !`, also: "resume/retry-after"},
		{name: "pauses that are just long enough to be some", tested: 1, bad: 1, want: "pauses that grow", got: "6 pauses of 100ms to 100ms", history: `
			i RUN
			s1 LIST rv=0
			s1 <- 500 !
			... 100ms
			` + refused("500", "100ms", "100ms", "100ms", "100ms", "100ms") + `
			s1 LIST rv=0 !`},
		{name: "a tight loop, after pauses of one length", tested: 1, bad: 1, want: "pauses after failures in a row", got: "10 lists with no pause between", history: `
			i RUN
			s1 LIST rv=0
			s1 <- 500 !
			... 1s
			` + refused("500", "1s", "1s", "1s", "1s", "1s") + times(10, `
			s1 LIST rv=0
			s1 <- 500`) + `
			s1 LIST rv=0 !`},
		{name: "lists that are lost, by no wire", tested: 1, bad: 1, want: "pauses after failures in a row", got: "10 lists with no pause between", history: `
			i RUN
			s1 LIST rv=0 !
			s1 FAULT reset lost` + times(9, `
			s1 LIST rv=0
			s1 FAULT reset lost`) + `
			s1 LIST rv=0 !`},
		{name: "watches that bring what cannot be read, after a minute each", history: begun + times(12, `
			... 1m
			s2 SPOILED truncate
			s2 END clean
			s2 WATCH rv=6
			s2 <- ok`)},
		{name: "watches that bring what cannot be read, after an event", tested: 1, bad: 1, want: "pauses after failures in a row", got: "10 watches with no pause between", history: begun + times(1, `
			s2 BOOKMARK @6
			s2 SPOILED garble
			s2 END clean !`) + times(9, `
			s2 WATCH rv=6
			s2 <- ok
			s2 BOOKMARK @6
			s2 SPOILED garble
			s2 END clean`) + `
			s2 WATCH rv=6 !`},
		{name: "streaming lists that come to their end", history: "i RUN\n" + times(11, `
			s1 WATCH initial=true
			s1 <- ok
			s1 BOOKMARK @4 end
			s1 END clean`)},
		{name: "another way than that of its streaming lists, in the end", tested: 1, history: `
			i RUN
			s1 WATCH initial=true
			s1 <- 410
			... 1s
			s2 LIST
			s2 <- 500
			... 1s
			s2 LIST
			s2 <- @4
			s3 WATCH rv=4
			s3 <- ok`},
		{name: "pauses that grow", tested: 1, history: "i RUN\n" + refused("500", "1s", "1s", "1s", "2s", "1s", "1s") + `
			s1 LIST rv=0`},
		{name: "and start anew", tested: 1, history: "i RUN\n" + refused("500", "1s", "2s", "4s", "1s", "2s", "4s", "1s") + `
			s1 LIST rv=0`},
		{name: "some without a pause", tested: 1, history: "i RUN\n" + times(9, refused("500", "1ms")) + refused("500", "1s") + times(9, refused("500", "1ms")) + `
			... 100ms
			s1 LIST rv=0`},
		{name: "a row that ends, twice", tested: 2, history: "i RUN\n" + times(2, refused("500", "1s", "1s", "1s", "2s", "1s", "1s")+`
			s1 LIST rv=0
			s1 <- @4
			s2 WATCH rv=4
			s2 <- ok
			... 1s
			s2 ERROR 500
			s2 END clean`)},
		{name: "five are no row", history: "i RUN\n" + times(3, refused("500", "1s", "1s", "1s", "1s", "1s")+`
			s1 LIST rv=0
			s1 <- @4
			s2 WATCH rv=4
			s2 <- ok
			s2 BOOKMARK @5
			... 1s
			s2 ERROR 500
			s2 END clean`)},
		{name: "over HTTP the client asks again by itself", tested: 1, history: "i RUN\n" + times(10, `
			s1 LIST rv=0 wire
			s1 <- 503
			s1 END clean
			... 1s`) + `
			s1 LIST rv=0 wire`},
		{name: "it went another way than that of its streaming lists", tested: 1, history: `
			i RUN
			s1 WATCH initial=true
			s1 <- 410
			... 1s
			s2 LIST
			s2 <- @4
			s3 WATCH rv=4
			s3 <- ok`},
		{name: "streaming lists that come to nothing, with pauses", tested: 1, history: `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			... 1s
			s1 END clean
			... 1s
			s1 WATCH initial=true
			s1 <- ok
			... 1s
			s1 SPOILED garble
			s1 END clean
			... 2s
			s1 WATCH initial=true
			s1 <- 429
			... 4s
			` + refused("500", "4s", "4s", "4s") + `
			s2 LIST
			s2 <- @4
			s3 WATCH rv=4
			s3 <- ok`},
		{name: "in a tight loop", tested: 1, bad: 1, want: "pauses after failures in a row", got: "10 lists with no pause between", history: `
			i RUN
			s1 LIST rv=0
			s1 <- 500 !
			... 99ms` + times(9, `
			s1 LIST rv=0
			s1 <- 500
			... 99ms`) + `
			s1 LIST rv=0 !
			s1 <- 500
			s1 LIST rv=0
			s1 <- 500
			... 10s`},
		{name: "in a tight loop, which comes later", tested: 1, bad: 1, want: "pauses after failures in a row", got: "10 lists with no pause between", history: `
			i RUN
			s1 LIST rv=0
			s1 <- 500 !
			... 10s` + times(10, `
			s1 LIST rv=0
			s1 <- 500`) + `
			s1 LIST rv=0 !`},
		{name: "watches that end at once", tested: 1, bad: 1, want: "pauses after failures in a row", got: "10 watches with no pause between", history: begun + `
			s2 END clean !` + times(9, `
			s2 WATCH rv=6
			s2 <- ok
			... 500ms
			s2 END clean`) + `
			s2 WATCH rv=6 !`},
		{name: "watches that are expired, with lists between", tested: 1, bad: 1, want: "pauses after failures in a row", got: "10 watches with no pause between", history: begun + `
			s2 ERROR 410 !` + times(9, `
			s2 LIST rv=6
			s2 <- @6 a@5:x b@6:x
			s2 WATCH rv=6
			s2 <- 410`) + `
			s2 LIST rv=6 !`},
		{name: "streaming lists that end early", tested: 1, bad: 1, want: "pauses after failures in a row", got: "10 streaming lists with no pause between", history: `
			i RUN
			s2 WATCH initial=true
			s2 <- ok
			s2 ADDED a@4
			... 5s
			s2 END clean !` + times(9, `
			s2 WATCH initial=true
			s2 <- ok
			s2 ADDED a@4
			... 5s
			s2 END clean`) + `
			s2 WATCH initial=true !
			s2 <- ok`, also: "sync/watchlist-fallback"},
		{name: "pauses of one length", tested: 1, bad: 1, want: "pauses that grow", got: "6 pauses of 1s to 1.999s", history: `
			i RUN
			s1 LIST rv=0
			s1 <- 500 !
			... 1s
			` + refused("500", "1s", "1s", "1s", "1s", "1999ms") + `
			s1 LIST rv=0 !`},
		{name: "pauses of one length, over HTTP, too", tested: 1, bad: 1, want: "pauses that grow", got: "66 pauses of 1s to 1s", history: `
			i RUN
			s1 LIST rv=0 wire
			s1 <- 503 !
			s1 END clean
			... 1s` + times(65, `
			s1 LIST rv=0 wire
			s1 <- 503
			s1 END clean
			... 1s`) + `
			s1 LIST rv=0 wire !`},
		{name: "pauses of one length, over HTTP, of what the client does not ask for again by itself", tested: 1, bad: 1, want: "pauses that grow", got: "6 pauses of 1s to 1s", history: `
			i RUN
			s1 LIST rv=0 wire
			s1 <- 403 !
			s1 END clean
			... 1s` + times(5, `
			s1 LIST rv=0 wire
			s1 <- 403
			s1 END clean
			... 1s`) + `
			s1 LIST rv=0 wire !`, also: "request/allowed resume/permanent"},
		{name: "nothing fails", history: begun + times(10, `
			... 2s
			s2 END clean
			s2 WATCH rv=6
			s2 <- ok`)},
		{name: "watches that bring something", history: begun + times(10, `
			s2 BOOKMARK @6
			s2 END clean
			s2 WATCH rv=6
			s2 <- ok`)},
		{name: "of the last nothing is known", history: "i RUN\n" + refused("500", "1s", "1s", "1s", "1s", "1s", "1s")},
		{name: "a list that comes by no wire, and is lost", history: "i RUN\n" + times(5, `
			s1 LIST rv=0
			s1 FAULT reset lost
			... 1s`)},
	},
	"resume/retry-after": {
		{name: "waited for", tested: 4, history: begun + `
			s2 ERROR 429 retry=20
			... 20s
			s3 WATCH rv=6
			s3 <- 429 retry=20
			... 18s
			s4 LIST rv=6
			s4 <- 503 retry=1
			... 30s
			s5 LIST rv=6
			s5 <- 500 retry=1
			... 1s
			s6 LIST rv=6
			s6 <- @6 a@5:x b@6:x`},
		{name: "another informer starts beside one that was started again after its end", history: `
			i RUN
			s1 LIST rv=0
			s1 <- @5 a@5:x
			i STOP
			i <- RETURNED
			i RUN
			j RUN
			s2 LIST rv=0
			s2 <- 503 retry=1
			s3 LIST rv=0
			s3 <- @5 a@5:x`},
		{name: "a list", tested: 1, bad: 1, want: "no request for 20s", got: "LIST 17.999s after a list got 429", history: `
			i RUN
			s1 LIST rv=0
			s1 <- 429 retry=20 !
			... 17999ms
			s2 LIST rv=0 !`},
		{name: "a watch", tested: 1, bad: 1, want: "no request for 2s", got: "WATCH 1s after a watch got 503", history: begun + `
			s2 END clean
			s3 WATCH rv=6
			s3 <- 503 retry=2 !
			... 1s
			s3 WATCH rv=6 !`},
		{name: "in the stream", tested: 1, bad: 1, want: "no request for 20s", got: "WATCH 1s after a watch got ERROR 429", history: begun + `
			s2 ERROR 429 retry=20 !
			... 1s
			s3 WATCH rv=6 !`},
		{name: "the most recent state instead of a version that is too large", history: begun + `
			s2 ERROR 500
			s3 LIST rv=6
			s3 <- 504 retry=1 cause=ResourceVersionTooLarge
			s4 LIST`},
		{name: "the version that is too large again", tested: 1, bad: 1, want: "no request for 1s", got: "LIST 0s after a list got 504", history: begun + `
			s2 ERROR 500
			s3 LIST rv=6
			s3 <- 504 retry=1 cause=ResourceVersionTooLarge !
			s4 LIST rv=6 !`},
		{name: "nobody said when", history: begun + `
			s2 ERROR 429
			s3 WATCH rv=6
			s3 <- 500
			s4 LIST rv=6`},
		{name: "no request follows", history: begun + `
			s2 ERROR 429 retry=1`},
	},
	"resume/permanent": {
		{name: "told once, and then silence", tested: 2, bad: 1, also: "request/allowed", want: "an error for the error hook", got: "the same request 4 times, and no error", history: `
			i RUN
			s1 LIST rv=0
			s1 <- 403
			i TOLD
			... 1s
			s1 LIST rv=0
			s1 <- 403 !` + times(2, `
			... 1s
			s1 LIST rv=0
			s1 <- 403`) + `
			... 1s
			s1 LIST rv=0
			s1 <- 403 !`},
		{name: "told, and retried slowly", tested: 3, history: `
			i RUN
			s1 LIST rv=0
			s1 <- 403
			i TOLD
			... 1s
			s2 LIST rv=0
			s2 <- @4
			s3 WATCH rv=4
			s3 <- 401
			i TOLD
			... 100ms
			s4 WATCH rv=4
			s4 <- 404
			i TOLD`},
		{name: "told after some", tested: 1, history: begun + `
			s2 END clean` + times(3, `
			s3 WATCH rv=6
			s3 <- 403
			... 1s`) + `
			i TOLD
			... 1s
			s4 WATCH rv=6`},
		{name: "told after four others", tested: 1, history: `
			i RUN` + times(4, `
			s3 LIST rv=0
			s3 <- 500
			... 1s`) + `
			s3 LIST rv=0
			s3 <- 403
			i TOLD`},
		{name: "silence", tested: 1, bad: 1, also: "request/allowed", want: "an error for the error hook", got: "the same request 4 times, and no error", history: `
			i RUN
			s1 LIST rv=0
			s1 <- 403 !` + times(2, `
			... 1s
			s1 LIST rv=0
			s1 <- 403`) + `
			... 1s
			s1 LIST rv=0
			s1 <- 403 !
			... 5s
			s1 LIST rv=0
			s1 <- 403`},
		{name: "silence, but for what was told before", tested: 1, bad: 1, want: "an error for the error hook", got: "the same request 4 times, and no error", history: `
			i RUN
			i TOLD
			s1 LIST rv=0
			s1 <- 401 !` + times(2, `
			... 1s
			s1 LIST rv=0
			s1 <- 404`) + `
			... 1s
			s1 LIST rv=0
			s1 <- 401 !`},
		{name: "silence, and the fifth is told", tested: 2, bad: 1, want: "an error for the error hook", got: "the same request 4 times, and no error", history: `
			i RUN
			s1 LIST rv=0
			s1 <- 401 !` + times(2, `
			... 1s
			s1 LIST rv=0
			s1 <- 401`) + `
			... 1s
			s1 LIST rv=0
			s1 <- 401 !
			... 5s
			s1 LIST rv=0
			s1 <- 401
			i TOLD`},
		{name: "told, and again at once", tested: 1, bad: 1, want: "a pause before the next request", got: "LIST after 99ms", history: `
			i RUN
			s1 LIST rv=0
			s1 <- 404 !
			i TOLD
			... 99ms
			s2 LIST rv=0 !`},
		{name: "three are too few", history: `
			i RUN` + times(3, `
			s1 LIST rv=0
			s1 <- 403
			... 1s`) + `
			s1 LIST rv=0
			s1 <- @4
			s2 WATCH rv=4
			s2 <- 403`},
		{name: "what will pass, and streaming lists, for which there are lists", history: `
			i RUN` + times(2, `
			s1 WATCH initial=true
			s1 <- 403
			... 1s`) + times(5, `
			s1 LIST rv=0
			s1 <- 503
			... 1s`) + `
			s1 LIST rv=0
			s1 <- @4
			` + times(2, `
			s2 WATCH rv=4
			s2 <- ok
			s2 ERROR 403
			... 2s
			s2 WATCH rv=4
			s2 <- ok
			... 2s
			s2 ERROR 401`)},
	},
}
