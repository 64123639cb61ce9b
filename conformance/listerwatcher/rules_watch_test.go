package listerwatcher

import "testing"

// open is a watch from 5 that is open at both ends.
const open = `
	c1 -> WATCH rv=5
	s1 -> WATCH
	s1 <- ok
	c1 <- ok
`

// journey is one that a client resumes by itself: its first event has come.
const journey = `
	has watches retries server-faults
	c1 -> WATCH rv=5
	c1 <- ok
	s1 -> WATCH
	s1 <- ok
	s1 .. ADDED a@6
	c1 .. ADDED a@6
`

// initialState is one that began with the state that there was, and was ended.
const initialState = `
	has watches retries server-faults
	c1 -> WATCH
	c1 <- ok
	s1 -> WATCH
	s1 <- ok
	s1 .. ADDED a@7
	s1 .. ADDED b@6
	c1 .. ADDED a@7
	c1 .. ADDED b@6
	s1 .. END clean
	s1 -> WATCH rv=7
	s1 <- ok
`

func TestWatchFaithful(t *testing.T) {
	const sent = open + `
		s1 .. ADDED a@6:x
		s1 .. BOOKMARK @7
		s1 .. DELETED a@8:x
	`
	judge(t, "watch/faithful", []judged{
		{name: "as it was sent", tested: 3, history: sent + `
			c1 .. ADDED a@6:x
			c1 .. BOOKMARK @7
			c1 .. DELETED a@8:x
			c1 .. SETTLED`},
		{name: "not all of it, and it had no time", tested: 1, history: sent + `
			c1 .. ADDED a@6:x`},
		{name: "one is lost", tested: 2, history: sent + `
			c1 .. ADDED a@6:x
			c1 .. DELETED a@8:x`, want: "BOOKMARK @7", got: "DELETED default/a @8"},
		{name: "the last is lost", tested: 3, history: sent + `
			c1 .. ADDED a@6:x
			c1 .. BOOKMARK @7
			c1 .. SETTLED`, want: "DELETED default/a @8", got: "nothing, though the watch had all the time it needs"},
		{name: "it was stopped before", tested: 2, history: sent + `
			c1 .. ADDED a@6:x
			c1 .. BOOKMARK @7
			c1 -> STOP
			c1 .. SETTLED`},
		{name: "the connection broke", tested: 2, history: sent + `
			s1 .. END broken
			c1 .. ADDED a@6:x
			c1 .. BOOKMARK @7
			c1 .. SETTLED`},
		{name: "twice", tested: 2, history: open + `
			s1 .. ADDED a@6:x
			c1 .. ADDED a@6:x
			c1 .. ADDED a@6:x`, want: "nothing that was not sent", got: "ADDED default/a @6"},
		{name: "of another type", tested: 1, history: open + `
			s1 .. ADDED a@6:x
			c1 .. MODIFIED a@6:x`, want: "ADDED default/a @6", got: "MODIFIED default/a @6"},
		{name: "with another content", tested: 1, history: open + `
			s1 .. ADDED a@6:x
			c1 .. ADDED a@6`, want: `ADDED default/a @6 {"data":{"spec":"x"},"metadata":{"name":"a","resourceVersion":"6"}}`,
			got: `ADDED default/a @6 {"metadata":{"name":"a","resourceVersion":"6"}}`},
		{name: "a bookmark of another resourceVersion", tested: 1, history: open + `
			s1 .. BOOKMARK @7
			c1 .. BOOKMARK @8`, want: "BOOKMARK @7", got: "BOOKMARK @8"},
		{name: "of what a frame made unreadable nothing is due", tested: 1, history: open + `
			s1 .. ADDED a@6:x
			s1 .. SPOILED garble
			s1 .. ADDED a@7:x
			c1 .. ADDED a@6:x
			c1 .. SETTLED`},
		{name: "nothing was asked", history: `
			c1 -> WATCH
			c1 <- ok
			c1 .. ENDED
			c1 .. SETTLED`},
		{name: "it has not returned, and nothing was due", history: `
			c1 -> WATCH
			s1 -> WATCH
			s1 <- ok
			s1 .. ADDED a@6:x
			c1 .. SETTLED`},
		{name: "nothing was sent", history: open + `c1 .. SETTLED`},
		{name: "who resumes may keep bookmarks, and begin again before what was lost", tested: 3, history: journey + `
			s1 .. ADDED b@7
			s1 .. END broken
			s1 -> WATCH rv=6
			s1 <- ok
			s1 .. BOOKMARK @6
			s1 .. ADDED b@7
			s1 .. ADDED c@8
			c1 .. ADDED b@7
			c1 .. ADDED c@8
			c1 .. SETTLED`},
		{name: "of who resumes, one is lost", tested: 2, history: journey + `
			s1 .. ADDED b@7
			s1 .. END clean
			c1 .. SETTLED`, want: "ADDED default/b @7", got: "nothing, though the watch had all the time it needs"},
		{name: "of who resumes, one comes twice", tested: 2, history: journey + `
			s1 .. END clean
			s1 -> WATCH rv=5
			s1 <- ok
			s1 .. ADDED a@6
			c1 .. ADDED a@6`, want: "each event once", got: "ADDED default/a @6 again"},
		{name: "of who resumes, one is out of turn", tested: 3, history: journey + `
			s1 .. ADDED b@7
			s1 .. ADDED c@8
			c1 .. ADDED c@8
			c1 .. ADDED b@7`, want: "events in the order sent", got: "ADDED default/b @7 after ADDED default/c @8"},
		{name: "of who resumes, one came by a request that was made beside the stop", tested: 2, history: journey + `
			s1 .. END broken
			c1 -> STOP
			s1 -> WATCH rv=6
			s1 <- ok
			s1 .. ADDED b@7
			c1 .. ADDED b@7
			c1 .. ENDED`},
		{name: "of who resumes, one comes beside the stop that no request brought", tested: 2, history: journey + `
			s1 .. END broken
			c1 -> STOP
			s1 -> WATCH rv=6
			s1 <- ok
			c1 .. ADDED b@7
			c1 .. ENDED`, want: "nothing that was not sent", got: "ADDED default/b @7"},
		{name: "of who resumes, one was never sent", tested: 2, history: journey + `
			c1 .. ADDED z@7`, want: "nothing that was not sent", got: "ADDED default/z @7"},
	})
}

func TestWatchInStreamError(t *testing.T) {
	const sent = open + `
		s1 .. ERROR 410 Expired retry=1
		s1 .. END clean
	`
	judge(t, "watch/in-stream-error", []judged{
		{name: "as it was sent", tested: 1, history: sent + `
			c1 .. ERROR 410 Expired retry=1
			c1 .. ENDED`},
		{name: "as an end", tested: 1, history: sent + `
			c1 .. ENDED`, want: "ERROR 410 Expired, retry after 1 s", got: "no ERROR 410 Expired, retry after 1 s"},
		{name: "with another code", tested: 1, history: sent + `
			c1 .. ERROR 500 Expired retry=1
			c1 .. ENDED`, want: "ERROR 410 Expired, retry after 1 s", got: "ERROR 500 Expired, retry after 1 s"},
		{name: "without what it says", tested: 1, history: sent + `
			c1 .. ERROR 410 Expired
			c1 .. SETTLED`, want: "ERROR 410 Expired, retry after 1 s", got: "ERROR 410 Expired"},
		{name: "it had no time", history: sent},
		{name: "it was stopped", history: sent + `
			c1 -> STOP
			c1 .. ENDED`},
		{name: "nothing was asked", history: `
			c1 -> WATCH
			c1 <- ok
			c1 .. ENDED
			c1 .. SETTLED`},
		{name: "none was sent", history: open + `c1 .. SETTLED`},
		{name: "who resumes tells of 410 as it was sent", tested: 1, history: journey + `
			s1 .. ERROR 410 Expired
			c1 .. ERROR 410 Gone
			c1 .. ENDED`, want: "ERROR 410 Expired", got: "ERROR 410 Gone"},
		{name: "and may keep others", history: journey + `
			s1 .. ERROR 500 InternalError
			c1 .. SETTLED`},
	})
}

func TestWatchEnd(t *testing.T) {
	judge(t, "watch/end", []judged{
		{name: "a clean one", tested: 1, history: open + `
			s1 .. END clean
			c1 .. ENDED
			c1 .. SETTLED`},
		{name: "a broken one may be told by an ERROR", tested: 1, history: open + `
			s1 .. END broken
			c1 .. ERROR 500 InternalError
			c1 .. ENDED
			c1 .. SETTLED`},
		{name: "it stays open", tested: 1, history: open + `
			s1 .. END broken
			c1 .. SETTLED`, want: "the end of the stream", got: "none, though it had all the time it needs"},
		{name: "a clean one makes an ERROR", tested: 1, history: open + `
			s1 .. END clean
			c1 .. ERROR 500 InternalError
			c1 .. ENDED
			c1 .. SETTLED`, want: "no ERROR: the server ended the watch as it should", got: "ERROR 500 InternalError a status"},
		{name: "an ERROR that was sent is none of that", tested: 1, history: open + `
			s1 .. ERROR 410 Expired
			s1 .. END clean
			c1 .. ERROR 410 Expired
			c1 .. ENDED
			c1 .. SETTLED`},
		{name: "an ERROR is the end, whoever lets go first", tested: 1, history: open + `
			s1 .. ERROR 410 Expired
			s1 .. END stopped
			c1 .. ERROR 410 Expired
			c1 .. SETTLED`, want: "the end of the stream", got: "none, though it had all the time it needs"},
		{name: "who lets go by itself may keep it open", history: open + `
			s1 .. END stopped
			c1 .. SETTLED`},
		{name: "of who resumes, too", tested: 1, history: journey + `
			s1 .. ERROR 500 InternalError
			s1 .. END stopped
			... 10m
			c1 .. SETTLED`, want: "a request that goes on, or the end of the stream", got: "neither, though it had all the time it needs"},
		{name: "nor one for a frame that cannot be read", tested: 1, history: open + `
			s1 .. SPOILED garble
			s1 .. END clean
			c1 .. ERROR 500 InternalError
			c1 .. ENDED
			c1 .. SETTLED`},
		{name: "in real time it is enough that it ends", tested: 1, history: open + `
			s1 .. END clean
			c1 .. ENDED`},
		{name: "in real time nobody knows how long it takes", history: open + `
			s1 .. END clean`},
		{name: "after all the time it had", history: open + `
			c1 .. SETTLED
			s1 .. END clean`},
		{name: "nothing was asked", history: `
			c1 -> WATCH
			c1 <- ok
			c1 .. ENDED
			c1 .. SETTLED`},
		{name: "who resumes goes on", tested: 1, history: journey + `
			s1 .. END clean
			s1 -> WATCH rv=6`},
		{name: "who resumes does nothing more", tested: 1, history: journey + `
			s1 .. END clean
			... 10m
			c1 .. SETTLED`, want: "a request that goes on, or the end of the stream", got: "neither, though it had all the time it needs"},
		{name: "who resumes may pause for minutes", history: journey + `
			s1 .. END clean
			... 4m59s
			c1 .. SETTLED`},
		{name: "who resumes tells of an end", tested: 1, history: journey + `
			s1 .. END clean
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`, want: "no ERROR: the server ended each watch as it should", got: "ERROR 500 InternalError a status"},
		{name: "who resumes may tell of a refusal", history: `
			has watches retries
			c1 -> WATCH rv=5
			c1 <- ok
			s1 -> WATCH
			s1 <- 403 Forbidden
			c1 .. ERROR 403 Forbidden
			c1 .. ENDED`},
		{name: "it goes on", history: open + `
			c1 .. ENDED
			c1 .. SETTLED`},
		{name: "the client's own end", history: open + `
			s1 .. END stopped
			c1 .. SETTLED`},
		{name: "let go of beside the server's end", history: open + `
			c1 -> STOP
			s1 .. END clean
			c1 .. SETTLED`},
		{name: "it was never open", history: `
			c1 -> WATCH
			s1 -> WATCH
			s1 <- ok
			s1 .. END broken
			c1 <- error
			c1 .. SETTLED`},
	})
}
