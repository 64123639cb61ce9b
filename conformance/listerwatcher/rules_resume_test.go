package listerwatcher

import (
	"strings"
	"testing"
)

func TestResumeVersion(t *testing.T) {
	judge(t, "resume/version", []judged{
		{name: "from the last event", tested: 1, history: journey + `
			s1 .. END clean
			s1 -> WATCH rv=6`},
		{name: "from the last bookmark", tested: 1, history: journey + `
			s1 .. BOOKMARK @9
			s1 .. END clean
			s1 -> WATCH rv=9`},
		{name: "from before the bookmark", tested: 1, history: journey + `
			s1 .. BOOKMARK @9
			s1 .. END clean
			s1 -> WATCH rv=6`, want: "resourceVersion 9, of what came last", got: `resourceVersion "6"`},
		{name: "from a bookmark that has a digit more than the event", tested: 1, history: journey + `
			s1 .. BOOKMARK @10
			s1 .. END clean
			s1 -> WATCH rv=10`},
		{name: "from the event, which is greater as a text", tested: 1, history: journey + `
			s1 .. BOOKMARK @10
			s1 .. END clean
			s1 -> WATCH rv=6`, want: "resourceVersion 10, of what came last", got: `resourceVersion "6"`},
		{name: "from the start", tested: 1, history: journey + `
			s1 .. END clean
			s1 -> WATCH rv=5`, want: "resourceVersion 6, of what came last", got: `resourceVersion "5"`},
		{name: "from where nobody knows", tested: 1, history: journey + `
			s1 .. END clean
			s1 -> WATCH none`, want: "resourceVersion 6, of what came last", got: `resourceVersion ""`},
		{name: "again, when it was refused", tested: 2, history: journey + `
			s1 .. END clean
			s1 -> WATCH rv=6
			s1 <- 500 InternalError
			s1 -> WATCH rv=6`},
		{name: "of a broken connection it had lost the last, which came by the next", tested: 1, history: journey + `
			s1 .. MODIFIED a@7
			s1 .. END broken
			s1 -> WATCH rv=6
			s1 <- ok
			s1 .. MODIFIED a@7
			c1 .. MODIFIED a@7
			c1 .. SETTLED`},
		{name: "of a broken connection it may have lost the last", tested: 1, history: journey + `
			s1 .. ADDED b@7
			s1 .. END broken
			s1 -> WATCH rv=6`},
		{name: "or not", tested: 1, history: journey + `
			s1 .. ADDED b@7
			s1 .. END broken
			s1 -> WATCH rv=7`},
		{name: "but not what its consumer had", tested: 1, history: journey + `
			s1 .. ADDED b@7
			c1 .. ADDED b@7
			s1 .. END broken
			s1 -> WATCH rv=6`, want: "resourceVersion 7, of what came last", got: `resourceVersion "6"`},
		{name: "from before a frame that cannot be read", tested: 1, history: journey + `
			s1 .. SPOILED garble
			s1 .. ADDED c@8
			s1 .. END stopped
			s1 -> WATCH rv=6`},
		{name: "from after it", tested: 1, history: journey + `
			s1 .. SPOILED garble
			s1 .. ADDED c@8
			s1 .. END stopped
			s1 -> WATCH rv=8`, want: "resourceVersion 6, of what came last", got: `resourceVersion "8"`},
		{name: "it ends with its first connection", tested: 1, history: journey + `
			s1 .. END clean
			c1 .. ENDED`, want: "a request that goes on", got: "the end of the stream"},
		{name: "it stays, and does not go on", tested: 1, history: journey + `
			s1 .. END clean
			... 10m
			c1 .. SETTLED`, want: "a request that goes on", got: "none, though it had all the time it needs"},
		{name: "it may pause for minutes", history: journey + `
			s1 .. END clean
			... 4m59s
			c1 .. SETTLED`},
		{name: "nothing had come", history: `
			has watches retries server-faults
			c1 -> WATCH rv=5
			c1 <- ok
			s1 -> WATCH
			s1 <- ok
			s1 .. END clean
			s1 -> WATCH rv=5`},
		{name: "it was let go of", history: journey + `
			c1 -> STOP
			s1 .. END clean
			s1 -> WATCH rv=1`},
		{name: "begun at no resourceVersion nobody knows", history: `
			has watches retries server-faults
			c1 -> WATCH
			c1 <- ok
			s1 -> WATCH
			s1 <- ok
			s1 .. ADDED b@7
			s1 .. ADDED a@6
			s1 .. END clean
			s1 -> WATCH rv=7`},
		{name: "it asked for nothing", history: `
			has watches retries server-faults
			c1 -> WATCH rv=5
			c1 <- ok
			c1 .. ENDED`},
	})
}

func TestResumeExpired(t *testing.T) {
	const status = journey + `
		s1 .. END clean
		s1 -> WATCH rv=6
		s1 <- 410 Expired
	`
	const again = `
		s1 -> WATCH rv=6
		s1 <- 410 Expired
	`
	const stream = journey + `
		s1 .. ERROR 410 Expired
		s1 .. END clean
	`
	judge(t, "resume/expired", []judged{
		{name: "as a status", tested: 1, history: status + `
			c1 .. ERROR 410 Expired
			c1 .. ENDED`},
		{name: "in the stream", tested: 1, history: stream + `
			c1 .. ERROR 410 Gone
			c1 .. ENDED`},
		{name: "it tells, and stays open until it is let go of", tested: 1, history: stream + `
			c1 .. ERROR 410 Gone
			... 10m
			c1 .. SETTLED
			c1 -> STOP
			c1 .. ENDED`, want: "the end, with the ERROR", got: "none, though it had all the time it needs"},
		{name: "it asks again, and has time", tested: 1, history: status + again + `
			c1 .. SETTLED`, want: "ERROR 410 Expired a status, and the end", got: "silence: it asks again, and again"},
		{name: "it asks again, often enough", tested: 1, history: status + again + again + again + again,
			want: "ERROR 410 Expired a status, and the end", got: "silence: it asks again, and again"},
		{name: "it does nothing", tested: 1, history: stream + `
			c1 .. SETTLED`, want: "ERROR 410 Expired a status, and the end", got: "silence, though it had all the time it needs"},
		{name: "it asks again, and ends then without a word", tested: 1, history: status + `
			... 1s
			s1 -> WATCH
			s1 <- 401 Unauthorized
			c1 .. ENDED`, want: "ERROR 410 Expired a status, and the end", got: "a further request"},
		{name: "it ends without a word", tested: 1, history: stream + `
			c1 .. ENDED`, want: "ERROR 410 Expired a status", got: "the end without an ERROR"},
		{name: "it is told as something else", tested: 1, history: status + `
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`, want: "ERROR 410 Expired a status", got: "ERROR 500 InternalError a status"},
		{name: "it tells, and goes on", tested: 1, history: stream + `
			c1 .. ERROR 410 Expired` + again, want: "the end, with the ERROR", got: "a further request"},
		{name: "it tells, and stays", tested: 1, history: stream + `
			c1 .. ERROR 410 Expired
			c1 .. SETTLED`, want: "the end, with the ERROR", got: "none, though it had all the time it needs"},
		{name: "asked again thrice, without time: nobody knows", history: status + again + again + again},
		{name: "it was let go of", history: status + again + `
			c1 -> STOP
			c1 .. ENDED`},
		{name: "the answer was lost", history: journey + `
			s1 .. END clean
			s1 -> WATCH rv=6
			s1 .. FAULT reset headers lost
			s1 <- 410 Expired
			c1 .. SETTLED`},
		{name: "another refusal", history: journey + `
			s1 .. END clean
			s1 -> WATCH rv=6
			s1 <- 500 InternalError
			c1 .. SETTLED`},
	})
}

func TestResumePermanent(t *testing.T) {
	const refused = `
		has watches retries server-faults
		c1 -> WATCH rv=5
		c1 <- ok
		s1 -> WATCH
		s1 <- 403 Forbidden
	`
	const again = `
		s1 -> WATCH
		s1 <- 403 Forbidden
	`
	judge(t, "resume/permanent", []judged{
		{name: "it tells", tested: 1, history: refused + `
			c1 .. ERROR 403 Forbidden
			c1 .. ENDED`},
		{name: "it ends", tested: 1, history: refused + `
			c1 .. ENDED`},
		{name: "it tells, and stays", tested: 1, history: refused + `
			c1 .. ERROR 403 Forbidden
			c1 .. SETTLED
			c1 -> STOP
			c1 .. ENDED`, want: "the end, with the ERROR", got: "none, though it had all the time it needs"},
		{name: "it tells, and is let go of", tested: 1, history: refused + `
			c1 .. ERROR 403 Forbidden
			c1 -> STOP
			c1 .. ENDED`},
		{name: "silence", tested: 1, history: refused + again + `
			c1 .. SETTLED`, want: "ERROR 403 Forbidden a status, or the end", got: "silence"},
		{name: "silence, often enough", tested: 1, history: refused + again + again + again + again,
			want: "ERROR 403 Forbidden a status, or the end", got: "silence"},
		{name: "it was allowed again", history: refused + again + again + again + again + `
			s1 -> WATCH
			s1 <- ok
			c1 .. SETTLED`},
		{name: "too soon to say", history: refused + again},
		{name: "never refused", history: journey + `c1 .. SETTLED`},
	})
}

func TestResumeErrors(t *testing.T) {
	const refused = journey + `
		s1 .. END clean
		... 1s
		s1 -> WATCH rv=6
		s1 <- 503 ServiceUnavailable
	`
	const again = `
		... 1s
		s1 -> WATCH rv=6
		s1 <- 503 ServiceUnavailable
	`
	const reset = `
		s1 -> WATCH rv=6
		s1 .. FAULT reset lost
		s1 <- ok
	`
	const atOnce = `
		... 10ms
		s1 -> WATCH rv=6
		s1 <- 503 ServiceUnavailable
	`
	judge(t, "resume/errors", []judged{
		{name: "it tries again", tested: 1, history: refused + `
			... 1s
			s1 -> WATCH rv=6
			s1 <- ok
			c1 .. SETTLED`},
		{name: "it gives up", tested: 1, history: refused + `
			c1 .. ENDED`, want: "a request that tries again", got: "the end of the stream"},
		{name: "it does nothing more", tested: 1, history: refused + `
			... 10m
			c1 .. SETTLED`, want: "a request that tries again", got: "none, though it had all the time it needs"},
		{name: "it gives up after four, and says so", tested: 3, history: refused + again + again + again + `
			c1 .. ERROR 503 ServiceUnavailable
			c1 .. ENDED`},
		{name: "it gives up after four without a word", tested: 4, history: refused + again + again + again + `
			c1 .. ENDED`, want: "a request that tries again, or an ERROR", got: "the end of the stream, without a word"},
		{name: "a broken connection is no end", tested: 1, history: journey + `
			s1 .. END broken
			c1 .. ENDED`, want: "a request that tries again", got: "the end of the stream"},
		{name: "nor is an ERROR of the server's", tested: 1, history: journey + `
			s1 .. ERROR 500 InternalError
			s1 .. END clean
			c1 .. ENDED`, want: "a request that tries again", got: "the end of the stream"},
		{name: "each second", tested: 6, history: refused + again + again + again + again + again},
		{name: "its HTTP client sends a request again on each connection that it keeps", tested: 5, history: refused + again + again + reset + reset + reset},
		{name: "it asks again and again while connections break", tested: 31, history: refused + strings.Repeat(reset, 30),
			want: "6 tries in 3s or more", got: "6 in 0s"},
		{name: "without a pause", tested: 6, history: refused + atOnce + atOnce + atOnce + atOnce + atOnce,
			want: "6 tries in 3s or more", got: "6 in 50ms"},
		{name: "four at once, then a pause", tested: 6, history: refused + atOnce + atOnce + atOnce + `... 2s` + again + again},
		{name: "what cannot be mended is another rule's", history: journey + `
			s1 .. END clean
			s1 -> WATCH rv=6
			s1 <- 403 Forbidden
			c1 .. ENDED`},
		{name: "it was let go of", history: refused + `
			c1 -> STOP
			c1 .. ENDED`},
		{name: "nothing went wrong", history: journey + `c1 .. SETTLED`},
		{name: "it does nothing more when connections are taken again", tested: 1, history: journey + `
			network -> DOWN
			s1 .. END stopped
			... 5s
			network -> UP
			... 10m
			c1 .. SETTLED
			c1 -> STOP
			c1 .. ENDED`, want: "a request that tries again", got: "none, though it had all the time it needs"},
		{name: "it does nothing more, and is let go of", tested: 1, history: refused + `
			... 10m
			c1 .. SETTLED
			c1 -> STOP
			c1 .. ENDED`, want: "a request that tries again", got: "none, though it had all the time it needs"},
		{name: "it may pause for minutes", history: refused + `
			... 4m59s
			c1 .. SETTLED`},
		{name: "it asks when connections are taken again", tested: 1, history: journey + `
			network -> DOWN
			s1 .. END stopped
			... 5s
			network -> UP
			s1 -> WATCH rv=6
			s1 <- ok
			c1 .. SETTLED`},
		{name: "connections are refused to the end", history: journey + `
			network -> DOWN
			s1 .. END stopped
			c1 .. SETTLED`},
		{name: "it had not the time", history: journey + `
			network -> DOWN
			s1 .. END stopped
			c1 .. SETTLED
			network -> UP`},
		{name: "it gives up at once", tested: 1, history: journey + `
			network -> DOWN
			s1 .. END stopped
			c1 .. ENDED`, want: "a request that tries again", got: "the end of the stream"},
		{name: "it gives up when it may have tried, and says so", history: journey + `
			network -> DOWN
			s1 .. END stopped
			... 101ms
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`},
	})
}

func TestResumeUnreadable(t *testing.T) {
	const strange = journey + `
		s1 .. SPOILED replace
		s1 .. ADDED c@8
	`
	const want = "an ERROR, or another request: the event cannot be read"
	judge(t, "resume/unreadable", []judged{
		{name: "it says so, and ends", tested: 1, history: strange + `
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`},
		{name: "it asks again", tested: 1, history: strange + `
			s1 -> WATCH rv=6
			s1 <- ok
			s1 .. ADDED c@8
			c1 .. ADDED c@8`},
		{name: "it skips it", tested: 1, history: strange + `
			c1 .. ADDED c@8`, want: want, got: "what was sent after it: ADDED default/c @8"},
		{name: "it ends", tested: 1, history: strange + `
			c1 .. ENDED`, want: want, got: "the end without an ERROR"},
		{name: "it does nothing", tested: 1, history: strange + `
			c1 .. SETTLED`, want: want, got: "neither, though it had all the time it needs"},
		{name: "it asks again, and the same ERROR comes, with which that one went on", tested: 1, history: journey + `
			s1 .. SPOILED replace
			s1 .. ERROR 410 Expired
			s1 -> WATCH rv=6
			s1 <- ok
			s1 .. ERROR 410 Expired
			c1 .. ERROR 410 Expired
			c1 .. ENDED`},
		{name: "it skips it, and says what came then", tested: 1, history: journey + `
			s1 .. SPOILED replace
			s1 .. ERROR 410 Expired
			c1 .. ERROR 410 Expired
			c1 .. ENDED`, want: want, got: "what was sent after it: ERROR 410 Expired a status"},
		{name: "a frame that is merely cut", history: journey + `
			s1 .. SPOILED truncate
			c1 .. ENDED`},
		{name: "it had no time", history: strange},
		{name: "all could be read", history: journey + `c1 .. SETTLED`},
	})
}
